# Standard errors of standardized means, and of their differences, from the topics, the reference
# systems, and both; share of the reference systems in the variance, and interval from both.
# x and reference: matrices (topics x systems, with names) of the same topics; own: the column of
# the reference of each system of x, 0 if there is none; by(x, reference): the standardized scores,
# topics without a score may be left out; first, second: the systems of each pair; counts: a resample
# of the reference systems in each column, the count of each of them; weights: the number of
# resamples that it stands for; exact: TRUE if these are all.
# The result has a row for each number and a column for each system, and then for each pair.
reference_uncertainty <- function(x, reference, own, by, first, second, counts, weights, exact,
                                  conf_level) {
  # The mean of each system, and then of each of some pairs, over its topics, the number of these,
  # and the square of the standard error, NA for fewer than 2 topics.
  moments <- function(y, pairs) {
    y <- cbind(y, y[, first[pairs], drop = FALSE] - y[, second[pairs], drop = FALSE])
    n <- colSums(!is.na(y))
    mean <- colMeans(y, na.rm = TRUE)
    squares <- colSums((y - rep(mean, each = nrow(y)))^2, na.rm = TRUE)
    cbind(n = n, mean = mean, within = ifelse(n > 1, squares / (n - 1) / n, NA))
  }
  given <- moments(by(x, reference), seq_along(first))
  # A system that is in the reference itself stays in it once.
  once <- apply(counts, 2, function(times) own == 0 | c(1, times)[own + 1] == 1)
  used <- rbind(once, once[first, , drop = FALSE] & once[second, , drop = FALSE])
  drawn <- which(colSums(once) > 0)
  means <- within <- matrix(NA_real_, nrow(given), ncol(counts))
  systems <- seq_len(ncol(x))
  for (b in drawn) {
    pairs <- which(used[-systems, b])
    y <- by(x, reference[, rep(seq_len(ncol(reference)), counts[, b]), drop = FALSE])
    found <- moments(y, pairs)
    rows <- c(systems, ncol(x) + pairs)
    means[rows, b] <- found[, "mean"]
    within[rows, b] <- found[, "within"]
  }
  resampled <- ncol(reference) - c(own > 0, (own[first] > 0) + (own[second] > 0))
  vapply(seq_len(nrow(given)), function(i) {
    there <- used[i, ] & !is.na(within[i, ])
    w <- weights[there]
    mean <- means[i, there]
    centre <- sum(w * mean) / sum(w)
    of_reference <- sum(w * (mean - centre)^2) / (sum(w) - if (exact) 0 else 1)
    both <- of_reference + sum(w * within[i, there]) / sum(w)
    share <- if (isTRUE(both == 0)) 0 else of_reference / both
    df <- 1 / (share^2 / (resampled[i] - 1) + (1 - share)^2 / (given[i, "n"] - 1))
    margin <- -qt((1 - conf_level) / 2, df) * sqrt(both)
    c(difference = given[[i, "mean"]], stderr_topics = sqrt(given[[i, "within"]]),
      stderr_reference = sqrt(of_reference), stderr_both = sqrt(both), reference_share = share,
      both_df = df, both_low = given[[i, "mean"]] - margin, both_high = given[[i, "mean"]] + margin)
  }, c(difference = 0, stderr_topics = 0, stderr_reference = 0, stderr_both = 0,
       reference_share = 0, both_df = 0, both_low = 0, both_high = 0))
}

# All n^n resamples of n systems, those with the same counts as one: the counts in columns, and the
# number of resamples of each. The n - 1 bars among 2 n - 1 places have the counts between them.
all_resamples <- function(n) {
  bars <- rbind(0, combn(2 * n - 1, n - 1), 2 * n)
  counts <- diff(bars) - 1
  list(counts = counts, weights = factorial(n) / apply(factorial(counts), 2, prod))
}
