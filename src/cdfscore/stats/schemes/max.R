# Max-normalization: Zobel (1998), as in Webber, Moffat and Zobel (2008), Section 6.
# x: scores to standardize; scores: the reference scores of the topic.
standardize <- function(x, scores) do.call(evaluate, c(list(x), estimate(scores)))

estimate <- function(scores) {
  scores <- scores[!is.na(scores)]
  if (length(scores) == 0) stop("there is no reference score")
  if (any(scores < 0)) stop("a reference score is below 0")
  list(min = min(scores), max = max(scores))
}

evaluate <- function(x, min, max) if (max == 0) ifelse(x == 0, 0, x * Inf) else x / max  # the limit
