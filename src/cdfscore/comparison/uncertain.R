# Compute the uncertainty of means and differences from the reference systems. Returns the numbers
# to compare, each as a matrix with one row. settled, how: as in analysis.R. baselines: as in
# differences.R. draws: the random resamples of the reference systems, NULL for all resamples.
analyze_reference_uncertainty <- function(settled, how, baselines, conf_level, draws = NULL) {
  # If the twin stops on a topic, the topic is left out of all resamples.
  every <- each_row_where_possible(how$standardize, settled$x, settled$reference, how$settings)
  fitted <- !nzchar(attr(every, "stopped"))
  x <- settled$x[fitted, , drop = FALSE]
  reference <- settled$reference[fitted, , drop = FALSE]
  n <- ncol(reference)
  resamples <- all_or_drawn(n, draws)
  # A system is one of the reference systems if it has the name and the scores of one.
  own <- match(colnames(x), colnames(reference), 0)
  same <- function(i) own[i] > 0 && identical(unname(x[, i]), unname(reference[, own[i]]))
  own[!vapply(seq_along(own), same, TRUE)] <- 0
  pairs <- pairs_of(colnames(x), baselines)
  said <- character()
  by <- function(x, reference) {
    y <- standardized(list(x = x, reference = reference), how)
    said <<- c(said, attr(y, "stopped"))
    y
  }
  found <- reference_uncertainty(x, reference, own, by, pairs$first, pairs$second, resamples$counts,
                                 resamples$weights, is.null(draws), conf_level)
  labels <- paste(colnames(x)[pairs$first], "-", colnames(x)[pairs$second])
  systems <- seq_len(ncol(x))
  rows <- function(part, of, names, labels) {
    values <- lapply(names, function(name)
      matrix(part[name, ], 1, dimnames = list("", labels)))
    setNames(values, paste0(of, gsub("_", " ", names)))
  }
  names <- rownames(found)[-1]
  numbers <- c(rows(found[, systems, drop = FALSE], "mean: ", names, colnames(x)),
               rows(found[, -systems, drop = FALSE], "", "difference", labels),
               rows(found[, -systems, drop = FALSE], "difference: ", names, labels))
  structure(numbers, notes = said_once("R stops in resamples of the reference systems", said))
}

all_or_drawn <- function(n, draws) {
  if (is.null(draws)) return(all_resamples(n))
  size <- format(n, scientific = FALSE, trim = TRUE)
  counts <- do.call(cbind, draws(identity, paste(size, "reference systems")))
  list(counts = counts, weights = rep(1, ncol(counts)))
}
