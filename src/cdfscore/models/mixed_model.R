# Mixed model of scores (topics x slots) with random topics, by nlme and long_frame.R.

# The scores of topics, with the columns x of fixed effects, in sum contrasts, and z of each random
# term within a topic: random has terms such as "topic" and "topic:stemmer".
mixed_design <- function(scores, factors, formula, random) {
  data <- long_frame(scores, factors)
  right <- delete.response(terms(as.formula(formula)))
  x <- model.matrix(right, data, contrasts.arg = in_sum_contrasts(all.vars(right)))
  z <- lapply(setNames(random, random), function(term) {
    own <- setdiff(strsplit(term, ":", fixed = TRUE)[[1]], "topic")
    if (length(own) == 0) return(matrix(1, nrow(data), 1))
    # By numbers, as the labels 1 and 2.3 are not 1.2 and 3.
    level <- factor(do.call(paste, lapply(unname(data[own]), as.integer)))
    1 * outer(as.integer(level), seq_len(nlevels(level)), "==")
  })
  list(score = data$score, topic = data$topic, x = x, z = z)
}

# The same of differences within topics: of n scores n - 1 orthonormal ones, so that residuals are
# independent, of the same variance. What is the same for all scores of a topic is 0 in them.
within_topics <- function(design) {
  rows <- split(seq_along(design$topic), design$topic)
  rows <- rows[lengths(rows) > 1]
  differences <- lapply(rows, function(own) {
    by <- contr.helmert(length(own))
    t(by) / sqrt(colSums(by^2))
  })
  of <- function(columns) do.call(rbind, unname(Map(function(by, own)
    by %*% columns[own, , drop = FALSE], differences, rows)))
  list(score = drop(of(cbind(design$score))),
       topic = factor(rep(names(rows), lengths(rows) - 1), levels = names(rows)),
       x = of(design$x[, -1, drop = FALSE]),
       z = lapply(design$z[names(design$z) != "topic"], of))
}

# Variances of the random terms and of the residuals, coefficients, their covariance, and the
# logarithm of the likelihood. method is "REML" or "ML".
fit_mixed <- function(design, method) {
  if (length(design$z) == 0) return(fit_fixed(design, method))
  data <- data.frame(score = design$score, topic = design$topic)
  data$x <- unname(design$x)
  names <- paste0("z_", seq_along(design$z))
  data[names] <- unname(design$z)
  blocks <- lapply(names, function(name) nlme::pdIdent(as.formula(paste("~", name, "- 1"))))
  structure <- if (length(blocks) > 1) nlme::pdBlocked(blocks) else blocks[[1]]
  # The default stops of nlme are 3e-5 off in a variance. Effects of one variance may be more than
  # the scores of a topic.
  control <- nlme::lmeControl(opt = "optim", maxIter = 500, msMaxIter = 2000, msTol = 1e-18,
                              allow.n.lt.q = TRUE, returnObject = TRUE)
  model <- nlme::lme(score ~ x - 1, data, random = list(topic = structure), method = method,
                     control = control)
  relative <- exp(2 * unlist(coef(model$modelStruct$reStruct, unconstrained = TRUE)))
  list(variances = c(relative, 1) * model$sigma^2, coefficients = unname(nlme::fixef(model)),
       covariance = unname(vcov(model)), log_likelihood = as.numeric(logLik(model)))
}

# The model of no random terms.
fit_fixed <- function(design, method) {
  model <- lm(score ~ x - 1, list(score = design$score, x = design$x))
  reml <- method == "REML"
  variance <- deviance(model) / (if (reml) df.residual(model) else length(design$score))
  list(variances = variance, coefficients = unname(coef(model)),
       covariance = unname(variance * summary(model)$cov.unscaled),
       log_likelihood = as.numeric(logLik(model, REML = reml)))
}

mixed_model <- function(scores, factors, formula, random, method)
  fit_mixed(mixed_design(scores, factors, formula, random), method)
