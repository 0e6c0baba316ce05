# A point mass at `at`, such as 0, and another distribution; Lambert (1992), Eq. 1 and 2.
# x: scores to standardize; scores: the reference scores of the topic. component(x, scores) is
# the twin of the distribution that `family` names, with its settings.
standardize <- function(x, scores, family = "beta", at = 0) {
  scores <- scores[!is.na(scores)]
  if (length(scores) == 0) stop("there are no reference scores")
  others <- scores[scores != at]
  if (length(others) == 0) return(ifelse(x >= at, 1, 0))
  p <- sum(scores == at) / length(scores)
  # A single value is a sample of that value, also where the family asks for more scores.
  y <- if (length(unique(others)) > 1) component(x, others) else
    tryCatch(component(x, others), error = function(e) component(x, rep(others[1], 100)))
  p * (x >= at) + (1 - p) * y
}
