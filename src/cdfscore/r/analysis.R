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
  settled$reference[nzchar(attr(tried, "stopped")), ] <- NA  # an unfitted topic is not constant
  if (!is.null(how$constant)) y <- how$settle_constant(how$constant, y, settled, how)
  structure(y, stopped = setNames(attr(tried, "stopped"), rownames(tried)))
}

# The scores y by a scheme, of which those that are equal but for rounding are equal. settled and how:
# as for `standardized`. is_known: FALSE if the factors were fitted before, to scores not at hand.
tied_scores <- function(y, settled, how, is_cdf, is_known = TRUE) {
  reference <- settled[[if (is_known) "reference" else "x"]][rownames(y), , drop = FALSE]
  most <- function(rows) apply(abs(rows), 1, max, 0, na.rm = TRUE)
  if (is_cdf) {
    width <- apply(reference, 1, max, -Inf, na.rm = TRUE) - apply(reference, 1, min, Inf, na.rm = TRUE)
    growth <- ifelse(width > 0, pmin(pmax(most(reference) / width / 32, 1), 2^22), 1)
    own <- pmax(y, 2^-958)  # pnorm is 0 below 4.6e-308
    sizes <- own * (1 - log(own)) * growth
  } else {
    at <- function(x, how) {
      fitted_on <- settled$reference[rownames(x), , drop = FALSE]
      standardized(list(x = x, reference = fitted_on), how)[rownames(x), , drop = FALSE]
    }
    of_reference <- most(if (is_known) at(reference, how) else y)
    zero <- array(0, c(nrow(y), 1), list(rownames(y), "0"))
    at_zero <- abs(at(zero, how[names(how) != "constant"])[, 1])
    error <- ifelse(is.finite(at_zero), at_zero, 0) / 32
    if (is_known) error <- ifelse(of_reference > 0, pmin(error, 2^22 * of_reference), error)
    sizes <- pmax(abs(y), of_reference, error)
  }
  sizes[] <- ave(sizes, match(y, unique(c(y))), FUN = max)  # of equal scores
  joined(y, sizes)
}

# Standardize scores after `settle`, and compute the mean of each system.
analyze <- function(settled, how) {
  y <- standardized(settled, how)
  means <- colMeans(y, na.rm = TRUE)
  stopped <- attr(y, "stopped")
  structure(list("standardized score" = structure(y, stopped = NULL),
                 "system mean" = matrix(means, 1, dimnames = list("", names(means)))),
            notes = said_once("R stops", stopped, paste0("topic '", names(stopped), "'")))
}
