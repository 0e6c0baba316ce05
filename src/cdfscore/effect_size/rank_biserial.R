# The rank-biserial correlation of two independent samples, with Fisher's z.
effect_size <- function(x, y, conf_level) {
  x <- x[!is.na(x)]
  y <- y[!is.na(y)]
  n <- length(x)
  m <- length(y)
  u <- unname(suppressWarnings(wilcox.test(x, y, exact = FALSE))$statistic)
  r <- 2 * u / (n * m) - 1
  if (abs(r) == 1) return(list(estimate = r))
  stderr <- sqrt((n + m + 1) / (3 * n * m))
  ends <- tanh(atanh(r) + c(-1, 1) * qnorm((1 - conf_level) / 2, lower.tail = FALSE) * stderr)
  list(estimate = r, conf_low = ends[1], conf_high = ends[2])
}
