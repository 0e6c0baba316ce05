# The standardized mean difference of paired scores by their average variance (Bonett 2008).
effect_size <- function(x, y, conf_level) {
  both <- !is.na(x) & !is.na(y)
  x <- x[both]
  y <- y[both]
  df <- length(x) - 1
  variance <- (var(x) + var(y)) / 2
  stderr <- sqrt(2 * variance / length(x))
  # the rule of t.test for constant data
  if (df < 1 || stderr == 0 ||
      stderr < 10 * .Machine$double.eps * max(abs(mean(x)), abs(mean(y))))
    return(list(estimate = NaN))
  d <- mean(x - y) / sqrt(variance)
  stderr <- sqrt(d^2 * (var(x)^2 + var(y)^2 + 2 * cov(x, y)^2) / (8 * df * variance^2) +
                   var(x - y) / (df * variance))
  margin <- qnorm((1 - conf_level) / 2, lower.tail = FALSE) * stderr
  list(estimate = d, conf_low = d - margin, conf_high = d + margin)
}
