# Policies for unfitted topics, on which the twin stops. y: the scores, topics as rows, with the
# attribute "stopped": the error message of R for each topic, "" if it did not stop.
settle_unfitted_topics <- function(policy, y) {
  stopped <- attr(y, "stopped")
  if (policy == "raise") return(refuse_stopped(y))
  if (policy == "drop_topic" && all(nzchar(stopped)))
    stop("no topic is left, as the twin stops on each: ", stopped[1], call. = FALSE)
  if (policy == "drop_topic") y[!nzchar(stopped), , drop = FALSE] else structure(y, stopped = NULL)
}
