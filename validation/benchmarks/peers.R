# What users of R run on a topics x systems matrix X; the p values of all pairs, in combn's order.
of_pairs <- function(p) p[lower.tri(p, diag = TRUE)]

peers <- list(
  paired_t = function(X) {
    of_pairs(pairwise.t.test(c(X), rep(seq_len(ncol(X)), each = nrow(X)),
                             p.adjust.method = "holm", paired = TRUE)$p.value)
  },
  wilcoxon_signed_rank = function(X) {
    of_pairs(suppressWarnings(
      pairwise.wilcox.test(c(X), rep(seq_len(ncol(X)), each = nrow(X)),
                           p.adjust.method = "holm", paired = TRUE))$p.value)
  },
  tukey_hsd = function(X) {
    d <- data.frame(score = c(X), system = factor(rep(seq_len(ncol(X)), each = nrow(X))),
                    topic = factor(rep(seq_len(nrow(X)), ncol(X))))
    TukeyHSD(aov(score ~ system + topic, d), "system")$system[, "p adj"]
  })

timed <- function(job, X) {
  start <- proc.time()[["elapsed"]]
  p <- peers[[job]](X)
  c(proc.time()[["elapsed"]] - start, p)
}
