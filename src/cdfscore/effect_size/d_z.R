# The standardized mean difference of paired scores, with the exact interval of noncentral t.
effect_size <- function(x, y, conf_level) {
  d <- (x - y)[!is.na(x - y)]
  n <- length(d)
  t <- sqrt(n) * mean(d) / sd(d)
  reach <- 10 + abs(t)
  end <- function(p) {
    uniroot(function(ncp) pt(t, n - 1, ncp) - p, t + c(-reach, reach), tol = 1e-13,
            extendInt = "downX")$root / sqrt(n)
  }
  tail <- (1 - conf_level) / 2
  list(estimate = mean(d) / sd(d), conf_low = end(1 - tail), conf_high = end(tail))
}
