# The rank-biserial correlation of two independent samples, with Fisher's z and the standard error
# of DeLong, DeLong and Clarke-Pearson; an exact bound for r of -1 or 1.
effect_size <- function(x, y, conf_level) {
  x <- x[!is.na(x)]
  y <- y[!is.na(y)]
  n <- as.numeric(length(x))  # whole numbers of R end at 2^31
  m <- as.numeric(length(y))
  u <- unname(wilcox.test(x, y, exact = FALSE)$statistic)
  r <- 2 * u / (n * m) - 1
  signs <- sign(outer(x, y, "-"))
  variance <- var(rowMeans(signs)) / n + var(colMeans(signs)) / m
  if (abs(r) == 1) {
    bound <- 2 * ((1 - conf_level) / 2)^(1 / min(n, m)) - 1
    return(list(estimate = r, conf_low = min(r, r * bound), conf_high = max(r, r * bound)))
  }
  if (is.na(variance) || variance == 0) return(list(estimate = r))
  margin <- qnorm((1 - conf_level) / 2, lower.tail = FALSE) * sqrt(variance) / (1 - r^2)
  ends <- tanh(atanh(r) + c(-1, 1) * margin)
  list(estimate = r, conf_low = ends[1], conf_high = ends[2])
}
