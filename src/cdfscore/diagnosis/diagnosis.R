# The diagnosis of one topic, but for the resamples, for any scheme that has an R twin.
# scores: of the topic; standardize: the function of the twin, and its settings, a list;
# resolution: d, where a score x stands for (x - d/2, x + d/2]; parameters: how many numbers
# the scheme estimates, NA where they are not counted.
diagnose_topic <- function(scores, standardize, settings, resolution, parameters) {
  cdf <- function(x, scores) do.call(standardize, c(list(x, scores), settings))
  x <- sort(scores)
  n <- length(x)
  half <- resolution / 2
  lower <- cdf(x - half, x)
  upper <- cdf(x + half, x)

  # The proportion of the scores up to u, each spread evenly from lower to upper.
  share <- function(u) vapply(u, function(v) {
    mean(ifelse(upper > lower, pmin(pmax((v - lower) / (upper - lower), 0), 1), v >= lower))
  }, 0)
  knots <- sort(unique(c(2^-53, pmin(pmax(c(lower, upper), 2^-53), 1 - 2^-53), 1 - 2^-53)))
  knots <- knots[c(TRUE, diff(knots) > 1e-14)]  # ends that meet, but for rounding
  over_pieces <- function(f, ends) {
    # Where integrate() cannot reach this precision, its value is compared all the same.
    piece <- function(a, b)
      integrate(f, a, b, rel.tol = 1e-10, abs.tol = 1e-13, stop.on.error = FALSE)$value
    sum(mapply(piece, head(ends, -1), ends[-1]))
  }
  # In the logit of u, du / (u (1 - u)) is even.
  ad <- over_pieces(function(t) (share(plogis(t)) - plogis(t))^2, qlogis(knots))
  cvm <- over_pieces(function(u) (share(u) - u)^2, knots)
  below <- vapply(x, function(v) mean(x < v), 0)
  ks <- max(abs(ecdf(x)(x) - upper), abs(below - lower))

  likely <- sum(log(pmax(upper - lower, 2^-53)))
  left_out <- vapply(seq_len(n), function(i) {
    p <- cdf(x[i] + c(-half, half), x[-i])
    log(max(p[2] - p[1], 2^-53))
  }, 0)
  # CRPS: the integral of (F(t) - 1{t >= y})^2, to 1e-9, between the scores, and beyond them over
  # doublings of their range until next to nothing is left.
  scores_once <- unique(x)
  reach <- diff(range(x))
  ranked <- vapply(seq_len(n), function(i) {
    squared <- function(t) (cdf(t, x[-i]) - (t >= x[i]))^2
    total <- over_pieces(squared, scores_once)
    away <- 0
    while (max(squared(c(x[1] - away, x[n] + away))) * (away + reach) > 1e-13 * reach) {
      if (away > 2^59 * reach) return(NA)
      further <- 2 * away + reach
      total <- total + over_pieces(squared, x[1] - c(further, away)) +
        over_pieces(squared, x[n] + c(away, further))
      away <- further
    }
    total
  }, 0)
  c(
    ks = ks, ad = n * ad, cvm = n * cvm, log_likelihood = likely,
    aic = 2 * parameters - 2 * likely, bic = parameters * log(n) - 2 * likely,
    log_score = mean(left_out), crps = mean(ranked)
  )
}
