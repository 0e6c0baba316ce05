# The standardized mean difference of paired scores by their average variance (Bonett 2008).
effect_size <- function(x, y, conf_level) {
  both <- !is.na(x) & !is.na(y)
  x <- x[both]
  y <- y[both]
  df <- length(x) - 1
  variance <- (var(x) + var(y)) / 2
  d <- mean(x - y) / sqrt(variance)
  stderr <- sqrt(d^2 * (var(x)^2 + var(y)^2 + 2 * cov(x, y)^2) / (8 * df * variance^2) +
                   var(x - y) / (df * variance))
  margin <- qnorm((1 - conf_level) / 2, lower.tail = FALSE) * stderr
  list(estimate = d, conf_low = d - margin, conf_high = d + margin)
}
