# Sum normalization: Markov, Linear Score Normalization Revisited.
# x: scores to standardize; scores: the reference scores of the topic.
standardize <- function(x, scores) {
  scores <- scores[!is.na(scores)]
  if (length(scores) == 0) stop("there is no reference score")
  a <- min(scores)
  total <- sum(scores - a)
  if (total == 0) ifelse(x == a, 0, (x - a) * Inf) else (x - a) / total  # the limit
}
