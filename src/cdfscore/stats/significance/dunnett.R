# Dunnett's test of systems against one baseline, with topics as blocks. multcomp and mvtnorm use
# random points for the multivariate t; here its integrals are sums over one matrix, in which s
# varies with the row and the baseline with the column.
significance_test <- function(scores, first, second, alternative, conf_level) {
  left <- without_topics(scores, of_systems = TRUE)
  scores <- without_topics(scores)
  if (length(unique(second)) > 1) stop("there are several baselines")
  # The rounding errors of aov are proportional to its input; the means change no residual.
  left <- left - rowMeans(left)
  left <- left - rep(colMeans(left), each = nrow(scores))
  data <- data.frame(score = as.vector(left), topic = factor(row(scores)),
                     system = factor(col(scores)))
  fit <- aov(score ~ system + topic, data)
  df <- fit$df.residual
  mean_square <- sum(residuals(fit)^2) / df
  if (mean_square <= (10 * .Machine$double.eps)^2 * mean((scores - rowMeans(scores))^2))
    stop("the residuals are 0, except for rounding")
  difference <- colMeans(scores)[first] - colMeans(scores)[second]
  stderr <- sqrt(2 * mean_square / nrow(scores))
  t <- difference / stderr
  toward <- switch(alternative, "two-sided" = abs(t), less = -t, greater = t)
  tail <- largest_t_tail(length(unique(first)), df, alternative == "two-sided")
  # If 1 - conf_level is above P(max T > 0), the quantile is negative.
  low <- if (alternative == "two-sided") 1e-9 else -1
  high <- 1
  while (tail(low) < 1 - conf_level) low <- 2 * low
  while (tail(high) > 1 - conf_level) high <- high + 1
  quantile <- uniroot(function(x) log(tail(x) / (1 - conf_level)), c(low, high), tol = 1e-14)$root
  list(estimate = difference, stderr = rep(stderr, length(t)),
       conf_low = if (alternative == "less") -Inf else difference - quantile * stderr,
       conf_high = if (alternative == "greater") Inf else difference + quantile * stderr,
       statistic = t, parameter = rep(df, length(t)), p_value = vapply(toward, tail, 0))
}

# P(max abs(Z_i - Z_0) > w), or P(max(Z_i - Z_0) > w), of m normals and Z_0 = -z, for each w.
largest_difference_tail <- function(w, m, two_sided) {
  z <- seq(-9, 9, by = 1 / 10)
  # The terms are largest about w / 2, and about -w / 2 with two sides; both are covered.
  about <- function(centre) {
    z <- outer(centre, z, "+")
    above <- pnorm(z - w)
    if (two_sided) above <- above + pnorm(-z - w)
    # Left of 0 the other half counts, which is the same: no term counts twice.
    weight <- if (two_sided) 2 * pnorm(8 * z) else 1
    rowSums(weight * dnorm(z) * -expm1(m * log1p(-pmin(above, 1)))) / 10
  }
  about(pmax(w, 0) / 2)
}

# P(T > t) as a function of one t, T the largest of m with one denominator s, where s^2 is
# chi-square over its degrees of freedom: a sum over log(s) with equal steps.
largest_t_tail <- function(m, df, two_sided) {
  step <- min(1 / 25, 0.35 / sqrt(2 * df))
  far <- 80 / df
  reach <- (far + sqrt(far^2 + 8 * far)) / 4
  u <- seq(-reach, min(reach, 3), by = step)
  density <- function(u) exp(df * (u - expm1(2 * u) / 2))
  total <- sum(density(u))
  log_w <- seq(-3, log(55), by = 1 / 100)
  log_tail <- log(largest_difference_tail(exp(log_w), m, two_sided))
  function(t) {
    w <- sqrt(2) * t
    if (two_sided && t <= 0) return(1)
    # The terms are largest where the product of density and tail is; for t < 0 about s = 1.
    centre <- 0
    if (t > 0) {
      at <- log_w - log(w)
      centre <- at[which.max(df * (at - expm1(2 * at) / 2) + log_tail)]
      if (log(w) < log_w[1]) centre <- 0
    }
    u <- centre + u
    sum(density(u) * largest_difference_tail(w * exp(u), m, two_sided)) / total
  }
}
