# Nemenyi's test of pairs of systems by mean ranks, with the critical difference of Demsar (2006).
# ptukey loses p values below 1e-9. Therefore this file computes the tail of the range of normals.
significance_test <- function(scores, first, second) {
  n <- nrow(scores)
  if (n < 2) stop("1 topic, but at least 2 are needed")
  k <- ncol(scores)
  mean_ranks <- colMeans(t(apply(scores, 1, rank)))
  difference <- mean_ranks[first] - mean_ranks[second]
  stderr <- sqrt(k * (k + 1) / (6 * n))
  q <- abs(difference) / stderr * sqrt(2)
  list(estimate = difference, stderr = rep(stderr, length(q)), statistic = q,
       p_value = vapply(q, range_tail, 0, groups = k))
}

# P(range > w) of normals, the largest of which is z: not all others are above z - w.
range_tail <- function(w, groups) {
  if (w == 0) return(1)
  z <- seq(w / 2 - 9, w / 2 + 10, by = 1 / 16)
  below <- pmin(exp(pnorm(z - w, log.p = TRUE) - pnorm(z, log.p = TRUE)), 1)
  terms <- dnorm(z) * pnorm(z)^(groups - 1) * -expm1((groups - 1) * log1p(-below))
  min(groups * sum(terms) / 16, 1)
}
