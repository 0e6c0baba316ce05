# Centering: Mizzaro and Robertson (2007), as in Webber, Moffat and Zobel (2008), Section 6.
# x: scores to standardize; scores: the reference scores of the topic.
standardize <- function(x, scores) do.call(evaluate, c(list(x), estimate(scores)))

estimate <- function(scores) {
  scores <- scores[!is.na(scores)]
  if (length(scores) == 0) stop("there is no reference score")
  list(mean = mean(scores), spread = max(scores) - min(scores))
}

evaluate <- function(x, mean, spread) x - mean
