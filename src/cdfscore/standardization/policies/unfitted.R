# Policies for unfitted topics, on which the twin stops. y: the scores, topics as rows, with the
# attribute "stopped": the error message of R for each topic, "" if it did not stop.
unfitted_raise <- function(y) refuse_stopped(y)

unfitted_nan <- function(y) structure(y, stopped = NULL)

unfitted_drop_topic <- function(y) {
  stopped <- attr(y, "stopped")
  if (all(nzchar(stopped)))
    stop("no topic is left, as the twin stops on each: ", stopped[1], call. = FALSE)
  y[!nzchar(stopped), , drop = FALSE]
}
