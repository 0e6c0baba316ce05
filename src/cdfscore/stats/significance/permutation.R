# The permutation test of paired scores: all sign flips if they are at most 2^20, otherwise the
# flips of draws(f, n). It applies f to each block: one flip per column, 1 for a changed sign.
significance_test <- function(x, y, alternative, null_value, B, seed, draws) {
  pairs <- !is.na(x) & !is.na(y)
  x <- x[pairs]
  y <- y[pairs]
  if (!any(pairs)) stop("there is no pair")
  d <- summed_differences(x, y, null_value)
  n <- length(d)
  # The sums of all flips: with each difference there are twice as many.
  flipped <- if (n <= 20) Reduce(function(sums, value) c(sums + value, sums - value), d, 0) else
    sum(d) - 2 * unlist(draws(function(flips) drop(d %*% flips), n))
  toward <- switch(alternative, "two-sided" = abs, less = function(t) -t, greater = identity)
  ties <- 2^-48 * n * sum(abs(d))
  extreme <- toward(flipped) >= toward(sum(d)) - ties
  estimate <- mean(x - y)
  list(statistic = estimate, estimate = estimate,
       p_value = if (n <= 20) mean(extreme) else (sum(extreme) + 1) / (B + 1))
}
