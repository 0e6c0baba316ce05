# Yuen's test of trimmed means of paired scores.
significance_test <- function(x, y, trim, alternative, null_value, conf_level) {
  both <- !is.na(x) & !is.na(y)
  x <- x[both]
  y <- y[both]
  n <- length(x)
  cut <- floor(trim * n)
  left <- n - 2 * cut
  winsorized <- function(s) pmin(pmax(s, sort(s)[cut + 1]), sort(s)[n - cut])
  difference <- mean(x, trim = trim) - mean(y, trim = trim)
  d <- winsorized(x) - winsorized(y)
  stderr <- sqrt(sum((d - mean(d))^2) / (left * (left - 1)))
  if (left < 2 || stderr < 10 * .Machine$double.eps * abs(difference) || stderr == 0) {
    stop("too few scores are left, or all differences are equal")
  }
  t <- (difference - null_value) / stderr
  df <- left - 1
  sides <- if (alternative == "two-sided") 2 else 1
  margin <- stderr * qt((1 - conf_level) / sides, df, lower.tail = FALSE)
  list(statistic = t, parameter = df, estimate = difference, stderr = stderr,
       p_value = switch(alternative, less = pt(t, df), greater = pt(-t, df), 2 * pt(-abs(t), df)),
       conf_low = if (alternative == "less") -Inf else difference - margin,
       conf_high = if (alternative == "greater") Inf else difference + margin)
}
