# Hedges' g of two independent samples, with the exact interval of noncentral t.
# R's pt(ncp =) is a normal approximation above 37.62; this file computes the distribution.
effect_size <- function(x, y, conf_level) {
  x <- x[!is.na(x)]
  y <- y[!is.na(y)]
  n <- as.numeric(length(x))  # whole numbers of R end at 2^31
  m <- as.numeric(length(y))
  df <- n + m - 2
  largest <- max(abs(mean(x)), abs(mean(y)))
  # An offset that both samples share would round their means; the subtraction is exact.
  scores <- c(x, y)
  if (length(scores) && diff(range(scores)) <= max(abs(scores)) / 1024) {
    x <- x - scores[1]
    y <- y - scores[1]
  }
  s <- sqrt(((n - 1) * var(x) + (m - 1) * var(y)) / df)
  root <- sqrt(n * m / (n + m))
  # the rule of t.test for constant data
  if (min(n, m) < 2 || s == 0 ||
      s / root < 10 * .Machine$double.eps * largest)
    return(list(estimate = NaN))
  d <- (mean(x) - mean(y)) / s
  j <- sqrt(2 * pi / df) / beta((df - 1) / 2, 1 / 2)  # the digits of a ratio of gamma functions
  t <- d * root
  tail <- (1 - conf_level) / 2
  list(estimate = j * d,
       conf_low = -noncentrality(-t, df, tail) / root,
       conf_high = noncentrality(t, df, tail) / root)
}
