# The Laplace distribution around the median.
# x: scores to standardize; scores: the reference scores of the topic.
standardize <- function(x, scores) {
  scores <- scores[!is.na(scores)]
  m <- median(scores)
  s <- mean(abs(scores - m))
  d <- ifelse(x == m, 0, abs(x - m) / s)
  0.5 - 0.5 * sign(x - m) * expm1(-d)
}
