# Apply the policies to the scores x and the reference scores: matrices of topics x systems with
# names. missing: the policy for missing scores. extra: "drop" leaves out topics that the reference
# lacks. lower: topics on which lower is better; their scores x become at - x.
settle <- function(x, reference, missing, extra, lower, at) {
  if (extra == "drop") x <- x[rownames(x) %in% rownames(reference), , drop = FALSE]
  lapply(settle_missing_scores(missing, x, reference), reverse_scores, lower, at)
}

# Standardize scores after `settle`. how: a list of standardize (the function of the scheme), its
# settings, and the policies constant and unfitted.
standardized <- function(settled, how) {
  twin <- function(x, scores) do.call(how$standardize, c(list(x, scores), how$settings))
  y <- each_row_where_possible(how$standardize, settled$x, settled$reference, how$settings)
  y <- settle_unfitted_topics(how$unfitted, y)
  left <- rownames(y)
  settle_constant_topics(how$constant, y, settled$x[left, , drop = FALSE],
                         settled$reference[left, , drop = FALSE], twin)
}

# Standardize scores after `settle`, and compute the mean of each system.
analyze <- function(settled, how) {
  y <- standardized(settled, how)
  means <- colMeans(y, na.rm = TRUE)
  list("standardized score" = y,
       "system mean" = matrix(means, 1, dimnames = list("", names(means))))
}
