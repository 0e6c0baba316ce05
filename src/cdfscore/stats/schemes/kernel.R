# The empirical distribution smoothed by a kernel.
# x: scores to standardize; scores: the reference scores of the topic. bandwidth is a number, the
# name of a rule, or a function of the scores; kernel is a name, or a function as in `integrated`.
standardize <- function(x, scores, bandwidth = "nrd0", kernel = "gaussian", boundary = "none")
  do.call(evaluate, c(list(x), estimate(scores, bandwidth, boundary), kernel = kernel,
                      boundary = boundary))

estimate <- function(scores, bandwidth = "nrd0", boundary = "none") {
  scores <- scores[!is.na(scores)]
  scale <- list(none = identity, reflection = identity, truncation = identity, logit = qlogis,
                beta = function(s) 2 * asin(sqrt(s)))[[boundary]]
  if (boundary != "none" && any(scores < 0 | scores > 1))
    stop("a reference score lies outside [0, 1]")
  by_rule <- !is.numeric(bandwidth)
  if (by_rule) {
    if (length(scores) < 2) stop("a bandwidth rule needs at least 2 reference scores")
    if (min(scores) == max(scores)) return(list(sample = scores, bandwidth = 0))
  }
  if (boundary == "logit" && any(scores == 0 | scores == 1))
    stop("a reference score is exactly 0 or 1, which has no finite logit")
  h <- if (by_rule) bandwidth_of(bandwidth, scale(scores)) else bandwidth
  if (boundary == "beta" && h < 1e-4) stop("the bandwidth is below 1e-4")
  list(sample = scores, bandwidth = h)
}

evaluate <- function(x, sample, bandwidth, kernel = "gaussian", boundary = "none") {
  scores <- sample
  h <- bandwidth
  if (h == 0)  # the limit as the spread goes to 0
    return(ifelse(x < scores[1], 0, ifelse(x > scores[1], 1, 0.5)))
  own <- is.function(kernel)
  k <- if (own) kernel else integrated[[kernel]]
  smoothed <- function(x, s) vapply(x, function(v) mean(k(v - s, h)), numeric(1))
  if (boundary == "none") return(smoothed(x, scores))
  inside <- !is.na(x) & x >= 0 & x < 1
  y <- ifelse(x < 0, 0, 1)
  y[inside] <- switch(boundary,
    reflection = reflected(x[inside], if (own) folds_of(k, h) else ceiling(12 * h) + 1,
                           function(v) smoothed(v, scores)),
    truncation = {
      ends <- smoothed(c(0, 1), scores)
      (smoothed(x[inside], scores) - ends[1]) / (ends[2] - ends[1])
    },
    logit = smoothed(qlogis(x[inside]), qlogis(scores)),
    beta = vapply(x[inside], function(m) {
      if (m == 0) return(mean(scores == 0))
      mean(pbeta(scores, m / h^2, (1 - m) / h^2, lower.tail = FALSE))
    }, numeric(1)))
  pmin(pmax(y, 0), 1)
}

# Fold a cdf back into [0, 1] as often as the widest kernel, the logistic, is 1 in doubles, that is
# 12 h + 1 times, or as a kernel of one's own needs.
reflected <- function(x, folds, cdf) {
  at <- 2 * seq(-folds, folds)
  rowSums(matrix(vapply(at, function(k) cdf(k + x) - cdf(k - x), x), nrow = length(x)))
}

folds_of <- function(k, h) {
  folds <- 1
  while (k(-2 * folds, h) > 2^-56) folds <- ceiling(1.1 * folds)
  folds + 1
}

# The kernels, with standard deviation h, from -Inf to d. (1 - u^2)^p on [-1, 1] is a beta
# distribution with shapes p + 1 on another interval.
power_of_parabola <- function(p, per_sd) {
  function(d, h) pbeta((1 + pmax(-1, pmin(1, d / (h * per_sd)))) / 2, p + 1, p + 1)
}
integrated <- list(
  gaussian = function(d, h) pnorm(d / h),
  rectangular = power_of_parabola(0, sqrt(3)),
  epanechnikov = power_of_parabola(1, sqrt(5)),
  biweight = power_of_parabola(2, sqrt(7)),
  triweight = power_of_parabola(3, 3),
  triangular = function(d, h) {
    u <- pmax(-1, pmin(1, d / (h * sqrt(6))))
    ifelse(u < 0, (1 + u)^2 / 2, 1 - (1 - u)^2 / 2)
  },
  cosine = function(d, h) {
    u <- pmax(-1, pmin(1, d / (h * (1 / sqrt(1 / 3 - 2 / pi^2)))))
    (1 + u + sinpi(u) / pi) / 2
  },
  logistic = function(d, h) plogis(d / (h * (sqrt(3) / pi))))

# The bandwidth that a rule chooses for the scores of a topic, which are at least two; 0 where
# they are all equal.
bandwidth_of <- function(rule, scores) {
  if (min(scores) == max(scores)) return(0)
  if (is.function(rule)) return(rule(scores))
  if (rule == "nrd0") return(bw.nrd0(scores))
  if (rule != "nrd" && !rule %in% names(rules)) stop("unknown bandwidth rule ", rule)
  if (rule %in% c("nrd", "sj", "sj_dpi") && IQR(scores) == 0)
    stop("bandwidth rule ", rule, ": the interquartile range is 0 and the scores are not constant")
  if (rule == "nrd") return(bw.nrd(scores))
  # A power of 2 keeps what is taken to the seventh power within the doubles.
  half <- max(scores) / 2 - min(scores) / 2
  unit <- if (half < 1e-20 || half > 1e20) 2^(floor(log2(half)) + 1) else 1
  x <- scores / unit
  # R counts pairs on a grid of 1000 steps, by integers that overflow for 500 scores or fewer.
  if (length(x) <= 500 && max(abs(x)) >= 2^31 * diff(range(x)) * 1.01 / 1000) x <- x - min(x)
  h <- tryCatch(rules[[rule]](x), warning = function(w) stop(conditionMessage(w)))
  if (!is.finite(h)) stop("bandwidth rule ", rule, ": the bandwidth is not a finite number")
  unit * h
}

# Altman and Leger (1995), with the Gaussian kernel and the pilot bandwidth sd n^(-0.3).
altman_leger <- function(x) {
  n <- length(x)
  a <- sd(x) * n^-0.3
  u <- outer(x, x, "-") / a
  bells <- dnorm(u)
  squared <- (sum(bells) - sum(diag(bells))) / (n * (n - 1) * a)
  slopes <- rowSums(-u * bells) / (n * a^2)
  h <- (squared / (sqrt(pi) * mean(slopes^2) * n))^(1 / 3)
  if (!is.finite(h) || h > diff(range(x)))
    stop("bandwidth rule altman_leger: h is above the range of the scores")
  h
}

# Polansky and Baker (2000), two stages, with the Gaussian kernel.
polansky_baker <- function(x) {
  n <- length(x)
  psi <- function(r, g) {
    u <- outer(x, x, "-") / g
    hermite <- if (r == 2) u^2 - 1 else u^4 - 6 * u^2 + 3
    mean(hermite * dnorm(u)) / g^(r + 1)
  }
  psi6 <- -15 / (16 * sqrt(pi) * sd(x)^7)
  psi4 <- psi(4, (-2 * 3 * dnorm(0) / (psi6 * n))^(1 / 7))
  psi2 <- psi(2, (2 * dnorm(0) / (psi4 * n))^(1 / 5))
  (-1 / (sqrt(pi) * psi2 * n))^(1 / 3)
}

# Bowman, Hall and Prvan (1998): the least of all minima of the cross-validation criterion.
bowman_hall_prvan <- function(x) {
  n <- length(x)
  d <- as.vector(dist(x))
  distance <- function(s) d * (2 * pnorm(d / s) - 1) + 2 * s * dnorm(d / s)  # E|d + s Z|
  criterion <- function(h) {  # less its value at h = 0
    pairs <- 2 * sum(distance(h) - d) - (n - 2) / (n - 1) * sum(distance(sqrt(2) * h) - d)
    pairs / (n * (n - 1)) - h / ((n - 1) * sqrt(pi))
  }
  slope <- function(h) {
    pairs <- 2 * sum(2 * dnorm(d / h)) -
      (n - 2) / (n - 1) * sum(2 * sqrt(2) * dnorm(d / (sqrt(2) * h)))
    pairs / (n * (n - 1)) - 1 / ((n - 1) * sqrt(pi))
  }
  # Above range / sqrt(log(2)) the criterion rises.
  grid <- 1.25 * diff(range(x)) * 2^(-(0:80) / 4)
  slopes <- vapply(grid, slope, numeric(1))
  lower <- which(slopes[-1] < 0 & slopes[-length(slopes)] >= 0) + 1
  minima <- vapply(lower, function(k) {
    uniroot(slope, c(grid[k], grid[k - 1]), tol = 2^-52 * grid[k])$root
  }, numeric(1))
  values <- vapply(minima, criterion, numeric(1))
  if (!any(values < 0)) stop("bandwidth rule bowman_hall_prvan: cross-validation is best at h = 0")
  minima[which.min(values)]
}

rules <- list(
  ucv = bw.ucv,
  bcv = bw.bcv,
  sj = bw.SJ,
  sj_dpi = function(x) bw.SJ(x, method = "dpi"),
  altman_leger = altman_leger,
  polansky_baker = polansky_baker,
  bowman_hall_prvan = bowman_hall_prvan
)
