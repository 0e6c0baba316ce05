# The sign test of paired scores: the binomial test of the signs without zeros.
significance_test <- function(x, y, alternative, null_value, conf_level, ties_at) {
  pairs <- !is.na(x) & !is.na(y)
  d <- differences_at(x[pairs], y[pairs], null_value, ties_at)
  if (all(d == 0)) stop("all differences are 0")
  test <- binom.test(sum(d > 0), sum(d != 0), conf.level = conf_level,
                     alternative = chartr("-", ".", alternative))
  list(statistic = test$statistic, parameter = test$parameter, p_value = test$p.value,
       conf_low = test$conf.int[1], conf_high = test$conf.int[2], estimate = test$estimate)
}
