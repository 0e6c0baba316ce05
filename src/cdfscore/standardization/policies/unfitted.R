# Policies for unfitted topics, on which the twin stops. y: the scores, topics as rows, with the
# attribute "stopped": the error message of R for each topic, "" if it did not stop.
settle_unfitted_topics <- function(policy, y) {
  stopped <- attr(y, "stopped")
  attr(y, "stopped") <- NULL
  if (policy == "raise" && any(nzchar(stopped))) stop(stopped[nzchar(stopped)][1], call. = FALSE)
  if (policy == "drop_topic") y <- y[!nzchar(stopped), , drop = FALSE]
  y
}
