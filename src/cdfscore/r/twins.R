# Functions that the twins of several tests or effect sizes call.

# The whole number q such that all scores are k / q, with whole k up to 10^12; NaN if there is none.
# A score is k / q if it is the double nearest to it. Of the first score that is none, the least
# size that it is a fraction of is found, and q becomes the least common multiple.
denominator <- function(scores) {
  sizes <- c(1:2000, 10^(4:12))
  q <- 1
  while (max(1, abs(scores)) * q <= 1e12) {
    apart <- scores[round(scores * q) / q != scores]
    if (length(apart) == 0) return(q)
    size <- sizes[round(apart[1] * sizes) / sizes == apart[1]][1]
    if (is.na(size)) return(NaN)
    a <- q
    b <- size
    while (b > 0) {
      rest <- a %% b
      a <- b
      b <- rest
    }
    q <- q / a * size
  }
  NaN
}

# The values, of which those that are equal but for rounding are equal: of neighbours in order, the
# second becomes the first if they differ by at most 2^-42 of the larger of their sizes.
joined <- function(values, sizes = values) {
  order <- order(values)
  sorted <- values[order]
  sizes <- sizes[order]
  near <- diff(sorted) <= 2^-42 * pmax(sizes[-1], sizes[-length(sizes)])
  first <- c(TRUE, !near %in% TRUE)
  values[order] <- sorted[first][cumsum(first)]
  values
}

# The differences x - y - shift, in whole multiples where the scores have a resolution.
differences_at <- function(x, y, shift, ties_at) {
  d <- x - y - shift
  if (is.numeric(ties_at)) return(round(d, ties_at))
  if (is.function(ties_at)) return(ties_at(d))
  if (ties_at == "all_digits") return(d)
  q <- denominator(c(x, y, shift))
  if (is.nan(q)) sign(d) * joined(abs(d)) else (round(x * q) - round(y * q) - round(shift * q)) / q
}

# The differences x - y - shift (d), and those without what all of them share (apart). If all
# scores and the shift are multiples of some 1 / q, they are those of whole numbers.
resampled_differences <- function(x, y, shift) {
  without_offset <- function(d) if (diff(range(d)) <= max(abs(d)) / 2) d - d[1] else d
  q <- denominator(c(x, y, shift))
  if (is.nan(q)) {
    d <- x - y
    # The rest that the first difference has lost is kept for the second.
    back <- d - x
    lost <- (x - (d - back)) - (y + back)
    if (shift != 0) d <- (d - shift) + lost
    return(list(d = d, apart = without_offset(d)))
  }
  whole <- round(x * q) - round(y * q) - round(shift * q)
  list(d = whole / q, apart = without_offset(whole) / q)
}

# x - y - shift. Where the rounding of the scores may exceed what counts as a tie, and the scores are
# multiples of some 1 / q, the difference is one of whole numbers.
summed_differences <- function(x, y, shift) {
  d <- x - y - shift
  given <- c(x, y, shift)
  q <- if (sum(abs(c(x, y))) + length(d) * abs(shift) > 16 * length(d) * sum(abs(d)))
    denominator(given) else NaN
  if (is.nan(q)) d else (round(x * q) - round(y * q) - round(shift * q)) / q
}

# Scores less those of the system with the middle mean, as one may be far from the others: in whole
# numbers, if all are multiples of some 1 / q. If `of_systems`, these less the first of each system,
# with the digits that the difference loses (Knuth).
without_topics <- function(scores, of_systems = FALSE) {
  middle <- scores[, order(colMeans(scores))[(ncol(scores) + 1) %/% 2]]
  q <- denominator(scores)
  apart <- if (is.nan(q)) scores - middle else round(scores * q) - round(middle * q)
  if (of_systems) {
    part <- apart - scores
    lost <- if (is.nan(q)) (scores - (apart - part)) - (middle + part) else 0 * apart
    less_first <- function(x) x - rep(x[1, ], each = nrow(x))
    apart <- less_first(apart) + less_first(lost)
  }
  if (is.nan(q)) apart else apart / q
}

# The number of pairings that have each sum of gains, 0 ... most. One group of tied x after another
# takes some of the y; those with the same y left are counted together.
pairings <- function(x, gain, most) {
  bits <- 2^(seq_along(x) - 1)
  numbers <- list("0" = c(1, numeric(most)))
  for (size in table(x)) {
    longer <- list()
    for (set in names(numbers)) {
      taken <- as.numeric(set) %/% bits %% 2 == 1
      number <- sum(taken)
      left <- which(!taken)
      for (chosen in combn(length(left), size, simplify = FALSE)) {
        chosen <- left[chosen]
        by <- gain(number + seq_len(size), chosen, which(taken))
        after <- as.character(as.numeric(set) + sum(bits[chosen]))
        moved <- c(numeric(by), numbers[[set]][seq_len(most + 1 - by)])
        longer[[after]] <- if (is.null(longer[[after]])) moved else longer[[after]] + moved
      }
    }
    numbers <- longer
  }
  numbers[[1]]
}

# The ncp with P(T <= t) = p, a tail of at most 0.5: of the mean of pnorm(t s - ncp) over s, where
# s^2 is chi-square over its degrees of freedom. Sums with equal steps of log(s), from where terms
# vanish. A large t would need millions of them: there the sum is over a normal score z, of
# P(z + ncp <= t s).
noncentrality <- function(t, df, p) {
  if (abs(t) > max(1000, sqrt(2 * df))) {
    wide <- 10 + abs(t)
    z <- seq(-39, 39, by = 1 / 16)
    below <- function(ncp) {
      ratio <- pmax(0, (z + ncp) / t)
      sum(dnorm(z) * pchisq(df * ratio^2, df, lower.tail = t < 0)) / 16
    }
    return(uniroot(function(ncp) below(ncp) - p, t + c(-wide, wide), tol = 1e-13,
                   extendInt = "downX")$root)
  }
  step <- min(1 / 25, 0.35 / sqrt(2 * df), 0.25 / (1 + abs(t)))
  far <- 80 / df
  reach <- (far + sqrt(far^2 + 8 * far)) / 4
  u <- seq.int(-reach, min(reach, 3), by = step)
  weight <- exp(df * (u - expm1(2 * u) / 2))
  weight <- weight / sum(weight)
  scaled <- t * exp(u)
  # Newton's steps: the normal score of the sum is nearly linear in ncp. At the start s is near its
  # mean, and its own quantile is added to that of z.
  aim <- qnorm(p)
  mean_s <- 1 - 1 / (4 * df)
  quantile <- sqrt(qchisq(p, df, lower.tail = t < 0) / df)
  ncp <- t * mean_s + sqrt(aim^2 + (t * (quantile - mean_s))^2)
  for (k in 1:100) {
    score <- qnorm(sum(weight * pnorm(scaled - ncp)))
    move <- (score - aim) * dnorm(score) / sum(weight * dnorm(scaled - ncp))
    ncp <- ncp + move
    if (abs(move) < 1e-9 * (1 + abs(ncp))) return(ncp)
  }
  stop("no noncentrality was found")
}
