# The test of Pearson's product-moment correlation. cor.test computes t from 1 - r^2, which has
# no digits left near a perfect correlation; here 1 - r is sum((u - v)^2) / 2, with u and v the
# samples at mean 0 and length 1, and 0 where u and v are the same but for rounding.
significance_test <- function(x, y, alternative, conf_level) {
  test <- cor.test(x, y, conf.level = conf_level, alternative = sub("-", ".", alternative))
  interval <- if (is.null(test$conf.int)) c(NA, NA) else test$conf.int
  unit <- function(x) { d <- (x - mean(x)) / max(abs(x - mean(x))); d / sqrt(sum(d^2)) }
  both <- !is.na(x) & !is.na(y)
  if (max(x[both]) == min(x[both]) || max(y[both]) == min(y[both]))
    stop("the scores of one sample are all equal")
  u <- unit(x[both])
  v <- unit(y[both])
  apart <- sqrt(c(sum((u - v)^2), sum((u + v)^2)))
  apart[apart < 16 * .Machine$double.eps * sqrt(length(u))] <- 0
  r <- if (apart[1] == 0) 1 else if (apart[2] == 0) -1 else test$estimate
  if (abs(r) == 1 && alternative != "less") interval[1] <- interval[1] * 0 + r
  if (abs(r) == 1 && alternative != "greater") interval[2] <- interval[2] * 0 + r
  t <- sqrt(test$parameter) * r / (apart[1] * apart[2] / 2)
  p <- pt(c(t, -t), test$parameter)
  list(statistic = t, parameter = test$parameter, estimate = r,
       p_value = switch(alternative, less = p[1], greater = p[2], 2 * min(p)),
       conf_low = interval[1], conf_high = interval[2])
}
