# MinMax: Markov, Linear Score Normalization Revisited.
# x: scores to standardize; scores: the reference scores of the topic.
standardize <- function(x, scores) do.call(evaluate, c(list(x), estimate(scores)))

estimate <- function(scores) {
  scores <- scores[!is.na(scores)]
  list(min = min(scores), max = max(scores))
}

evaluate <- function(x, min, max) {
  if (min == max) return(ifelse(x < min, 0, ifelse(x > min, 1, 0.5)))  # the limit
  punif(x, min, max)
}
