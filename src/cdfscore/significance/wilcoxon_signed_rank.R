# Wilcoxon's signed-rank test of paired scores. Differences that are all 0 are no data to the
# package; wilcox.test divides by 0 and gives NaN, or 1 for a one-sided alternative. In the
# approximation its interval is searched for, to the digits asked for by tol.root, and its
# estimate is any point between the middle two of the means of pairs: here their median. Where
# few pairs cannot reach the level it takes a lower one for both ends: here each end on its own
# is the end of the range then, and the upper one the lower one of the negative differences.
significance_test <- function(x, y, alternative, null_value, exact, correct, ties_at, conf_int,
                              conf_level) {
  d <- x - y - null_value
  d <- d[!is.na(d)]
  if (!is.null(ties_at)) d <- round(d, ties_at)
  if (all(d == 0)) stop("all differences are 0")
  test <- wilcox.test(d, exact = exact, correct = correct,
                      alternative = sub("-", ".", alternative))
  found <- list(statistic = test$statistic, p_value = test$p.value)
  if (!conf_int) return(found)
  changed <- d[d != 0]
  pairs <- outer(changed, changed, "+") / 2
  level <- if (alternative == "two-sided") (1 + conf_level) / 2 else conf_level
  lower_end <- function(d) {
    changed <- d[d != 0]
    if (min(changed) == max(changed) && !grepl("exact", test$method)) return(NaN)
    ends <- wilcox.test(d, exact = exact, correct = correct, conf.int = TRUE, tol.root = 1e-14,
                        alternative = "greater", conf.level = level)$conf.int
    lowered <- 1 - attr(ends, "conf.level") > 1.5 * (1 - level)
    if (lowered) min(changed) else ends[1]
  }
  c(found, list(estimate = median(pairs[!lower.tri(pairs)]) + null_value,
                conf_low = if (alternative == "less") -Inf else lower_end(d) + null_value,
                conf_high = if (alternative == "greater") Inf else null_value - lower_end(-d)))
}
