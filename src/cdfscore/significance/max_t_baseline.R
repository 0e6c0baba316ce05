# Systems against one baseline by the largest t: all sign flips of at most 15 topics.
significance_test <- function(scores, first, second, alternative, conf_level, B, seed) {
  n <- nrow(scores)
  if (n > 15) stop("the twin of max_t_baseline takes at most 15 topics")
  if (length(unique(second)) > 1) stop("there are several baselines")
  d <- scores[, first, drop = FALSE] - scores[, second, drop = FALSE]
  toward <- switch(alternative, "two-sided" = abs, less = function(t) -t, greater = identity)
  tests <- lapply(seq_len(ncol(d)), function(j) tryCatch(t.test(d[, j]), error = function(e) NULL))
  of <- function(name) vapply(tests, function(test) {
    if (is.null(test)) NA_real_ else as.numeric(test[[name]])
  }, 0)
  t <- of("statistic")
  stderr <- ifelse(is.na(t), NA, of("stderr"))
  family <- which(!is.na(t))
  signs <- as.matrix(expand.grid(rep(list(c(1, -1)), n)))
  largest <- rep(-Inf, nrow(signs))
  for (j in family) {
    flipped <- sweep(signs, 2, d[, j], "*")
    means <- rowMeans(flipped)
    sds <- sqrt(rowSums((flipped - means)^2) / (n - 1))
    # Flips to equal differences have no sd but rounding.
    sds[sds < 1e-14 * max(abs(d[, j]))] <- 0
    largest <- pmax(largest, toward(means / (sds / sqrt(n))))
  }
  ties <- 1e-9 * abs(t) + 1e-12
  p <- vapply(seq_along(t), function(j) mean(largest >= toward(t[j]) - ties[j]), 0)
  place <- max(1, ceiling(conf_level * length(largest) * (1 - 1e-15)))
  critical <- sort(largest)[place]
  estimate <- apply(d, 2, mean)
  # An end that is 0 within rounding is 0, as p has it.
  margin <- ifelse(abs(critical - toward(t)) <= ties, toward(estimate), critical * stderr)
  infinite <- ifelse(is.na(t), NA, Inf)
  list(statistic = t, parameter = n - 1, p_value = p,
       estimate = estimate, stderr = stderr,
       conf_low = if (alternative == "less") -infinite else estimate - margin,
       conf_high = if (alternative == "greater") infinite else estimate + margin)
}
