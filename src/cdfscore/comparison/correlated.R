# Correlate the system means of scores y and of other scores (after `settle`), which are standardized
# by themselves. exact: TRUE if means that differ only by the rounding of scores are tied, because they
# are fractions with one denominator. Returns the numbers to compare, each as a matrix with one row.
analyze_correlation <- function(y, other, how, exact) {
  analyzed <- analyze(other, how)
  means <- analyzed[["system mean"]]
  x <- colMeans(y, na.rm = TRUE)
  z <- means[1, names(x)]
  a <- if (exact) without_rounding(x, y) else x
  b <- if (exact) without_rounding(z, analyzed[["standardized score"]]) else z
  differ <- max(a) > min(a) && max(b) > min(b)
  # A power of 2 changes no digit, and keeps squares in the range of doubles.
  unit <- 2^min(floor(log2(max(abs(c(x, z)), .Machine$double.xmin))), 1023)
  apart <- function(x) (x / unit - x[1] / unit) / max(abs(x / unit - x[1] / unit))
  found <- c(tau = tau(a, b), tau_b = if (differ) tau_b(rank(a), rank(b)) else NA,
             tau_ap_b = tau_ap_b(a, b, TRUE), pearson = if (differ) cor(apart(x), apart(z)) else NA,
             rmse = unit * rmse(x / unit, z / unit), drmse = drmse(x / unit, z / unit),
             drmse_geometric = if (differ) drmse_geometric(x / unit, z / unit) else NA)
  found[!is.finite(found)] <- NA
  structure(list("second system mean" = means,
                 correlation = matrix(found, 1, dimnames = list("", names(found)))),
            notes = attr(analyzed, "notes"))
}

# Set means to the least of those that the rounding of the scores y, and of their sums, may set apart.
without_rounding <- function(means, y) {
  gap <- 4 * .Machine$double.eps * max(colMeans(abs(y), na.rm = TRUE))
  ordered <- sort(means)
  first <- c(TRUE, diff(ordered) > gap)
  unname(ordered[first][cumsum(first)][rank(means, ties.method = "first")])
}
