# The shift bootstrap test of paired scores: all n^n resamples for n up to 7, otherwise the
# resamples of draws(f, n). It applies f to each block: one resample per column, with the count of
# each pair.
significance_test <- function(x, y, alternative, null_value, conf_level, B, seed, draws) {
  pairs <- !is.na(x) & !is.na(y)
  x <- x[pairs]
  y <- y[pairs]
  # A power of 2 changes no digit, and keeps sums in the range of doubles.
  unit <- 2^floor(log2(max(abs(c(x, y, null_value)), .Machine$double.xmin)))
  d <- differences(x, y, 0, unit)
  n <- length(d)
  if (n < 2) stop("not enough pairs")
  stderr <- sd(d) / sqrt(n)
  # the rule of t.test
  if (stderr == 0 || stderr < 10 * .Machine$double.eps * abs(mean(d)))
    stop("the differences are essentially constant")
  ties <- 2^-48 * sum(abs(d - mean(d)))
  shifted <- mean(differences(x, y, null_value, unit))
  means <- if (n <= 7) rowMeans(matrix(d[as.matrix(expand.grid(rep(list(1:n), n)))], ncol = n)) else
    unlist(draws(function(counts) drop(d %*% counts), n)) / n
  toward <- switch(alternative, "two-sided" = abs, less = function(t) -t, greater = identity)
  extreme <- toward(means - mean(d)) >= toward(shifted) - ties
  tail <- (1 - conf_level) / if (alternative == "two-sided") 2 else 1
  ends <- unit * quantile(means, c(tail, 1 - tail), type = 6)
  list(statistic = unit * mean(d), estimate = unit * mean(d),
       stderr = unit * sqrt(sum((d - mean(d))^2)) / n,
       conf_low = if (alternative == "less") -Inf else ends[1],
       conf_high = if (alternative == "greater") Inf else ends[2],
       p_value = if (n <= 7) mean(extreme) else (sum(extreme) + 1) / (B + 1))
}

# x - y - shift, divided by unit. Where the rounding of the scores may exceed what counts as a tie,
# and the scores are multiples of some 1 / q, the difference is one of whole numbers.
differences <- function(x, y, shift, unit) {
  d <- x / unit - y / unit - shift / unit
  given <- c(x, y, shift)
  if (sum(abs(c(x, y) / unit)) + length(d) * abs(shift / unit) > 16 * length(d) * sum(abs(d)))
    for (q in c(1:2000, 10^(4:12)))
      if (q * max(1, abs(given)) <= 1e12 && all(round(given * q) / q == given))
        return((round(x * q) - round(y * q) - round(shift * q)) / q / unit)
  d
}
