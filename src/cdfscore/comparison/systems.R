# Compute what a comparison says of each system: the interval of its mean, its mean rank, and which
# systems share a letter. Returns the numbers to compare, each as a matrix with one row. tested: the
# numbers of analyze_differences. baselines: as in differences.R. kind: what the test compares.
# conf_level: NULL for no interval. letters, ranks: whether it has letters, mean ranks. counted: what
# numbers of topics are called.
analyze_systems <- function(y, tested, kind, baselines, conf_level, alpha, letters, ranks,
                            counted = "mean: n") {
  y <- y[rowSums(!is.na(y)) > 0, , drop = FALSE]
  row_of <- function(values, labels) matrix(as.numeric(values), 1, dimnames = list("", labels))
  interval <- in_own_unit(function(x) {
    ends <- tryCatch(t.test(x, conf.level = conf_level)$conf.int, error = function(e) c(NA, NA))
    list(low = ends[1], high = ends[2])
  }, c("low", "high"))
  found <- setNames(list(row_of(colSums(!is.na(y)), colnames(y))), counted)
  if (!is.null(conf_level)) {
    ends <- apply(y, 2, function(x) unlist(interval(x)))
    found[["mean: conf low"]] <- row_of(ends[1, ], colnames(y))
    found[["mean: conf high"]] <- row_of(ends[2, ], colnames(y))
  }
  ranked <- if (nrow(y)) t(apply(y, 1, rank)) else y
  if (ranks) found[["mean: rank"]] <- row_of(ncol(y) + 1 - colMeans(ranked), colnames(y))
  # The numbers of topics of each pair, or of all systems.
  p <- tested[["p adjusted"]]
  pairs <- if (kind == "all systems") list(first = NA, second = NA)
    else pairs_of(colnames(y), baselines)
  own <- match(colnames(p), paste(colnames(y)[pairs$first], "-", colnames(y)[pairs$second]))
  a <- !is.na(y[, pairs$first[own], drop = FALSE])
  b <- !is.na(y[, pairs$second[own], drop = FALSE])
  if (kind == "all systems") a <- b <- array(TRUE, c(nrow(y), 1))
  if (kind != "unpaired") a <- b <- a & b
  found[["n"]] <- row_of(colSums(a), colnames(p))
  found[["n b"]] <- row_of(colSums(b), colnames(p))
  # Letters are right if the pairs that share one are those that are not significant.
  if (letters) found[["letter in common"]] <- row_of(is.na(p) | p > alpha, colnames(p))
  found
}

# Compute what a test compares instead of means: the location of the scores of each system, of
# the settings of the test by name. quantity: what it is called.
analyze_locations <- function(y, location, settings, quantity) {
  own <- apply(y, 2, function(x) {
    x <- x[!is.na(x)]
    if (length(x)) do.call(location, c(list(x), settings)) else NaN
  })
  setNames(list(matrix(as.numeric(own), 1, dimnames = list("", colnames(y)))), quantity)
}
