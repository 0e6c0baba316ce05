# Apply the policy for missing scores, the function of_missing, to the scores x and the reference
# scores: matrices of topics x systems with names. extra: "drop" leaves out topics that the
# reference lacks.
settle <- function(x, reference, of_missing, extra) {
  if (extra == "drop") x <- x[rownames(x) %in% rownames(reference), , drop = FALSE]
  of_missing(x, reference)
}

# Reverse scores after `settle` on topics on which lower is better: x becomes at - x.
reverse_both <- function(settled, lower, at) lapply(settled, reverse_scores, lower, at)

# Standardize scores after `settle`. The attribute "stopped" has the message of R for each topic, ""
# if the twin does not stop. how: a list of standardize (the function of the scheme), its settings,
# unfitted (the function of this policy), and the policy constant with the function that applies it,
# both NULL if constant topics have the limit, since that is what a scheme returns.
standardized <- function(settled, how) {
  tried <- each_row_where_possible(how$standardize, settled$x, settled$reference, how$settings)
  y <- how$unfitted(tried)
  if (!is.null(how$constant)) y <- how$settle_constant(how$constant, y, settled, how)
  structure(y, stopped = setNames(attr(tried, "stopped"), rownames(tried)))
}

# The scores y by a scheme, of which those that are equal but for rounding are equal. settled and how:
# as for `standardized`.
tied_scores <- function(y, settled, how, is_cdf) {
  x <- settled$reference[rownames(y), , drop = FALSE]
  most <- function(rows) apply(rows, 1, function(row) max(abs(row), 0, na.rm = TRUE))
  width <- apply(x, 1, max, -Inf, na.rm = TRUE) - apply(x, 1, min, Inf, na.rm = TRUE)
  # Reference scores that are far from 0 and close together leave larger rounding errors.
  growth <- ifelse(width > 0, pmin(pmax(most(x) / width / 32, 1), 2^22), 1)
  if (is_cdf) return(joined(y, pmax(y, 2^-958) * growth))  # pnorm is 0 below 4.6e-308
  reference <- lapply(settled, function(scores) settled$reference)
  of_reference <- most(standardized(reference, how)[rownames(y), , drop = FALSE])
  joined(y, pmax(abs(y), of_reference * growth))
}

# Standardize scores after `settle`, and compute the mean of each system.
analyze <- function(settled, how) {
  y <- standardized(settled, how)
  means <- colMeans(y, na.rm = TRUE)
  stopped <- attr(y, "stopped")
  structure(list("standardized score" = structure(y, stopped = NULL),
                 "system mean" = matrix(means, 1, dimnames = list("", names(means)))),
            notes = said_once("R stops", stopped, paste("topic", names(stopped))))
}
