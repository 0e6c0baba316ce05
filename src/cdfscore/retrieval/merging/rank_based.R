# Merging by ranks; lists as ranked_lists of merging.R has them, of `sources` sources.

# The score of reciprocal rank fusion of each document of a list, to be added over lists.
reciprocal_ranks <- function(lists, k) {
  lists$y <- 1 / (k + lists$rank)
  lists
}

# The turn of each document: the first ones of all sources, then the second ones; later is lower.
turns <- function(lists, sources) {
  lists$y <- -(lists$rank * sources + lists$source)
  lists
}
