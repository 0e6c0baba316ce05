# The two-sample Kolmogorov-Smirnov test. ks.test uses the distribution of D+ also for "less"; with
# ties and different sizes this is not the distribution of D-. Therefore x and y are exchanged. It
# also ends the series of the asymptotic two-sided p value early (the error is up to 4e-5), so that
# this file adds up the series.
significance_test <- function(x, y, alternative, exact) {
  test <- if (alternative == "less") ks.test(y, x, exact = exact, alternative = "greater")
          else ks.test(x, y, exact = exact, alternative = chartr("-", ".", alternative))
  p <- test$p.value
  if (!test$exact && alternative == "two-sided") {
    n <- sum(!is.na(x))
    m <- sum(!is.na(y))
    z <- sqrt(n / (n + m) * m) * test$statistic
    k <- 1:1000
    p <- if (z < 0.1) 1 else 2 * sum((-1)^(k - 1) * exp(-2 * (k * z)^2))
  }
  list(statistic = test$statistic, p_value = p)
}
