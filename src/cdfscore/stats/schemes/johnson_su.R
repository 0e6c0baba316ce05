# Johnson's SU system with the lognormal as its limit, by maximum likelihood with a penalty: a
# maximum uphill from the normal distribution.
# x: scores to standardize; scores: the reference scores of the topic.
standardize <- function(x, scores) do.call(evaluate, c(list(x), estimate(scores)))

estimate <- function(scores) {
  scores <- sort(scores[!is.na(scores)])
  n <- length(scores)
  if (n < 4) stop("johnson_su needs at least 4 reference scores")
  a <- scores[1]
  if (a == scores[n]) return(list(location = a, scale = 0, skew = 0, tail = 0))
  m <- mean(scores)
  s <- sqrt(mean((scores - m)^2))
  u <- (scores - m) / s

  p <- fit_johnson(u)
  z <- johnson_z(u, p[1], p[2])
  sd <- sqrt(squares(z, johnson_root(u, p[1], p[2])) / (n + 2 / n))
  # z has its mean at the median, where the slope of u by z / sd is the unit of skew and tail.
  centre <- mean(z)
  median <- uniroot(function(u) johnson_z(u, p[1], p[2]) - centre, range(u), tol = 1e-16,
                    maxiter = 1000)$root
  root <- johnson_root(median, p[1], p[2])
  list(location = m + s * median, scale = s * root * sd,
       skew = (p[1] - (p[1]^2 + p[2]) * median) * sd / root, tail = p[2] * (sd / root)^2)
}

evaluate <- function(x, location, scale, skew, tail) {
  if (scale == 0) return(ifelse(x < location, 0, ifelse(x > location, 1, 0.5)))  # the limit
  pnorm(johnson_z((x - location) / scale, skew, tail))
}

johnson_root <- function(u, skew, tail) sqrt((1 - skew * u)^2 + tail * u^2)

# The integral of 1 / root from 0 to u: an inverse hyperbolic sine, without its constant.
johnson_z <- function(u, skew, tail) {
  if (tail == 0) return(log_z(skew, u))
  t <- sqrt(skew^2 + tail)
  q <- t * abs(u)
  near <- sign(u) * log1p(2 * q / (johnson_root(u, skew, tail) + 1 - q)) / t
  far <- (asinh((t^2 * u - skew) / sqrt(tail)) + asinh(skew / sqrt(tail))) / t
  ifelse(q < 1, near, far)
}

# For scores whose z has slope 1 / root. The penalty is 1/n times the mean of
# 1 / (sd root)^2 + log((sd root)^2).
squares <- function(z, root) sum((z - mean(z))^2) + 2 * mean(1 / root^2) / length(z)
likelihood <- function(z, root) {
  n <- length(z)
  -(n + 2 / n) / 2 * log(squares(z, root)) - (1 + 2 / n^2) * sum(log(root))
}

of_skew_and_tail <- function(p, u) {
  if (p[2] == 0 && any(1 - p[1] * u <= 0)) return(-Inf)
  likelihood(johnson_z(u, p[1], p[2]), johnson_root(u, p[1], p[2]))
}

# The skew and the tail of highest likelihood, about u = 0.
fit_johnson <- function(u) {
  look_for_two_maxima(u)
  edge <- lognormal(u)
  if (!gains_by_tail(edge, u)) return(c(edge, 0))
  p <- nlminb(c(edge, 0), function(p) -of_skew_and_tail(p, u), lower = c(-Inf, 0),
              control = list(eval.max = 2000, iter.max = 1000))$par
  k <- p[1]^2 + p[2]
  q <- newton(c(p[1] / k, log(p[2]) / 2 - log(k)), function(q) slopes(q, u))  # xi, log(lambda)
  c(q[1], exp(2 * q[2]) / (q[1]^2 + exp(2 * q[2]))) / (q[1]^2 + exp(2 * q[2]))
}

gains_by_tail <- function(edge, u)
  of_skew_and_tail(c(edge, 1e-7), u) > of_skew_and_tail(c(edge, 0), u)

# Stops where skew = 0, with the tail uphill from the normal, is a minimum along skew and the
# slope by skew nearly 0 there, as it is for symmetric scores; for a skewness of at most 0.2.
look_for_two_maxima <- function(u) {
  by <- function(b) by_skew(b, u)
  if (abs(by(0)) > 0.1 * length(u)) return()
  if (gains_by_tail(0, u)) {
    tail <- nlminb(0, function(t) -of_skew_and_tail(c(0, t), u), lower = 0)$par
    by <- function(b) slopes(c(b / tail, -log(tail) / 2), u)[1] / tail
  }
  if (abs(by(0)) <= 1e-3 * length(u) && by(1e-5) >= by(-1e-5))
    stop("johnson_su: the likelihood has two maxima, one to either side, as the scores are ",
         "nearly symmetric")
}

# The slopes of the likelihood by xi and log(lambda).
slopes <- function(q, u) {
  n <- length(u)
  d <- u - q[1]
  l <- exp(q[2])
  r <- sqrt(d^2 + l^2)
  v <- asinh(d / l)
  e <- v - mean(v)
  (n + 2 / n) / squares(v, r) *
    c(sum(e / r) - 2 * mean(d / r^4) / n, sum(e * d / r) + 2 * mean(l^2 / r^4) / n) +
    (1 + 2 / n^2) * c(sum(d / r^2), -sum(l^2 / r^2))
}

log_z <- function(skew, u) if (skew == 0) u else -log1p(-pmin(skew * u, 1)) / skew

# The slope of the likelihood of a lognormal distribution by its skew b.
by_skew <- function(b, u) {
  n <- length(u)
  r <- 1 - b * u
  z <- log_z(b, u)
  by_b <- if (max(abs(b * u)) < 0.02) {  # d z / d b, as the power series
    k <- 2:14
    colSums((k - 1) * b^(k - 2) * outer(k, u, function(k, u) u^k / k))
  } else (u / r - z) / b
  (1 + 2 / n^2) * sum(u / r) -
    (n + 2 / n) * (sum((z - mean(z)) * by_b) + 2 * mean(u / r^3) / n) / squares(z, r)
}

# The skew of a lognormal distribution by its likelihood equation: the first uphill from 0.
lognormal <- function(u) {
  slope <- function(b) by_skew(b, u)
  at_0 <- slope(0)
  if (at_0 == 0) return(0)
  b <- (1 - 2^-(0:400 / 10)) / (if (at_0 > 0) max(u) else min(u))
  for (i in 2:401) if (slope(b[i]) * at_0 <= 0)
    return(uniroot(slope, sort(b[i - 1:0]), tol = 1e-16, maxiter = 1000)$root)
  stop("johnson_su: no maximum was found")
}

# A maximum by its slopes: Newton's method, in short steps uphill where there is no maximum near.
newton <- function(p, slopes) {
  k <- seq_along(p)
  for (i in 1:1000) {
    h <- sapply(k, function(j) {
      d <- 1e-4 * (k == j)
      (8 * (slopes(p + d) - slopes(p - d)) - slopes(p + 2 * d) + slopes(p - 2 * d)) / 12e-4
    })
    axes <- eigen((h + t(h)) / 2, symmetric = TRUE)
    if (max(axes$values) >= 0) {
      bent <- abs(axes$values)
      h <- -axes$vectors %*% (pmax(bent, max(bent) / 1e6) * t(axes$vectors))
    }
    step <- -solve(h, slopes(p))
    if (max(axes$values) < 0 && all(abs(step) < 1e-11 * (1 + abs(p)))) return(p + step)
    p <- p + step * min(1, 0.25 / max(abs(step)))
  }
  stop("johnson_su: no maximum was found")
}
