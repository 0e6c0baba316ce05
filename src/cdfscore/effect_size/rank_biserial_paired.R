# The matched-pairs rank-biserial correlation, with Fisher's z and Hoeffding's standard error;
# an exact bound for r of -1 or 1.
effect_size <- function(x, y, conf_level) {
  pairs <- !is.na(x) & !is.na(y)
  d <- differences(x[pairs], y[pairs], 0, "resolution")
  d <- d[d != 0]
  k <- length(d)
  ranks <- rank(abs(d))
  r <- (sum(ranks[d > 0]) - sum(ranks[d < 0])) / sum(ranks)
  if (is.nan(r)) return(list(estimate = r))
  if (abs(r) == 1) {
    bound <- 2 * ((1 - conf_level) / 2)^(2 / k) - 1
    return(list(estimate = r, conf_low = min(r, r * bound), conf_high = max(r, r * bound)))
  }
  sums <- rowSums(sign(outer(d, d, "+")))
  stderr <- sqrt(4 * var(sums) / (k * (k + 1)^2))
  margin <- qnorm((1 - conf_level) / 2, lower.tail = FALSE) * stderr / (1 - r^2)
  ends <- tanh(atanh(r) + c(-1, 1) * margin)
  list(estimate = r, conf_low = ends[1], conf_high = ends[2])
}

# The whole number q such that all scores are k / q, with whole k up to 10^12; NaN if there is none.
# A score is k / q if it is the double nearest to it. Of the first score that is none, the least
# size that it is a fraction of is found, and q becomes the least common multiple.
denominator <- function(scores) {
  sizes <- c(1:2000, 10^(4:12))
  q <- 1
  while (max(1, abs(scores)) * q <= 1e12) {
    apart <- scores[round(scores * q) / q != scores]
    if (length(apart) == 0) return(q)
    size <- sizes[round(apart[1] * sizes) / sizes == apart[1]][1]
    if (is.na(size)) return(NaN)
    a <- q
    b <- size
    while (b > 0) {
      rest <- a %% b
      a <- b
      b <- rest
    }
    q <- q / a * size
  }
  NaN
}

# The differences x - y - shift, in whole multiples where the scores have a resolution.
differences <- function(x, y, shift, ties_at) {
  d <- x - y - shift
  if (is.numeric(ties_at)) return(round(d, ties_at))
  if (is.function(ties_at)) return(ties_at(d))
  q <- if (ties_at == "resolution") denominator(c(x, y, shift)) else NaN
  if (is.nan(q)) d else (round(x * q) - round(y * q) - round(shift * q)) / q
}
