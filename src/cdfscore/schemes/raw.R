# The scores as they are.
# x: scores to standardize; scores: the reference scores of the topic.
standardize <- function(x, scores) x
