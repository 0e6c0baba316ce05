# AP correlation by its definition: for each item but the first, the proportion of the items above
# it in y that are above it in x too. `top` puts the greatest value, or the smallest, at the top.
top <- function(values, decreasing) if (decreasing) values else -values

tau_ap <- function(x, y, decreasing) {
  if (anyDuplicated(x) || anyDuplicated(y)) stop("there are ties")
  in_order <- top(x, decreasing)[order(top(y, decreasing), decreasing = TRUE)]
  n <- length(x)
  2 * mean(vapply(2:n, function(i) mean(in_order[seq_len(i - 1)] > in_order[i]), 0)) - 1
}

# The mean over all orders of the items that are tied in y: each order is the ranking of y with
# its ties broken by a permutation.
tau_ap_a <- function(x, y, decreasing) {
  if (anyDuplicated(x)) stop("there are ties")
  y <- rank(top(y, decreasing), ties.method = "min")
  orders <- list(y)
  for (tied in split(seq_along(y), y))
    orders <- unlist(lapply(orders, function(y) lapply(permutations(length(tied)), function(p) {
      y[tied] <- y[tied] + p - 1
      y
    })), recursive = FALSE)
  mean(vapply(orders, function(y) tau_ap(top(x, decreasing), y, TRUE), 0))
}

permutations <- function(n) {
  if (n == 1) return(list(1))
  unlist(lapply(permutations(n - 1), function(p) lapply(seq_len(n) - 1, append, x = p, values = n)),
         recursive = FALSE)
}

# The mean of both directions; items at the top have no items above them.
tau_ap_b <- function(x, y, decreasing) {
  one_way <- function(x, y) {
    proportions <- vapply(seq_along(y), function(i) mean(x[y > y[i]] > x[i]), 0)
    2 * mean(proportions, na.rm = TRUE) - 1
  }
  x <- top(x, decreasing)
  y <- top(y, decreasing)
  (one_way(x, y) + one_way(y, x)) / 2
}
