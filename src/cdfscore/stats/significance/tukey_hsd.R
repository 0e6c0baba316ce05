# Tukey's honestly significant differences of pairs of systems, with topics as blocks. R's ptukey
# treats more than 25,000 degrees of freedom as Inf, accepts none below 2, and is off by up to 1e-3
# for 3 systems on 2 topics; qtukey is off by more. Therefore this file computes the distribution.
# The differences of TukeyHSD are off by 3e-13 on 249 topics and 110 systems; those of colMeans are
# not.
significance_test <- function(scores, first, second, conf_level) {
  left <- without_topics(scores, of_systems = TRUE)
  scores <- without_topics(scores)
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
  stderr <- sqrt(mean_square / nrow(scores))
  q <- abs(difference) / stderr
  tail <- studentized_range_tail(ncol(scores), df)
  high <- 1
  while (tail(exp(high)) > 1 - conf_level) high <- high + 1
  quantile <- exp(uniroot(function(x) log(tail(exp(x)) / (1 - conf_level)), c(-8, high),
                          tol = 1e-14)$root)
  list(estimate = difference, stderr = rep(sqrt(2) * stderr, length(q)),
       conf_low = difference - quantile * stderr,
       conf_high = difference + quantile * stderr,
       statistic = q, parameter = rep(df, length(q)), p_value = vapply(q, tail, 0))
}

# The logarithm of P(range > w) of normals, for each w, by the number of them: it takes a second.
range_tails <- new.env()
log_range_tails <- function(groups, w) {
  key <- as.character(groups)
  if (!is.null(range_tails[[key]])) return(range_tails[[key]])
  z <- seq(-9, 40, by = 1 / 16)
  log_below <- pnorm(z, log.p = TRUE)
  density <- dnorm(z) * pnorm(z)^(groups - 1)
  range_tails[[key]] <- vapply(w, function(w) {
    inside <- which(z > w / 2 - 9 & z < w / 2 + 10)
    below <- pmin(exp(pnorm(z[inside] - w, log.p = TRUE) - log_below[inside]), 1)
    log(groups / 16 * sum(density[inside] * -expm1((groups - 1) * log1p(-below))))
  }, 0)
}

# P(Q > q), as a function of one q: the tail of the range of normals over log(s), where s^2 is
# chi-square over its degrees of freedom. Sums with equal steps, from where terms vanish.
studentized_range_tail <- function(groups, df) {
  # Finer steps where the tail is near 1: splines are off by the fourth power of a step.
  w <- c(seq(0, 2, by = 1 / 1024), seq(2 + 1 / 128, 60, by = 1 / 128))
  log_range_tail <- log_range_tails(groups, w)
  usable <- is.finite(log_range_tail)
  range_tail <- splinefun(w[usable], log_range_tail[usable])
  largest <- max(w[usable])
  log_term <- function(u, q) {
    w <- q * exp(u)
    ifelse(w > largest, -Inf, df * (u - expm1(2 * u) / 2) + range_tail(pmin(w, largest)))
  }
  step <- min(1 / 25, 0.35 / sqrt(2 * df))
  far <- 80 / df
  reach <- (far + sqrt(far^2 + 8 * far)) / 4
  right <- min(reach, 3)
  u <- seq(-reach, right, by = step)
  total <- sum(exp(df * (u - expm1(2 * u) / 2)))
  # Where terms are largest df (1 - exp(2u)) is minus the slope of log_range_tail in log(w).
  peak_w <- w[usable & w > 0.05]
  slope <- peak_w * range_tail(peak_w, deriv = 1)
  peak_w <- peak_w[slope > -df]
  log_q <- log(peak_w) - log1p(slope[slope > -df] / df) / 2
  peak <- approxfun(log_q, log(peak_w), rule = 2)
  function(q) {
    if (q == 0) return(1)
    at <- if (log(q) < log_q[1]) 0 else peak(log(q)) - log(q)
    sum(exp(log_term(at + u, q))) / total
  }
}
