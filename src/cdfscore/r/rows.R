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
  y <- x
  stopped <- character(nrow(x))
  for (i in seq_len(nrow(x))) {
    found <- tryCatch(
      numbers_of(do.call(standardize, c(list(x[i, ], scores[i, ]), settings)), ncol(x)),
      error = conditionMessage,
      warning = function(w) paste("(converted from warning)", conditionMessage(w)))
    if (is.character(found)) stopped[i] <- found
    y[i, ] <- if (is.character(found)) NaN else found
  }
  structure(y, stopped = stopped)
}

# Stop if the twin stopped on a topic; the attribute "stopped" of y has the messages.
refuse_stopped <- function(y) {
  i <- which(nzchar(attr(y, "stopped")))[1]
  if (is.na(i)) return(structure(y, stopped = NULL))
  topic <- if (is.null(rownames(y))) i else rownames(y)[i]
  stop("topic ", topic, ": ", attr(y, "stopped")[i], call. = FALSE)
}

# Messages as notes, each once, with the number of times and the first place. "" is no message.
said_once <- function(what, messages, places = NULL) {
  places <- places[nzchar(messages)]
  messages <- gsub("[[:space:]]+", " ", messages[nzchar(messages)])
  each <- unique(messages)
  notes <- vapply(each, function(message) {
    own <- which(messages == message)
    paste0(what, if (!is.null(places)) paste(" on", places[own[1]]),
           if (length(own) > 1) paste0(" (", length(own), " times)"), ": ", message)
  }, "", USE.NAMES = FALSE)
  if (length(each) > 5) c(notes[1:5], paste(what, "with", length(each) - 5, "other messages")) else
    notes
}

# What a function returns for these arguments. The attribute "notes" has its notes, and R's warnings.
noted <- function(run, ...) {
  warned <- character()
  found <- withCallingHandlers(run(...), warning = function(w) {
    warned <<- c(warned, conditionMessage(w))
    invokeRestart("muffleWarning")
  })
  structure(found, notes = c(attr(found, "notes"), said_once("R warns", warned)))
}

# The same as each_row_where_possible, but with an error if the twin stops.
each_row <- function(standardize, x, scores, settings)
  refuse_stopped(each_row_where_possible(standardize, x, scores, settings))
