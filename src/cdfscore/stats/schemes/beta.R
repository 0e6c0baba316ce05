# The beta distribution, by maximum likelihood or by moments.
# x: scores to standardize; scores: the reference scores of the topic, between 0 and 1.
# ends: the treatment of scores of 0 and 1; Smithson and Verkuilen (2006), p. 55.
standardize <- function(x, scores, method = "ml", ends = "raise")
  do.call(evaluate, c(list(x), estimate(scores, method, ends)))

estimate <- function(scores, method = "ml", ends = "raise") {
  scores <- scores[!is.na(scores)]
  n <- length(scores)
  if (n < 2) stop("beta needs at least 2 reference scores")
  if (min(scores) < 0 || max(scores) > 1) stop("a reference score is not in [0, 1]")
  given <- list(min = min(scores), max = max(scores))
  if (given$min == given$max) return(c(a = 1, b = 1, given))
  if (ends == "shrink") scores <- (scores * (n - 1) + 0.5) / n
  p <- if (method == "ml") fit_beta(scores) else match_beta(scores)
  if (max(p) > 1e10) stop("the reference scores differ too little for a beta distribution")
  c(a = p[1], b = p[2], given)
}

evaluate <- function(x, a, b, min, max) {
  if (min == max) return(ifelse(x < min, 0, ifelse(x > min, 1, 0.5)))  # the limit
  pbeta(x, a, b)
}

# The variance is the one with n. m (1 - m) - v is the mean of x (1 - x).
match_beta <- function(s) {
  m <- mean(s)
  size <- mean(s * (1 - s)) / mean((s - m)^2)
  if (size == 0) stop("all reference scores are 0 or 1; no beta distribution has their moments")
  c(m, 1 - m) * size
}

# Newton's method for the log-likelihood per score, which is concave in both shapes. Steps
# are halved while they go far beyond the maximum, and end when only rounding errors are left.
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
    if (size <= 1e-15 || (size < 1e-7 && size >= last / 2)) return(refine_beta(s, p))
  }
  stop("the likelihood of beta was not maximized in 500 steps")
}

# If scores are close together, these differences lose digits, more for larger shapes: mean(log(s))
# is log(mean(s)) minus a gap of about 1 / (2 p[1]). The last steps therefore use the gaps, the
# logarithm of the sum n of the shapes, and d, the difference of the fitted mean from the mean of
# the scores.
refine_beta <- function(s, p) {
  reflected <- mean(s) > 0.5
  u <- cbind(s, 1 - s)
  if (reflected) u <- u[, 2:1]
  m <- mean(u[, 1])
  m <- c(m, 1 - m)
  e <- (u[, 1] - m[1]) %o% c(1, -1) / rep(m, each = length(s))
  gap <- colMeans(e - ifelse(abs(e) < 0.5, log1p(e), log(u / rep(m, each = length(s)))))
  if (reflected) p <- rev(p)
  n <- sum(p)
  d <- p[1] / n / m[1] - 1
  side <- c(1, -m[1] / m[2])
  size <- Inf
  for (i in 1:50) {
    p <- m * (1 + side * d) * n
    slope <- log_minus_digamma(p) - log_minus_digamma(n) - log1p(side * d) - gap
    own <- 1 - p * trigamma(p)
    by_n <- own - (1 - n * trigamma(n))
    by_d <- side * (own - 1) / (1 + side * d)
    step <- solve(cbind(by_n, by_d), -slope, tol = 0)
    n <- n * exp(step[1])
    d <- d + step[2]
    last <- size
    size <- max(abs(step))
    if (size <= 1e-16 || (size < 1e-7 && size >= last / 2)) break
  }
  p <- m * (1 + side * d) * n
  if (reflected) rev(p) else p
}

# log(x) - digamma(x), from 16 on by its asymptotic series, which is accurate there.
log_minus_digamma <- function(x) {
  r <- 1 / x^2
  series <- 1 / 240 - r * (1 / 132 - r * (691 / 32760 - r / 12))
  series <- 0.5 / x + r * (1 / 12 - r * (1 / 120 - r * (1 / 252 - r * series)))
  ifelse(x < 16, log(x) - digamma(x), series)
}
