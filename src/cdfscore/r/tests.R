# Apply the R function of a significance test to each pair of rows of the matrices x and y (a test
# of one sample has no y). The result has a row for each sample and a column for each quantity. If
# the function stops on a sample, its row is NA, and the attribute "stopped" has the message. The
# attribute "warned" has all warnings. The function omits NA scores.
test_rows <- function(test, x, y, settings, quantities) {
  found <- matrix(NA_real_, nrow(x), length(quantities), dimnames = list(rownames(x), quantities))
  stopped <- character(nrow(x))
  warned <- warnings_of(for (i in seq_len(nrow(x))) {
    samples <- if (is.null(y)) list(x[i, ]) else list(x[i, ], y[i, ])
    numbers <- tryCatch(do.call(test, c(samples, settings)), error = conditionMessage)
    if (is.character(numbers)) stopped[i] <- numbers
    else found[i, names(numbers)] <- vapply(numbers, as.numeric, 0)
  })
  structure(found, stopped = stopped, warned = warned)
}

# The same for a test of a whole matrix (topics x systems). The result has a single row or, for a
# test of a family of pairs, a row for each pair of the columns first and second.
test_matrix <- function(test, scores, first, second, settings, quantities) {
  matrices <- if (is.null(first)) list(scores) else list(scores, first, second)
  warned <- warnings_of(
    numbers <- tryCatch(do.call(test, c(matrices, settings)), error = conditionMessage))
  found <- matrix(NA_real_, max(1, length(first)), length(quantities),
                  dimnames = list(NULL, quantities))
  stopped <- character(nrow(found))
  if (is.character(numbers)) stopped[] <- numbers
  else for (name in names(numbers)) found[, name] <- as.numeric(numbers[[name]])
  structure(found, stopped = stopped, warned = warned)
}

# Evaluate an expression; return the messages of its warnings.
warnings_of <- function(expression) {
  warned <- character()
  withCallingHandlers(expression, warning = function(w) {
    warned <<- c(warned, conditionMessage(w))
    invokeRestart("muffleWarning")
  })
  warned
}

# A test, or an effect size, of scores in a unit that suits them: a power of 2, which changes no digit
# and keeps squares in the range of doubles. Scores of ordinary size stay, with their decimals.
# in_unit: the settings and the numbers of the test that are in the unit of the scores.
in_own_unit <- function(test, in_unit) function(...) {
  given <- list(...)
  named <- if (is.null(names(given))) character(length(given)) else names(given)
  # The arguments without a name are scores; beside a matrix they are numbers of columns.
  scaled <- named %in% in_unit | !nzchar(named) & !(is.matrix(given[[1]]) & seq_along(given) > 1)
  largest <- max(0, abs(unlist(given[scaled], use.names = FALSE)), na.rm = TRUE)
  power <- min(floor(log2(max(largest, .Machine$double.xmin))), 1023)
  if (largest == 0 || abs(power + 1) <= 100) return(test(...))
  unit <- 2^power
  given[scaled] <- lapply(given[scaled], `/`, unit)
  decimals <- given$ties_at
  if (is.numeric(decimals)) given$ties_at <- function(d) {
    rounded <- round(d * unit, decimals) / unit  # decimals of the scores as they are given
    ifelse(is.finite(rounded), rounded, d)
  }
  found <- do.call(test, given)
  back <- intersect(names(found), in_unit)
  found[back] <- lapply(found[back], `*`, unit)
  found
}
