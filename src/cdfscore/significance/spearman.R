# The test of Spearman's rank correlation.
significance_test <- function(x, y, alternative, exact, continuity) {
  test <- cor.test(x, y, method = "spearman", exact = exact, continuity = continuity,
                   alternative = sub("-", ".", alternative))
  list(statistic = test$statistic, p_value = test$p.value, estimate = test$estimate)
}
