# The beta distribution, by maximum likelihood or by moments.
# x: scores to standardize; scores: the reference scores of the topic, between 0 and 1.
# ends: what becomes of scores of 0 and 1; Smithson and Verkuilen (2006), p. 55.
standardize <- function(x, scores, method = "ml", ends = "raise") {
  scores <- scores[!is.na(scores)]
  n <- length(scores)
  if (n < 2) stop("beta needs at least 2 reference scores")
  if (min(scores) < 0 || max(scores) > 1) stop("a reference score is not in [0, 1]")
  if (min(scores) == max(scores))
    return(ifelse(x < scores[1], 0, ifelse(x > scores[1], 1, 0.5)))  # the limit
  if (ends == "shrink") scores <- (scores * (n - 1) + 0.5) / n
  p <- if (method == "ml") fit_beta(scores) else match_beta(scores)
  if (max(p) > 1e10) stop("the reference scores differ too little for a beta distribution")
  pbeta(x, p[1], p[2])
}

# The variance is the one with n. m (1 - m) - v is the mean of x (1 - x).
match_beta <- function(s) {
  m <- mean(s)
  size <- mean(s * (1 - s)) / mean((s - m)^2)
  if (size == 0) stop("all reference scores are 0 or 1; no beta distribution has their moments")
  c(m, 1 - m) * size
}

# Newton's method for the log-likelihood per score, which is concave in both shapes. Steps
# are halved while they pass the maximum by far, and end where rounding errors are all of them.
fit_beta <- function(s) {
  if (min(s) == 0 || max(s) == 1)
    stop("a reference score is 0 or 1, where the likelihood of beta has no maximum")
  l <- c(mean(log(s)), mean(log1p(-s)))
  slope <- function(p) l - digamma(p) + digamma(sum(p))
  p <- pmax(match_beta(s), 1e-8)
  size <- Inf
  for (i in 1:500) {
    step <- solve(diag(trigamma(p)) - trigamma(sum(p)), slope(p), tol = 0)
    while (any(p + step <= 0) || sum(slope(p + step) * step) < -0.5 * abs(sum(slope(p) * step)))
      if (max(abs(step) / p) < 1e-9) break else step <- step / 2
    p <- p + step
    last <- size
    size <- max(abs(step) / p)
    if (size <= 1e-15 || (size < 1e-7 && size >= last / 2)) return(p)
  }
  stop("the likelihood of beta was not maximized in 500 steps")
}
