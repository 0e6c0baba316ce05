# Apply a twin to each topic, a row of the matrices x and scores. A warning is an error.
each_row <- function(standardize, x, scores, settings) {
  old <- options(warn = 2)
  on.exit(options(old))
  y <- x
  for (i in seq_len(nrow(x))) y[i, ] <- do.call(standardize, c(list(x[i, ], scores[i, ]), settings))
  y
}
