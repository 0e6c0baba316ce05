# Standardize a score matrix and average each system: the analysis to compare with Python's.
# x: scores, reference: reference scores, both topics x systems with their names;
# standardize: the twin; settings: its settings; constant, missing, unfitted: the policies;
# extra: "drop" to leave out topics that the reference lacks; lower: topics on which lower is
# better, whose scores x become at - x.
analyze <- function(x, reference, standardize, settings, constant, missing, unfitted, extra,
                    lower, at) {
  if (extra == "drop") x <- x[rownames(x) %in% rownames(reference), , drop = FALSE]
  matrices <- lapply(settle_missing_scores(missing, x, reference), reverse_scores, lower, at)
  twin <- function(x, scores) do.call(standardize, c(list(x, scores), settings))
  y <- each_row_where_possible(standardize, matrices$x, matrices$reference, settings)
  y <- settle_unfitted_topics(unfitted, y)
  left <- rownames(y)
  y <- settle_constant_topics(constant, y, matrices$x[left, , drop = FALSE],
                              matrices$reference[left, , drop = FALSE], twin)
  means <- colMeans(y, na.rm = TRUE)
  list("standardized score" = y,
       "system mean" = matrix(means, 1, dimnames = list("", names(means))))
}
