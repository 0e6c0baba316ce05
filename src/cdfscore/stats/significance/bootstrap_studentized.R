# The studentized bootstrap test of paired scores: all n^n resamples for n up to 7, otherwise the
# resamples of draws(f, n). It applies f to each block: one resample per column, with the count of
# each pair.
significance_test <- function(x, y, alternative, null_value, conf_level, B, seed, draws) {
  pairs <- !is.na(x) & !is.na(y)
  x <- x[pairs]
  y <- y[pairs]
  found <- resampled_differences(x, y, 0)
  d <- found$apart
  estimate <- mean(found$d)
  n <- length(d)
  if (n < 2) stop("not enough pairs")
  eps <- .Machine$double.eps
  stderr <- sd(d) / sqrt(n)
  # the rule of t.test
  if (stderr == 0 || stderr < 10 * eps * abs(estimate))
    stop("the differences are essentially constant")
  centred <- d - mean(d)
  size <- 2^-48 * n * sum(abs(centred))
  # t* from the sum of a resample, and from the sum of squares about its own mean.
  studentized <- function(total, deviations) {
    t <- total / sqrt(deviations * n / (n - 1))
    # Equal differences have sd 0: t* is infinite, or 0 if their mean is that of the sample.
    equal <- deviations <= size^2
    t[equal] <- ifelse(abs(total[equal]) <= size, 0, sign(total[equal]) * Inf)
    t
  }
  of_counts <- function(counts) {
    total <- drop(centred %*% counts)
    squares <- drop(centred^2 %*% counts)
    deviations <- squares - total^2 / n
    # Squares are added one by one if the difference of two sums would lose digits.
    for (k in which(deviations <= squares / 1024))
      deviations[k] <- sum(counts[, k] * (centred - total[k] / n)^2)
    studentized(total, deviations)
  }
  t_drawn <- if (n <= 7) {
    drawn <- matrix(centred[as.matrix(expand.grid(rep(list(1:n), n)))], ncol = n)
    studentized(rowSums(drawn), rowSums((drawn - rowMeans(drawn))^2))
  } else unlist(draws(of_counts, n))
  t <- mean(resampled_differences(x, y, null_value)$d) / stderr
  # The rounding error of a t* that equals t: of its mean, and of its sum of squares.
  relative <- min(n * eps * (1 + t^2 / (n - 1)), 1e-3 / n)
  ties <- size / stderr + n * relative * abs(t)
  toward <- switch(alternative, "two-sided" = abs, less = function(t) -t, greater = identity)
  extreme <- toward(t_drawn) >= toward(t) - ties
  tail <- (1 - conf_level) / if (alternative == "two-sided") 2 else 1
  critical <- quantile(t_drawn, c(1 - tail, tail), type = 6)
  # An end that equals the null value except for rounding error is set to it, as for p.
  ends <- ifelse(abs(critical - t) <= ties, null_value, estimate - stderr * critical)
  list(statistic = t, estimate = estimate, stderr = stderr,
       conf_low = if (alternative == "less") -Inf else ends[1],
       conf_high = if (alternative == "greater") Inf else ends[2],
       p_value = if (n <= 7) mean(extreme) else (sum(extreme) + 1) / (B + 1))
}
