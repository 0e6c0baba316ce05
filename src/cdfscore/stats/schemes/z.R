# The z-score: Webber, Moffat and Zobel (2008), Eq. 1.
# x: scores to standardize; scores: the reference scores of the topic.
standardize <- function(x, scores) do.call(evaluate, c(list(x), estimate(scores)))

estimate <- function(scores) {
  scores <- scores[!is.na(scores)]
  list(mean = mean(scores), sd = sd(scores))
}

evaluate <- function(x, mean, sd)
  if (sd == 0) ifelse(x == mean, 0, (x - mean) * Inf) else (x - mean) / sd  # the limit as sd goes to 0
