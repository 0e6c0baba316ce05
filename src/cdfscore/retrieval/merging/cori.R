# CORI: the score of each source for each query, a list of words by topic. df: terms x sources, with
# the terms as row names; cw: the number of words of each source; b: the default belief.
cori <- function(df, cw, queries, b = 0.4) {
  t_part <- t(t(df) / (t(df) + 50 + 150 * cw / mean(cw)))
  cf <- rowSums(df > 0)
  i_part <- log((ncol(df) + 0.5) / cf) / log(ncol(df) + 1)
  p <- b + (1 - b) * ifelse(df > 0, t_part * i_part, 0)
  found <- vapply(queries, function(words) {
    found <- p[match(words, rownames(df)), , drop = FALSE]
    found[is.na(found)] <- b
    colMeans(found)
  }, numeric(ncol(df)))
  # vapply leaves out the dimension of a single source.
  t(matrix(found, nrow = ncol(df)))
}
