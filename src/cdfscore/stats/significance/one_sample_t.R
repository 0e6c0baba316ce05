# Student's t test of one sample.
significance_test <- function(x, alternative, null_value, conf_level) {
  of <- function(x, mu) t.test(x, mu = mu, conf.level = conf_level,
                               alternative = chartr("-", ".", alternative))
  test <- of(x, null_value)  # which stops if the data are essentially constant
  if (test$stderr == 0) stop("the data are constant")  # where t.test divides by 0
  # The mean of nearly constant scores is rounded; without the first score, which is exact, less so.
  scores <- x[!is.na(x)]
  offset <- if (diff(range(scores)) <= max(abs(scores)) / 1024) scores[1] else 0
  if (offset != 0) test <- of(x - offset, null_value - offset)
  list(statistic = test$statistic, parameter = test$parameter, p_value = test$p.value,
       conf_low = test$conf.int[1] + offset, conf_high = test$conf.int[2] + offset,
       estimate = test$estimate + offset, stderr = test$stderr)
}
