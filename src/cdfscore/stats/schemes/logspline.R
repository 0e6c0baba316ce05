# The logspline density of Stone, Hansen, Kooperberg and Truong (1997), each fit converged.
# x: scores to standardize; scores: the reference scores of the topic; penalty: added to -2 log L
# for each free coefficient, log n if NULL, for BIC; low, high: the ends of the scores.
# Splines are splinefun's natural ones, given by their values at the knots; the first value is 0.
standardize <- function(x, scores, penalty = NULL, low = NULL, high = NULL)
  do.call(evaluate, c(list(x), estimate(scores, penalty, low, high), low = low, high = high))

estimate <- function(scores, penalty = NULL, low = NULL, high = NULL) {
  if (is.null(low)) low <- -Inf
  if (is.null(high)) high <- Inf
  scores <- sort(scores)
  n <- length(scores)
  a <- scores[1]
  if (n < 10) stop("logspline needs at least 10 reference scores")
  if (a == scores[n]) return(list(knots = a, bends = 0, slope = 0))
  if (length(unique(scores)) < 3) stop("logspline needs three different reference scores")
  if (a < low || scores[n] > high) stop("a reference score lies outside of low and high")
  spread <- scores[n] - a
  if (spread < 1e-100 || spread > 1e100) stop("the range of the scores is not from 1e-100 to 1e100")
  if (is.null(penalty)) penalty <- log(n)
  # Far from 0 the nodes between knots would lose their digits; the distances from a do not.
  first <- first_knots(scores, low, high) - a
  found <- search_knots(scores - a, first, penalty, low - a, high - a, gauss(100))
  s <- splinefun(found$t, c(0, found$theta), "natural")
  list(knots = a + found$t, bends = s(found$t, 2), slope = s(found$t[1], 1))
}

evaluate <- function(x, knots, bends, slope, low = NULL, high = NULL) {
  a <- knots[1]
  if (length(knots) == 1) return(ifelse(x < a, 0, ifelse(x > a, 1, 0.5)))  # the limit
  if (is.null(low)) low <- -Inf
  if (is.null(high)) high <- Inf
  h <- diff(knots)
  before <- bends[-length(bends)]
  slopes <- slope + c(0, cumsum(h * (before + bends[-1]) / 2))
  rises <- h * (slopes[-length(slopes)] + h * (before / 3 + bends[-1] / 6))
  s <- splinefun(knots - a, c(0, cumsum(rises)), "natural")
  grid <- gauss(100)
  vapply(x - a, function(v) cdf(v, s, knots - a, low - a, high - a, grid), numeric(1))
}

# Nodes and weights of Gauss and Legendre on [0, 1], from the eigenvalues of the recursion.
gauss <- function(m) {
  i <- seq_len(m - 1)
  off <- i / sqrt(4 * i^2 - 1)
  jacobi <- matrix(0, m, m)
  jacobi[cbind(i, i + 1)] <- jacobi[cbind(i + 1, i)] <- off
  e <- eigen(jacobi, symmetric = TRUE)
  list(u = (1 + e$values) / 2, w = e$vectors[1, ]^2)
}

search_knots <- function(scores, first, penalty, low, high, grid) {
  n <- length(scores)
  distance <- floor(2.5 * n^0.2 + 0.5)
  if (n %/% distance < 10) distance <- n %/% 10
  distance <- max(distance, 3)
  most <- floor(4 * n^0.2 + 1)
  fit_on <- function(t, theta) maximize(model_on(t, scores, low, high, grid), theta)
  fit <- fit_on(first, NULL)
  if (is.null(fit)) stop("the likelihood of the logspline has no maximum: too many ties")
  fits <- list(fit)
  gains <- rep(-Inf, most)
  repeat {
    d <- length(fit$theta)
    gains[d] <- fit$gain
    before <- if (d > 4) 2:(d - 3) else integer(0)
    if (d >= most || any(gains[d] - gains[before] < (d - before) / 2 - 0.5)) break
    knot <- knot_to_add(fit, scores, distance, low, high, grid)
    if (is.na(knot)) break
    fit_or_not <- with_knot(fit, knot, fit_on)
    if (is.null(fit_or_not)) break
    fit <- fit_or_not
    fits <- c(fits, list(fit))
  }
  price <- function(f) penalty * length(f$theta) - 2 * f$gain
  least <- min(vapply(fits, price, numeric(1)))
  while (length(fit$t) > 3) {
    fit <- without_weakest(fit, fit_on)
    if (is.null(fit)) break
    fits <- c(fits, list(fit))
    least <- min(least, price(fit))
    if (price(fit) - least >= penalty * (length(fit$theta) - 2)) break
  }
  fits[[which.min(vapply(fits, price, numeric(1)))]]
}

# Quantiles: evenly if both ends are given, else closer together towards both, or the one given.
first_knots <- function(scores, low, high) {
  n <- length(scores)
  k <- max(3, floor(2.5 * n^0.2 + 1))
  if (is.infinite(low) && is.infinite(high)) shares <- grown(k, n)
  else if (is.finite(low) && is.finite(high)) shares <- seq(0, 1, length.out = k)
  else {
    shares <- 2 * grown(2 * k - 1, 2 * n)[1:k]
    if (is.finite(high)) shares <- 1 - rev(shares)
  }
  values <- unique(scores)
  counts <- tabulate(match(scores, values))
  m <- length(values)
  middles <- (cumsum(counts) - counts / 2)[-m]
  middles <- (middles - middles[1]) / (middles[m - 1] - middles[1])
  inner <- approx(middles, values[-m], shares[2:(k - 1)])$y
  c(values[1], inner, values[m])
}

# Ranks from both ends whose distances grow by 4, 4 - e, 4 - 2e, ... until they meet.
grown <- function(k, n) {
  half <- (k - 1) %/% 2
  odd <- k %% 2 == 1
  last <- if (odd) half else half + 1
  lower <- min(0, 4 - ((n - 1) / 4)^(1 / (last - 1)))
  upper <- 3
  for (turn in 1:100) {
    if (turn > 1 && upper - lower <= 0.0001) break
    e <- (lower + upper) / 2
    gaps <- 4 * cumprod(c(1, pmax(1, 4 - seq_len(half) * e)))
    ranks <- 1 + cumsum(gaps[1:half])
    reached <- ranks[half] + if (odd) 0 else gaps[half + 1] / 2
    if (2 * reached >= n + 1) lower <- e else upper <- e
  }
  ranks <- if (odd) c(1, ranks[-half], (n + 1) / 2, n + 1 - rev(ranks[-half]), n)
           else c(1, ranks, n + 1 - rev(ranks), n)
  (ranks - 1) / (n - 1)
}

# Terms of the likelihood for a set of knots: the functions at the nodes of all pieces.
model_on <- function(t, scores, low, high, grid) {
  k <- length(t)
  if (any(diff(t) <= 0)) stop("two of the first knots are equal")
  phi <- lapply(2:k, function(j) splinefun(t, as.numeric(seq_len(k) == j), "natural"))
  at <- function(z, deriv = 0) {
    matrix(vapply(phi, function(f) f(z, deriv), numeric(length(z))), length(z))
  }
  ends <- c(if (is.finite(low)) t[1] - rev(lengths_to(t[1] - low, t[k] - t[1])), t,
            if (is.finite(high)) t[k] + lengths_to(high - t[k], t[k] - t[1]))
  h <- diff(ends)
  z <- as.vector(outer(grid$u, h) + rep(head(ends, -1), each = length(grid$u)))
  inner <- t[-k] + diff(t) / 2
  list(t = t, n = length(scores), at = at, sample = colMeans(at(scores)),
       nodes = at(z), weights = as.vector(outer(grid$w, h)),
       open = is.infinite(c(low, high)), ends = at(t[c(1, k)]), slopes = at(t[c(1, k)], 1),
       jumps = rbind(at(inner, 3), 0) - rbind(0, at(inner, 3)))
}

# Where a tail is cut: at the spread and 4, 16, ... times it, up to its whole length.
lengths_to <- function(length, spread) {
  cuts <- spread * 4^(0:400)
  c(cuts[cuts < length], if (length > 0) length)
}

# The integrals of a density; NULL if they do not exist. Two nodes of Laguerre are exact in a tail.
integrals <- function(model, theta) {
  values <- c(0, theta)
  s <- as.vector(model$nodes %*% theta)
  level <- max(values, s)
  if (level - min(values) > 600) return(NULL)
  nodes <- model$nodes
  mass <- model$weights * exp(s - level)
  for (side in 1:2) if (model$open[side]) {
    slope <- sum(model$slopes[side, ] * theta) * c(1, -1)[side]
    if (slope <= 0) return(NULL)
    u <- (2 + c(-1, 1) * sqrt(2)) / slope * c(-1, 1)[side]
    nodes <- rbind(nodes, outer(c(1, 1), model$ends[side, ]) + outer(u, model$slopes[side, ]))
    height <- exp(sum(model$ends[side, ] * theta) - level)
    mass <- c(mass, (2 + c(1, -1) * sqrt(2)) / 4 * height / slope)
  }
  total <- sum(mass)
  mean <- colSums(nodes * mass) / total
  centred <- sweep(nodes, 2, mean)
  list(mean = mean, covariance = crossprod(centred, centred * mass) / total,
       gain = model$n * (sum(theta * model$sample) - log(total) - level))
}

maximize <- function(model, theta) {
  now <- if (!is.null(theta)) integrals(model, theta)
  if (is.null(now)) {
    middle <- mean(range(model$t))
    values <- -2 * ((model$t - middle) / diff(range(model$t)))^2
    theta <- values[-1] - values[1]
    now <- integrals(model, theta)
  }
  for (turn in 1:200) {
    if (is.null(now)) return(NULL)
    score <- model$sample - now$mean
    scale <- sqrt(diag(now$covariance))
    step <- tryCatch(solve(now$covariance / outer(scale, scale), score / scale, tol = 0) / scale,
                     error = function(e) NULL)
    if (is.null(step)) return(NULL)
    promised <- model$n * sum(step * score)
    share <- 1
    repeat {
      then <- integrals(model, theta + share * step)
      gained <- if (is.null(then)) -Inf else then$gain - now$gain
      if (gained >= 1e-4 * share * promised || promised < 1e-7 && !is.null(then)) break
      share <- share / 2
      if (share < 1e-12) return(NULL)
    }
    theta <- theta + share * step
    now <- then
    if (promised <= 1e-16) return(c(model[c("t", "at", "jumps", "n")], list(theta = theta), now))
  }
  NULL
}

with_knot <- function(fit, knot, fit_on) {
  t <- sort(c(fit$t, knot))
  values <- as.vector(fit$at(t) %*% fit$theta)
  fit_on(t, values[-1])
}

# Rao's statistic of a knot, from the score and the information of the larger model.
rao <- function(fit, knot, scores, low, high, grid) {
  t <- sort(c(fit$t, knot))
  model <- model_on(t, scores, low, high, grid)
  theta <- as.vector(fit$at(t) %*% fit$theta)[-1]
  now <- integrals(model, theta)
  score <- model$sample - now$mean
  scale <- sqrt(diag(now$covariance))
  model$n * sum(score / scale * solve(now$covariance / outer(scale, scale), score / scale, tol = 0))
}

# The middle score of each piece, then halfway from the best to the ends; places from 0.
knot_to_add <- function(fit, scores, distance, low, high, grid) {
  at <- function(i) scores[i + 1]
  statistic <- function(i) rao(fit, at(i), scores, low, high, grid)
  largest <- -1
  best <- NA
  for (i in seq_len(length(fit$t) - 1)) {
    first <- sum(scores <= fit$t[i]) - 1
    last <- sum(scores < fit$t[i + 1])
    if (last - first < 2 * distance + 1) next
    first <- first + distance + 1
    last <- last - distance - 1
    here <- statistic((first + last) %/% 2)
    if (here > largest) {
      largest <- here
      best <- (first + last) %/% 2
      ends <- c(first, last)
    }
  }
  if (is.na(best)) return(NA)
  while (at(ends[2]) > at(ends[1])) {
    up <- halfway(at, best, ends[2], 1)
    down <- halfway(at, best, ends[1], -1)
    above <- if (is.na(up)) largest else statistic(up)
    below <- if (is.na(down)) largest else statistic(down)
    if (below > largest) {
      ends[2] <- best
      best <- down
      largest <- below
    } else if (above > largest) {
      ends[1] <- best
      best <- up
      largest <- above
    } else break
  }
  at(best)
}

halfway <- function(at, best, end, sign) {
  if (at(best) == at(end)) return(NA)
  half <- (best + end + sign) %/% 2
  if (at(half) != at(best)) return(half)
  half <- (half + end) %/% 2
  if (at(half) != at(best)) half else end
}

without_weakest <- function(fit, fit_on) {
  scale <- sqrt(diag(fit$covariance))
  inverse <- solve(fit$covariance / outer(scale, scale), tol = 0) / outer(scale, scale)
  sizes <- as.vector(fit$jumps %*% fit$theta)
  variances <- rowSums((fit$jumps %*% inverse) * fit$jumps)
  i <- which.min(sizes^2 / variances)
  theta <- fit$theta - as.vector(inverse %*% fit$jumps[i, ]) * sizes[i] / variances[i]
  values <- c(0, theta)[-i]
  fit_on(fit$t[-i], values[-1] - values[1])
}

# F of v: the mass left of v divided by the total. s is linear beyond the knots.
cdf <- function(v, s, t, low, high, grid) {
  if (is.na(v)) return(NA)
  if (v <= low) return(0)
  if (v >= high) return(1)
  k <- length(t)
  level <- max(s(t))
  piece <- function(a, b) {
    if (a == b) return(0)
    (b - a) * sum(grid$w * exp(s(a + (b - a) * grid$u) - level))
  }
  slopes <- s(t[c(1, k)], deriv = 1)
  tail <- function(from, length, slope) {
    height <- exp(s(from) - level)
    if (slope == 0) height * length else height * expm1(slope * length) / slope
  }
  left <- function(b) {
    if (is.finite(low)) return(tail(b, b - low, -slopes[1]))
    exp(s(t[1]) + slopes[1] * (b - t[1]) - level) / slopes[1]
  }
  right <- function(a) {
    if (is.finite(high)) return(tail(a, high - a, slopes[2]))
    exp(s(t[k]) + slopes[2] * (a - t[k]) - level) / -slopes[2]
  }
  inner <- vapply(seq_len(k - 1), function(i) piece(t[i], t[i + 1]), numeric(1))
  all <- left(t[1]) + sum(inner) + right(t[k])
  if (v <= t[1]) return(left(v) / all)
  if (v >= t[k]) return(1 - right(v) / all)
  i <- findInterval(v, t)
  (left(t[1]) + sum(inner[seq_len(i - 1)]) + piece(t[i], v)) / all
}
