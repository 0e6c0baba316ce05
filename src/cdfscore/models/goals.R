# What n topics reach, of each goal with a formula; variance is that which the goal rests on.
paired_t <- function(n, variance, difference, alpha)
  power.t.test(n, difference, sqrt(variance), alpha, type = "paired", strict = TRUE)$power

one_way <- function(n, variance, difference, alpha, systems)
  power_of_f(c(systems - 1, systems * (n - 1)), n * difference^2 / (2 * variance), alpha)

two_way <- function(n, variance, difference, alpha, systems)
  power_of_f(c(systems - 1, (systems - 1) * (n - 1)), n * difference^2 / (2 * variance), alpha)

# As power.anova.test has it, but for qf, which takes more than 400,000 degrees of freedom for
# infinitely many.
power_of_f <- function(df, ncp, alpha) {
  q <- (1 / qbeta(alpha, df[2] / 2, df[1] / 2) - 1) * df[2] / df[1]
  pf(q, df[1], df[2], ncp, lower.tail = FALSE)
}

interval <- function(n, variance, alpha) {
  # gamma(n / 2) / gamma((n - 1) / 2), of which beta keeps the digits.
  expected <- sqrt(2 * variance / (n - 1)) * sqrt(pi) / beta((n - 1) / 2, 1 / 2)
  2 * qt(alpha / 2, n - 1, lower.tail = FALSE) * expected / sqrt(n)
}

# Of the two coefficients of reliability, variance has the components: systems, topics, residual.
generalizability <- function(n, variance)
  variance[["systems"]] / (variance[["systems"]] + variance[["residual"]] / n)

dependability <- function(n, variance)
  variance[["systems"]] / (variance[["systems"]] + sum(variance[c("topics", "residual")]) / n)
