# Student's t test of paired scores.
significance_test <- function(x, y, alternative, null_value, conf_level) {
  test <- t.test(x, y, paired = TRUE, mu = null_value, conf.level = conf_level,
                 alternative = chartr("-", ".", alternative))
  if (test$stderr == 0) stop("the data are constant")  # where t.test divides by 0
  list(statistic = test$statistic, parameter = test$parameter, p_value = test$p.value,
       conf_low = test$conf.int[1], conf_high = test$conf.int[2],
       estimate = test$estimate, stderr = test$stderr)
}
