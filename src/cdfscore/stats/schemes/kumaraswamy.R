# The Kumaraswamy distribution by maximum likelihood.
# x: scores to standardize; scores: the reference scores of the topic, between 0 and 1.
# ends: the treatment of scores of 0 and 1; Smithson and Verkuilen (2006), p. 55.
standardize <- function(x, scores, ends = "raise")
  do.call(evaluate, c(list(x), estimate(scores, ends)))

estimate <- function(scores, ends = "raise") {
  scores <- scores[!is.na(scores)]
  n <- length(scores)
  if (n < 2) stop("kumaraswamy needs at least 2 reference scores")
  if (min(scores) < 0 || max(scores) > 1) stop("a reference score is not in [0, 1]")
  given <- list(min = min(scores), max = max(scores))
  if (given$min == given$max) return(c(a = 1, b = 1, given))
  if (ends == "shrink") scores <- (scores * (n - 1) + 0.5) / n
  if (min(scores) == 0 || max(scores) == 1)
    stop("a reference score is 0 or 1, where the likelihood of kumaraswamy has no maximum")
  a <- fit_kumaraswamy(scores)
  b <- -1 / mean(log_rest(a * log(scores)))
  if (!is.finite(b)) stop("the reference scores differ too little for a Kumaraswamy distribution")
  c(a = a, b = b, given)
}

evaluate <- function(x, a, b, min, max) {
  if (min == max) return(ifelse(x < min, 0, ifelse(x > min, 1, 0.5)))  # the limit
  -expm1(b * log_rest(a * log(pmin(1, pmax(0, x)))))
}

# log(1 - exp(u)) for u <= 0.
log_rest <- function(u) {
  near <- !is.na(u) & u > -log(2)
  u[near] <- log(-expm1(u[near]))
  u[!near] <- log1p(-exp(u[!near]))
  u
}

# The slope of the log-likelihood per score by log(a), with the best b for each a. Powers are
# relative to the largest, as all of them may be too small for a double.
fit_kumaraswamy <- function(s) {
  l <- log(s)
  if (min(l) == max(l)) stop("the reference scores differ too little for a distribution")
  slope <- function(log_a) {
    u <- exp(log_a) * l
    weighted <- u * exp(u - max(u)) / -expm1(u)
    rests <- ifelse(u < -40, -exp(u - max(u)), log_rest(u) * exp(-max(u)))
    1 + mean(u) + mean(weighted) * exp(max(u)) + mean(weighted) / mean(rests)
  }
  exp(uniroot(slope, log(pi / sqrt(6) / sd(l)) + c(-1, 1), extendInt = "downX",
              tol = 1e-15, maxiter = 10000)$root)
}
