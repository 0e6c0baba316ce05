# The studentized bootstrap test of paired scores: all n^n resamples, for n up to 7.
significance_test <- function(x, y, alternative, null_value, conf_level, B, seed) {
  d <- (x - y)[!is.na(x) & !is.na(y)]
  n <- length(d)
  if (n > 7) stop("random resamples have no twin; expected at most 7 pairs")
  if (n < 2) stop("not enough pairs")
  size <- 1e-15 * sum(abs(x), abs(y), n * abs(null_value), na.rm = TRUE)
  if (diff(range(d)) <= size) stop("the differences are constant")
  drawn <- matrix(d[as.matrix(expand.grid(rep(list(1:n), n)))], ncol = n)
  means <- rowMeans(drawn)
  sds <- sqrt(rowSums((drawn - means)^2) / (n - 1))
  away <- means - mean(d)
  # Equal differences have no sd: t is infinite, or 0 where their mean is that of the sample.
  equal <- sds <= 10 * size
  t_drawn <- ifelse(equal, ifelse(abs(away) <= 10 * size, 0, sign(away) * Inf),
                    away / (sds / sqrt(n)))
  stderr <- sd(d) / sqrt(n)
  t <- (mean(d) - null_value) / stderr
  toward <- switch(alternative, "two-sided" = abs, less = function(t) -t, greater = identity)
  tail <- (1 - conf_level) / if (alternative == "two-sided") 2 else 1
  ties <- 1e-10 * (1 + abs(t))
  critical <- quantile(t_drawn, c(1 - tail, tail), type = 6)
  # An end that is the null value within rounding is the null value, as p has it.
  ends <- ifelse(abs(critical - t) <= ties, null_value, mean(d) - stderr * critical)
  list(statistic = t, estimate = mean(d), stderr = stderr,
       conf_low = if (alternative == "less") -Inf else ends[1],
       conf_high = if (alternative == "greater") Inf else ends[2],
       p_value = mean(toward(t_drawn) >= toward(t) - ties))
}
