# The standardized mean difference of paired scores, with the exact interval of noncentral t.
# R's pt(ncp =) is a normal approximation above 37.62; this file computes the distribution.
effect_size <- function(x, y, conf_level) {
  d <- (x - y)[!is.na(x - y)]
  n <- length(d)
  stderr <- sd(d) / sqrt(n)
  # the rule of t.test for constant data
  if (n < 2 || stderr == 0 || stderr < 10 * .Machine$double.eps * abs(mean(d)))
    return(list(estimate = NaN))
  t <- sqrt(n) * mean(d) / sd(d)
  tail <- (1 - conf_level) / 2
  list(estimate = mean(d) / sd(d),
       conf_low = -noncentrality(-t, n - 1, tail) / sqrt(n),
       conf_high = noncentrality(t, n - 1, tail) / sqrt(n))
}
