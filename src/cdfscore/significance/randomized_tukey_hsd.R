# The randomized Tukey HSD test: all shuffles within topics, where they are no more than 2^20.
significance_test <- function(scores, first, second, B, seed) {
  systems <- ncol(scores)
  if (nrow(scores) * lfactorial(systems) > log(2^20) + 1e-9)
    stop("random shuffles have no twin; expected fewer topics or systems")
  # All orders of the numbers of a vector, one a row.
  orders <- function(v) {
    if (length(v) == 1) return(matrix(v))
    do.call(rbind, lapply(seq_along(v), function(i) cbind(v[i], orders(v[-i]))))
  }
  places <- orders(seq_len(systems))
  add <- function(sums, topic) {
    shuffled <- matrix(scores[topic, places], ncol = systems)
    each <- expand.grid(seq_len(nrow(sums)), seq_len(nrow(places)))
    sums[each[, 1], , drop = FALSE] + shuffled[each[, 2], , drop = FALSE]
  }
  sums <- Reduce(add, seq_len(nrow(scores)), matrix(0, 1, systems))
  ranges <- do.call(pmax, as.data.frame(sums)) - do.call(pmin, as.data.frame(sums))
  means <- apply(scores, 2, mean)
  estimate <- means[first] - means[second]
  # A sum of any systems' scores has at most the largest score of each topic.
  size <- 2 * .Machine$double.eps * nrow(scores) * sum(apply(abs(scores), 1, max))
  bounds <- abs(estimate) * nrow(scores) - size
  list(statistic = estimate, estimate = estimate,
       p_value = vapply(bounds, function(bound) mean(ranges >= bound), 0))
}
