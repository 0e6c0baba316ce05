# The normal distribution restricted to [low, high], by maximum likelihood.
# x: scores to standardize; scores: the reference scores of the topic.
standardize <- function(x, scores, low = 0, high = 1)
  do.call(evaluate, c(list(x), estimate(scores, low, high), low = low, high = high))

estimate <- function(scores, low = 0, high = 1) {
  scores <- scores[!is.na(scores)]
  if (length(scores) < 2) stop("truncated_normal needs at least 2 reference scores")
  if (min(scores) < low || max(scores) > high) stop("a reference score is not in [low, high]")
  given <- list(min = min(scores), max = max(scores))
  if (given$min == given$max)
    return(c(location = given$min, scale = 1, slope = 0, curvature = 0, given))
  m <- mean(scores)
  s <- sqrt(mean((scores - m)^2))
  left <- (low - m) / s
  right <- (high - m) / s
  if (!is.finite(left) || !is.finite(right) || left >= 0 || right <= 0)
    stop("the spread of the reference scores is lost in the last digits")
  fit <- fit_truncated(left, right)
  c(location = m, scale = s, slope = fit[1], curvature = fit[2], given)
}

evaluate <- function(x, location, scale, slope, curvature, min, max, low = 0, high = 1) {
  if (min == max) return(ifelse(x < min, 0, ifelse(x > min, 1, 0.5)))  # the limit
  left <- (low - location) / scale
  right <- (high - location) / scale
  truncated_cdf(pmin(right, pmax(left, (x - location) / scale)), left, right, slope, curvature)
}

# F for the density exp(slope z - curvature z^2 / 2) on [left, right], up to a factor.
truncated_cdf <- function(z, left, right, slope, curvature) {
  if (curvature == 0) {
    if (slope == 0) return((z - left) / (right - left))
    if (slope < 0) return(expm1(slope * (z - left)) / expm1(slope * (right - left)))
    return(1 - expm1(slope * (z - right)) / expm1(slope * (left - right)))
  }
  g <- function(z) sqrt(curvature) * z - slope / sqrt(curvature)
  tail <- max(g(left), -g(right), 0)
  if (tail < 5 && g(right) - g(left) > 0.5) {  # differences of pnorm have their digits
    side <- g(left) < 0
    area <- function(z) abs(pnorm(g(z), lower.tail = side) - pnorm(g(left), lower.tail = side))
    return(area(z) / area(right))
  }
  mode <- min(right, max(left, slope / curvature))
  below <- function(z) {  # from left to z, in units of the density at the mode
    at <- min(z, mode)
    height <- exp((at - mode) * (slope - curvature * (at + mode) / 2))
    height * side_integral(slope - curvature * at, curvature, at - left, 0) +
      side_integral(curvature * mode - slope, curvature, z - at, 0)
  }
  y <- z
  y[!is.na(z)] <- vapply(z[!is.na(z)], below, numeric(1)) / below(right)
  y
}

# The integral of t^k exp(-rate t - curvature t^2 / 2) from 0 to the length.
side_integral <- function(rate, curvature, length, k) {
  reach <- min(length, 100 / (rate + sqrt(rate^2 + 100 * curvature)))
  if (reach <= 0) return(0)
  f <- function(u) u^k * exp(-reach * u * (rate + curvature * reach * u / 2))
  reach^(k + 1) * integrate(f, 0, 1, rel.tol = 1e-13, subdivisions = 1000)$value
}

# Moments of z: the means of z and z^2, the variances and the covariance of both.
moments <- function(left, right, slope, curvature) {
  mode <- if (slope >= curvature * right) right
          else if (slope <= curvature * left) left else slope / curvature
  k <- 0:4
  above <- vapply(k, function(k) side_integral(curvature * mode - slope, curvature,
                                               right - mode, k), numeric(1))
  below <- vapply(k, function(k) side_integral(slope - curvature * mode, curvature,
                                               mode - left, k), numeric(1))
  m <- ((above + (-1)^k * below) / (above[1] + below[1]))[-1]
  v11 <- m[2] - m[1]^2
  v12 <- 2 * mode * v11 + m[3] - m[1] * m[2]
  v22 <- 4 * mode^2 * v11 + 4 * mode * (m[3] - m[1] * m[2]) + m[4] - m[2]^2
  list(first = mode + m[1], second = mode^2 + 2 * mode * m[1] + m[2],
       variance = matrix(c(v11, v12, v12, v22), 2))
}

# z has the mean 0 and the mean square 1 in the reference scores, and in the fit; with a
# curvature of 0 where even the exponential distribution has a smaller mean square.
fit_truncated <- function(left, right) {
  mean_of <- function(slope) {  # of the exponential distribution on [left, right]
    c <- slope * (right - left)
    share <- if (abs(c) < 0.1) 1/2 + c/12 - c^3/720 + c^5/30240 - c^7/1209600 + c^9/47900160
             else if (c > 0) 1 / -expm1(-c) - 1 / c else exp(c) / expm1(c) - 1 / c
    left + (right - left) * share
  }
  slope <- uniroot(mean_of, c(1.01 / left, 1.01 / right), tol = 1e-15)$root
  if (moments(left, right, slope, 0)$second <= 1) return(c(slope, 0))

  # Newton's method for the log-likelihood, which is concave in slope and -curvature / 2.
  p <- c(0, -0.5)
  size <- Inf
  for (i in 1:200) {
    now <- moments(left, right, p[1], -2 * p[2])
    gradient <- c(-now$first, 1 - now$second)
    step <- solve(now$variance, gradient, tol = 0)
    while (p[2] + step[2] > 0) step <- step / 2
    last <- size
    size <- sqrt(abs(sum(gradient * step)))
    repeat {
      then <- moments(left, right, p[1] + step[1], -2 * (p[2] + step[2]))
      ahead <- sum(c(-then$first, 1 - then$second) * step)
      if (size < 1e-7 || ahead >= -0.5 * abs(sum(gradient * step))) break
      step <- step / 2
    }
    p <- p + step
    if (all(step == 0) || (size < 1e-7 && size >= last / 2)) return(c(p[1], -2 * p[2]))
  }
  stop("the likelihood of truncated_normal was not maximized in 200 steps")
}
