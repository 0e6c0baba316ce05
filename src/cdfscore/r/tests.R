# Apply the R function of a significance test to each pair of rows of the matrices x and y (a test
# of one sample has no y). The result has a row for each sample and a column for each quantity. If
# the function stops on a sample, its row is NA, and the attribute "stopped" has the message. The
# attribute "warned" has all warnings. The function omits NA scores.
test_rows <- function(test, x, y, settings, quantities) {
  found <- matrix(NA_real_, nrow(x), length(quantities), dimnames = list(rownames(x), quantities))
  stopped <- character(nrow(x))
  warned <- character()
  for (i in seq_len(nrow(x))) {
    samples <- if (is.null(y)) list(x[i, ]) else list(x[i, ], y[i, ])
    tested <- try_test(test, c(samples, settings))
    warned <- c(warned, tested$warned)
    if (is.character(tested$numbers)) stopped[i] <- tested$numbers
    else found[i, names(tested$numbers)] <- vapply(tested$numbers, as.numeric, 0)
  }
  structure(found, stopped = stopped, warned = warned)
}

# The same for a test of a whole matrix (topics x systems). The result has a single row or, for a
# test of a family of pairs, a row for each pair of the columns first and second.
test_matrix <- function(test, scores, first, second, settings, quantities) {
  matrices <- if (is.null(first)) list(scores) else list(scores, first, second)
  tested <- try_test(test, c(matrices, settings))
  found <- matrix(NA_real_, max(1, length(first)), length(quantities),
                  dimnames = list(NULL, quantities))
  stopped <- character(nrow(found))
  if (is.character(tested$numbers)) stopped[] <- tested$numbers
  else for (name in names(tested$numbers)) found[, name] <- as.numeric(tested$numbers[[name]])
  structure(found, stopped = stopped, warned = tested$warned)
}

# The numbers of a test, or the message if it stops, and its warnings.
try_test <- function(test, arguments) {
  warned <- character()
  numbers <- tryCatch(
    withCallingHandlers(do.call(test, arguments), warning = function(w) {
      warned <<- c(warned, conditionMessage(w))
      invokeRestart("muffleWarning")
    }), error = function(e) conditionMessage(e))
  list(numbers = numbers, warned = warned)
}
