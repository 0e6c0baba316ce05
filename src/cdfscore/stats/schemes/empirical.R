# E-std: Urbano, Lima and Hanjalic (2019), Eq. 7; its plotting positions are those of ppoints.
# x: scores to standardize; scores: the reference scores of the topic.
standardize <- function(x, scores, convention = "weak", position = NULL, interpolation = NULL)
  evaluate(x, estimate(scores)$sample, convention, position, interpolation)

estimate <- function(scores) {
  scores <- scores[!is.na(scores)]
  if (length(scores) == 0) stop("there are no reference scores")
  list(sample = scores)
}

evaluate <- function(x, sample, convention = "weak", position = NULL, interpolation = NULL) {
  scores <- sample
  n <- length(scores)
  below <- function(v) vapply(v, function(u) sum(scores < u), numeric(1))
  at_most <- function(v) vapply(v, function(u) sum(scores <= u), numeric(1))
  named <- c(hazen = 1 / 2, weibull = 0, blom = 3 / 8)
  a <- if (is.character(position)) named[[position]] else position
  if (identical(as.numeric(a), 1) && n == 1)
    stop("position 1 needs at least 2 reference scores and there are 1")
  steps <- function(v) {
    if (is.null(a)) return(switch(convention,
      weak = ecdf(scores)(v),
      strict = below(v) / n,
      mid = (below(v) + at_most(v)) / (2 * n)))
    y <- switch(convention,
      weak = c(0, ppoints(n, a))[at_most(v) + 1],
      strict = c(0, ppoints(n, a))[below(v) + 1],
      mid = ((below(v) + at_most(v) + 1) / 2 - a) / (n + 1 - 2 * a))
    ifelse(is.infinite(v), as.numeric(v > 0), pmin(pmax(y, 0), 1))
  }
  y <- steps(x)
  distinct <- sort(unique(scores))
  if (is.null(interpolation) || length(distinct) == 1) return(y)
  inside <- which(x > min(scores) & x < max(scores))
  y[inside] <- approxfun(distinct, steps(distinct))(x[inside])
  y
}
