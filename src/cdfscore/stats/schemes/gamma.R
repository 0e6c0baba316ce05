# The gamma distribution by maximum likelihood.
# x: scores to standardize; scores: the reference scores of the topic, above 0.
standardize <- function(x, scores) do.call(evaluate, c(list(x), estimate(scores)))

estimate <- function(scores) {
  scores <- scores[!is.na(scores)]
  if (length(scores) < 2) stop("gamma needs at least 2 reference scores")
  if (min(scores) < 0) stop("a reference score is below 0")
  given <- list(min = min(scores), max = max(scores))
  if (given$min == given$max) return(c(shape = 1, scale = 1, given))
  if (min(scores) == 0)
    stop("a reference score is 0, where the likelihood of gamma has no maximum")
  shape <- fit_gamma(scores)
  if (shape > 2e5) stop("the reference scores differ too little for a gamma distribution")
  c(shape = shape, scale = mean(scores) / shape, given)
}

evaluate <- function(x, shape, scale, min, max) {
  if (min == max) return(ifelse(x < min, 0, ifelse(x > min, 1, 0.5)))  # the limit
  pgamma(x, shape, scale = scale)
}

# log(shape) - digamma(shape) = log(mean(s)) - mean(log(s)); the left side decreases with the shape.
# Its logarithm is nearly linear in the logarithm of the shape.
fit_gamma <- function(s) {
  r <- s / mean(s)
  e <- r - 1
  right <- mean(e - ifelse(abs(e) < 0.5, log1p(e), log(r)))
  exp(uniroot(function(t) log(log_minus_digamma(exp(t)) / right), log(0.5 / right) + c(-1, 1),
              extendInt = "downX", tol = 1e-15, maxiter = 10000)$root)
}

# log(x) - digamma(x), from 16 on by its asymptotic series, which is accurate there.
log_minus_digamma <- function(x) {
  r <- 1 / x^2
  series <- 1 / 240 - r * (1 / 132 - r * (691 / 32760 - r / 12))
  series <- 0.5 / x + r * (1 / 12 - r * (1 / 120 - r * (1 / 252 - r * series)))
  ifelse(x < 16, log(x) - digamma(x), series)
}
