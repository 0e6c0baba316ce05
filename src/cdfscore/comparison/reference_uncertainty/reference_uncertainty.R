# Standard errors of standardized means, and of their differences, from the topics, the reference
# systems, and both. x and reference are matrices (topics x systems) of the same topics; standardize
# is the twin of a scheme, with its settings. counts has a resample of the reference systems in each
# column, the count of each of them, and weights the number of resamples that it stands for; exact
# if these are all. The result has the rows topics, reference and both; its columns are the systems,
# and then the pairs, the first minus the second.
reference_uncertainty <- function(x, reference, standardize, settings, counts, weights, exact) {
  by <- function(drawn) {
    y <- x
    for (topic in seq_len(nrow(x)))
      y[topic, ] <- do.call(standardize, c(list(x[topic, ], reference[topic, drawn]), settings))
    pairs <- combn(ncol(y), 2)
    y <- cbind(y, y[, pairs[1, ]] - y[, pairs[2, ]])
    list(mean = colMeans(y), variance = apply(y, 2, var) / nrow(y))
  }
  drawn <- apply(counts, 2, function(times) rep(seq_len(ncol(reference)), times), simplify = FALSE)
  found <- lapply(drawn, by)
  means <- sapply(found, `[[`, "mean")
  average <- drop(means %*% weights) / sum(weights)
  of_reference <- drop((means - average)^2 %*% weights) / (sum(weights) - if (exact) 0 else 1)
  of_topics <- drop(sapply(found, `[[`, "variance") %*% weights) / sum(weights)
  given <- by(seq_len(ncol(reference)))
  sqrt(rbind(topics = given$variance, reference = of_reference, both = of_reference + of_topics))
}
