# Policy for topics on which lower is better: returns m with the scores x of these rows reversed,
# to at - x; for at = 0, the negated scores.
# lower: the names of these rows, or TRUE for all. Where at - x is a number of up to 12 decimals
# but for rounding, it is that number, so that ties stay ties: 1 - 0.9 is 0.1.
reverse_scores <- function(m, lower, at) {
  rows <- if (isTRUE(lower)) rep(TRUE, nrow(m)) else rownames(m) %in% lower
  difference <- at - m[rows, ]
  rounded <- round(pmax(pmin(difference, 2^53 / 1e12), -2^53 / 1e12) * 1e12) / 1e12
  near <- !is.na(difference) & abs(rounded - difference) <= 2^-52 * abs(at)
  difference[near] <- rounded[near]
  m[rows, ] <- difference
  m
}
