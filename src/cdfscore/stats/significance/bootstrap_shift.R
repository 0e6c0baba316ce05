# The shift bootstrap test of paired scores: all n^n resamples for n up to 7, otherwise the
# resamples of draws(f, n). It applies f to each block: one resample per column, with the count of
# each pair.
significance_test <- function(x, y, alternative, null_value, conf_level, B, seed, draws) {
  pairs <- !is.na(x) & !is.na(y)
  x <- x[pairs]
  y <- y[pairs]
  found <- resampled_differences(x, y, 0)
  d <- found$apart
  offset <- found$d[1] - d[1]
  estimate <- mean(found$d)
  n <- length(d)
  if (n < 2) stop("not enough pairs")
  stderr <- sd(d) / sqrt(n)
  # the rule of t.test
  if (stderr == 0 || stderr < 10 * .Machine$double.eps * abs(estimate))
    stop("the differences are essentially constant")
  ties <- 2^-48 * sum(abs(d - mean(d)))
  shifted <- mean(resampled_differences(x, y, null_value)$d)
  means <- if (n <= 7) rowMeans(matrix(d[as.matrix(expand.grid(rep(list(1:n), n)))], ncol = n)) else
    unlist(draws(function(counts) drop(d %*% counts), n)) / n
  toward <- switch(alternative, "two-sided" = abs, less = function(t) -t, greater = identity)
  extreme <- toward(means - mean(d)) >= toward(shifted) - ties
  tail <- (1 - conf_level) / if (alternative == "two-sided") 2 else 1
  ends <- quantile(means, c(tail, 1 - tail), type = 6) + offset
  list(statistic = estimate, estimate = estimate,
       stderr = sqrt(sum((d - mean(d))^2)) / n,
       conf_low = if (alternative == "less") -Inf else ends[1],
       conf_high = if (alternative == "greater") Inf else ends[2],
       p_value = if (n <= 7) mean(extreme) else (sum(extreme) + 1) / (B + 1))
}
