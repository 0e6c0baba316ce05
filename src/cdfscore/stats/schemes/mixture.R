# Two normal distributions by penalized maximum likelihood: Chen, Tan and Zhang (2008), a_n = 1/n.
# x: scores to standardize; scores: the reference scores of the topic. starts: number of random
# splits of the scores from which EM starts, drawn after set.seed(seed), beside that at the median.
standardize <- function(x, scores, starts = 10, seed = 0)
  do.call(evaluate, c(list(x), estimate(scores, starts, seed)))

estimate <- function(scores, starts = 10, seed = 0) {
  scores <- sort(scores[!is.na(scores)])
  n <- length(scores)
  if (n < 5) stop("mixture needs at least 5 reference scores")
  a <- scores[1]
  if (a == scores[n]) return(list(weight = 0.5, mean_1 = a, sd_1 = 0, mean_2 = a, sd_2 = 0))
  m <- mean(scores)
  s <- sqrt(mean((scores - m)^2))
  z <- (scores - m) / s

  set.seed(seed)
  draws <- rbind(c(0.5, 0), matrix(runif(2 * starts), ncol = 2, byrow = TRUE))
  best <- c(0, 0, 0, 0, 0)  # both components are the normal distribution of all scores
  highest <- penalized(best, z)
  missed <- -Inf
  for (k in seq_len(nrow(draws))) {
    size <- 1 + floor(draws[k, 1] * (n - 1))
    first <- floor(draws[k, 2] * (n - size + 1))
    p <- climb(z, seq_len(n) > first & seq_len(n) <= first + size)
    if (is.null(p)) next
    value <- penalized(p, z)
    if (is.null(attr(p, "arrived"))) missed <- max(missed, value)
    else if (value > highest + 1e-9) { highest <- value; best <- p }
  }
  if (missed > highest + 1e-9) stop("mixture: the likelihood was not maximized from all starts")

  list(weight = plogis(best[1]), mean_1 = m + s * best[2], sd_1 = s * exp(best[4]),
       mean_2 = m + s * best[3], sd_2 = s * exp(best[5]))
}

evaluate <- function(x, weight, mean_1, sd_1, mean_2, sd_2) {
  if (sd_1 == 0) return(ifelse(x < mean_1, 0, ifelse(x > mean_1, 1, 0.5)))  # the limit
  weight * pnorm(x, mean_1, sd_1) + (1 - weight) * pnorm(x, mean_2, sd_2)
}

# p: log odds of the first component, both means, the logarithms of both standard deviations.
logs <- function(p, z) cbind(plogis(p[1], log.p = TRUE) + dnorm(z, p[2], exp(p[4]), log = TRUE),
                             plogis(-p[1], log.p = TRUE) + dnorm(z, p[3], exp(p[5]), log = TRUE))

# Of z with mean 0 and mean square 1.
penalized <- function(p, z) {
  l <- logs(p, z)
  sum(pmax(l[, 1], l[, 2]) + log1p(exp(-abs(l[, 1] - l[, 2])))) -
    sum(exp(-2 * p[4:5]) + 2 * p[4:5]) / length(z)
}

slopes <- function(p, z) {
  l <- logs(p, z)
  r <- plogis(l[, 1] - l[, 2])
  a <- (z - p[2]) / exp(p[4])
  b <- (z - p[3]) / exp(p[5])
  c(sum(r - plogis(p[1])), sum(r * a) / exp(p[4]), sum((1 - r) * b) / exp(p[5]),
    sum(r * (a^2 - 1)) + 2 * (exp(-2 * p[4]) - 1) / length(z),
    sum((1 - r) * (b^2 - 1)) + 2 * (exp(-2 * p[5]) - 1) / length(z))
}

curvature <- function(p, z) {
  h <- sapply(1:5, function(k) {
    d <- 1e-4 * (1:5 == k)
    (8 * (slopes(p + d, z) - slopes(p - d, z)) - slopes(p + 2 * d, z) + slopes(p - 2 * d, z)) /
      12e-4
  })
  (h + t(h)) / 2
}
is_concave <- function(h) max(eigen(h, symmetric = TRUE, only.values = TRUE)$values) < 0

# EM to where the likelihood is concave, and Newton's method by short steps; NULL where EM goes
# to a saddle, or to one component alone.
climb <- function(z, r) {
  n <- length(z)
  value <- -Inf
  least <- 1e-3
  for (i in 1:5000) {
    k <- c(sum(r), sum(1 - r))
    mu <- c(sum(r * z), sum((1 - r) * z)) / k
    v <- (c(sum(r * (z - mu[1])^2), sum((1 - r) * (z - mu[2])^2)) + 2 / n) / (k + 2 / n)
    p <- c(log(k[1] / k[2]), mu, log(v) / 2)
    l <- logs(p, z)
    r <- plogis(l[, 1] - l[, 2])
    before <- value
    value <- penalized(p, z)
    if (value - before >= least) next
    if (is_concave(curvature(p, z))) break
    least <- least / 10
    if (least < 0.9e-5) return(NULL)
  }
  if (i == 5000) return(NULL)
  for (i in 1:200) {
    if (n * plogis(-abs(p[1])) < 1e-6) return(NULL)
    g <- slopes(p, z)
    h <- curvature(p, z)
    concave <- is_concave(h)
    if (!concave) {  # uphill along every axis of the curvature
      axes <- eigen(h, symmetric = TRUE)
      bent <- abs(axes$values)
      h <- -axes$vectors %*% (pmax(bent, max(bent) / 1000) * t(axes$vectors))
    }
    step <- -solve(h, g)
    promise <- sum(step * g)
    if (concave && promise < 1e-20) return(structure(p + step, arrived = TRUE))
    step <- step * min(1, 0.25 / max(abs(step)))
    while (promise > 1e-9 && penalized(p + step, z) < penalized(p, z)) step <- step / 2
    p <- p + step
  }
  p
}
