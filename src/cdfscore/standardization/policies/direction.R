# Policy for topics on which lower is better. Returns m with the scores x of these rows replaced by
# at - x; for at = 0, these are the negated scores.
# lower: the names of these rows, or TRUE for all. If at - x is a number of up to 12 decimals
# except for rounding, it is rounded to that number, so that ties stay ties: 1 - 0.9 is 0.1.
reverse_scores <- function(m, lower, at) {
  rows <- if (isTRUE(lower)) rep(TRUE, nrow(m)) else rownames(m) %in% lower
  difference <- at - m[rows, ]
  rounded <- round(pmax(pmin(difference, 2^53 / 1e12), -2^53 / 1e12) * 1e12) / 1e12
  near <- !is.na(difference) & abs(rounded - difference) <= 2^-52 * abs(at)
  difference[near] <- rounded[near]
  m[rows, ] <- difference
  m
}
