# The beta-binomial distribution of size * score, by maximum likelihood on the closed square of
# the mean and the correlation rho.
# x: scores to standardize; scores: the reference scores of the topic.
standardize <- function(x, scores, size = 10)
  do.call(evaluate, c(list(x), estimate(scores, size), size = size))

estimate <- function(scores, size = 10) {
  scores <- scores[!is.na(scores)]
  if (length(scores) < 2) stop("beta_binomial needs at least 2 reference scores")
  if (any(scores < 0 | scores > 1)) stop("beta_binomial is a distribution on [0, 1]")
  near <- abs(size * scores - round(size * scores)) <= 1e-12 * size
  if (min(scores) < max(scores)) scores[near] <- round(size * scores[near]) / size  # 3 * 0.1 and 0.3 are one score
  a <- min(scores)
  if (a == max(scores)) return(list(mean = a, rho = 0, spread = 0))  # nothing tells rho
  if (any(abs(size * scores - round(size * scores)) > 1e-12 * size))
    stop("beta_binomial: a reference score is no multiple of 1/", size)
  k <- round(size * scores)

  fit <- if (all(k == 0 | k == size)) c(mean(k) / size, 1) else fit_beta_binomial(k, size)
  list(mean = fit[1], rho = fit[2], spread = max(scores) - a)
}

evaluate <- function(x, mean, rho, spread, size = 10) {
  if (spread == 0) return(ifelse(x < mean, 0, ifelse(x > mean, 1, 0.5)))
  p <- if (rho == 1) c(1 - mean, rep(0, size - 1), mean) else probabilities(mean, rho, size)
  at <- size * x
  at <- ifelse(!is.finite(at) | abs(at - round(at)) > 1e-12 * size, floor(at), round(at))
  at[x < 0] <- -1
  c(0, pmin(cumsum(p)[1:size], 1), 1)[pmin(pmax(at, -1), size) + 2]
}

probabilities <- function(mean, rho, size) {
  if (rho == 0) return(dbinom(0:size, size, mean))
  i <- 0:size
  rising <- function(p) cumsum(c(0, log(p + rho * (0:(size - 1)))))  # of p + i rho
  exp(lchoose(size, i) + rising(mean * (1 - rho))[i + 1] +
        rising((1 - mean) * (1 - rho))[size - i + 1] - rising(1 - rho)[size + 1])
}

# The slopes of the log-likelihood by the mean and by rho; tail has, for i < size, how many k
# are above i, rest how many size - k are.
slopes <- function(mean, rho, tail, rest) {
  i <- seq_along(tail) - 1
  p <- mean * (1 - rho) + i * rho
  q <- (1 - mean) * (1 - rho) + i * rho
  n <- (sum(tail) + sum(rest)) / length(tail)
  c((1 - rho) * (sum(tail / p) - sum(rest / q)),
    sum(tail * (i - mean) / p) + sum(rest * (i - 1 + mean) / q) -
      n * sum((i - 1) / (1 - rho + i * rho)))
}

fit_beta_binomial <- function(k, size) {
  tail <- sapply(1:size, function(i) sum(k >= i))
  rest <- sapply(1:size, function(i) sum(size - k >= i))
  best_mean <- function(rho)
    uniroot(function(m) slopes(m, rho, tail, rest)[1], c(1e-12, 1 - 1e-12), tol = 1e-16,
            maxiter = 1000)$root
  slope <- function(rho) slopes(best_mean(rho), rho, tail, rest)[2]
  value <- function(rho) sum(log(probabilities(best_mean(rho), rho, size)[k + 1]))
  grid <- c(seq(0, 0.95, 0.05)^2, 0.95, 0.99, 0.999, 1 - 1e-6)
  at <- sapply(grid, slope)
  maxima <- if (at[1] <= 0) 0
  for (i in which(at[-length(at)] > 0 & at[-1] <= 0))
    maxima <- c(maxima, uniroot(slope, grid[i + 0:1], tol = 1e-16, maxiter = 1000)$root)
  rho <- maxima[which.max(sapply(maxima, value))]
  c(best_mean(rho), rho)
}
