# Weights of sources from their scores of resource selection (topics x sources, NA for a source that
# is not searched): (1 + lambda m) / (1 + lambda), with m the MinMax over the sources of the topic,
# 1/2 where all are equal; m itself for an infinite lambda.
selection_weights <- function(selection, lambda) {
  found <- apply(selection, 1, function(s) {
    ends <- range(s, na.rm = TRUE)
    m <- if (ends[1] == ends[2]) ifelse(is.na(s), NA, 0.5) else (s - ends[1]) / (ends[2] - ends[1])
    if (is.infinite(lambda)) m else (1 + lambda * m) / (1 + lambda)
  })
  # apply leaves out the dimension of a single source.
  t(matrix(found, nrow = ncol(selection)))
}

# y times the weight of the source for the topic; weights has topics as row names, and sources in
# the order of their numbers.
weighted <- function(lists, weights) {
  lists$y <- weights[cbind(match(lists$topic, rownames(weights)), lists$source)] * lists$y
  lists
}
