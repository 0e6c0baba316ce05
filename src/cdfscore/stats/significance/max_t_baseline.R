# Systems against one baseline by the largest t: all sign flips of at most 20 topics, otherwise the
# flips of draws(f, dim(scores)). It applies f to each block: one flip per column, 1 for a changed
# sign.
significance_test <- function(scores, first, second, alternative, conf_level, B, seed, draws) {
  if (!nrow(scores)) stop("there is no topic")
  n <- nrow(scores)
  if (length(unique(second)) > 1) stop("there are several baselines")
  d <- scores[, first, drop = FALSE] - scores[, second, drop = FALSE]
  tests <- lapply(seq_len(ncol(d)), function(j) tryCatch(t.test(d[, j]), error = function(e) NULL))
  of <- function(name) vapply(tests, function(test) {
    if (is.null(test)) NA_real_ else as.numeric(test[[name]])
  }, 0)
  t <- of("statistic")
  stderr <- ifelse(is.na(t), NA, of("stderr"))
  family <- which(!is.na(t))
  # A flip does not change sum(d^2), so that r = sum(d) / sqrt(n sum(d^2)) decides its t.
  units <- vapply(seq_along(first), function(j) {
    d <- summed_differences(scores[, first[j]], scores[, second[j]], 0)
    d <- d / max(abs(d))
    d / sqrt(n * sum(d^2))
  }, numeric(n))
  units <- matrix(units, n)
  ties <- 2^-48 * n * colSums(abs(units))
  toward <- switch(alternative, "two-sided" = abs, less = function(t) -t, greater = identity)
  r <- colSums(units)
  largest_of <- function(flips) {
    most <- rep(-1, ncol(flips))
    for (j in family) most <- pmax(most, toward(r[j] - 2 * drop(units[, j] %*% flips)))
    most
  }
  # All flips: the bits of the numbers below 2^n, in blocks of 2^10.
  every <- function(f) lapply(split(0:(2^n - 1), 0:(2^n - 1) %/% 2^10), function(k)
    f(outer(2^(seq_len(n) - 1), k, function(bit, k) k %/% bit %% 2)))
  largest <- unlist(if (n <= 20) every(largest_of) else draws(largest_of, dim(scores)))
  extreme <- vapply(seq_along(t), function(j) sum(largest >= toward(r[j]) - ties[j]), 0)
  p <- if (n <= 20) extreme / 2^n else (extreme + 1) / (B + 1)
  place <- max(1, ceiling(conf_level * (length(largest) + (n > 20)) * (1 - 1e-15)))
  critical <- if (place > length(largest)) Inf else sort(largest)[place]
  rest <- 1 - critical^2
  t_critical <- if (rest <= 4 * n * .Machine$double.eps) sign(critical) * Inf else
    critical * sqrt((n - 1) / rest)
  estimate <- apply(d, 2, mean)
  # An end that is 0 except for rounding error is set to 0, as for p.
  margin <- ifelse(abs(critical - toward(r)) <= ties, toward(estimate), t_critical * stderr)
  infinite <- ifelse(is.na(t), NA, Inf)
  list(statistic = t, parameter = n - 1, p_value = ifelse(is.na(t), NA, p),
       estimate = estimate, stderr = stderr,
       conf_low = if (alternative == "less") -infinite else estimate - margin,
       conf_high = if (alternative == "greater") infinite else estimate + margin)
}
