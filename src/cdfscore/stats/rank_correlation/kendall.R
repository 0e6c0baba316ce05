# Kendall's rank correlation, pair by pair.
tau <- function(x, y) {
  n <- length(x)
  sum(sign(outer(x, x, "-")) * sign(outer(y, y, "-"))) / (n * (n - 1))
}

tau_b <- function(x, y) cor(x, y, method = "kendall")

swap_rate <- function(x, y) {
  swapped <- outer(x, x, "<") & outer(y, y, ">")
  sum(swapped) / choose(length(x), 2)
}
