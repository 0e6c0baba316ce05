# What topics get that the twin stops on. y: the scores, topics as rows, with the attribute
# "stopped": what R said of each, "" where it did not stop.
settle_unfitted_topics <- function(policy, y) {
  stopped <- attr(y, "stopped")
  attr(y, "stopped") <- NULL
  if (policy == "raise" && any(nzchar(stopped))) stop(stopped[nzchar(stopped)][1], call. = FALSE)
  if (policy == "drop_topic") y <- y[!nzchar(stopped), , drop = FALSE]
  y
}
