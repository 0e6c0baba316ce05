# The permutation test of two samples: all divisions, where they are no more than 2^20.
significance_test <- function(x, y, alternative, null_value, B, seed) {
  x <- x[!is.na(x)]
  y <- y[!is.na(y)]
  n <- length(x)
  m <- length(y)
  if (n == 0 || m == 0) stop("a sample is empty")
  if (choose(n + m, n) > 2^20) stop("random shuffles have no twin; expected smaller samples")
  pooled <- c(x - null_value, y)
  first <- colSums(matrix(pooled[combn(n + m, n)], n))
  difference <- first / n - (sum(pooled) - first) / m
  toward <- switch(alternative, "two-sided" = abs, less = function(t) -t, greater = identity)
  ties <- .Machine$double.eps * (n + m) * sum(abs(pooled), abs(null_value)) * (1 / n + 1 / m)
  list(statistic = mean(x) - mean(y), estimate = mean(x) - mean(y),
       p_value = mean(toward(difference) >= toward(mean(x - null_value) - mean(y)) - ties))
}
