# E-std: Urbano, Lima and Hanjalic (2019), Eq. 7.
# x: scores to standardize; scores: the reference scores of the topic.
standardize <- function(x, scores, convention = "weak") {
  scores <- scores[!is.na(scores)]
  n <- length(scores)
  below <- function() vapply(x, function(v) sum(scores < v), numeric(1))
  at_most <- function() vapply(x, function(v) sum(scores <= v), numeric(1))
  switch(convention,
    weak = ecdf(scores)(x),
    strict = below() / n,
    mid = (below() + at_most()) / (2 * n))
}
