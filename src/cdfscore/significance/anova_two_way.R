# The F test of all systems at once: two-way analysis of variance, system and topic. The rounding
# errors of aov are proportional to its input. Therefore the means of the topics are subtracted for
# the test of the systems, and also the means of the systems for the residuals.
significance_test <- function(scores) {
  scores <- without_topics(scores)
  scores <- scores - rowMeans(scores)
  size <- mean(scores^2)
  left <- scores - rep(colMeans(scores), each = nrow(scores))
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

# Where the offsets of topics prevail, or the residuals may be rounding, the first score of each topic
# is subtracted: in whole numbers, if all are multiples of some 1 / q.
without_topics <- function(scores) {
  apart <- scores - scores[, 1]
  left <- apart - rowMeans(apart)
  left <- left - rep(colMeans(left), each = nrow(left))
  ranges <- apply(scores, 1, function(topic) diff(range(topic)))
  df <- (nrow(left) - 1) * (ncol(left) - 1)
  if (max(ranges) > max(abs(scores)) / 1024 &&
      sum(left^2) > df * (10 * .Machine$double.eps)^2 * mean(scores^2)) return(scores)
  for (q in c(1:2000, 10^(4:12)))
    if (q * max(1, abs(scores)) <= 1e12 && all(round(scores * q) / q == scores))
      return((round(scores * q) - round(scores[, 1] * q)) / q)
  apart
}
