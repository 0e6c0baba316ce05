# N-std: Webber, Moffat and Zobel (2008), Eq. 1 and 2; Urbano, Lima and Hanjalic (2019), Eq. 5.
# x: scores to standardize; scores: the reference scores of the topic.
standardize <- function(x, scores) do.call(evaluate, c(list(x), estimate(scores)))

estimate <- function(scores) {
  scores <- scores[!is.na(scores)]
  list(mean = mean(scores), sd = sd(scores))
}

evaluate <- function(x, mean, sd) {
  if (sd == 0) return(ifelse(x < mean, 0, ifelse(x > mean, 1, 0.5)))  # the limit as sd goes to 0
  pnorm(x, mean, sd)
}
