# The permutation test of two samples: all divisions if they are at most 2^20, otherwise the
# divisions of draws(f, c(n, m)). It applies f to each block: one division per column, 1 for the
# first group.
significance_test <- function(x, y, alternative, null_value, B, seed, draws) {
  x <- x[!is.na(x)]
  y <- y[!is.na(y)]
  n <- length(x)
  m <- length(y)
  if (n == 0 || m == 0) stop("a sample is empty")
  every <- choose(n + m, n) <= 2^20
  # Without the median of y, no common offset is left to round.
  offset <- sort(y)[m %/% 2 + 1]
  pooled <- c(summed_differences(x, rep(offset, n), null_value), summed_differences(y, rep(offset, m), 0))
  # About the mean, the sum of the first group is n m / (n + m) times the difference of means.
  centred <- pooled - mean(pooled)
  first <- if (every) colSums(matrix(centred[combn(n + m, n)], n)) else
    unlist(draws(function(groups) drop(centred %*% groups), c(n, m)))
  toward <- switch(alternative, "two-sided" = abs, less = function(t) -t, greater = identity)
  ties <- 2^-48 * (n + m) * sum(abs(centred))
  extreme <- toward(first) >= toward(sum(centred[1:n])) - ties
  estimate <- mean(x - offset) - mean(y - offset)
  list(statistic = estimate, estimate = estimate,
       p_value = if (every) mean(extreme) else (sum(extreme) + 1) / (B + 1))
}
