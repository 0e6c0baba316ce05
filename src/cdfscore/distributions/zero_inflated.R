# A point mass at 0, or where `at` says, beside any family; Lambert (1992), Eq. 1 and 2.
# x: scores to standardize; scores: the reference scores of the topic. component(x, scores) is
# the twin of the family with its settings, which the name in `family` stands for.
standardize <- function(x, scores, family = "beta", at = 0) {
  scores <- scores[!is.na(scores)]
  if (length(scores) == 0) stop("there are no reference scores")
  others <- scores[scores != at]
  if (length(others) == 0) return(ifelse(x >= at, 1, 0))
  # A single value is a sample of that value, of any size.
  if (length(unique(others)) == 1) others <- rep(others[1], length(scores))
  p <- sum(scores == at) / length(scores)
  p * (x >= at) + (1 - p) * component(x, others)
}
