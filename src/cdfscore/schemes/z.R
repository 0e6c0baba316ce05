# The z-score: Webber, Moffat and Zobel (2008), Eq. 1.
# x: scores to standardize; scores: the reference scores of the topic.
standardize <- function(x, scores) {
  scores <- scores[!is.na(scores)]
  m <- mean(scores)
  s <- sd(scores)
  if (s == 0) ifelse(x == m, 0, (x - m) * Inf) else (x - m) / s  # the limit as s goes to 0
}
