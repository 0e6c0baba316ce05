# The sign test of paired scores: the binomial test of the signs without zeros.
significance_test <- function(x, y, alternative, null_value, conf_level, ties_at) {
  pairs <- !is.na(x) & !is.na(y)
  d <- differences(x[pairs], y[pairs], null_value, ties_at)
  test <- binom.test(sum(d > 0), sum(d != 0), conf.level = conf_level,
                     alternative = sub("-", ".", alternative))
  list(statistic = test$statistic, parameter = test$parameter, p_value = test$p.value,
       conf_low = test$conf.int[1], conf_high = test$conf.int[2], estimate = test$estimate)
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
