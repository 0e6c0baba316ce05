# The test of Spearman's rank correlation. With exact = TRUE, the distribution is that over all
# pairings of the midranks, for which cor.test takes an approximation with ties, and a series for
# more than nine pairs. Two-sided, p is then the probability of all correlations at least as far
# from 0.
significance_test <- function(x, y, alternative, exact, continuity) {
  pairs <- !is.na(x) & !is.na(y)
  x <- x[pairs]
  y <- y[pairs]
  in_r <- length(x) < 10 && !anyDuplicated(x) && !anyDuplicated(y)
  by_count <- isTRUE(exact) && !in_r && min(x) < max(x) && min(y) < max(y)
  test <- cor.test(x, y, method = "spearman", exact = if (by_count) FALSE else exact,
                   continuity = continuity, alternative = chartr("-", ".", alternative))
  p <- if (by_count) over_pairings(x, y, alternative) else test$p.value
  list(statistic = test$statistic, p_value = p, estimate = test$estimate)
}

# The p value by the sum of the products of twice the midranks, which is whole.
over_pairings <- function(x, y, alternative) {
  u <- 2 * rank(x)
  v <- 2 * rank(y)
  ordered <- sort(u)
  gain <- function(places, chosen, taken) ordered[places[1]] * sum(v[chosen])
  numbers <- pairings(x, gain, sum(ordered * sort(v)))
  apart <- seq_along(numbers) - 1 - length(x) * mean(u) * mean(v)
  observed <- sum(u * v) - length(x) * mean(u) * mean(v)
  extreme <- switch(alternative, less = apart <= observed, greater = apart >= observed,
                    "two-sided" = abs(apart) >= abs(observed))
  sum(numbers[extreme]) / sum(numbers)
}
