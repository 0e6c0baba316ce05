# The Laplace distribution.
# x: scores to standardize; scores: the reference scores of the topic.
standardize <- function(x, scores, centre = "median") {
  scores <- scores[!is.na(scores)]
  if (length(scores) == 0) stop("there are no scores to fit to")
  m <- switch(centre, median = median(scores), mean = mean(scores))
  s <- mean(abs(scores - m))
  tail <- 0.5 * exp(-ifelse(x == m, 0, abs(x - m) / s))
  ifelse(x < m, tail, 1 - tail)
}
