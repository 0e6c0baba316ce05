# Maximum likelihood for the distributions of scipy.stats that R has too.
# x: scores to standardize; scores: the reference scores of the topic. dist and the fixed
# parameters have SciPy's names: floc, fscale, and f0 to f3 for the shapes.
standardize <- function(x, scores, dist = "norm", floc = NULL, fscale = NULL,
                        f0 = NULL, f1 = NULL, f2 = NULL, f3 = NULL) {
  fits <- switch(dist,
    norm = , expon = , uniform = c("none", "floc", "fscale"),
    logistic = "none",
    gamma = , weibull_min = , lognorm = "floc",
    beta = "floc and fscale",
    stop("from_scipy: R does not have the distribution ", dist, " of scipy.stats"))
  settings <- list(floc = floc, fscale = fscale, f0 = f0, f1 = f1, f2 = f2, f3 = f3)
  fixed <- names(Filter(Negate(is.null), settings))
  fixed <- if (length(fixed)) paste(fixed, collapse = " and ") else "none"
  if (!fixed %in% fits)
    stop("from_scipy: of the parameters of ", dist, ", ", fixed, " is held fixed; the R twin ",
         "expects ", paste(fits, collapse = " or "))

  scores <- scores[!is.na(scores)]
  if (length(scores) < 2) stop("from_scipy needs at least 2 reference scores")
  a <- min(scores)
  b <- max(scores)
  if (a == b) return(ifelse(x < a, 0, ifelse(x > a, 1, 0.5)))  # there is no fit

  switch(dist,
    norm = {
      m <- if (is.null(floc)) mean(scores) else floc
      pnorm(x, m, if (is.null(fscale)) sqrt(mean((scores - m)^2)) else fscale)
    },
    expon = {
      low <- if (is.null(floc)) a else floc
      check_inside(a >= low)
      pexp(x - low, 1 / (if (is.null(fscale)) mean(scores) - low else fscale))
    },
    uniform = {
      low <- if (!is.null(floc)) floc else if (is.null(fscale)) a else a - (fscale - (b - a)) / 2
      high <- if (is.null(fscale)) b else low + fscale
      check_inside(a >= low && b <= high)
      punif(x, low, high)
    },
    logistic = {
      fit <- fit_logistic(scores)
      plogis(x, fit[1], fit[2])
    },
    gamma = {
      check_inside(a > floc)
      shape <- fit_gamma(scores - floc)
      pgamma(x - floc, shape, scale = mean(scores - floc) / shape)
    },
    weibull_min = {
      check_inside(a > floc)
      fit <- fit_weibull(scores - floc)
      pweibull(x - floc, fit[1], fit[2])
    },
    lognorm = {
      check_inside(a > floc)
      logs <- log(scores - floc)
      plnorm(x - floc, mean(logs), sqrt(mean((logs - mean(logs))^2)))
    },
    beta = {
      check_inside(a > floc && b < floc + fscale)
      fit <- fit_beta((scores - floc) / fscale)
      pbeta((x - floc) / fscale, fit[1], fit[2])
    })
}

check_inside <- function(inside)
  if (!inside) stop("from_scipy: a reference score lies outside the support that is held fixed")

# log(shape) - digamma(shape) = log(mean(s)) - mean(log(s)); the left side decreases with the shape.
fit_gamma <- function(s) {
  e <- s / mean(s) - 1
  right <- mean(e - log1p(e))
  exp(uniroot(function(t) t - digamma(exp(t)) - right, log(0.5 / right) + c(-1, 1),
              extendInt = "downX", tol = 1e-15)$root)
}

# The likelihood equation of the shape, which increases with it; the scale has a closed form.
fit_weibull <- function(s) {
  l <- log(s / max(s))
  slope <- function(t) sum(exp(exp(t) * l) * l) / sum(exp(exp(t) * l)) - exp(-t) - mean(l)
  shape <- exp(uniroot(slope, c(-1, 3), extendInt = "upX", tol = 1e-15)$root)
  c(shape, max(s) * mean(exp(shape * l))^(1 / shape))
}

# In u = (x - location) / scale = p[1] x - p[2] the log-likelihood is concave in p.
fit_logistic <- function(s) {
  u <- function(p) p[1] * s - p[2]
  p <- newton(c(1, mean(s)) * pi / sqrt(3) / sd(s),
    value = function(p) length(s) * log(p[1]) - sum(u(p) + 2 * log1p(exp(-u(p)))),
    gradient = function(p) {
      g <- -tanh(u(p) / 2)
      c(length(s) / p[1] + sum(g * s), -sum(g))
    },
    hessian = function(p) {
      h <- 2 * dlogis(u(p))
      -matrix(c(length(s) / p[1]^2 + sum(h * s^2), -sum(h * s), -sum(h * s), sum(h)), 2)
    },
    inside = function(p) p[1] > 0)
  c(p[2] / p[1], 1 / p[1])
}

# The log-likelihood per score is concave in both shapes; the start matches the moments.
fit_beta <- function(s) {
  l <- c(mean(log(s)), mean(log1p(-s)))
  m <- mean(s)
  newton(c(m, 1 - m) * (m * (1 - m) / mean((s - m)^2) - 1),
    value = function(p) sum(l * (p - 1)) - lbeta(p[1], p[2]),
    gradient = function(p) l - digamma(p) + digamma(sum(p)),
    hessian = function(p) trigamma(sum(p)) - diag(trigamma(p)),
    inside = function(p) all(p > 0))
}

# Newton's method for the maximum of a concave function, with steps halved until it rises.
newton <- function(p, value, gradient, hessian, inside) {
  for (i in 1:200) {
    step <- solve(hessian(p), gradient(p))
    while (!inside(p - step) || value(p - step) < value(p) - 1e-12 * abs(value(p))) step <- step / 2
    p <- p - step
    if (all(abs(step) <= 1e-10 * abs(p))) return(p)
  }
  stop("from_scipy: the likelihood was not maximized in 200 steps")
}
