# Centering: Mizzaro and Robertson (2007), as in Webber, Moffat and Zobel (2008), Section 6.
# x: scores to standardize; scores: the reference scores of the topic.
standardize <- function(x, scores) {
  scores <- scores[!is.na(scores)]
  if (length(scores) == 0) stop("there is no reference score")
  x - mean(scores)
}
