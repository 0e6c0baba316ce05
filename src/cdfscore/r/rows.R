# Apply a twin to each topic, a row of the matrices x and scores. A warning is an error.
each_row <- function(standardize, x, scores, settings) {
  old <- options(warn = 2)
  on.exit(options(old))
  y <- x
  for (i in seq_len(nrow(x))) y[i, ] <- tryCatch(
    do.call(standardize, c(list(x[i, ], scores[i, ]), settings)),
    error = function(e) {
      topic <- if (is.null(rownames(x))) i else rownames(x)[i]
      stop("topic ", topic, ": ", conditionMessage(e), call. = FALSE)
    })
  y
}
