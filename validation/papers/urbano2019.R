# The experiments of Urbano, Lima and Hanjalic (2019) as an R user writes them, from the paper.
# A matrix X has topics as rows and systems as columns. Trial 1 has seed 501.

alphas <- c(1:9 / 1000, 1:10 / 100)

# All five schemes, fitted on all topics. A constant topic gets mean 0 and sd 1, as in 2019.
standardized <- function(X) {
  m <- rowMeans(X)
  s <- apply(X, 1, sd)
  m[s == 0] <- 0
  s[s == 0] <- 1
  z <- (X - m) / s
  list("raw" = X, "N-std" = pnorm(z), "U-std" = pmax(pmin(0.15 * z + 0.5, 1), 0), "z-std" = z,
       "E-std" = t(apply(X, 1, function(x) ecdf(x)(x))))
}

collection <- function(file) standardized(as.matrix(read.csv(file)))

# Of each item below the top of y, the share of those above it in y that are above it in x too.
tau_ap_of_y <- function(x, y) {
  below <- which(y < max(y))
  2 * mean(sapply(below, function(i) mean(x[y > y[i]] > x[i]))) - 1
}

coefficients_of <- function(x, y)
  c(cor(x, y, method = "kendall"), (tau_ap_of_y(x, y) + tau_ap_of_y(y, x)) / 2, cor(x, y))

# Rows of the collections of a trial: one, or two that are disjoint.
within_rows <- function(topics, trial) {
  set.seed(500 + trial)
  sample(1:topics, 50)
}

between_rows <- function(topics, trial) {
  n <- min(floor(topics / 2), 50)
  set.seed(500 + trial)
  rows <- sample(1:topics, 2 * n)
  list(head(rows, n), tail(rows, n))
}

# tau, tauAP and r of a trial.
within_coefficients <- function(raw, X, trial) {
  rows <- within_rows(nrow(X), trial)
  coefficients_of(colMeans(raw[rows, ]), colMeans(X[rows, ]))
}

between_coefficients <- function(raw, X, trial) {
  rows <- between_rows(nrow(X), trial)
  coefficients_of(colMeans(X[rows[[1]], ]), colMeans(X[rows[[2]], ]))
}

# p values of a trial: of different systems, and of systems against themselves.
within_p <- function(X, trial) {
  X <- X[within_rows(nrow(X), trial), ]
  list(power = combn(ncol(X), 2, function(k)
    t.test(X[, k[1]], X[, k[2]], paired = TRUE)$p.value))
}

between_p <- function(X, trial) {
  rows <- between_rows(nrow(X), trial)
  Y <- X[rows[[2]], ]
  X <- X[rows[[1]], ]
  p <- sapply(seq_len(ncol(Y)), function(j)
    sapply(seq_len(ncol(X)), function(i) t.test(X[, i], Y[, j])$p.value))
  list(power = p[row(p) != col(p)], type1 = diag(p))
}

# A row of power, and of type I error: how many tests there are, the counts, and the rates.
summary_of_p <- function(p) t(sapply(p, function(p)
  c(sum(!is.na(p)), sapply(alphas, function(a) sum(p <= a, na.rm = TRUE)),
    round(ecdf(p)(alphas), 6))))

# An array (coefficients, trials, schemes).
coefficients_of_trials <- function(experiment, schemes, trials) {
  run <- get(paste0(experiment, "_coefficients"))
  sapply(schemes, function(X) sapply(seq_len(trials), function(k)
    round(run(schemes$raw, X, k), 6)), simplify = "array")
}

# An array (power and type I error, summary, trials, schemes); `chosen` are names of schemes.
tests_of_trials <- function(experiment, schemes, trials, chosen) {
  run <- get(paste0(experiment, "_p"))
  sapply(schemes[chosen], function(X) sapply(seq_len(trials), function(k)
    summary_of_p(run(X, k)), simplify = "array"), simplify = "array")
}

# Seconds of trial 1 under one scheme.
seconds_of_trial <- function(experiment, schemes, scheme) {
  start <- proc.time()[["elapsed"]]
  get(paste0(experiment, "_coefficients"))(schemes$raw, schemes[[scheme]], 1)
  summary_of_p(get(paste0(experiment, "_p"))(schemes[[scheme]], 1))
  proc.time()[["elapsed"]] - start
}
