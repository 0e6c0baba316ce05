# Mixed model of scores y (topics x systems) with random topics, by mixed_model.R: the numbers to
# compare, each a matrix with one row. factors: a list of the levels of each system, by the name of
# the factor; random: the random terms with a variance; at_0: those whose variance is to be 0;
# components, terms, coefficients: the names of variances, fixed terms and coefficients.
analyze_mixed <- function(y, factors, formula, random, at_0, method, components, terms,
                          coefficients) {
  if (!requireNamespace("nlme", quietly = TRUE))
    stop("the package nlme is not installed; expected R's recommended packages")
  row_of <- function(values, labels) matrix(values, 1, dimnames = list("", labels))
  y <- unname(y)
  # nlme and its twin have names of their own in the data, and none with other characters.
  taken <- c("score", "topic", paste0("random_", seq_along(components)))
  plain <- make.names(c(taken, names(factors)), unique = TRUE)[-seq_along(taken)]
  for (i in seq_along(plain))
    formula <- gsub(paste0("`", names(factors)[i], "`"), plain[i], formula, fixed = TRUE)
  in_plain <- function(random) {
    parts <- lapply(strsplit(as.character(random), ":", fixed = TRUE), setdiff, "topic")
    vapply(parts, function(own)
      paste(c("topic", plain[match(own, names(factors))]), collapse = ":"), "")
  }
  names_of_found <- c(random, "residual", at_0)
  random <- in_plain(random)
  at_0 <- in_plain(at_0)
  factors <- setNames(data.frame(factors, check.names = FALSE), plain)
  model <- if (length(random)) mixed_model(y, factors, formula, random, method) else
    without_random(y, factors, formula, method)
  data <- long_frame(y, factors)
  parts <- parts_of_likelihood(data, formula, c(random, at_0), method, model)
  found <- seq_along(random)
  inside <- c(found, length(parts$slope))
  # A variance is 0 if the likelihood falls as it grows.
  falls <- parts$slope[-inside] >= 0
  variances <- setNames(c(model$variances, ifelse(falls, 0, NA)), names_of_found)
  of_variances <- 2 * solve(parts$curvature[inside, inside, drop = FALSE])
  # The estimates of combinations by rows, their standard errors, and degrees of freedom.
  estimates <- function(rows) {
    variance <- rowSums((rows %*% model$covariance) * rows)
    change <- do.call(cbind, lapply(parts$change[inside],
                                    function(by) rowSums((rows %*% by) * rows)))
    list(value = drop(rows %*% model$coefficients), stderr = sqrt(variance),
         df = 2 * variance^2 / rowSums((change %*% of_variances) * change))
  }
  each <- estimates(diag(length(model$coefficients)))
  t <- each$value / each$stderr
  of_term <- attr(parts$design, "assign")
  tests <- sapply(seq_along(terms), function(i) {
    rows <- hypothesis(data, attr(parts$terms, "term.labels")[i], of_term == i)
    axes <- eigen(rows %*% model$covariance %*% t(rows), symmetric = TRUE)$vectors
    own <- estimates(t(axes) %*% rows)
    f <- mean((own$value / own$stderr)^2)
    expected <- sum(own$df / (own$df - 2))
    df <- if (min(own$df) <= 2) 2 else 2 * expected / (expected - nrow(rows))
    c(f, df, pf(f, nrow(rows), df, lower.tail = FALSE))
  })
  list("variance" = row_of(variances[components], components),
       "log-likelihood" = row_of(model$log_likelihood, method),
       "coefficient" = row_of(each$value, coefficients),
       "stderr of coefficient" = row_of(each$stderr, coefficients),
       "degrees of freedom of t" = row_of(each$df, coefficients),
       "t" = row_of(t, coefficients),
       "p value of t" = row_of(2 * pt(-abs(t), each$df), coefficients),
       "F" = row_of(tests[1, ], terms),
       "degrees of freedom of F" = row_of(tests[2, ], terms),
       "p value of F" = row_of(tests[3, ], terms))
}

# The model of no random terms, as mixed_model gives it.
without_random <- function(y, factors, formula, method) {
  data <- long_frame(y, factors)
  used <- setdiff(all.vars(as.formula(formula)), "score")
  model <- lm(as.formula(formula), data, contrasts = in_sum_contrasts(used))
  reml <- method == "REML"
  variance <- deviance(model) / (if (reml) df.residual(model) else nrow(data))
  list(variances = variance, coefficients = coef(model),
       covariance = variance * summary(model)$cov.unscaled,
       log_likelihood = as.numeric(logLik(model, REML = reml)))
}

in_sum_contrasts <- function(names) setNames(rep(list("contr.sum"), length(names)), names)

# Orthonormal contrasts of the cells of a term, as rows of coefficients.
hypothesis <- function(data, term, places) {
  own <- strsplit(term, ":", fixed = TRUE)[[1]]
  roots <- lapply(rev(own), function(name) qr.R(qr(contr.sum(nlevels(data[[name]])))))
  rows <- matrix(0, sum(places), length(places))
  rows[, places] <- Reduce(kronecker, roots)
  rows
}

# Of minus twice the logarithm of the likelihood, by the variances of the random terms and, last, of
# the residuals: its slope and curvature. change has the derivatives of the covariance of the
# coefficients. Each topic has its matrix of covariances V of the scores: nothing is simplified.
parts_of_likelihood <- function(data, formula, random, method, model) {
  terms <- delete.response(terms(as.formula(formula)))
  used <- all.vars(terms)
  design <- model.matrix(terms, data, contrasts.arg = in_sum_contrasts(used))
  left <- data$score - drop(design %*% model$coefficients)
  levels <- lapply(random, function(term) as.integer(within_topic(data, term)))
  count <- length(random) + 1
  variances <- append(model$variances, rep(0, count - length(model$variances)),
                      after = length(model$variances) - 1)
  pairs <- expand.grid(i = seq_len(count), j = seq_len(count))
  of_pairs <- function(own) mapply(own, pairs$i, pairs$j)
  p <- ncol(design)
  slope <- trace <- numeric(count)
  square <- product <- matrix(0, count, count)
  by <- rep(list(matrix(0, p, p)), count)
  by_two <- rep(list(matrix(0, p, p)), count^2)
  across <- matrix(0, p, count)
  for (rows in split(seq_len(nrow(data)), data$topic)) {
    of_each <- c(lapply(levels, function(level) 1 * outer(level[rows], level[rows], "==")),
                 list(diag(length(rows))))
    inverse <- solve(Reduce(`+`, Map(`*`, of_each, variances)))
    x <- inverse %*% design[rows, , drop = FALSE]
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
  covariance <- model$covariance
  change <- lapply(by, function(own) covariance %*% own %*% covariance)
  curvature <- 2 * (product - t(across) %*% covariance %*% across) - square
  slope <- slope + trace
  if (method == "REML") {
    slope <- slope - sapply(by, function(own) sum(covariance * own))
    curvature <- curvature + 2 * sapply(by_two, function(own) sum(covariance * own)) -
      of_pairs(function(i, j) sum(change[[i]] * by[[j]]))
  }
  list(terms = terms, design = design, slope = slope, curvature = curvature, change = change)
}
