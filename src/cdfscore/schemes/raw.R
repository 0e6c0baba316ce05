# No standardization: y = x.
# x: scores to standardize; scores: the reference scores of the topic.
standardize <- function(x, scores) x
