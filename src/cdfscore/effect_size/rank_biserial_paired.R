# The matched-pairs rank-biserial correlation, with Fisher's z and Hoeffding's standard error.
effect_size <- function(x, y, conf_level) {
  d <- (x - y)[!is.na(x - y)]
  d <- d[d != 0]
  k <- length(d)
  ranks <- rank(abs(d))
  r <- (sum(ranks[d > 0]) - sum(ranks[d < 0])) / sum(ranks)
  if (abs(r) == 1 || is.nan(r)) return(list(estimate = r))
  sums <- rowSums(sign(outer(d, d, "+")))
  stderr <- sqrt(4 * var(sums) / (k * (k + 1)^2))
  margin <- qnorm((1 - conf_level) / 2, lower.tail = FALSE) * stderr / (1 - r^2)
  ends <- tanh(atanh(r) + c(-1, 1) * margin)
  list(estimate = r, conf_low = ends[1], conf_high = ends[2])
}
