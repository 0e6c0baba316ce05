# The permutation test of paired scores: all sign flips if they are at most 2^20, otherwise the
# flips of draws(f, n). It applies f to each block: one flip per column, 1 for a changed sign.
significance_test <- function(x, y, alternative, null_value, B, seed, draws) {
  pairs <- !is.na(x) & !is.na(y)
  x <- x[pairs]
  y <- y[pairs]
  d <- differences(x, y, null_value)
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

# x - y - shift. Where the rounding of the scores may exceed what counts as a tie, and the scores are
# multiples of some 1 / q, the difference is one of whole numbers.
differences <- function(x, y, shift) {
  d <- x - y - shift
  given <- c(x, y, shift)
  if (sum(abs(c(x, y))) + length(d) * abs(shift) > 16 * length(d) * sum(abs(d)))
    for (q in c(1:2000, 10^(4:12)))
      if (q * max(1, abs(given)) <= 1e12 && all(round(given * q) / q == given))
        return((round(x * q) - round(y * q) - round(shift * q)) / q)
  d
}
