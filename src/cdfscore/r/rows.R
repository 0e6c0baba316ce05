# Give a twin the twin of another scheme, as its function `component`, with the settings of that
# scheme.
with_component <- function(standardize, component, settings) {
  force(component)
  environment(standardize) <- list2env(
    list(component = function(x, scores) do.call(component, c(list(x, scores), settings))),
    parent = environment(standardize))
  standardize
}

# What a twin returned: y, a number for each of the m scores.
numbers_of <- function(y, m) {
  if (!(is.numeric(y) || is.logical(y)) || length(y) != m)
    stop("standardize returned ", length(y), if (length(y) == 1) " value" else " values",
         " of type ", typeof(y),
         "; expected ", m, " numbers, one for each x")
  y
}

# Apply a twin (the R function of a scheme) to each topic, a row of the matrices x and scores. A
# warning is an error. If the twin stops on a topic, y is NaN there. The attribute "stopped" has the
# message for each topic, or "".
each_row_where_possible <- function(standardize, x, scores, settings) {
  old <- options(warn = 2)
  on.exit(options(old))
  y <- x
  stopped <- character(nrow(x))
  for (i in seq_len(nrow(x))) {
    found <- tryCatch(
      numbers_of(do.call(standardize, c(list(x[i, ], scores[i, ]), settings)), ncol(x)),
      error = function(e) {
        topic <- if (is.null(rownames(x))) i else rownames(x)[i]
        paste0("topic ", topic, ": ", conditionMessage(e))
      })
    if (is.character(found)) stopped[i] <- found
    y[i, ] <- if (is.character(found)) NaN else found
  }
  attr(y, "stopped") <- stopped
  y
}

# The same, but with an error if the twin stops.
each_row <- function(standardize, x, scores, settings) {
  y <- each_row_where_possible(standardize, x, scores, settings)
  stopped <- attr(y, "stopped")
  if (any(nzchar(stopped))) stop(stopped[nzchar(stopped)][1], call. = FALSE)
  attr(y, "stopped") <- NULL
  y
}
