# The empirical distribution smoothed by a Gaussian kernel.
# x: scores to standardize; scores: the reference scores of the topic.
standardize <- function(x, scores, bandwidth = "nrd0") {
  scores <- scores[!is.na(scores)]
  a <- min(scores)
  if (bandwidth == "nrd0" && length(scores) > 1 && a == max(scores))
    return(ifelse(x < a, 0, ifelse(x > a, 1, 0.5)))  # the limit as the spread goes to 0
  h <- if (bandwidth == "nrd0") bw.nrd0(scores) else bandwidth
  vapply(x, function(v) mean(pnorm((v - scores) / h)), numeric(1))
}
