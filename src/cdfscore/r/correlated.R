# Correlate the system means of scores y and of other scores (after `settle`), which are standardized
# by themselves. exact: TRUE if means that differ only in their last digits are tied, because they are
# fractions with one denominator. Returns the numbers to compare, each as a matrix with one row.
analyze_correlation <- function(y, other, how, exact) {
  analyzed <- analyze(other, how)
  means <- analyzed[["system mean"]]
  x <- colMeans(y, na.rm = TRUE)
  z <- means[1, names(x)]
  a <- if (exact) signif(x, 12) else x
  b <- if (exact) signif(z, 12) else z
  differ <- sd(a) > 0 && sd(b) > 0
  found <- c(tau = tau(a, b), tau_b = if (differ) tau_b(a, b) else NA,
             tau_ap_b = tau_ap_b(a, b, TRUE), pearson = if (differ) cor(x, z) else NA,
             rmse = rmse(x, z), drmse = drmse(x, z))
  found[!is.finite(found)] <- NA
  structure(list("second system mean" = means,
                 correlation = matrix(found, 1, dimnames = list("", names(found)))),
            notes = attr(analyzed, "notes"))
}
