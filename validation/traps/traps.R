# The numbers of R's tests that a trap compares, in one vector each.

# t, degrees of freedom and p of a t test.
t_numbers <- function(...) {
  test <- t.test(...)
  c(test$statistic, test$parameter, test$p.value)
}

# tau, p, and 1 where p is exact; a test that falls back to the normal distribution warns.
kendall_numbers <- function(x, y, ...) {
  test <- suppressWarnings(cor.test(x, y, method = "kendall", ...))
  c(test$estimate, test$p.value, names(test$statistic) == "T")
}

# The exact p value of two samples, with or without ties.
ks_p <- function(x, y, alternative)
  ks.test(x, y, exact = TRUE, alternative = alternative)$p.value

power_number <- function(...) power.t.test(...)$power

quantile_of_type <- function(x, p, type) quantile(x, p, names = FALSE, type = type)

ecdf_at <- function(x, v) ecdf(x)(v)

# What a function stops with, or "" where it does not.
stops_with <- function(name, ...)
  tryCatch({
    do.call(name, list(...))
    ""
  }, error = conditionMessage)

# Read decimals as the lines of an ASCII serialization, whose reader is the C library's.
read_serialized <- function(text) {
  head <- c("A\n2\n262658\n131840\n14", length(text))
  unserialize(charToRaw(paste(c(head, text, ""), collapse = "\n")))
}

single_column_mean <- function(x) colMeans(matrix(x))
