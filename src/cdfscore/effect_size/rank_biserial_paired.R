# The matched-pairs rank-biserial correlation, with Fisher's z.
effect_size <- function(x, y, conf_level) {
  d <- (x - y)[!is.na(x - y)]
  d <- d[d != 0]
  k <- length(d)
  ranks <- rank(abs(d))
  r <- (sum(ranks[d > 0]) - sum(ranks[d < 0])) / sum(ranks)
  if (abs(r) == 1 || is.nan(r)) return(list(estimate = r))
  stderr <- sqrt(k * (k + 1) * (2 * k + 1) / 6) / (k * (k + 1) / 2)
  ends <- tanh(atanh(r) + c(-1, 1) * qnorm((1 - conf_level) / 2, lower.tail = FALSE) * stderr)
  list(estimate = r, conf_low = ends[1], conf_high = ends[2])
}
