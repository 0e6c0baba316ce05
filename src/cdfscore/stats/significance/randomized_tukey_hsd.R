# The randomized Tukey HSD test: all shuffles within topics if they are at most 2^20, otherwise the
# shuffles of draws(f, dim(scores)). It applies f to each block, with one shuffle per column: for
# the first system, the systems (from 0) whose scores it gets on each topic; then for the second.
significance_test <- function(scores, first, second, B, seed, draws) {
  topics <- nrow(scores)
  systems <- ncol(scores)
  scores <- without_topics(scores)
  every <- topics * lfactorial(systems) <= log(2^20) + 1e-9
  # All orders of the numbers of a vector, one a row.
  orders <- function(v) {
    if (length(v) == 1) return(matrix(v))
    do.call(rbind, lapply(seq_along(v), function(i) cbind(v[i], orders(v[-i]))))
  }
  add <- function(sums, topic) {
    shuffled <- matrix(scores[topic, orders(seq_len(systems))], ncol = systems)
    each <- expand.grid(seq_len(nrow(sums)), seq_len(nrow(shuffled)))
    sums[each[, 1], , drop = FALSE] + shuffled[each[, 2], , drop = FALSE]
  }
  sums_of <- function(places) {
    shuffled <- scores[places * topics + seq_len(topics)]
    t(colSums(array(shuffled, c(topics, systems, ncol(places)))))
  }
  range_of <- function(sums) do.call(pmax, as.data.frame(sums)) - do.call(pmin, as.data.frame(sums))
  ranges <- if (every) range_of(Reduce(add, seq_len(topics), matrix(0, 1, systems))) else
    unlist(draws(function(places) range_of(sums_of(places)), dim(scores)))
  means <- apply(scores, 2, mean)
  estimate <- means[first] - means[second]
  # No difference of a topic, however shuffled, is larger than the range of its scores.
  size <- 2^-48 * topics * sum(apply(scores, 1, function(topic) diff(range(topic))))
  extreme <- vapply(abs(estimate) * topics - size, function(bound) sum(ranges >= bound), 0)
  list(statistic = estimate, estimate = estimate,
       p_value = if (every) extreme / length(ranges) else (extreme + 1) / (B + 1))
}
