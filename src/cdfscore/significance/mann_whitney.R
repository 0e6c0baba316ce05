# The Mann-Whitney test. Scores that are all equal are no data to the package; wilcox.test
# divides by 0 and gives NaN, or 1 for a one-sided alternative. In the approximation its
# interval is searched for, to the digits asked for by tol.root, and its estimate is any
# point between the middle two differences: here their median.
significance_test <- function(x, y, alternative, null_value, exact, correct, ties_at, conf_int,
                              conf_level) {
  x <- x[!is.na(x)] - null_value
  y <- y[!is.na(y)]
  if (!is.null(ties_at)) {
    x <- round(x, ties_at)
    y <- round(y, ties_at)
  }
  if (length(x) && length(y) && all(c(x, y) == x[1])) stop("all scores are equal")
  test <- function(...) wilcox.test(x, y, exact = exact, correct = correct, ...,
                                    alternative = sub("-", ".", alternative))
  found <- list(statistic = test()$statistic, p_value = test()$p.value)
  if (!conf_int) return(found)
  # wilcox.test with an interval stops where all differences are equal and the method is not exact.
  equal <- all(x == x[1]) && all(y == y[1]) && !grepl("exact", test()$method)
  ends <- if (equal) c(if (alternative == "less") -Inf else NaN,
                       if (alternative == "greater") Inf else NaN)
          else test(conf.int = TRUE, conf.level = conf_level, tol.root = 1e-14)$conf.int
  c(found, list(estimate = median(outer(x, y, "-")) + null_value,
                conf_low = ends[1] + null_value, conf_high = ends[2] + null_value))
}
