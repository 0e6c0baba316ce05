# What n topics reach, of each goal with a formula; variance is that which the goal rests on.
paired_t <- function(n, variance, difference, alpha)
  power.t.test(n, difference, sqrt(variance), alpha, type = "paired", strict = TRUE)$power

one_way <- function(n, variance, difference, alpha, systems)
  power.anova.test(systems, n, difference^2 / (2 * (systems - 1)), variance, alpha)$power

two_way <- function(n, variance, difference, alpha, systems) {
  df <- c(systems - 1, (systems - 1) * (n - 1))
  ncp <- n * difference^2 / (2 * variance)
  pf(qf(alpha, df[1], df[2], lower.tail = FALSE), df[1], df[2], ncp, lower.tail = FALSE)
}

interval <- function(n, variance, alpha) {
  expected <- sqrt(2 * variance / (n - 1)) * exp(lgamma(n / 2) - lgamma((n - 1) / 2))
  2 * qt(alpha / 2, n - 1, lower.tail = FALSE) * expected / sqrt(n)
}

# Of the two coefficients of reliability, variance has the components: systems, topics, residual.
generalizability <- function(n, variance)
  variance[["systems"]] / (variance[["systems"]] + variance[["residual"]] / n)

dependability <- function(n, variance)
  variance[["systems"]] / (variance[["systems"]] + sum(variance[c("topics", "residual")]) / n)
