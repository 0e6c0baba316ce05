# The permutation test of paired scores: all sign flips, where they are no more than 2^20.
significance_test <- function(x, y, alternative, null_value, B, seed) {
  pairs <- !is.na(x) & !is.na(y)
  x <- x[pairs]
  y <- y[pairs]
  d <- x - y - null_value
  if (length(d) > 20) stop("random sign flips have no twin; expected at most 20 pairs")
  # The sums of all flips: with each difference there are twice as many.
  flipped <- Reduce(function(sums, value) c(sums + value, sums - value), d, 0)
  toward <- switch(alternative, "two-sided" = abs, less = function(t) -t, greater = identity)
  ties <- .Machine$double.eps * length(d) * sum(abs(x), abs(y), abs(null_value))
  list(statistic = mean(x - y), estimate = mean(x - y),
       p_value = mean(toward(flipped) >= toward(sum(d)) - ties))
}
