# Standard errors of standardized means, and of their differences, from the topics, the reference
# systems, and both. x and reference are matrices (topics x systems) of the same topics, and own has
# the column of the reference of each system of x, 0 if there is none; standardize is the twin of a
# scheme, with its settings. counts has a resample of the reference systems in each column, the count
# of each of them, and weights the number of resamples that it stands for; exact if these are all.
# The result has the rows topics, reference and both; its columns are the systems, and then the
# pairs, the first minus the second.
reference_uncertainty <- function(x, reference, own, standardize, settings, counts, weights, exact) {
  pairs <- combn(ncol(x), 2)
  by <- function(drawn) {
    y <- x
    for (topic in seq_len(nrow(x)))
      y[topic, ] <- do.call(standardize, c(list(x[topic, ], reference[topic, drawn]), settings))
    y <- cbind(y, y[, pairs[1, ]] - y[, pairs[2, ]])
    c(colMeans(y), apply(y, 2, var) / nrow(y))
  }
  # A system that is in the reference itself stays in it once.
  once <- apply(counts, 2, function(times) own == 0 | c(1, times)[own + 1] == 1)
  used <- rbind(once, once[pairs[1, ], ] & once[pairs[2, ], ])
  drawn <- apply(counts, 2, function(times) rep(seq_len(ncol(reference)), times), simplify = FALSE)
  found <- sapply(drawn, by)
  numbers <- nrow(used)
  sapply(seq_len(numbers), function(i) {
    w <- weights[used[i, ]]
    mean <- found[i, used[i, ]]
    within <- found[numbers + i, used[i, ]]
    of_reference <- sum(w * (mean - weighted.mean(mean, w))^2) / (sum(w) - if (exact) 0 else 1)
    given <- by(seq_len(ncol(reference)))[numbers + i]
    sqrt(c(topics = given, reference = of_reference, both = of_reference + weighted.mean(within, w)))
  })
}
