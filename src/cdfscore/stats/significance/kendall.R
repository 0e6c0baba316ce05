# The test of Kendall's rank correlation. With exact = TRUE, the distribution is that over all
# pairings of the tied scores, for which cor.test takes the normal approximation. Two-sided, p is
# then the probability of all C - D at least as far from 0.
significance_test <- function(x, y, alternative, exact, continuity) {
  pairs <- !is.na(x) & !is.na(y)
  x <- x[pairs]
  y <- y[pairs]
  tied <- c(anyDuplicated(x), anyDuplicated(y)) > 0
  by_count <- isTRUE(exact) && any(tied) && min(x) < max(x) && min(y) < max(y)
  test <- cor.test(x, y, method = "kendall", exact = if (by_count) FALSE else exact,
                   continuity = continuity, alternative = chartr("-", ".", alternative))
  if (!by_count) {
    return(list(statistic = test$statistic, p_value = test$p.value, estimate = test$estimate))
  }
  products <- sign(outer(x, x, "-")) * sign(outer(y, y, "-"))
  excess <- sum(products) / 2
  found <- if (all(tied)) by_pairings(x, y) else by_rank_sums(if (tied[1]) x else y)
  extreme <- switch(alternative, less = found$excess <= excess, greater = found$excess >= excess,
                    "two-sided" = abs(found$excess) >= abs(excess))
  list(statistic = sum(products > 0) / 2, p_value = sum(found$p[extreme]),
       estimate = test$estimate)
}

# Ties in one sample only: the scores of each tie have a rank sum among those of the ties before,
# and these are independent.
by_rank_sums <- function(tied) {
  p <- 1
  before <- 0
  for (size in table(tied)) {
    most <- before * size
    longer <- numeric(length(p) + most)
    for (w in 0:most) {
      at <- w + seq_along(p)
      longer[at] <- longer[at] + p * if (before > 0) dwilcox(w, before, size) else 1
    }
    p <- longer
    before <- before + size
  }
  list(p = p, excess = 2 * (seq_along(p) - 1) - (length(p) - 1))
}

# Ties in both samples. A gain is C - D with those before, and their number, so that it is whole
# and not negative.
by_pairings <- function(x, y) {
  counted <- sum(outer(x, x, ">"))
  gain <- function(places, chosen, taken) {
    sum(sign(outer(y[chosen], y[taken], "-"))) + length(chosen) * length(taken)
  }
  numbers <- pairings(x, gain, 2 * counted)
  list(p = numbers / sum(numbers), excess = seq_along(numbers) - 1 - counted)
}
