# Fit a mixed model of scores y (topics x systems) with random topics, by mixed_model.R. Returns the
# numbers to compare, each as a matrix with one row. factors: a list of the levels of each system,
# by the name of the factor. random: the random terms. at_0: the random terms with a variance of 0.
# at_0_within: the same for the model of differences within topics, NULL if the variance of topic is
# not 0. components, terms, coefficients: the names of variances, fixed terms and coefficients.
# means: the labels of the marginal means of each term, in their order.
analyze_mixed <- function(y, factors, formula, random, at_0, at_0_within, method, components,
                          terms, coefficients, means) {
  if (!requireNamespace("nlme", quietly = TRUE))
    stop("the package nlme is not installed; expected R's recommended packages")
  row_of <- function(values, labels) matrix(values, 1, dimnames = list("", labels))
  factors <- data.frame(factors, check.names = FALSE)
  design <- mixed_design(unname(y), factors, formula, random)
  fitted <- function(...) tryCatch(fit_with_slopes(...), error = function(e) stop(
    "the mixed model cannot be fitted in R, as nlme loses digits if a variance is 1e6 times ",
    "another (", conditionMessage(e), "); expected statsmodels as the judge, against=statsmodels",
    call. = FALSE))
  whole <- model <- fitted(design, at_0, method)
  if (!is.null(at_0_within)) {
    model <- fitted(within_topics(design), at_0_within, method)
    model <- with_mean_of_topics(model, design, ncol(y))
    model$variances <- c(whole$variances["topic"], model$variances)
  }
  # Estimates of linear combinations (rows), their standard errors, and degrees of freedom.
  estimates <- function(rows) {
    variance <- rowSums((rows %*% model$covariance) * rows)
    change <- do.call(cbind, lapply(model$change, function(by) rowSums((rows %*% by) * rows)))
    df <- 2 * variance^2 / rowSums((change %*% model$of_variances) * change)
    means <- rows[, 1] != 0
    if (!is.null(model$over_topics) && any(means)) {
      own <- model$over_topics(rows[means, , drop = FALSE])
      variance[means] <- own$variance
      df[means] <- own$df
    }
    # A combination without variance, except for rounding errors, has no test.
    variance[variance <= 1e-20 * model$variances[["residual"]]] <- 0
    list(value = drop(rows %*% model$coefficients), stderr = sqrt(variance), df = df)
  }
  each <- estimates(diag(length(model$coefficients)))
  constant <- each$stderr == 0
  each$df[constant] <- NA
  t <- ifelse(constant, NA, each$value / each$stderr)
  places <- attr(design$x, "assign")
  levels <- lapply(factors, function(labels) length(unique(labels)))
  tests <- sapply(seq_along(terms), function(i) {
    rows <- matrix(0, sum(places == i), length(places))
    rows[, places == i] <- hypothesis(levels[strsplit(terms[i], ":", fixed = TRUE)[[1]]])
    axes <- eigen(rows %*% model$covariance %*% t(rows), symmetric = TRUE)$vectors
    own <- estimates(t(axes) %*% rows)
    f <- mean((own$value / own$stderr)^2)
    expected <- sum(own$df / (own$df - 2))
    df <- if (diff(range(own$df)) <= 1e-8 * max(own$df)) mean(own$df) else
      if (min(own$df) <= 2) 2 else 2 * expected / (expected - nrow(rows))
    c(f, df, pf(f, nrow(rows), df, lower.tail = FALSE))
  })
  found <- list("variance" = row_of(model$variances[components], components),
                "log-likelihood" = row_of(whole$log_likelihood, method),
                "coefficient" = row_of(each$value, coefficients),
                "stderr of coefficient" = row_of(each$stderr, coefficients),
                "degrees of freedom of t" = row_of(each$df, coefficients),
                "t" = row_of(t, coefficients),
                "p value of t" = row_of(2 * pt(-abs(t), each$df), coefficients),
                "F" = row_of(tests[1, ], terms),
                "degrees of freedom of F" = row_of(tests[2, ], terms),
                "p value of F" = row_of(tests[3, ], terms))
  data <- long_frame(unname(y), factors)
  for (term in terms) {
    rows <- mean_rows(as.formula(formula), data, term)[means[[term]], , drop = FALSE]
    found <- c(found, mixed_means(rows, term, estimates, row_of))
  }
  found
}

# Marginal means, as rows of weights of the coefficients, and all their differences, with Tukey's p
# values.
mixed_means <- function(rows, term, estimates, row_of) {
  labels <- rownames(rows)
  pairs <- combn(length(labels), 2)
  both <- paste(labels[pairs[1, ]], "-", labels[pairs[2, ]])
  mean <- estimates(rows)
  difference <- estimates(rows[pairs[1, ], , drop = FALSE] - rows[pairs[2, ], , drop = FALSE])
  t <- difference$value / difference$stderr
  tukey <- vapply(seq_along(t), function(i)
    studentized_range_tail(length(labels), difference$df[i])(sqrt(2) * abs(t[i])), 0)
  found <- list("mean" = row_of(mean$value, labels), "stderr of mean" = row_of(mean$stderr, labels),
                "degrees of freedom of mean" = row_of(mean$df, labels),
                "difference" = row_of(difference$value, both),
                "stderr of difference" = row_of(difference$stderr, both),
                "degrees of freedom of difference" = row_of(difference$df, both),
                "t" = row_of(t, both),
                "p value of t" = row_of(2 * pt(-abs(t), difference$df), both),
                "p by tukey" = row_of(tukey, both))
  setNames(found, paste0(term, ": ", names(found)))
}

# Orthonormal contrasts of the cells of a term, from the numbers of levels of its factors.
hypothesis <- function(levels)
  Reduce(kronecker, lapply(rev(levels), function(count) qr.R(qr(contr.sum(count)))))

# Fit the model without the terms at_0. Their variance is 0 if the likelihood decreases as it grows.
# change: the derivatives of the covariance of the coefficients by the variances that are not 0.
# of_variances: the covariance of the estimates of these variances.
fit_with_slopes <- function(design, at_0, method) {
  fitted <- design
  fitted$z <- design$z[setdiff(names(design$z), at_0)]
  found <- c(names(fitted$z), "residual")
  variances <- setNames(numeric(length(design$z) + 1), c(names(design$z), "residual"))
  # That they are only a start tells the reader of a warning how much it matters.
  start <- withCallingHandlers(fit_mixed(fitted, method), warning = function(w) {
    warning("nlme, of the start of the search: ", conditionMessage(w), call. = FALSE)
    invokeRestart("muffleWarning")
  })
  variances[found] <- start$variances
  model <- greatest(design, variances, found, method)
  variances <- model$variances
  model$variances <- replace(variances, variances == 0 & model$slope < 0, NA)
  model$change <- model$change[found]
  model$of_variances <- 2 * solve(model$curvature[found, found, drop = FALSE])
  model
}

# Maximize the likelihood by Newton's method, starting from the estimates of nlme. Those have
# relative errors of up to 1e-4 for small variances, and nlme warns if its search has not converged.
greatest <- function(design, variances, found, method) {
  for (step in 1:100) {
    parts <- parts_of_likelihood(design, variances, method)
    own <- variances[found]
    axes <- eigen(outer(own, own) * parts$curvature[found, found], symmetric = TRUE)
    along <- drop(t(axes$vectors) %*% (own * parts$slope[found])) / abs(axes$values)
    change <- pmin(pmax(-drop(axes$vectors %*% along), -0.9), 10)
    if (max(abs(change)) < 1e-8) return(c(list(variances = variances), parts))
    variances[found] <- own * (1 + change)
  }
  stop("the likelihood has not converged")
}

# Add the intercept to the model within topics: the mean over topics of the scores without the
# effects of the columns. over_topics: the variance and the degrees of freedom of combinations (rows)
# with the intercept, which are means over topics.
with_mean_of_topics <- function(model, design, slots) {
  topics <- split(seq_along(design$topic), design$topic)
  x <- design$x[, -1, drop = FALSE]
  within <- design$z[names(design$z) != "topic"]
  variances <- model$variances[c(names(within), "residual")]
  variances[is.na(variances)] <- 0
  parts <- lapply(topics, function(rows) {
    own <- list(x = x[rows, , drop = FALSE], y = design$score[rows], n = length(rows))
    of_each <- covariances_of(list(z = within), rows)
    own$covariance <- Reduce(`+`, Map(`*`, of_each, variances))
    own$weights <- matrix(0, own$n, own$n)
    if (own$n > 1) {
      by <- t(contr.helmert(own$n))
      own$weights <- t(by) %*% solve(by %*% own$covariance %*% t(by), by)
    }
    own$centre <- colMeans(own$x)
    own
  })
  centre <- colMeans(do.call(rbind, lapply(parts, `[[`, "centre")))
  mean <- mean(vapply(parts, function(own) mean(own$y), 0)) - sum(centre * model$coefficients)
  model$coefficients <- c(mean, model$coefficients)
  alone <- function(own) rbind(0, cbind(0, own))
  model$covariance <- alone(model$covariance)
  model$change <- lapply(model$change, alone)
  complete <- all(vapply(parts, `[[`, 0, "n") == slots)
  model$over_topics <- if (complete) one_number_of_each(parts) else
    influence_of_each(parts, centre, model$coefficients)
  model
}

# If no score is missing, each topic by itself has an estimate of the effects and of the means: their
# mean over topics has the standard error of the mean of a sample.
one_number_of_each <- function(parts) {
  alone <- t(vapply(parts, function(own) {
    by <- t(contr.helmert(own$n))
    root <- chol(by %*% own$covariance %*% t(by))
    effects <- coef(lm.fit(backsolve(root, by %*% own$x, transpose = TRUE),
                           backsolve(root, by %*% own$y, transpose = TRUE)))
    c(mean(own$y) - sum(own$centre * effects), effects)
  }, numeric(1 + ncol(parts[[1]]$x))))
  function(rows) {
    found <- lapply(seq_len(nrow(rows)), function(i) lm(drop(alone %*% rows[i, ]) ~ 1))
    list(variance = vapply(found, vcov, 0), df = vapply(found, df.residual, 0))
  }
}

# With missing scores: the squares of the influence u of each topic on a mean. They are multiplied by
# the ratio of its variance and their expectation; df = 2 E^2 / var of their sum.
influence_of_each <- function(parts, centre, coefficients) {
  of_columns <- solve(Reduce(`+`, lapply(parts, function(own) t(own$x) %*% own$weights %*% own$x)))
  parts <- lapply(parts, function(own) {
    own$by <- rbind(1 / (own$n * length(parts)), of_columns %*% t(own$x) %*% own$weights)
    own$columns <- cbind(1, sweep(own$x, 2, centre))
    own$left <- own$y - drop(cbind(1, own$x) %*% coefficients)
    own
  })
  of_both <- Reduce(`+`, lapply(parts, function(own) own$by %*% own$covariance %*% t(own$by)))
  function(rows) {
    rows[, -1] <- rows[, -1, drop = FALSE] - outer(rows[, 1], centre)
    found <- apply(rows, 1, function(row) {
      g <- lapply(parts, function(own) drop(row %*% own$by))
      u <- mapply(function(own, g) sum(g * own$left), parts, g)
      variance <- mapply(function(own, g) sum(g * (own$covariance %*% g)), parts, g)
      moved <- t(mapply(function(own, g) drop(g %*% own$columns), parts, g))
      shared <- moved %*% mapply(function(own, g) drop(own$by %*% own$covariance %*% g), parts, g)
      of_u <- diag(variance) - shared - t(shared) + moved %*% of_both %*% t(moved)
      trace <- sum(diag(of_u))
      c(sum(u^2) * sum(variance) / trace, trace^2 / sum(of_u^2))
    })
    list(variance = found[1, ], df = found[2, ])
  }
}

# First and second derivatives (slope, curvature) of minus twice the log-likelihood at these
# variances; the last variance is that of the residuals. change: the derivatives of the covariance
# of the coefficients. Each topic has its full covariance matrix V of the scores, without
# simplification.
parts_of_likelihood <- function(design, variances, method) {
  topics <- split(seq_along(design$topic), design$topic)
  fixed <- fixed_effects_at(design, variances, topics, method)
  left <- design$score - drop(design$x %*% fixed$coefficients)
  covariance <- fixed$covariance
  count <- length(variances)
  pairs <- expand.grid(i = seq_len(count), j = seq_len(count))
  of_pairs <- function(own)
    matrix(mapply(own, pairs$i, pairs$j), count, dimnames = rep(list(names(variances)), 2))
  p <- ncol(design$x)
  slope <- trace <- setNames(numeric(count), names(variances))
  square <- product <- matrix(0, count, count)
  by <- setNames(rep(list(matrix(0, p, p)), count), names(variances))
  by_two <- rep(list(matrix(0, p, p)), count^2)
  across <- matrix(0, p, count)
  for (rows in topics) {
    of_each <- covariances_of(design, rows)
    inverse <- inverse_of(of_each, variances)
    x <- inverse %*% design$x[rows, , drop = FALSE]
    r <- inverse %*% left[rows]
    moved <- lapply(of_each, function(own) inverse %*% own)
    of_x <- lapply(of_each, function(own) own %*% x)
    of_r <- matrix(sapply(of_each, function(own) own %*% r), length(rows))
    trace <- trace + sapply(moved, function(own) sum(diag(own)))
    slope <- slope - drop(t(of_r) %*% r)
    across <- across + t(x) %*% of_r
    by <- Map(function(sum, own) sum + t(x) %*% own, by, of_x)
    by_two <- Map(function(sum, i, j) sum + t(of_x[[i]]) %*% inverse %*% of_x[[j]], by_two,
                  pairs$i, pairs$j)
    square <- square + of_pairs(function(i, j) sum(moved[[i]] * t(moved[[j]])))
    product <- product + t(of_r) %*% inverse %*% of_r
  }
  change <- lapply(by, function(own) covariance %*% own %*% covariance)
  curvature <- 2 * (product - t(across) %*% covariance %*% across) - square
  slope <- slope + trace
  if (method == "REML") {
    slope <- slope - sapply(by, function(own) sum(covariance * own))
    curvature <- curvature + 2 * sapply(by_two, function(own) sum(covariance * own)) -
      of_pairs(function(i, j) sum(change[[i]] * by[[j]]))
  }
  c(fixed, list(slope = slope, curvature = curvature, change = change))
}

# The coefficients that maximize the likelihood at these variances, their covariance, and the
# log-likelihood.
fixed_effects_at <- function(design, variances, topics, method) {
  columns <- cbind(design$x, design$score)
  p <- ncol(design$x)
  square <- matrix(0, p + 1, p + 1)
  logarithm <- 0
  for (rows in topics) {
    inverse <- inverse_of(covariances_of(design, rows), variances)
    own <- columns[rows, , drop = FALSE]
    square <- square + t(own) %*% inverse %*% own
    logarithm <- logarithm - as.numeric(determinant(inverse)$modulus)
  }
  inside <- seq_len(p)
  covariance <- solve(square[inside, inside])
  coefficients <- drop(covariance %*% square[inside, p + 1])
  degrees <- length(design$score)
  if (method == "REML") {
    degrees <- degrees - p
    logarithm <- logarithm - as.numeric(determinant(covariance)$modulus)
  }
  residual <- square[p + 1, p + 1] - sum(square[inside, p + 1] * coefficients)
  list(coefficients = coefficients, covariance = covariance,
       log_likelihood = -(degrees * log(2 * pi) + logarithm + residual) / 2)
}

# The parts of the covariance of the scores of a topic: V is their sum, weighted by the variances.
covariances_of <- function(design, rows)
  c(lapply(design$z, function(z) tcrossprod(z[rows, , drop = FALSE])), list(diag(length(rows))))

inverse_of <- function(of_each, variances) chol2inv(chol(Reduce(`+`, Map(`*`, of_each, variances))))
