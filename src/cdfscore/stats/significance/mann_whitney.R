# The Mann-Whitney test. If all scores are equal, this function stops; wilcox.test divides by 0 and
# gives NaN, or 1 for a one-sided alternative. In the approximation, wilcox.test searches for the
# interval, with the tolerance tol.root, and its estimate is any point between the middle two
# differences. Here the estimate is their median. With exact = TRUE, ties have the exact distribution
# of their midranks, for which wilcox.test takes the approximation.
significance_test <- function(x, y, alternative, null_value, exact, correct, ties_at, conf_int,
                              conf_level) {
  x <- x[!is.na(x)]
  y <- y[!is.na(y)]
  q <- if (identical(ties_at, "resolution")) denominator(c(x, y, null_value)) else NaN
  x <- if (is.nan(q)) x - null_value else (round(x * q) - round(null_value * q)) / q
  decimals <- if (is.numeric(ties_at)) function(x) round(x, ties_at) else ties_at
  if (is.function(decimals)) {
    x <- decimals(x)
    y <- decimals(y)
  }
  if (length(x) && length(y) && all(c(x, y) == x[1])) stop("all scores are equal")
  tied <- isTRUE(exact) && anyDuplicated(c(x, y))
  test <- function(...) {
    if (tied) return(exact_with_ties(x, y, alternative))
    wilcox.test(x, y, exact = exact, correct = correct, ...,
                alternative = chartr("-", ".", alternative))
  }
  found <- list(statistic = test()$statistic, p_value = test()$p.value)
  if (!conf_int) return(found)
  # wilcox.test with an interval stops where all differences are equal and the method is not exact.
  equal <- all(x == x[1]) && all(y == y[1]) && !grepl("exact", test()$method)
  ends <- if (tied) ends_with_ties(x, y, alternative, conf_level)
          else if (equal) c(if (alternative == "less") -Inf else NaN,
                       if (alternative == "greater") Inf else NaN)
          else test(conf.int = TRUE, conf.level = conf_level, tol.root = 1e-14)$conf.int
  c(found, list(estimate = median(outer(x, y, "-")) + null_value,
                conf_low = ends[1] + null_value, conf_high = ends[2] + null_value))
}

# The distribution of W if all divisions of the pooled midranks are equally likely. Two-sided, p is
# the probability of all W that are at least as far from the mean.
exact_with_ties <- function(x, y, alternative) {
  n <- length(x)
  ranks <- 2 * rank(c(x, y))
  counts <- matrix(0, n + 1, sum(ranks) + 1)
  counts[1, 1] <- 1
  for (each in ranks) {
    from <- seq_len(ncol(counts) - each)
    counts[-1, from + each] <- counts[-1, from + each] + counts[-(n + 1), from]
  }
  p <- counts[n + 1, ] / choose(length(ranks), n)
  apart <- seq_along(p) - 1 - n * (length(ranks) + 1)
  observed <- sum(ranks[seq_len(n)]) - n * (length(ranks) + 1)
  extreme <- switch(alternative, less = apart <= observed, greater = apart >= observed,
                    "two-sided" = abs(apart) >= abs(observed))
  list(statistic = (observed + n * length(y)) / 2, p.value = sum(p[extreme]), method = "exact")
}

# The ends by the quantile for scores without ties.
ends_with_ties <- function(x, y, alternative, conf_level) {
  apart <- sort(outer(x, y, "-"))
  tail <- (1 - conf_level) / if (alternative == "two-sided") 2 else 1
  cut <- max(1, qwilcox(tail, length(x), length(y)))
  c(if (alternative == "less") -Inf else apart[cut],
    if (alternative == "greater") Inf else apart[length(apart) + 1 - cut])
}
