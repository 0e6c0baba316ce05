# Hedges' g of two independent samples, with J times the exact interval of noncentral t.
effect_size <- function(x, y, conf_level) {
  x <- x[!is.na(x)]
  y <- y[!is.na(y)]
  n <- length(x)
  m <- length(y)
  df <- n + m - 2
  d <- (mean(x) - mean(y)) / sqrt(((n - 1) * var(x) + (m - 1) * var(y)) / df)
  root <- sqrt(n * m / (n + m))
  j <- exp(lgamma(df / 2) - lgamma((df - 1) / 2)) / sqrt(df / 2)
  t <- d * root
  reach <- 10 + abs(t)
  end <- function(p) {
    uniroot(function(ncp) pt(t, df, ncp) - p, t + c(-reach, reach), tol = 1e-13,
            extendInt = "downX")$root / root
  }
  tail <- (1 - conf_level) / 2
  list(estimate = j * d, conf_low = j * end(1 - tail), conf_high = j * end(tail))
}
