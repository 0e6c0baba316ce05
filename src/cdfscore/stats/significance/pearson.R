# The test of Pearson's product-moment correlation. cor.test computes t from 1 - r^2, which has no
# correct digits near a perfect correlation. Here 1 - r is sum((u - v)^2) / 2, with u and v the
# samples at mean 0 and length 1; it is 0 if u and v are equal except for rounding error. For nearly
# constant samples, the rounding error of the mean in cor.test is as large as the differences of the
# scores. Therefore the first score of such a sample is subtracted beforehand, which is exact.
significance_test <- function(x, y, alternative, conf_level) {
  both <- !is.na(x) & !is.na(y)
  less_first <- function(x) {
    # A power of 2 changes no digit, and keeps squares in the range of doubles.
    x <- x / 2^min(floor(log2(max(abs(x), .Machine$double.xmin))), 1023)
    if (length(x) && diff(range(x)) <= max(abs(x)) / 8) x - x[1] else x
  }
  x <- less_first(x[both])
  y <- less_first(y[both])
  test <- cor.test(x, y, conf.level = conf_level, alternative = chartr("-", ".", alternative))
  interval <- if (is.null(test$conf.int)) c(NA, NA) else test$conf.int
  unit <- function(x) { d <- (x - mean(x)) / max(abs(x - mean(x))); d / sqrt(sum(d^2)) }
  if (max(x) == min(x) || max(y) == min(y)) stop("the scores of one sample are all equal")
  u <- unit(x)
  v <- unit(y)
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
