# Wilcoxon's signed-rank test of paired scores. If all differences are 0, this function stops;
# wilcox.test divides by 0 and gives NaN, or 1 for a one-sided alternative. In the approximation,
# wilcox.test searches for the interval, with the tolerance tol.root, and its estimate is any point
# between the middle two of the means of pairs. Here the estimate is their median. If there are too
# few pairs for the level, wilcox.test lowers the level of both ends. Here such an end is the end of
# the range; the upper end is the lower end of the negative differences. With exact = TRUE,
# differences of 0 are left out first, and ties have the exact distribution of their midranks, for
# which wilcox.test takes the approximation.
significance_test <- function(x, y, alternative, null_value, exact, correct, ties_at, conf_int,
                              conf_level) {
  pairs <- !is.na(x) & !is.na(y)
  d <- differences_at(x[pairs], y[pairs], null_value, ties_at)
  if (all(d == 0)) stop("all differences are 0")
  changed <- d[d != 0]
  if (isTRUE(exact)) d <- changed
  tied <- isTRUE(exact) && anyDuplicated(abs(d))
  test <- if (tied) exact_with_ties(d, alternative)
          else wilcox.test(d, exact = exact, correct = correct,
                           alternative = chartr("-", ".", alternative))
  found <- list(statistic = test$statistic, p_value = test$p.value)
  if (!conf_int) return(found)
  level <- if (alternative == "two-sided") (1 + conf_level) / 2 else conf_level
  means <- function(d) {
    every <- outer(d, d, "+") / 2
    sort(every[!lower.tri(every)])
  }
  lower_end <- function(d) {
    # With ties, by the quantile for differences without ties.
    if (tied) return(means(d)[max(1, qsignrank(1 - level, length(d)))])
    changed <- d[d != 0]
    if (min(changed) == max(changed) && !grepl("exact", test$method)) return(NaN)
    ends <- wilcox.test(d, exact = exact, correct = correct, conf.int = TRUE, tol.root = 1e-14,
                        alternative = "greater", conf.level = level)$conf.int
    lowered <- 1 - attr(ends, "conf.level") > 1.5 * (1 - level)
    if (lowered) min(changed) else ends[1]
  }
  c(found, list(estimate = median(means(changed)) + null_value,
                conf_low = if (alternative == "less") -Inf else lower_end(d) + null_value,
                conf_high = if (alternative == "greater") Inf else null_value - lower_end(-d)))
}

# The distribution of V if a fair coin gives each midrank its sign: twice V is whole.
exact_with_ties <- function(d, alternative) {
  ranks <- rank(abs(d))
  p <- 1
  for (twice in 2 * ranks) p <- (c(p, numeric(twice)) + c(numeric(twice), p)) / 2
  value <- (seq_along(p) - 1) / 2
  v <- sum(ranks[d > 0])
  less <- sum(p[value <= v])
  greater <- sum(p[value >= v])
  list(statistic = v, method = "exact",
       p.value = switch(alternative, less = less, greater = greater,
                        "two-sided" = min(1, 2 * less, 2 * greater)))
}
