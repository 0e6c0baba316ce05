# The exponential shifted to the minimum, scale by maximum likelihood.
# x: scores to standardize; scores: the reference scores of the topic.
standardize <- function(x, scores) do.call(evaluate, c(list(x), estimate(scores)))

estimate <- function(scores) {
  scores <- scores[!is.na(scores)]
  list(min = min(scores), scale = mean(scores - min(scores)))
}

evaluate <- function(x, min, scale) {
  if (scale == 0) return(ifelse(x > min, 1, 0))  # the limit as the scale goes to 0
  pexp(x - min, rate = 1 / scale)
}
