# Sum normalization: Markov, Linear Score Normalization Revisited.
# x: scores to standardize; scores: the reference scores of the topic.
standardize <- function(x, scores) do.call(evaluate, c(list(x), estimate(scores)))

estimate <- function(scores) {
  scores <- scores[!is.na(scores)]
  if (length(scores) == 0) stop("there is no reference score")
  list(min = min(scores), total = sum(scores - min(scores)))
}

evaluate <- function(x, min, total)
  if (total == 0) ifelse(x == min, 0, (x - min) * Inf) else (x - min) / total  # the limit
