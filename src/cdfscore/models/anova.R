# Analysis of variance of scores (topics x systems) by topics and the components of systems, on the
# dense design and by long_frame.R. factors is a data frame with a row for each system; type is "I",
# "II" or "III".
fitted_model <- function(formula, data) {
  factors <- setdiff(all.vars(formula), "score")
  lm(formula, data, contrasts = in_sum_contrasts(factors))
}

# Sum of squares and degrees of freedom of each term, and of the residuals.
anova_table <- function(scores, factors, formula, type) {
  data <- long_frame(scores, factors)
  formula <- as.formula(formula)
  model <- fitted_model(formula, data)
  labels <- attr(terms(formula), "term.labels")
  parts <- strsplit(labels, ":", fixed = TRUE)
  residual <- c(deviance(model), df.residual(model))
  if (type == "I") {
    table <- anova(model)
    found <- cbind(table[labels, "Sum Sq"], table[labels, "Df"])
  } else if (type == "II") {
    rss <- function(kept) {
      right <- if (length(kept)) paste(kept, collapse = " + ") else "1"
      fit <- fitted_model(as.formula(paste("score ~", right)), data)
      c(deviance(fit), df.residual(fit))
    }
    found <- t(sapply(seq_along(labels), function(i) {
      others <- labels[!sapply(parts, function(other) all(parts[[i]] %in% other))]
      rss(others) - rss(c(others, labels[i]))
    }))
  } else {
    if (any(is.na(coef(model)))) stop("some contrasts follow from the others")
    table <- drop1(model, . ~ ., test = "F")
    found <- cbind(table[labels, "Sum of Sq"], table[labels, "Df"])
  }
  error <- residual[1] / residual[2]
  f <- found[, 1] / found[, 2] / error
  list(term = c(labels, "residual"), sum_of_squares = c(found[, 1], residual[1]),
       df = c(found[, 2], residual[2]), statistic = c(f, NA),
       p_value = c(pf(f, found[, 2], residual[2], lower.tail = FALSE), NA))
}

# Means of the cells of a term over equal weights of all else, and their covariance.
marginal_means <- function(scores, factors, formula, term) {
  data <- long_frame(scores, factors)
  formula <- as.formula(formula)
  model <- fitted_model(formula, data)
  weights <- mean_rows(formula, data, term)
  estimate <- drop(weights %*% coef(model))
  list(label = rownames(weights), mean = estimate,
       covariance = weights %*% vcov(model) %*% t(weights), df = df.residual(model))
}

# Checks of the errors: shape, additivity, and equal variances over the levels of each factor.
model_checks <- function(scores, factors, formula) {
  data <- long_frame(scores, factors)
  formula <- as.formula(formula)
  model <- fitted_model(formula, data)
  left <- residuals(model)
  second <- mean(left^2)
  found <- rbind(c(mean(left^3) / second^1.5, NA, NA, NA, NA),
                 c(mean(left^4) / second^2 - 3, NA, NA, NA, NA))
  name <- c("skewness", "excess kurtosis")
  data$squared <- (fitted(model) - mean(fitted(model)))^2
  of_squared <- lm(update(formula, squared ~ .), data, contrasts = model$contrasts)
  # The last condition is for cells that all have the same mean, apart from rounding errors.
  if (deviance(of_squared) > 1e-20 * sum(data$squared^2) && df.residual(model) > 1 &&
      sum(data$squared) > 1e-28 * sum(data$score^2)) {
    more <- anova(model, lm(update(formula, . ~ . + squared), data, contrasts = model$contrasts))
    found <- rbind(found, c(more[2, "Sum of Sq"] / deviance(model), more[2, "F"], 1,
                            more[2, "Res.Df"], more[2, "Pr(>F)"]))
    name <- c(name, "additivity")
  }
  for (each in setdiff(all.vars(formula), "score")) {
    group <- droplevels(data[[each]])
    if (nlevels(group) > 1 && min(table(group)) > 1) {
      distance <- abs(left - ave(left, group, FUN = median))
      of_groups <- lm(distance ~ group)
      # Of two residuals in each group both have one distance.
      if (deviance(of_groups) <= 1e-20 * sum(distance^2)) next
      test <- anova(of_groups)
      sds <- tapply(left, group, sd)
      found <- rbind(found, c(max(sds) / min(sds), test[1, "F value"], test[, "Df"],
                              test[1, "Pr(>F)"]))
      name <- c(name, paste("equal variances over", each))
    }
  }
  list(check = name, numbers = unname(found))
}
