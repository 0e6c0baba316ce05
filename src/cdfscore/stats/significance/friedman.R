# Friedman's rank test of all systems: topics are the rows and blocks, systems the columns.
significance_test <- function(scores) {
  test <- friedman.test(scores)
  list(statistic = test$statistic, parameter = test$parameter, p_value = test$p.value)
}
