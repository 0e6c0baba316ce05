# What R users run on a topics x systems matrix X; `seconds(job, X)` times one call.
jobs <- list(
  ecdf = function(X) t(apply(X, 1, function(x) ecdf(x)(x))),
  rank = function(X) t(apply(X, 1, rank, ties.method = "max")) / ncol(X),
  pnorm = function(X) t(apply(X, 1, function(x) pnorm(x, mean(x), sd(x)))),
  pnorm_vectorized = function(X) {
    m <- rowMeans(X)
    s <- sqrt(rowSums((X - m)^2) / (ncol(X) - 1))
    pnorm(X, m, s)
  },
  kernel = function(X) {
    t(apply(X, 1, function(x) {
      h <- bw.nrd0(x)
      vapply(x, function(v) mean(pnorm((v - x) / h)), numeric(1))
    }))
  },
  kernel_sj = function(X) {
    t(apply(X, 1, function(x) {
      h <- bw.SJ(x)
      vapply(x, function(v) mean(pnorm((v - x) / h)), numeric(1))
    }))
  },
  paired_t = function(X) {
    pairs <- combn(ncol(X), 2)
    vapply(seq_len(ncol(pairs)), function(k)
      t.test(X[, pairs[1, k]], X[, pairs[2, k]], paired = TRUE)$p.value, 0)
  },
  ptukey = function(X) {
    m <- ncol(X); t <- nrow(X)
    residuals <- X - outer(rowMeans(X), colMeans(X), "+") + mean(X)
    stderr <- sqrt(sum(residuals^2) / ((m - 1) * (t - 1)) / t)
    q <- abs(combn(colMeans(X), 2, diff)) / stderr
    ptukey(q, m, (m - 1) * (t - 1), lower.tail = FALSE)
  })

seconds <- function(job, X, runs) {
  force(X)
  start <- proc.time()[["elapsed"]]
  for (i in seq_len(runs)) jobs[[job]](X)
  (proc.time()[["elapsed"]] - start) / runs
}
