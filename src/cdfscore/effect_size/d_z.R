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
       conf_low = noncentrality(t, n - 1, 1 - tail) / sqrt(n),
       conf_high = noncentrality(t, n - 1, tail) / sqrt(n))
}

# The ncp with P(T <= t) = p: of the mean of pnorm(t s - ncp) over s, where s^2 is chi-square
# over its degrees of freedom. Sums with equal steps of log(s), from where terms vanish. A large t
# would need millions of them: there the sum is over a normal score z, of P(z + ncp <= t s).
noncentrality <- function(t, df, p) {
  wide <- 10 + abs(t)
  if (abs(t) > max(1000, sqrt(2 * df))) {
    z <- seq(-39, 39, by = 1 / 16)
    below <- function(ncp) {
      ratio <- pmax(0, (z + ncp) / t)
      sum(dnorm(z) * pchisq(df * ratio^2, df, lower.tail = t < 0)) / 16
    }
    return(uniroot(function(ncp) below(ncp) - p, t + c(-wide, wide), tol = 1e-13,
                   extendInt = "downX")$root)
  }
  step <- min(1 / 25, 0.35 / sqrt(2 * df), 0.25 / (1 + abs(t)))
  far <- 80 / df
  reach <- (far + sqrt(far^2 + 8 * far)) / 4
  u <- seq(-reach, min(reach, 3), by = step)
  s <- exp(u)
  weight <- exp(df * (u - expm1(2 * u) / 2))
  weight <- weight / sum(weight)
  uniroot(function(ncp) sum(weight * pnorm(t * s - ncp)) - p, t + c(-wide, wide), tol = 1e-13,
          extendInt = "downX")$root
}
