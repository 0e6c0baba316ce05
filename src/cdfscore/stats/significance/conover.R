# Conover's test of pairs of systems by their sums of ranks within topics, as in friedman() of
# agricolae. PMCMRplus has another variance.
significance_test <- function(scores, first, second) {
  n <- nrow(scores)
  df <- (n - 1) * (ncol(scores) - 1)
  ranks <- t(apply(scores, 1, rank))
  sums <- colSums(ranks)
  spread <- n * sum(ranks^2) - sum(sums^2)
  if (spread == 0) stop("the systems have the same ranks in all topics")
  stderr <- sqrt(2 * spread / df)
  t <- (sums[first] - sums[second]) / stderr
  list(estimate = (sums[first] - sums[second]) / n, stderr = rep(stderr / n, length(t)),
       statistic = t, parameter = rep(df, length(t)), p_value = 2 * pt(-abs(t), df))
}
