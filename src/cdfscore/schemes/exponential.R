# The exponential shifted to the minimum, scale by maximum likelihood.
# x: scores to standardize; scores: the reference scores of the topic.
standardize <- function(x, scores) {
  scores <- scores[!is.na(scores)]
  a <- min(scores)
  scale <- mean(scores - a)
  if (scale == 0) return(ifelse(x > a, 1, 0))  # the limit as the scale goes to 0
  pexp(x - a, rate = 1 / scale)
}
