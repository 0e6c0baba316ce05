# The bandwidth of Botev, Grotowski and Kroese (2010), by the diffusion of a density.
# x: the reference scores of a topic, two or more that are not all equal.
bandwidth_rule <- function(x) {
  width <- 1.2 * diff(range(x))
  k <- 1:2048
  cosines <- colMeans(cospi(outer((x - min(x)) / width + 1 / 12, k)))
  n <- length(unique(x))
  squared <- function(s, t) 2 * pi^(2 * s) * sum(k^(2 * s) * cosines^2 * exp(-(k * pi)^2 * t))
  excess <- function(t) {
    f <- squared(7, t)
    for (s in 6:2) {
      odd <- prod(seq(1, 2 * s - 1, by = 2)) / sqrt(2 * pi)
      f <- squared(s, (2 * (1 + 0.5^(s + 0.5)) / 3 * odd / (n * f))^(2 / (3 + 2 * s)))
    }
    t - (2 * n * sqrt(pi) * f)^(-2 / 5)
  }
  times <- exp(seq(log(1e-6), log(0.1), length.out = 51))
  values <- vapply(times, excess, numeric(1))
  rises <- which(values[-51] < 0 & values[-1] >= 0)
  if (!length(rises)) stop("the equation of the diffusion has no solution")
  bracket <- times[rises[1] + 0:1]
  sqrt(uniroot(excess, bracket, tol = 1e-18)$root) * width
}
