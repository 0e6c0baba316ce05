# Maximum likelihood for those distributions of scipy.stats whose density and cdf base R has, by
# its own functions or in closed form.
# x: scores to standardize; scores: the reference scores of the topic. dist and the fixed
# parameters have SciPy's names: floc, fscale, and f0 to f3 for the shapes.
standardize <- function(x, scores, dist = "norm", floc = NULL, fscale = NULL,
                        f0 = NULL, f1 = NULL, f2 = NULL, f3 = NULL) {
  law <- laws[[dist]]
  if (is.null(law)) stop("from_scipy: R does not have the distribution ", dist, " of scipy.stats")
  scores <- scores[!is.na(scores)]
  if (length(scores) < 2) stop("from_scipy needs at least 2 reference scores")
  a <- min(scores)
  b <- max(scores)
  if (a == b) return(ifelse(x < a, 0, ifelse(x > a, 1, 0.5)))  # there is no fit

  settings <- list(f0 = f0, f1 = f1, f2 = f2, f3 = f3, floc = floc, fscale = fscale)
  fixed <- names(Filter(Negate(is.null), settings))
  fixed <- if (length(fixed)) paste(fixed, collapse = " and ") else "none"
  solved <- switch(dist,
    norm = , expon = , uniform = c("none", "floc", "fscale"),
    logistic = , laplace = "none",
    gamma = , weibull_min = , lognorm = "floc",
    beta = "floc and fscale", "")
  if (!fixed %in% solved) {
    fit <- maximize(law, scores, settings)
    return(law$p((x - fit$loc) / fit$scale, fit$shapes))
  }

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
    laplace = law$p((x - median(scores)) / mean(abs(scores - median(scores))), list()),
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

# The highest likelihood of any law, by optim from a grid of starts, and Newton's method at the end.
# The scores become z in [0, 1]. A point has the shapes, the location and the scale; coordinates q
# move it: each free shape, the location, and the logarithm of the scale, which stretches the law
# about the middle of the scores. An end of the support can be tied to the extreme score.
maximize <- function(law, scores, settings) {
  z <- (scores - min(scores)) / diff(range(scores))
  k <- length(law$kinds)
  held <- settings[seq_len(k)]
  free <- which(vapply(held, is.null, TRUE))
  loc <- if (!is.null(settings$floc)) (settings$floc - min(scores)) / diff(range(scores))
  scale <- if (!is.null(settings$fscale)) settings$fscale / diff(range(scores))

  move <- function(point, q, tie) {
    for (i in seq_along(free))
      point$shapes[[free[i]]] <- shape_moved(law$kinds[free[i]], point$shapes[[free[i]]], q[i])
    q <- q[length(free) + 1:2]
    low <- law$low(point$shapes)
    high <- law$high(point$shapes)
    middle <- if (point$loc < 0 || point$loc > 1) mean(z) else point$loc
    away <- (point$loc - middle) / point$scale
    unit <- min(point$scale, 1)
    point$scale <- if (!is.null(scale)) scale else if (all(tie)) 1 / (high - low)
      else if (tie[1] && !is.null(loc)) -loc / low
      else if (tie[2] && !is.null(loc)) (1 - loc) / high
      else point$scale * exp(q[2])
    point$loc <- if (!is.null(loc)) loc else if (tie[1]) -low * point$scale
      else if (tie[2]) 1 - high * point$scale
      else middle + away * point$scale + unit * q[1]
    point$ends <- c(low, high)
    point
  }
  log_density <- function(point, tie) {
    if (is.na(point$scale) || point$scale <= 0 || anyNA(point$ends)) return(-Inf)
    u <- (z - point$loc) / point$scale
    if (tie[1]) u[z == 0] <- point$ends[1]
    if (tie[2]) u[z == 1] <- point$ends[2]
    inside <- isTRUE(all(u >= point$ends[1] & u <= point$ends[2]))
    # R warns of NaN at many of the points that the search tries, which are none of its results.
    if (inside) suppressWarnings(law$d(u, point$shapes)) - log(point$scale) else -Inf
  }
  loss_from <- function(point, tie) {
    force(point)
    force(tie)
    function(q) {
      value <- -sum(log_density(move(point, q, tie), tie))
      if (is.finite(value)) value else 1e300
    }
  }
  climb <- function(point, tie, most) {
    zero <- numeric(length(free) + 2)
    loss <- loss_from(point, tie)
    used <- used_coordinates(zero, loss)
    if (any(used))
      zero[used] <- optim(zero[used], function(q) loss(replace(zero, used, q)), control =
        list(maxit = most, reltol = 1e-14, warn.1d.NelderMead = FALSE))$par
    list(point = move(point, zero, tie), tie = tie, value = loss(zero))
  }

  shapes <- apply(expand.grid(lapply(seq_len(k), function(i) if (is.null(held[[i]]))
    starts_by_kind[[law$kinds[i]]][[min(length(free), 3)]] else held[[i]])), 1, as.list)
  if (k == 0) shapes <- list(list())
  check_poles(law, shapes, loc, scale)
  for (i in free) for (limit in limits_by_kind[[law$kinds[i]]])
    shapes <- c(shapes, list(replace(shapes[[1]], i, limit)))
  starts <- list()
  ties <- unique(z[duplicated(z)])
  for (s in shapes) for (size in c(1e-4, 0.01, 0.05, 0.2, 0.5, 2, 20)) {
    ends <- c(law$low(s), law$high(s))
    if (!is.null(scale)) size <- scale
    places <- if (!is.null(loc)) loc
      else if (is.finite(ends[1])) -ends[1] * size - c(0.003, 0.03, 0.3, 3)
      else if (is.finite(ends[2])) 1 - ends[2] * size + c(0.003, 0.03, 0.3, 3)
      else unique(c(seq(0, 1, 0.125), ties))
    for (place in places)
      starts <- c(starts, list(list(shapes = s, loc = place, scale = size, ends = ends)))
  }
  if (is.null(loc) && is.null(scale)) for (s in shapes) {
    ends <- c(law$low(s), law$high(s))
    q <- tryCatch(suppressWarnings(quartiles(law, s, ends)), error = function(e) NULL)
    if (is.null(q)) next
    size <- IQR(z) / diff(q)
    place <- quantile(z, 0.25, names = FALSE) - q[1] * size
    starts <- c(starts, list(list(shapes = s, loc = place, scale = size, ends = ends)))
  }
  best <- list(value = 1e300)
  for (tie in list(c(TRUE, TRUE), c(TRUE, FALSE), c(FALSE, TRUE), c(FALSE, FALSE))) {
    if (sum(tie) > is.null(loc) + is.null(scale) || any(tie & !is.finite(starts[[1]]$ends))) next
    values <- vapply(starts, function(p) loss_from(p, tie)(numeric(length(free) + 2)), 0)
    for (i in head(order(values), 12)) {
      found <- climb(starts[[i]], tie, 400 * (1 + length(free)))
      if (found$value < best$value - 1e-9) best <- found
    }
  }
  if (best$value >= 1e300) stop("from_scipy: no parameters have a support with all scores")
  repeat {
    again <- climb(best$point, best$tie, 2000)
    gain <- best$value - again$value
    if (gain > 0) best <- again
    if (gain < 1e-9) break
  }
  # A law on ties of ever smaller scale.
  if (is.null(loc) && is.null(scale)) for (tie in unique(z)) for (narrow in c(1e-5, 1e-6)) {
    near <- replace(best$point, c("loc", "scale"), c(tie, narrow))
    if (-sum(log_density(near, best$tie)) < best$value + 1e-6)
      stop("from_scipy: the likelihood has no single maximum: it is as high where the scale ",
           "goes to 0 where reference scores are tied")
  }
  at_limit <- vapply(free, function(i) {
    s <- best$point$shapes[[i]]
    kind <- law$kinds[i]
    if (kind %in% c("0", "1")) min(1 - s, s + (kind == "1")) < 3e-6 else abs(s) > 9e5
  }, TRUE)
  for (i in free[at_limit]) if (abs(best$point$shapes[[i]]) > 9e5)
    best$point$shapes[[i]] <- sign(best$point$shapes[[i]]) * 1e6
  free <- free[!at_limit]
  if (any(at_limit)) best <- climb(best$point, best$tie, 2000)
  fit <- best$point
  for (i in 1:20) {
    step <- newton_step(loss_from(fit, best$tie), length(free) + 2, length(z))
    fit <- move(fit, step, best$tie)
    if (max(abs(step)) < 1e-9) break
  }
  if (max(log_density(fit, best$tie)) > log(1e8))
    stop("from_scipy: the likelihood has no upper bound, or none that can be told")
  fit$loc <- if (is.null(loc)) min(scores) + diff(range(scores)) * fit$loc else settings$floc
  fit$scale <- if (is.null(scale)) diff(range(scores)) * fit$scale else settings$fscale
  fit
}

# Kinds of shapes: above 0, above 1, any, in [0, 1], in (-1, 1); and where to start one, two or
# more free ones.
shape_moved <- function(kind, s, q) switch(kind,
  "+" = min(max(s * exp(q), 1e-6), 1e6),
  ">" = 1 + min(max((s - 1) * exp(q), 1e-6), 1e6),
  "r" = min(max(sinh(asinh(10 * s) + q) / 10, -1e6), 1e6),
  "0" = between(s, 0, 1, q),
  "1" = between(s, -1, 1, q))
between <- function(s, low, high, q) if (s == low || s == high) s else {
  room <- (high - low) / 1e6
  min(max(low + (high - low) * plogis(log(s - low) - log(high - s) + q), low + room), high - room)
}
starts_by_kind <- list(
  "+" = list(c(0.3, 1, 3, 10, 60), c(0.5, 2, 10), c(0.7, 4)),
  ">" = list(c(1.3, 2, 4, 11, 61), c(1.5, 3, 11), c(1.7, 5)),
  "r" = list(c(-6, -2, -0.5, 0.5, 2, 6), c(-3, 0.5, 3), c(-2, 2)),
  "0" = list(c(0.05, 0.3, 0.5, 0.7, 0.95), c(0.2, 0.5, 0.8), c(0.3, 0.7)),
  "1" = list(c(-0.9, -0.5, 0.5, 0.9), c(-0.7, 0.7), c(-0.7, 0.7)))
limits_by_kind <- list("+" = c(1e-6, 1e-3, 1e6), ">" = 1e6, "r" = c(-1e6, 1e6), "0" = c(0, 1e-6, 1 - 1e-6, 1),
                       "1" = c(2e-6 - 1, 1 - 2e-6))

# The quartiles of a law at location 0 and scale 1.
quartiles <- function(law, s, ends) vapply(c(0.25, 0.75), function(level) {
  x <- function(t) if (all(is.finite(ends))) ends[1] + diff(ends) * plogis(t)
    else if (is.finite(ends[1])) ends[1] + exp(t)
    else if (is.finite(ends[2])) ends[2] - exp(-t)
    else sinh(t)
  x(uniroot(function(t) law$p(x(t), s) - level, c(-40, 40), tol = 1e-14)$root)
}, 0)

used_coordinates <- function(q, loss)
  vapply(seq_along(q), function(i) {
    loss(replace(q, i, 0.01)) != loss(q) || loss(replace(q, i, -0.01)) != loss(q)
  }, TRUE)

# One step of Newton's method from q = 0, with derivatives by differences; 0 if it does not gain.
# Where the loss of n scores is steep, the differences are of smaller steps.
newton_step <- function(loss, size, n, units = rep(1, size), tries = 6) {
  zero <- numeric(size)
  used <- which(used_coordinates(zero, loss))
  k <- length(used)
  if (k == 0 || loss(zero) >= 1e300) return(zero)
  h <- 1e-3
  at <- function(...) loss(replace(zero, used, h * units[used] * rowSums(cbind(...))))
  axis <- function(i) replace(numeric(k), i, 1)
  near <- vapply(1:k, function(i) c(at(axis(i)), at(-axis(i)), at(2 * axis(i)), at(-2 * axis(i))),
                 numeric(4))
  if (any(near >= 1e300)) return(zero)
  gradient <- (8 * (near[1, ] - near[2, ]) - (near[3, ] - near[4, ])) / (12 * h)
  hessian <- diag((16 * (near[1, ] + near[2, ]) - (near[3, ] + near[4, ]) - 30 * loss(zero)) /
                    (12 * h^2), k)
  steeper <- replace(units, used, 1 / sqrt(pmax(1, diag(hessian) / units[used]^2 / n)))
  if (any(steeper < units / 3) && tries > 0) return(newton_step(loss, size, n, steeper, tries - 1))
  for (i in seq_len(k)) for (j in seq_len(i - 1))
    hessian[i, j] <- hessian[j, i] <-
      (at(axis(i), axis(j)) + at(-axis(i), -axis(j)) -
         at(axis(i), -axis(j)) - at(-axis(i), axis(j))) / (4 * h^2)
  step <- tryCatch(units[used] * solve(hessian, gradient), error = function(e) rep(Inf, k))
  if (any(!is.finite(step)) || max(abs(step)) > 0.1) return(zero)
  moved <- replace(zero, used, -step)
  if (loss(moved) > loss(zero) + 1e-11) zero else moved
}

# A density that is infinite at an end of the support, or at 0 inside it, where a score can be.
check_poles <- function(law, shapes, loc, scale) for (s in shapes) {
  ends <- c(law$low(s), law$high(s))
  if (anyNA(ends) || (!is.null(scale) && scale * diff(ends) < 1)) next
  for (i in 1:3) {
    end <- c(ends, 0)[i]
    if (!is.finite(end) || (i == 3 && !(ends[1] < 0 && ends[2] > 0))) next
    u <- if (end == 0) c(1e-40, 1e-80, 1e-120) else c(1e-6, 1e-9, 1e-12) * max(1, abs(end))
    power <- diff(suppressWarnings(law$d(end + c(1, -1, 1)[i] * u, s))) / diff(log(u))
    if (anyNA(power) || power[2] > -0.05 || abs(power[2] - power[1]) > 0.01) next
    at <- c(0, 1)[min(i, 2)]
    size <- if (!is.null(scale)) scale else if (is.null(loc) || end == 0) 1 else (at - loc) / end
    reached <- is.null(loc) || (size > 0 && abs(loc + size * end - at) < 1e-12 &&
      loc + size * ends[1] <= 1e-12 && loc + size * ends[2] >= 1 - 1e-12)
    if (reached) stop("from_scipy: the likelihood has no upper bound, since the density is ",
                      "infinite where a score can be")
  }
}

# Support, cdf and log density of each law at location 0 and scale 1, given u and shapes a to d;
# the kinds of the shapes are those of shapes_by_kind.
law <- function(kinds, low, high, p, d) {
  f <- function(e) {
    inner <- eval(call("function", as.pairlist(alist(u = , a = , b = , c = , d = )), e))
    function(u, s) do.call(inner, c(list(u), unname(s)))
  }
  p <- f(substitute(p))
  low <- f(substitute(low))
  high <- f(substitute(high))
  ends <- list(low = function(s) low(NULL, s), high = function(s) high(NULL, s))
  inside <- function(u, s) {
    u <- pmin(pmax(u, ends$low(s)), ends$high(s))
    y <- p(u, s)
    y[u <= ends$low(s)] <- 0
    y[u >= ends$high(s)] <- 1
    y
  }
  c(list(kinds = strsplit(kinds, "")[[1]], p = inside, d = f(substitute(d))), ends)
}
squared <- function(u, df, ncp = 0) dchisq(u^2, df, ncp, log = TRUE) + log(2 * u)
both <- function(u, half) 0.5 + sign(u) * half / 2
laws <- list(
  norm = law("", -Inf, Inf, pnorm(u), dnorm(u, log = TRUE)),
  cauchy = law("", -Inf, Inf, pcauchy(u), dcauchy(u, log = TRUE)),
  logistic = law("", -Inf, Inf, plogis(u), dlogis(u, log = TRUE)),
  uniform = law("", 0, 1, u, 0 * u),
  expon = law("", 0, Inf, pexp(u), dexp(u, log = TRUE)),
  t = law("+", -Inf, Inf, pt(u, a), dt(u, a, log = TRUE)),
  nct = law("+r", -Inf, Inf, pt(u, a, b), dt(u, a, b, log = TRUE)),
  gamma = law("+", 0, Inf, pgamma(u, a), dgamma(u, a, log = TRUE)),
  erlang = law("+", 0, Inf, pgamma(u, a), dgamma(u, a, log = TRUE)),
  chi2 = law("+", 0, Inf, pchisq(u, a), dchisq(u, a, log = TRUE)),
  ncx2 = law("++", 0, Inf, pchisq(u, a, b), dchisq(u, a, b, log = TRUE)),
  f = law("++", 0, Inf, pf(u, a, b), df(u, a, b, log = TRUE)),
  ncf = law("+++", 0, Inf, pf(u, a, b, c), df(u, a, b, c, log = TRUE)),
  beta = law("++", 0, 1, pbeta(u, a, b), dbeta(u, a, b, log = TRUE)),
  lognorm = law("+", 0, Inf, plnorm(u, 0, a), dlnorm(u, 0, a, log = TRUE)),
  gibrat = law("", 0, Inf, plnorm(u), dlnorm(u, log = TRUE)),
  weibull_min = law("+", 0, Inf, pweibull(u, a), dweibull(u, a, log = TRUE)),
  weibull_max = law("+", -Inf, 0, pweibull(-u, a, lower.tail = FALSE), dweibull(-u, a, log = TRUE)),
  # Laws of a score that is transformed.
  invweibull = law("+", 0, Inf, pweibull(1 / u, a, lower.tail = FALSE),
                   dweibull(1 / u, a, log = TRUE) - 2 * log(u)),
  exponweib = law("++", 0, Inf, pweibull(u, b)^a,
                  log(a) + dweibull(u, b, log = TRUE) + (a - 1) * pweibull(u, b, log.p = TRUE)),
  chi = law("+", 0, Inf, pchisq(u^2, a), squared(u, a)),
  rayleigh = law("", 0, Inf, pchisq(u^2, 2), log(u) - u^2 / 2),
  maxwell = law("", 0, Inf, pchisq(u^2, 3), squared(u, 3)),
  rice = law("+", 0, Inf, pchisq(u^2, 2, a^2), squared(u, 2, a^2)),
  nakagami = law("+", 0, Inf, pgamma(a * u^2, a), dgamma(a * u^2, a, log = TRUE) + log(2 * a * u)),
  halfnorm = law("", 0, Inf, pchisq(u^2, 1), log(2) + dnorm(u, log = TRUE)),
  foldnorm = law("+", 0, Inf, pnorm(u - a) - pnorm(-u - a), log(dnorm(u - a) + dnorm(u + a))),
  halfcauchy = law("", 0, Inf, 2 / pi * atan(u), log(2) + dcauchy(u, log = TRUE)),
  foldcauchy = law("+", 0, Inf, pcauchy(u - a) - pcauchy(-u - a),
                   log(dcauchy(u - a) + dcauchy(u + a))),
  halflogistic = law("", 0, Inf, tanh(u / 2), log(2) + dlogis(u, log = TRUE)),
  invgamma = law("+", 0, Inf, pgamma(1 / u, a, lower.tail = FALSE),
                 dgamma(1 / u, a, log = TRUE) - 2 * log(u)),
  loggamma = law("+", -Inf, Inf, ifelse(u < -40, exp(a * u - lgamma(a + 1)), pgamma(exp(u), a)),
                 a * u - exp(u) - lgamma(a)),
  gengamma = law("+r", 0, Inf, pgamma(u^b, a, lower.tail = b > 0),
                 log(abs(b)) + (a * b - 1) * log(u) - u^b - lgamma(a)),
  pearson3 = law("r", if (a > 0) -2 / a else -Inf, if (a < 0) -2 / a else Inf,
                 if (a == 0) pnorm(u) else pgamma(2 / a * u + 4 / a^2, 4 / a^2, lower.tail = a > 0),
                 if (a == 0) dnorm(u, log = TRUE)
                 else dgamma(2 / a * u + 4 / a^2, 4 / a^2, log = TRUE) + log(2 / abs(a))),
  gennorm = law("+", -Inf, Inf, both(u, pgamma(abs(u)^a, 1 / a)),
                log(a / 2) - lgamma(1 / a) - abs(u)^a),
  halfgennorm = law("+", 0, Inf, pgamma(u^a, 1 / a), log(a) - lgamma(1 / a) - u^a),
  dgamma = law("+", -Inf, Inf, both(u, pgamma(abs(u), a)),
               dgamma(abs(u), a, log = TRUE) - log(2)),
  dweibull = law("+", -Inf, Inf, both(u, pweibull(abs(u), a)),
                 dweibull(abs(u), a, log = TRUE) - log(2)),
  levy = law("", 0, Inf, 2 * pnorm(-1 / sqrt(u)), -log(2 * pi * u^3) / 2 - 1 / (2 * u)),
  levy_l = law("", -Inf, 0, 1 - 2 * pnorm(-1 / sqrt(-u)), -log(2 * pi * (-u)^3) / 2 + 1 / (2 * u)),
  moyal = law("", -Inf, Inf, 2 * pnorm(-exp(-u / 2)), -(u + exp(-u) + log(2 * pi)) / 2),
  alpha = law("+", 0, Inf, pnorm(a - 1 / u) / pnorm(a),
              dnorm(a - 1 / u, log = TRUE) - 2 * log(u) - pnorm(a, log.p = TRUE)),
  arcsine = law("", 0, 1, pbeta(u, 0.5, 0.5), dbeta(u, 0.5, 0.5, log = TRUE)),
  powerlaw = law("+", 0, 1, pbeta(u, a, 1), log(a) + (a - 1) * log(u)),
  rdist = law("+", -1, 1, pbeta((u + 1) / 2, a / 2, a / 2),
              dbeta((u + 1) / 2, a / 2, a / 2, log = TRUE) - log(2)),
  semicircular = law("", -1, 1, pbeta((u + 1) / 2, 1.5, 1.5), log(2 / pi) + log(1 - u^2) / 2),
  betaprime = law("++", 0, Inf, pbeta(u / (1 + u), a, b),
                  dbeta(u / (1 + u), a, b, log = TRUE) - 2 * log1p(u)),
  argus = law("+", 0, 1, 1 - pgamma(a^2 * (1 - u^2) / 2, 1.5) / pgamma(a^2 / 2, 1.5),
              3 * log(a) - log(pi / 2) / 2 - log(pgamma(a^2 / 2, 1.5)) + log(u) +
                log(1 - u^2) / 2 - a^2 * (1 - u^2) / 2),
  johnsonsu = law("r+", -Inf, Inf, pnorm(a + b * asinh(u)),
                  dnorm(a + b * asinh(u), log = TRUE) + log(b) - log1p(u^2) / 2),
  johnsonsb = law("r+", 0, 1, pnorm(a + b * qlogis(u)),
                  dnorm(a + b * qlogis(u), log = TRUE) + log(b) - log(u) - log1p(-u)),
  powernorm = law("+", -Inf, Inf, -expm1(a * pnorm(-u, log.p = TRUE)),
                  log(a) + dnorm(u, log = TRUE) + (a - 1) * pnorm(-u, log.p = TRUE)),
  powerlognorm = law("++", 0, Inf, -expm1(a * pnorm(-log(u) / b, log.p = TRUE)),
                     log(a) + dlnorm(u, 0, b, log = TRUE) +
                       (a - 1) * pnorm(-log(u) / b, log.p = TRUE)),
  exponnorm = law("+", -Inf, Inf, pnorm(u) - exp(log_tilted(u, a)), log_tilted(u, a) - log(a)),
  invgauss = law("+", 0, Inf, inverse_gaussian(u, a),
                 -log(2 * pi * u^3) / 2 - (u / a - 1)^2 / (2 * u)),
  wald = law("", 0, Inf, inverse_gaussian(u, 1), -log(2 * pi * u^3) / 2 - (u - 1)^2 / (2 * u)),
  recipinvgauss = law("+", 0, Inf, 1 - inverse_gaussian(1 / u, a),
                      -log(2 * pi * u) / 2 - (1 / a - u)^2 / (2 * u)),
  fatiguelife = law("+", 0, Inf, pnorm((sqrt(u) - 1 / sqrt(u)) / a),
                    dnorm((sqrt(u) - 1 / sqrt(u)) / a, log = TRUE) +
                      log1p(u) - log(2 * a) - 1.5 * log(u)),
  truncnorm = law("rr", if (a < b) a else NaN, b, (pnorm(u) - pnorm(a)) / (pnorm(b) - pnorm(a)),
                  dnorm(u, log = TRUE) - log(pnorm(b) - pnorm(a))),
  skewnorm = law("r", -Inf, Inf, pnorm(u) - 2 * owen(u, a),
                 log(2) + dnorm(u, log = TRUE) + pnorm(a * u, log.p = TRUE)),
  skewcauchy = law("1", -Inf, Inf, (1 - a) / 2 + (1 + a * sign(u)) / pi * atan(u / (1 + a * sign(u))),
                   dcauchy(u / (1 + a * sign(u)), log = TRUE)),
  jf_skew_t = law("++", -Inf, Inf, pbeta((1 + u / sqrt(a + b + u^2)) / 2, a, b),
                  (a + 0.5) * log1p(u / sqrt(a + b + u^2)) + (b + 0.5) * log1p(-u / sqrt(a + b + u^2)) -
                    (a + b - 1) * log(2) - lbeta(a, b) - log(a + b) / 2),
  # Closed forms.
  gumbel_r = law("", -Inf, Inf, exp(-exp(-u)), -u - exp(-u)),
  gumbel_l = law("", -Inf, Inf, -expm1(-exp(u)), u - exp(u)),
  genextreme = law("r", if (a < 0) 1 / a else -Inf, if (a > 0) 1 / a else Inf,
                   if (a == 0) exp(-exp(-u)) else exp(-(1 - a * u)^(1 / a)),
                   if (a == 0) -u - exp(-u)
                   else (1 / a - 1) * log1p(-a * u) - exp(log1p(-a * u) / a)),
  genpareto = law("r", 0, if (a < 0) -1 / a else Inf,
                  if (a == 0) -expm1(-u) else -expm1(-log1p(a * u) / a),
                  if (a == 0) -u else -(1 + 1 / a) * log1p(a * u)),
  pareto = law("+", 1, Inf, -expm1(-a * log(u)), log(a) - (a + 1) * log(u)),
  lomax = law("+", 0, Inf, -expm1(-a * log1p(u)), log(a) - (a + 1) * log1p(u)),
  fisk = law("+", 0, Inf, plogis(a * log(u)), dlogis(a * log(u), log = TRUE) + log(a) - log(u)),
  loglaplace = law("+", 0, Inf, ifelse(u < 1, u^a / 2, 1 - u^-a / 2),
                   log(a / 2) - log(u) - a * abs(log(u))),
  burr = law("++", 0, Inf, plogis(a * log(u))^b, log_burr(u, a, b)),
  mielke = law("++", 0, Inf, plogis(b * log(u))^(a / b), log_burr(u, b, a / b)),
  burr12 = law("++", 0, Inf, -expm1(-b * log1p(u^a)),
               log(a * b) + (a - 1) * log(u) - (b + 1) * log1p(u^a)),
  kappa3 = law("+", 0, Inf, u * (a + u^a)^(-1 / a), log(a) - (1 + 1 / a) * log(a + u^a)),
  laplace = law("", -Inf, Inf, both(u, -expm1(-abs(u))), -abs(u) - log(2)),
  laplace_asymmetric = law("+", -Inf, Inf,
                           ifelse(u < 0, exp(u / a) * a^2, 1 + a^2 - exp(-u * a)) / (1 + a^2),
                           ifelse(u < 0, u / a, -u * a) - log(a + 1 / a)),
  hypsecant = law("", -Inf, Inf, 2 / pi * atan(exp(u)), -log(pi * cosh(u))),
  genlogistic = law("+", -Inf, Inf, exp(a * plogis(u, log.p = TRUE)),
                    log(a) + dlogis(u, log = TRUE) + (a - 1) * plogis(u, log.p = TRUE)),
  genhalflogistic = law("+", 0, 1 / a, (1 - (1 - a * u)^(1 / a)) / (1 + (1 - a * u)^(1 / a)),
                        log(2) + (1 / a - 1) * log1p(-a * u) - 2 * log1p((1 - a * u)^(1 / a))),
  gompertz = law("+", 0, Inf, -expm1(-a * expm1(u)), log(a) + u - a * expm1(u)),
  exponpow = law("+", 0, Inf, -expm1(-expm1(u^a)),
                 1 + log(a) + (a - 1) * log(u) + u^a - exp(u^a)),
  truncexpon = law("+", 0, a, expm1(-u) / expm1(-a), -u - log(-expm1(-a))),
  truncpareto = law("r>", 1, b, expm1(-a * log(u)) / expm1(-a * log(b)),
                    log(a / -expm1(-a * log(b))) - (a + 1) * log(u)),
  bradford = law("+", 0, 1, log1p(a * u) / log1p(a), log(a) - log1p(a * u) - log(log1p(a))),
  loguniform = law("++", if (a < b) a else NaN, b, log(u / a) / log(b / a), -log(u) - log(log(b / a))),
  reciprocal = law("++", if (a < b) a else NaN, b, log(u / a) / log(b / a), -log(u) - log(log(b / a))),
  triang = law("0", 0, 1, ifelse(u < a | a == 1, u^2 / a, 1 - (1 - u)^2 / (1 - a)),
               log(2) + ifelse(u < a | a == 1, log(u / a), log((1 - u) / (1 - a)))),
  anglit = law("", -pi / 4, pi / 4, sin(u + pi / 4)^2, log(cos(2 * u))),
  cosine = law("", -pi, pi, (pi + u + sin(u)) / (2 * pi), log((1 + cos(u)) / (2 * pi)))
)
log_burr <- function(u, c, d)
  log(c * d) - log(u) + plogis(-c * log(u), log.p = TRUE) + d * plogis(c * log(u), log.p = TRUE)
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
  l <- log1p((s - max(s)) / max(s))
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
