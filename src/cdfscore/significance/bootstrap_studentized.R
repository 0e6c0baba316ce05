# The studentized bootstrap test of paired scores: all n^n resamples for n up to 7, otherwise the
# resamples of draws(f, n). It applies f to each block: one resample per column, with the count of
# each pair.
significance_test <- function(x, y, alternative, null_value, conf_level, B, seed, draws) {
  pairs <- !is.na(x) & !is.na(y)
  x <- x[pairs]
  y <- y[pairs]
  found <- differences(x, y, 0)
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
  t <- mean(differences(x, y, null_value)$d) / stderr
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

# The differences x - y - shift (d), and those without what all of them share (apart). If all
# scores and the shift are multiples of some 1 / q, they are those of whole numbers.
differences <- function(x, y, shift) {
  without_offset <- function(d) if (diff(range(d)) <= max(abs(d)) / 2) d - d[1] else d
  q <- denominator(c(x, y, shift))
  if (is.nan(q)) {
    d <- x - y
    # The rest that the first difference has lost is kept for the second.
    back <- d - x
    lost <- (x - (d - back)) - (y + back)
    if (shift != 0) d <- (d - shift) + lost
    return(list(d = d, apart = without_offset(d)))
  }
  whole <- round(x * q) - round(y * q) - round(shift * q)
  list(d = whole / q, apart = without_offset(whole) / q)
}

# The whole number q such that all scores are k / q, with whole k up to 10^12; NaN if there is none.
# A score is k / q if it is the double nearest to it. Of the first score that is none, the least
# size that it is a fraction of is found, and q becomes the least common multiple.
denominator <- function(scores) {
  sizes <- c(1:2000, 10^(4:12))
  q <- 1
  while (max(1, abs(scores)) * q <= 1e12) {
    apart <- scores[round(scores * q) / q != scores]
    if (length(apart) == 0) return(q)
    size <- sizes[round(apart[1] * sizes) / sizes == apart[1]][1]
    if (is.na(size)) return(NaN)
    a <- q
    b <- size
    while (b > 0) {
      rest <- a %% b
      a <- b
      b <- rest
    }
    q <- q / a * size
  }
  NaN
}
