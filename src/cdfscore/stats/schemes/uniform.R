# U-std: Sakai (2016); Urbano, Lima and Hanjalic (2019), Eq. 3 and 6, on the scale of z.
# x: scores to standardize; scores: the reference scores of the topic.
standardize <- function(x, scores, A = 0.15, B = 0.5)
  do.call(evaluate, c(list(x), estimate(scores), A = A, B = B))

estimate <- function(scores) {
  scores <- scores[!is.na(scores)]
  list(mean = mean(scores), sd = sd(scores))
}

evaluate <- function(x, mean, sd, A = 0.15, B = 0.5) {
  z <- if (sd == 0) ifelse(x == mean, 0, (x - mean) * Inf) else (x - mean) / sd  # the limit
  punif(z, -B / A, (1 - B) / A)
}
