# Find how many topics a goal needs, with the variances of the pilot y (topics x systems), by
# goals.R. Returns the numbers to compare, each as a matrix with one row. variances: the names of
# the variances of the goal. wanted: the value of the quantity to reach. rises: TRUE if the quantity
# increases with the number of topics. labels: what the numbers of topics are called.
analyze_plan <- function(y, goal, settings, variances, quantity, wanted, rises, fewest, topics,
                         labels) {
  row_of <- function(values, labels) matrix(values, 1, dimnames = list("", labels))
  if (is.null(settings$systems)) settings$systems <- ncol(y)
  own <- variances_of(y)[variances]
  reached <- get(goal, mode = "function")
  given <- settings[intersect(names(formals(reached)), names(settings))]
  at <- function(n) do.call(reached, c(list(n, own), given))
  # But for rounding: 0.8999999999999999 is 0.9.
  enough <- function(n) if (rises) at(n) >= wanted * (1 - 1e-12) else at(n) * (1 - 1e-12) <= wanted
  low <- fewest - 1
  high <- fewest
  while (!enough(high)) {
    low <- high
    high <- 2 * high
  }
  while (high - low > 1) {
    middle <- (low + high) %/% 2
    if (enough(middle)) high <- middle else low <- middle
  }
  found <- list(row_of(own, variances), row_of(high, "smallest number"),
                row_of(vapply(topics, at, 0), labels))
  setNames(found, c("variance", "topics", quantity))
}

# Variances of scores of a system, of differences of two systems and of residuals, and variance
# components of systems and topics, which are 0 or more.
variances_of <- function(y) {
  pairs <- combn(ncol(y), 2)
  residuals <- y - outer(rowMeans(y), colMeans(y), "+") + mean(y)
  residual <- sum(residuals^2) / ((nrow(y) - 1) * (ncol(y) - 1))
  c(scores = mean(apply(y, 2, var)),
    differences = mean(apply(y[, pairs[1, ], drop = FALSE] - y[, pairs[2, ], drop = FALSE], 2, var)),
    residual = residual,
    systems = max(var(colMeans(y)) - residual / nrow(y), 0),
    topics = max(var(rowMeans(y)) - residual / ncol(y), 0))
}
