# The F test of all systems at once: two-way analysis of variance, system and topic. The rounding
# errors of aov are proportional to its input. Therefore the means of the topics are subtracted for
# the test of the systems, and also the means of the systems for the residuals.
significance_test <- function(scores) {
  left <- without_topics(scores, of_systems = TRUE)
  left <- left - rowMeans(left)
  scores <- without_topics(scores)
  scores <- scores - rowMeans(scores)
  size <- mean(scores^2)
  left <- left - rep(colMeans(left), each = nrow(left))
  fit <- function(values)
    aov(score ~ system + topic, data.frame(score = as.vector(values), topic = factor(row(values)),
                                           system = factor(col(values))))
  rest <- fit(left)
  mean_square <- sum(residuals(rest)^2) / rest$df.residual
  if (mean_square <= (10 * .Machine$double.eps)^2 * size)
    stop("the residuals are 0, except for rounding")
  table <- summary(fit(scores))[[1]]
  f <- table[1, "Mean Sq"] / mean_square
  list(statistic = f, parameter = table[1, "Df"],
       p_value = pf(f, table[1, "Df"], rest$df.residual, lower.tail = FALSE))
}
