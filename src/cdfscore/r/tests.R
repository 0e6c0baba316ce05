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

# A test, or an effect size, of scores in a unit that suits them: a power of 2, which changes no digit
# and keeps squares in the range of doubles. Scores of ordinary size stay, with their decimals.
# in_unit: the settings and the numbers of the test that are in the unit of the scores.
in_own_unit <- function(test, in_unit) function(...) {
  given <- list(...)
  # The arguments without a name are scores; beside a matrix they are numbers of columns.
  scores <- if (is.matrix(given[[1]])) 1 else setdiff(seq_along(given), which(nzchar(names(given))))
  scaled <- union(scores, which(names(given) %in% in_unit))
  largest <- max(0, abs(unlist(given[scaled])), na.rm = TRUE)
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
