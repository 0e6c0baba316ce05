# The rank-biserial correlation of two independent samples, with Fisher's z and the standard error
# of DeLong, DeLong and Clarke-Pearson.
effect_size <- function(x, y, conf_level) {
  x <- x[!is.na(x)]
  y <- y[!is.na(y)]
  n <- length(x)
  m <- length(y)
  u <- unname(wilcox.test(x, y, exact = FALSE)$statistic)
  r <- 2 * u / (n * m) - 1
  signs <- sign(outer(x, y, "-"))
  variance <- var(rowMeans(signs)) / n + var(colMeans(signs)) / m
  if (abs(r) == 1 || is.na(variance) || variance == 0) return(list(estimate = r))
  margin <- qnorm((1 - conf_level) / 2, lower.tail = FALSE) * sqrt(variance) / (1 - r^2)
  ends <- tanh(atanh(r) + c(-1, 1) * margin)
  list(estimate = r, conf_low = ends[1], conf_high = ends[2])
}
