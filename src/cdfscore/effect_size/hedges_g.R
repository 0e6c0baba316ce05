# Hedges' g of two independent samples, with the exact interval of noncentral t.
# R's pt(ncp =) is a normal approximation above 37.62; this file computes the distribution.
effect_size <- function(x, y, conf_level) {
  x <- x[!is.na(x)]
  y <- y[!is.na(y)]
  n <- length(x)
  m <- length(y)
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
  j <- exp(lgamma(df / 2) - lgamma((df - 1) / 2)) / sqrt(df / 2)
  t <- d * root
  tail <- (1 - conf_level) / 2
  list(estimate = j * d,
       conf_low = noncentrality(t, df, 1 - tail) / root,
       conf_high = noncentrality(t, df, tail) / root)
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
