# Apply the R function of a significance test to each pair of rows of the matrices x and y (a test
# of one sample has no y). The result has a row for each sample and a column for each quantity. If
# the function stops on a sample, its row is NA, and the attribute "stopped" has the message. The
# function omits NA scores.
test_rows <- function(test, x, y, settings, quantities) {
  found <- matrix(NA_real_, nrow(x), length(quantities), dimnames = list(rownames(x), quantities))
  stopped <- character(nrow(x))
  for (i in seq_len(nrow(x))) {
    samples <- if (is.null(y)) list(x[i, ]) else list(x[i, ], y[i, ])
    numbers <- tryCatch(suppressWarnings(do.call(test, c(samples, settings))),
                        error = function(e) conditionMessage(e))
    if (is.character(numbers)) stopped[i] <- numbers
    else found[i, names(numbers)] <- vapply(numbers, as.numeric, 0)
  }
  attr(found, "stopped") <- stopped
  found
}

# The same for a test of a whole matrix (topics x systems). The result has a single row or, for a
# test of a family of pairs, a row for each pair of the columns first and second.
test_matrix <- function(test, scores, first, second, settings, quantities) {
  matrices <- if (is.null(first)) list(scores) else list(scores, first, second)
  numbers <- tryCatch(suppressWarnings(do.call(test, c(matrices, settings))),
                      error = function(e) conditionMessage(e))
  found <- matrix(NA_real_, max(1, length(first)), length(quantities),
                  dimnames = list(NULL, quantities))
  stopped <- character(nrow(found))
  if (is.character(numbers)) stopped[] <- numbers
  else for (name in names(numbers)) found[, name] <- as.numeric(numbers[[name]])
  attr(found, "stopped") <- stopped
  found
}
