# The F test of all systems at once: two-way analysis of variance, system and topic.
significance_test <- function(scores) {
  size <- mean(scores^2)
  scores <- scores - mean(scores)  # changes no F, and aov rounds in proportion to the scores
  data <- data.frame(score = as.vector(scores), topic = factor(row(scores)),
                     system = factor(col(scores)))
  fit <- aov(score ~ system + topic, data)
  if (sum(residuals(fit)^2) / fit$df.residual <=
      (1000 * .Machine$double.eps)^2 * size)
    stop("the residuals are 0, but for rounding")
  table <- summary(fit)[[1]]
  list(statistic = table[1, "F value"], parameter = table[1, "Df"],
       p_value = table[1, "Pr(>F)"])
}
