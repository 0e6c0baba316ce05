# The diagnosis of one topic, but for the resamples, for any scheme with an R twin.
# scores: of the topic; cdf: function(x, scores), y of scores x fitted on scores, such as the
# function of a twin; resolution: d, where a score x stands for (x - d/2, x + d/2]; parameters:
# how many numbers the scheme estimates.
diagnose_topic <- function(scores, cdf, resolution, parameters) {
  x <- sort(scores)
  n <- length(x)
  half <- resolution / 2
  lower <- cdf(x - half, x)
  upper <- cdf(x + half, x)
  # The empirical cdf right of each cell and left of it, beside that of the fit.
  share <- ecdf(x)
  ks <- max(share(x) - upper, lower - (share(x) - tabulate(match(x, x), n)[match(x, x)] / n))
  z <- pmin(pmax((lower + upper) / 2, 2^-53), 1 - 2^-53)
  i <- seq_len(n)
  ad <- -n - sum((2 * i - 1) * log(z) + (2 * (n - i) + 1) * log1p(-z)) / n
  cvm <- 1 / (12 * n) + sum(((lower + upper) / 2 - (i - 0.5) / n)^2)
  likely <- sum(log(pmax(upper - lower, 2^-53)))
  left_out <- vapply(i, function(k) {
    p <- cdf(x[k] + c(-half, half), x[-k])
    log(max(p[2] - p[1], 2^-53))
  }, 0)
  c(
    ks = ks, ad = ad, cvm = cvm, log_likelihood = likely, aic = 2 * parameters - 2 * likely,
    bic = parameters * log(n) - 2 * likely, log_score = mean(left_out)
  )
}
