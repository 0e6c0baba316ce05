# MinMax: Markov, Linear Score Normalization Revisited.
# x: scores to standardize; scores: the reference scores of the topic.
standardize <- function(x, scores) {
  scores <- scores[!is.na(scores)]
  a <- min(scores)
  b <- max(scores)
  if (a == b) return(ifelse(x < a, 0, ifelse(x > a, 1, 0.5)))  # the limit as b - a goes to 0
  punif(x, a, b)
}
