# The test of Kendall's rank correlation.
significance_test <- function(x, y, alternative, exact, continuity) {
  test <- cor.test(x, y, method = "kendall", exact = exact, continuity = continuity,
                   alternative = sub("-", ".", alternative))
  list(statistic = test$statistic, p_value = test$p.value, estimate = test$estimate)
}
