# The step-down max-T test: all sign flips of at most 15 topics.
significance_test <- function(scores, first, second, alternative, B, seed) {
  n <- nrow(scores)
  if (n > 15) stop("the twin of max_t takes at most 15 topics")
  d <- scores[, first, drop = FALSE] - scores[, second, drop = FALSE]
  toward <- switch(alternative, "two-sided" = abs, less = function(t) -t, greater = identity)
  tests <- lapply(seq_len(ncol(d)), function(j) tryCatch(t.test(d[, j]), error = function(e) NULL))
  of <- function(name) vapply(tests, function(test) {
    if (is.null(test)) NA_real_ else as.numeric(test[[name]])
  }, 0)
  t <- of("statistic")
  family <- which(!is.na(t))
  signs <- as.matrix(expand.grid(rep(list(c(1, -1)), n)))
  flipped <- vapply(family, function(j) {
    each <- sweep(signs, 2, d[, j], "*")
    means <- rowMeans(each)
    sds <- sqrt(rowSums((each - means)^2) / (n - 1))
    sds[sds < 1e-14 * max(abs(d[, j]))] <- 0  # flips to equal differences, except for rounding
    toward(means / (sds / sqrt(n)))
  }, numeric(nrow(signs)))
  flipped[is.nan(flipped)] <- 0
  p <- rep(NA_real_, ncol(d))
  before <- 0
  left <- family[order(-toward(t[family]))]
  while (length(left) > 0) {
    now <- left[1]
    most <- apply(flipped[, match(left, family), drop = FALSE], 1, max)
    before <- p[now] <- max(before, mean(most >= toward(t[now]) - 1e-9 * abs(t[now]) - 1e-12))
    left <- left[-1]
  }
  estimate <- apply(d, 2, mean)
  list(statistic = t, parameter = n - 1, p_value = p,
       estimate = estimate, stderr = ifelse(is.na(t), NA, of("stderr")))
}
