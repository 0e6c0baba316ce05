# Mixed model of scores (topics x slots) with random topics, by nlme. factors is a data frame with a
# row for each slot, a system or a system and a replicate; random has terms such as "topic" and
# "topic:stemmer", and method is "REML" or "ML".
long_frame <- function(scores, factors) {
  place <- which(!is.na(scores), arr.ind = TRUE)
  place <- place[order(place[, 1], place[, 2]), , drop = FALSE]
  data <- data.frame(score = scores[place], topic = factor(place[, 1]))
  for (name in names(factors))
    data[[name]] <- factor(factors[place[, 2], name], levels = unique(factors[[name]]))
  data
}

# The levels of a random term within a topic, as a factor beside the data, and its name.
within_topic <- function(data, term) {
  own <- setdiff(strsplit(term, ":", fixed = TRUE)[[1]], "topic")
  if (length(own) == 0) factor(rep("topic", nrow(data))) else interaction(data[own], drop = TRUE)
}

fitted_mixed <- function(scores, factors, formula, random, method) {
  data <- long_frame(scores, factors)
  formula <- as.formula(formula)
  used <- setdiff(all.vars(formula), "score")
  for (name in used) contrasts(data[[name]]) <- contr.sum(nlevels(data[[name]]))
  blocks <- lapply(seq_along(random), function(i) {
    name <- paste0("random_", i)
    data[[name]] <<- within_topic(data, random[i])
    right <- if (nlevels(data[[name]]) > 1) paste("~", name, "- 1") else "~ 1"
    nlme::pdIdent(as.formula(right))
  })
  structure <- if (length(blocks) > 1) nlme::pdBlocked(blocks) else blocks[[1]]
  # The default stops of nlme are 3e-5 off in a variance. lme evaluates the formula again by name.
  control <- nlme::lmeControl(opt = "optim", maxIter = 500, msMaxIter = 2000, msTol = 1e-18)
  do.call(nlme::lme, list(formula, data = data, random = list(topic = structure), method = method,
                          control = control))
}

# Variances of the random terms and of the residuals, coefficients in sum contrasts, their
# covariance, and the logarithm of the likelihood.
mixed_model <- function(scores, factors, formula, random, method) {
  model <- fitted_mixed(scores, factors, formula, random, method)
  relative <- exp(2 * unlist(coef(model$modelStruct$reStruct, unconstrained = TRUE)))
  list(variances = c(relative, 1) * model$sigma^2, coefficients = nlme::fixef(model),
       covariance = vcov(model), log_likelihood = as.numeric(logLik(model)))
}
