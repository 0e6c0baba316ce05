# U-std: Sakai (2016); Urbano, Lima and Hanjalic (2019), Eq. 3 and 6, on the scale of z.
# x: scores to standardize; scores: the reference scores of the topic.
standardize <- function(x, scores, A = 0.15, B = 0.5) {
  scores <- scores[!is.na(scores)]
  m <- mean(scores)
  s <- sd(scores)
  z <- if (s == 0) ifelse(x == m, 0, (x - m) * Inf) else (x - m) / s  # the limit as s goes to 0
  punif(z, -B / A, (1 - B) / A)
}
