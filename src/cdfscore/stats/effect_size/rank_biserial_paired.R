# The matched-pairs rank-biserial correlation, with Fisher's z and Hoeffding's standard error;
# an exact bound for r of -1 or 1.
effect_size <- function(x, y, conf_level) {
  pairs <- !is.na(x) & !is.na(y)
  d <- differences_at(x[pairs], y[pairs], 0, "resolution")
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
