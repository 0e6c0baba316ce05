# The step-down max-T test: all sign flips of at most 20 topics, otherwise the flips of
# draws(f, dim(scores)). It applies f to each block: one flip per column, 1 for a changed sign.
significance_test <- function(scores, first, second, alternative, B, seed, draws) {
  n <- nrow(scores)
  d <- scores[, first, drop = FALSE] - scores[, second, drop = FALSE]
  tests <- lapply(seq_len(ncol(d)), function(j) tryCatch(t.test(d[, j]), error = function(e) NULL))
  of <- function(name) vapply(tests, function(test) {
    if (is.null(test)) NA_real_ else as.numeric(test[[name]])
  }, 0)
  t <- of("statistic")
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
  # From the least extreme pair on: the most extreme r* of it and of all pairs before.
  order <- family[order(toward(r[family]))]
  units <- units[, order, drop = FALSE]
  count <- function(flips) {
    flipped <- toward(rep(r[order], each = ncol(flips)) - 2 * crossprod(flips, units))
    most <- rep(-Inf, nrow(flipped))
    vapply(seq_along(order), function(k) {
      most <<- pmax(most, flipped[, k])
      sum(most >= toward(r[order[k]]) - ties[order[k]])
    }, 0)
  }
  # All flips: the bits of the numbers below 2^n, in blocks of 2^10.
  every <- function(f) lapply(split(0:(2^n - 1), 0:(2^n - 1) %/% 2^10), function(k)
    f(outer(2^(seq_len(n) - 1), k, function(bit, k) k %/% bit %% 2)))
  extreme <- Reduce(`+`, if (n <= 20) every(count) else draws(count, dim(scores)))
  extreme <- rev(cummax(rev(extreme)))
  p <- rep(NA_real_, ncol(d))
  p[order] <- if (n <= 20) extreme / 2^n else (extreme + 1) / (B + 1)
  estimate <- apply(d, 2, mean)
  list(statistic = t, parameter = n - 1, p_value = p,
       estimate = estimate, stderr = ifelse(is.na(t), NA, of("stderr")))
}
