# Maximum likelihood for laws of scipy.stats: closed forms, and otherwise R's own optimizers on the
# sum of log densities, which are R's where it has them.
# x: scores to standardize; scores: the reference scores of the topic. dist and the held
# parameters have SciPy's names: floc, fscale, and f0 and f1 for the shapes.
standardize <- function(x, scores, dist = "norm", floc = NULL, fscale = NULL,
                        f0 = NULL, f1 = NULL)
  do.call(evaluate, c(list(x), estimate(scores, dist, floc, fscale, f0, f1), dist = dist))

# The shapes have SciPy's names.
estimate <- function(scores, dist = "norm", floc = NULL, fscale = NULL, f0 = NULL, f1 = NULL) {
  scores <- scores[!is.na(scores)]
  if (length(scores) < 2) stop("from_scipy needs at least 2 reference scores")
  spread <- max(scores) - min(scores)
  shapes <- laws[[dist]]$shapes
  fit <- if (spread == 0) list(shapes = rep(1, length(shapes)), loc = scores[[1]], scale = 1) else
    fit_law(scores, dist, floc, fscale, f0, f1)  # on a constant topic there is no fit
  c(spread = spread, setNames(as.list(fit$shapes), shapes), loc = fit$loc, scale = fit$scale)
}

evaluate <- function(x, ..., spread, loc, scale, dist = "norm") {
  if (spread == 0) return(ifelse(x < loc, 0, ifelse(x > loc, 1, 0.5)))
  law <- laws[[dist]]
  if (dist == "norm") pnorm(x, loc, scale) else law$p((x - loc) / scale, list(...)[law$shapes])
}

# The parameters of highest likelihood.
fit_law <- function(scores, dist, floc = NULL, fscale = NULL, f0 = NULL, f1 = NULL) {
  law <- laws[[dist]]
  if (is.null(law)) stop("from_scipy: ", dist, " is not one of the laws that can be fitted")
  slots <- c(head(c("f0", "f1"), length(law$shapes)), "floc", "fscale")
  held <- list(f0 = f0, f1 = f1, floc = floc, fscale = fscale)[slots]
  free <- names(held)[lengths(held) == 0]
  for (name in law$needs) if (name %in% free) stop("from_scipy: ", dist, " needs ", name)
  value <- function(name, otherwise) if (is.null(held[[name]])) otherwise else held[[name]]
  as_usual <- setequal(c(free, law$needs), names(held))
  s <- scores - value("floc", 0)
  if ("floc" %in% law$needs) check_inside(min(s) > 0 && max(s) < value("fscale", Inf) * law$high)

  # Location, scale and shapes in closed form, for any held parameters.
  low <- value("floc", min(scores))
  fit <- switch(dist,
    norm = , halfnorm = {
      # The scale is about the mean before it is rounded, as far from 0 its rounding error is large.
      z <- scores - low
      center <- if (dist == "norm" && is.null(floc)) mean(z) else 0
      list(loc = low + center, scale = value("fscale", sqrt(mean((z - center)^2))))
    },
    laplace = list(loc = value("floc", median(scores)),
                   scale = value("fscale", mean(abs(scores - value("floc", median(scores)))))),
    expon = list(loc = low, scale = value("fscale", mean(scores - low))),
    uniform = {
      if (is.null(floc) && !is.null(fscale)) low <- low - (fscale - diff(range(scores))) / 2
      list(loc = low, scale = value("fscale", max(scores) - low))
    },
    lognorm = {
      scale <- value("fscale", exp(mean(log(s))))
      list(shapes = list(value("f0", sqrt(mean((log(s) - log(scale))^2)))), scale = scale)
    },
    loglaplace = {
      scale <- value("fscale", exp(median(log(s))))
      list(shapes = list(value("f0", 1 / mean(abs(log(s) - log(scale))))), scale = scale)
    })
  # And where nothing else is held than has to be.
  if (as_usual) fit <- switch(dist,
    gamma = {
      shape <- fit_gamma(s)
      list(shapes = list(shape), scale = mean(s) / shape)
    },
    invgauss = {
      r <- mean(1 / s) - 1 / mean(s)
      list(shapes = list(mean(s) * r), scale = 1 / r)
    },
    pareto = list(shapes = list(1 / mean(log(s / min(s)))), scale = min(s)),
    levy = list(shapes = list(), scale = 1 / mean(1 / s)),
    powerlaw = list(shapes = list(-1 / mean(log(s / fscale))), scale = fscale),
    johnsonsb = {
      t <- qlogis(s / fscale)
      sd <- sqrt(mean((t - mean(t))^2))
      list(shapes = list(-mean(t) / sd, 1 / sd), scale = fscale)
    }, fit)
  if (is.null(fit$loc)) fit$loc <- floc
  if (length(free) == 0) fit <- list(shapes = held[seq_along(law$shapes)], loc = floc, scale = fscale)
  if (is.null(fit$scale)) fit <- maximize(law, scores, held)
  check_inside((min(scores) - fit$loc) / fit$scale >= law$low - 1e-12 &&
                 (max(scores) - fit$loc) / fit$scale <= law$high + 1e-12)
  fit
}

check_inside <- function(inside)
  if (!inside) stop("from_scipy: a reference score lies outside the support that is held fixed")

# The highest likelihood of location, scale and shapes. The scores become z in [0, 1]. A shape with a
# range has a place, its logarithm or asinh: optimize finds the highest likelihood over the places,
# where optim or optimize has found that of the other parameters at each. At the end all are
# improved together by Newton's method.
maximize <- function(law, scores, held) {
  unit <- diff(range(scores))
  z <- (scores - min(scores)) / unit
  k <- length(law$shapes)
  fixed <- vapply(held, function(v) if (is.null(v)) NA_real_ else v, 0)
  fixed[k + 1:2] <- c((fixed[k + 1] - min(scores)) / unit, fixed[k + 2] / unit)
  if (law$edge && is.na(fixed[k + 1])) fixed[k + 1] <- 0
  real <- c(rep(!is.null(law$range) && law$range[1] < 0, k), NA, FALSE)
  signed <- which(real)
  above_0 <- which(!real)
  parameters <- function(q) replace(replace(q, signed, sinh(q[signed])), above_0, exp(q[above_0]))
  places <- replace(replace(fixed, signed, asinh(fixed[signed])), above_0, log(fixed[above_0]))
  if (!is.null(law$ties)) {
    df <- if (k == 0) 1 else if (is.na(fixed[1])) law$range[1] else fixed[1]
    share <- if (is.na(fixed[k + 1])) max(table(z)) else sum(z == fixed[k + 1])
    if (share / length(z) >= df / (df + 1)) stop("from_scipy: too many reference scores are equal")
  }
  loss <- function(q) {
    p <- parameters(q)
    u <- (z - p[k + 1]) / p[k + 2]
    if (anyNA(u) || min(u) < law$low || max(u) > law$high) return(1e300)
    # R warns of NaN at points that the search tries, which are none of its results.
    value <- suppressWarnings(log(p[k + 2]) * length(z) - sum(law$d(u, as.list(p[seq_len(k)]))))
    if (is.finite(value)) value else 1e300
  }
  inner <- function(q) {
    free <- which(is.na(q))
    if (length(free) == 0) return(q)
    q <- started(law, z, q, parameters, loss)
    of_free <- function(v) loss(replace(q, free, v))
    if (length(free) == 1) {
      around <- q[free] + c(-12, 12)
      if (free == k + 1)  # the locations with all scores in the support
        around <- pmax(pmin(around, -law$low * exp(q[k + 2])), 1 - law$high * exp(q[k + 2]))
      q[free] <- optimize(of_free, around, tol = 1e-9)$minimum
      return(q)
    }
    for (i in 1:2) q[free] <- optim(q[free], of_free, control =
      list(reltol = 1e-15, maxit = 2000, parscale = pmax(0.1, abs(q[free]))))$par
    q
  }
  improved <- function(q) {
    free <- which(is.na(places))
    if (length(free)) q[free] <- polished(function(v) loss(replace(q, free, v)), q[free], length(z))
    q
  }
  searched <- if (is.null(law$range)) NULL else which(is.na(fixed[seq_len(k)]))
  if (length(searched)) {
    at <- function(place) inner(replace(places, searched, place))
    ends <- if (law$range[1] < 0) asinh(law$range) else log(law$range)
    count <- 1 + ceiling(diff(ends) / 0.6)
    grid <- seq(ends[1], ends[2], length.out = count)
    losses <- vapply(grid, function(place) loss(at(place)), 0)
    # A minimum of the loss lies beside each place that is lower than its neighbors. All are found.
    left <- c(Inf, losses[-count])
    right <- c(losses[-1], Inf)
    lower <- losses <= left & losses <= right & losses < pmax(left, right) - 1e-9
    peaks <- union(which.min(losses), which(lower))
    tops <- lapply(peaks, function(i)
      optimize(function(place) loss(at(place)), grid[c(max(i - 1, 1), min(i + 1, count))], tol = 1e-6))
    found <- pmin(losses[peaks], vapply(tops, function(top) top$objective, 0))
    near <- range(peaks[found <= min(found) + 1e-9])
    between <- setdiff(near[1]:near[2], peaks)
    if (any(losses[between] > min(found) + 1e-6))
      stop("from_scipy: the likelihood has two maxima that are equally high")
    lowest <- which.min(found)
    best <- peaks[lowest]
    place <- tops[[lowest]]$minimum
    q <- improved(at(place))
    if (q[searched] <= ends[1] || q[searched] >= ends[2] ||
          best %in% c(1, count) && losses[best] <= loss(q) + 1e-10) {
      end <- if (abs(q[searched] - ends[1]) < abs(q[searched] - ends[2])) 1 else 2
      if (!law$limits[end])
        stop("from_scipy: the likelihood still rises at an end of the range of the shape")
      places[searched] <- ends[end]
      q <- improved(at(ends[end]))
    }
  } else q <- improved(inner(places))
  p <- parameters(q)
  list(shapes = p[seq_len(k)],
       loc = if (is.null(held$floc)) min(scores) + unit * p[[k + 1]] else held$floc,
       scale = if (is.null(held$fscale)) unit * p[[k + 2]] else held$fscale)
}

# Places to start from where q has NA: laws whose quartiles are about those of the scores z.
started <- function(law, z, q, parameters, loss) {
  k <- length(law$shapes)
  loc <- k + 1
  scale <- k + 2
  if (anyNA(q[seq_len(k)])) q[seq_len(k)][is.na(q[seq_len(k)])] <- log(1.3 / sd(log(z - q[loc])))
  shapes <- as.list(parameters(q)[seq_len(k)])
  ends <- c(law$low, law$high)
  both <- all(is.finite(ends))
  fits <- vapply(c(0.01, 0.25, 0.75, 0.99), function(level) quantile_of(law, shapes, level), 0)
  away <- if (is.na(q[loc])) z - mean(z) else z - q[loc]
  if (is.na(q[scale])) q[scale] <- log(if (both) 1.25 * max(abs(away)) / law$high
    else if (is.finite(law$low) && !is.na(q[loc])) mean(away) / mean(fits[2:3])
    else 1.35 * sqrt(mean(away^2)) / diff(fits[2:3]))
  size <- exp(q[scale])
  if (is.na(q[loc])) {
    places <- if (both) 0.5 - size * mean(ends)
      else if (is.finite(law$low)) min(mean(z) - mean(fits[2:3]) * size, -0.05 * size)
      else c(mean(z), min(z), max(z)) - c(mean(fits[2:3]), fits[1], fits[4]) * size
    losses <- vapply(places, function(place) loss(replace(q, loc, place)), 0)
    q[loc] <- places[which.min(losses)]
  }
  q
}

# A quantile of a law at location 0 and scale 1.
quantile_of <- function(law, shapes, level) {
  x <- function(t) if (is.finite(law$high)) law$low + (law$high - law$low) * plogis(t)
    else if (is.finite(law$low)) law$low + exp(t)
    else sinh(t)
  x(uniroot(function(t) law$p(x(t), shapes) - level, c(-30, 30), extendInt = "upX", tol = 1e-9)$root)
}

# Newton's method for the minimum of a loss of n scores, with derivatives by differences. Where the
# loss is steep, the differences are of smaller steps. It ends when a step gains nothing.
polished <- function(loss, q, n) {
  k <- length(q)
  units <- rep(1, k)
  h <- 1e-3
  for (i in 1:60) {
    at <- function(...) loss(q + h * units * rowSums(cbind(...)))
    axis <- function(i) replace(numeric(k), i, 1)
    now <- loss(q)
    near <- vapply(1:k, function(i) c(at(axis(i)), at(-axis(i)), at(2 * axis(i)), at(-2 * axis(i))),
                   numeric(4))
    gradient <- (8 * (near[1, ] - near[2, ]) - (near[3, ] - near[4, ])) / (12 * h)
    bend <- (16 * (near[1, ] + near[2, ]) - (near[3, ] + near[4, ]) - 30 * now) / (12 * h^2)
    steeper <- pmin(1, units / sqrt(pmax(1e-4, bend / n)))
    if (any(near >= 1e300) || any(steeper < units / 3)) {
      units <- if (any(near >= 1e300)) units / 4 else steeper
      next
    }
    hessian <- diag(bend, k)
    for (i in seq_len(k)) for (j in seq_len(i - 1))
      hessian[i, j] <- hessian[j, i] <- (at(axis(i), axis(j)) + at(-axis(i), -axis(j)) -
        at(axis(i), -axis(j)) - at(-axis(i), axis(j))) / (4 * h^2)
    step <- tryCatch(units * solve(hessian, gradient), error = function(e) NULL)
    if (is.null(step) || !(loss(q - step) <= now + 1e-11)) break
    q <- q - step
    if (max(abs(step / units)) < 1e-11) break
  }
  q
}

# log(shape) - digamma(shape) = log(mean(s)) - mean(log(s)); the left side decreases with the shape.
# It is the asymptotic series for a large shape, whose logarithms would cancel.
fit_gamma <- function(s) {
  e <- s / mean(s) - 1
  right <- mean(e - log1p(e))
  left <- function(x) {
    u <- 1 / x^2
    ifelse(x < 16, log(x) - digamma(x), 0.5 / x + u * (1 / 12 - u * (1 / 120 - u * (1 / 252 - u * (
      1 / 240 - u * (1 / 132 - u * (691 / 32760 - u / 12)))))))
  }
  exp(uniroot(function(t) log(left(exp(t)) / right), log(0.5 / right) + c(-1, 1),
              extendInt = "downX", tol = 1e-15, maxiter = 10000)$root)
}

# A law: the names of its shapes, its support, cdf and log density at location 0 and scale 1, given u
# and the shapes a and b; what has to be held; the range of the shape that is searched,
# and whether the ends of the range are limits of the law.
law <- function(shapes, low, high, p, d, needs = NULL, range = NULL, limits = c(TRUE, TRUE),
                edge = FALSE, ties = NULL) {
  f <- function(e) {
    inner <- eval(call("function", as.pairlist(alist(u = , a = , b = )), e))
    function(u, s) do.call(inner, c(list(u), unname(s)))
  }
  p <- f(substitute(p))
  inside <- function(u, s) {
    known <- !is.na(u)  # integrate refuses others
    v <- u[known]
    y <- p(pmin(pmax(v, low), high), s)
    replace(u, known, ifelse(v <= low, 0, ifelse(v >= high, 1, y)))
  }
  list(shapes = shapes, low = low, high = high, p = inside, d = f(substitute(d)), needs = needs,
       range = range, limits = limits, edge = edge, ties = ties)
}
squared <- function(u, df) dchisq(u^2, df, log = TRUE) + log(2 * u)
both <- function(u, half) 0.5 + sign(u) * half / 2
in_unit <- c("floc", "fscale")
wide <- c(1e-6, 1e6)
laws <- list(
  norm = law(NULL, -Inf, Inf, pnorm(u), dnorm(u, log = TRUE)),
  laplace = law(NULL, -Inf, Inf, both(u, -expm1(-abs(u))), -abs(u) - log(2)),
  expon = law(NULL, 0, Inf, pexp(u), dexp(u, log = TRUE)),
  uniform = law(NULL, 0, 1, punif(u), dunif(u, log = TRUE)),
  halfnorm = law(NULL, 0, Inf, pchisq(u^2, 1), log(2) + dnorm(u, log = TRUE)),
  logistic = law(NULL, -Inf, Inf, plogis(u), dlogis(u, log = TRUE)),
  gumbel_r = law(NULL, -Inf, Inf, exp(-exp(-u)), -u - exp(-u)),
  gumbel_l = law(NULL, -Inf, Inf, -expm1(-exp(u)), u - exp(u)),
  hypsecant = law(NULL, -Inf, Inf, 2 / pi * atan(exp(u)), -log(pi * cosh(u))),
  moyal = law(NULL, -Inf, Inf, 2 * pnorm(-exp(-u / 2)), -(u + exp(-u) + log(2 * pi)) / 2),
  rayleigh = law(NULL, 0, Inf, pchisq(u^2, 2), log(u) - u^2 / 2),
  maxwell = law(NULL, 0, Inf, pchisq(u^2, 3), squared(u, 3)),
  semicircular = law(NULL, -1, 1, pbeta((u + 1) / 2, 1.5, 1.5), log(2 / pi) + log(1 - u^2) / 2),
  cosine = law(NULL, -pi, pi, (pi + u + sin(u)) / (2 * pi), log((1 + cos(u)) / (2 * pi))),
  anglit = law(NULL, -pi / 4, pi / 4, sin(u + pi / 4)^2, log(cos(2 * u))),
  halflogistic = law(NULL, 0, Inf, tanh(u / 2), log(2) + dlogis(u, log = TRUE), edge = TRUE),
  lognorm = law("s", 0, Inf, plnorm(u, 0, a), dlnorm(u, 0, a, log = TRUE), "floc"),
  loglaplace = law("c", 0, Inf, ifelse(u < 1, u^a / 2, 1 - u^-a / 2),
                   log(a / 2) - log(u) - a * abs(log(u)), "floc"),
  fisk = law("c", 0, Inf, plogis(a * log(u)), dlogis(a * log(u), log = TRUE) + log(a) - log(u), "floc"),
  weibull_min = law("c", 0, Inf, pweibull(u, a), dweibull(u, a, log = TRUE), "floc"),
  invweibull = law("c", 0, Inf, exp(-u^-a), log(a) - (a + 1) * log(u) - u^-a, "floc"),
  gamma = law("a", 0, Inf, pgamma(u, a), dgamma(u, a, log = TRUE), "floc"),
  invgamma = law("a", 0, Inf, pgamma(1 / u, a, lower.tail = FALSE),
                 dgamma(1 / u, a, log = TRUE) - 2 * log(u), "floc"),
  chi2 = law("df", 0, Inf, pchisq(u, a), dchisq(u, a, log = TRUE), "floc"),
  chi = law("df", 0, Inf, pchisq(u^2, a), squared(u, a), "floc"),
  nakagami = law("nu", 0, Inf, pgamma(a * u^2, a),
                 dgamma(a * u^2, a, log = TRUE) + log(2 * a * u), "floc"),
  f = law(c("dfn", "dfd"), 0, Inf, pf(u, a, b), df(u, a, b, log = TRUE), c("f0", "f1", "floc")),
  invgauss = law("mu", 0, Inf, inverse_gaussian(u, a),
                 -log(2 * pi * u^3) / 2 - (u / a - 1)^2 / (2 * u), "floc"),
  pareto = law("b", 1, Inf, -expm1(-a * log(u)), log(a) - (a + 1) * log(u), "floc"),
  levy = law(NULL, 0, Inf, 2 * pnorm(-1 / sqrt(u)), -log(2 * pi * u^3) / 2 - 1 / (2 * u), "floc"),
  beta = law(c("a", "b"), 0, 1, pbeta(u, a, b), dbeta(u, a, b, log = TRUE), in_unit),
  betaprime = law(c("a", "b"), 0, Inf, pbeta(u / (1 + u), a, b),
                  dbeta(u / (1 + u), a, b, log = TRUE) - 2 * log1p(u), in_unit),
  powerlaw = law("a", 0, 1, pbeta(u, a, 1), log(a) + (a - 1) * log(u), in_unit),
  johnsonsb = law(c("a", "b"), 0, 1, pnorm(a + b * qlogis(u)),
                  dnorm(a + b * qlogis(u), log = TRUE) + log(b) - log(u) - log1p(-u), in_unit),
  cauchy = law(NULL, -Inf, Inf, pcauchy(u), dcauchy(u, log = TRUE), ties = TRUE),
  t = law("df", -Inf, Inf, pt(u, a), dt(u, a, log = TRUE), range = c(1, 1e6),
          limits = c(FALSE, TRUE), ties = TRUE),
  skewnorm = law("a", -Inf, Inf, pnorm(u) - 2 * owen(u, a),
                 log(2) + dnorm(u, log = TRUE) + pnorm(a * u, log.p = TRUE), range = c(-1e6, 1e6)),
  genlogistic = law("c", -Inf, Inf, exp(a * plogis(u, log.p = TRUE)),
                    log(a) + a * plogis(u, log.p = TRUE) + plogis(-u, log.p = TRUE), range = wide),
  exponnorm = law("K", -Inf, Inf, pnorm(u) - exp(log_tilted(u, a)), log_tilted(u, a) - log(a),
                  range = c(1e-3, 1e6)),
  loggamma = law("c", -Inf, Inf, ifelse(u < -40, exp(a * u - lgamma(a + 1)), pgamma(exp(u), a)),
                 ifelse(u < -700, a * u - lgamma(a), u + dgamma(exp(u), a, log = TRUE)), range = wide),
  gompertz = law("c", 0, Inf, -expm1(-a * expm1(u)), log(a) + u - a * expm1(u), "floc",
                 range = c(1e-20, 1e6), limits = c(FALSE, TRUE))
)
inverse_gaussian <- function(u, mu)
  pnorm((u / mu - 1) / sqrt(u)) + exp(2 / mu + pnorm(-(u / mu + 1) / sqrt(u), log.p = TRUE))
# 1 / (2 a^2) - u / a + log Phi(u - 1 / a), which loses all digits for small a as it stands.
log_tilted <- function(u, a) {
  v <- 1 / a - u
  mills <- ifelse(v > 50, log1p(-1 / v^2 + 3 / v^4 - 15 / v^6) - log(v),
                  pnorm(v, lower.tail = FALSE, log.p = TRUE) - dnorm(v, log = TRUE))
  ifelse(v > 5, dnorm(u, log = TRUE) + mills, 1 / (2 * a^2) - u / a + pnorm(-v, log.p = TRUE))
}
# Owen's T function; beyond a = 1 its integrand is too steep.
owen <- function(h, a) {
  if (abs(a) > 1) {
    p <- pnorm(abs(h))
    q <- pnorm(abs(a * h))
    return(sign(a) * ((p + q) / 2 - p * q - owen(a * h, 1 / abs(a))))
  }
  vapply(h, function(h) {
    integrate(function(v) exp(-(h / cos(v))^2 / 2), 0, atan(a), rel.tol = 1e-12)$value / (2 * pi)
  }, 0)
}
