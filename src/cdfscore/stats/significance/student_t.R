# Student's t test of two independent samples of equal variance.
significance_test <- function(x, y, alternative, null_value, conf_level) {
  of <- function(x, y) t.test(x, y, var.equal = TRUE, mu = null_value, conf.level = conf_level,
                              alternative = chartr("-", ".", alternative))
  scores <- c(x, y)[!is.na(c(x, y))]
  if (length(scores) < 3) stop("each sample has only one score")
  test <- of(x, y)  # which stops if the data are essentially constant
  # An offset that both samples share would round their means; the subtraction is exact.
  if (diff(range(scores)) <= max(abs(scores)) / 1024) test <- of(x - scores[1], y - scores[1])
  if (test$stderr == 0) stop("the data are constant")  # where t.test divides by 0
  list(statistic = test$statistic, parameter = test$parameter, p_value = test$p.value,
       conf_low = test$conf.int[1], conf_high = test$conf.int[2],
       estimate = test$estimate[1] - test$estimate[2], stderr = test$stderr)
}
