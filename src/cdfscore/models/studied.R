# Components of the variance of scores y (topics x systems), by the sums of squares of anova.R, and
# what means over numbers of topics have of them. Returns the numbers to compare, each as a matrix
# with one row. components: system, topic and system:topic. topics, reliabilities: of the decision
# study, if there is one; labels: what these are called.
analyze_study <- function(y, components, topics = NULL, reliabilities = NULL, confidence = NULL,
                          labels = NULL) {
  row_of <- function(values, labels) matrix(values, 1, dimnames = list("", labels))
  y <- y[rowSums(!is.na(y)) > 0, , drop = FALSE]
  k <- ncol(y)
  factors <- data.frame(system = factor(seq_len(k)))
  found <- as.data.frame(anova_table(y - mean(y, na.rm = TRUE), factors, "score ~ system + topic", "II"))
  df <- found$df
  squares <- found$sum_of_squares / df
  counts <- sum(!is.na(y)) - c(nrow(y), k)
  variance <- pmax(c((df[1:2] * (squares[1:2] - squares[3])) / counts, squares[3]), 0)
  numbers <- list("degrees of freedom" = row_of(df, components),
                  "mean square" = row_of(squares, components),
                  "variance" = row_of(variance, components),
                  "proportion" = row_of(variance / sum(variance), components))
  tails <- c(1, 0) + c(-1, 1) * (1 - confidence) / 2
  for (kind in if (length(confidence)) c("relative", "absolute")) {
    error <- if (kind == "relative") variance[3] else variance[2] + variance[3]
    ends <- if (anyNA(y)) c(NA, NA) else vapply(tails, ratio_at, 0, kind, squares, df)
    ratios <- setNames(c(variance[1] / error, ends), paste0(kind, c("", "_low", "_high")))
    for (name in names(ratios)) {
      n <- topics * ratios[[name]]
      numbers[[name]] <- row_of(n / (1 + n), labels$topics)
    }
    # A larger ratio needs fewer topics.
    for (i in 1:3) {
      enough <- reliabilities / ((1 - reliabilities) * ratios[[c(1, 3, 2)[i]]])
      enough <- ceiling(enough * (1 - 1e-12))  # 6.000000000000001 topics are 6
      name <- paste("topics for", names(ratios)[i])
      numbers[[name]] <- row_of(enough, labels$reliabilities)
    }
  }
  numbers
}

# An end of the interval of the variance of systems divided by that of the error of one topic: of
# the relative error by Feldt (1965), and of the absolute one by Arteaga, Jeyaratnam and Franklin
# (1982).
ratio_at <- function(p, kind, squares, df) {
  n <- df[2] + 1
  k <- df[1] + 1
  squares <- squares / squares[3]  # whose squares are doubles
  f <- qf(p, df[1], df[3])
  if (squares[1] <= f * squares[3]) return(0)
  if (kind == "relative") return((squares[1] / (squares[3] * f) - 1) / n)
  of_many <- qchisq(p, df[1]) / df[1]
  above <- squares[1]^2 - of_many * squares[1] * squares[3] + (of_many - f) * f * squares[3]^2
  below <- (k - 1) * of_many * squares[1] * squares[3] + qf(p, df[1], df[2]) * squares[1] * squares[2]
  k / n * above / below
}
