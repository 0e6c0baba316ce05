# N-std: Webber, Moffat and Zobel (2008), Eq. 1 and 2; Urbano, Lima and Hanjalic (2019), Eq. 5.
# x: scores to standardize; scores: the reference scores of the topic.
standardize <- function(x, scores) {
  scores <- scores[!is.na(scores)]
  m <- mean(scores)
  s <- sd(scores)
  if (s == 0) return(ifelse(x < m, 0, ifelse(x > m, 1, 0.5)))  # the limit as s goes to 0
  pnorm(x, m, s)
}
