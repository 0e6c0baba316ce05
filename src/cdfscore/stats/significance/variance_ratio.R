# The F test of two variances. The p value and the interval are not those of var.test. It computes
# the upper tail as 1 - p, which has no correct digits if the tail is small, and uses lower
# quantiles, which qf subtracts from 1. Here both come from the upper tail of F or of 1 / F.
significance_test <- function(x, y, alternative, null_value, conf_level) {
  # The mean of nearly constant scores is rounded; without the first score, which is exact, it is not.
  less_first <- function(x) {
    x <- x[!is.na(x)]
    if (length(x) && diff(range(x)) <= max(abs(x)) / 1024) x - x[1] else x
  }
  test <- var.test(less_first(x), less_first(y), ratio = null_value)
  f <- unname(test$statistic)
  df <- unname(test$parameter)
  greater <- pf(f, df[1], df[2], lower.tail = FALSE)
  less <- pf(f, df[1], df[2])
  ratio <- unname(test$estimate)
  tail <- (1 - conf_level) / if (alternative == "two-sided") 2 else 1
  low <- ratio / qf(tail, df[1], df[2], lower.tail = FALSE)
  high <- ratio * qf(tail, df[2], df[1], lower.tail = FALSE)
  list(statistic = f, estimate = ratio,
       p_value = switch(alternative, less = less, greater = greater, 2 * min(less, greater)),
       conf_low = if (alternative == "less") 0 else low,
       conf_high = if (alternative == "greater") Inf else high)
}
