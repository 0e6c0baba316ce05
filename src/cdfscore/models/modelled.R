# Analyze the variance of scores y (topics x systems), by anova.R. Returns the numbers to compare,
# each as a matrix with one row. factors: a list of the levels of each system, by the name of the
# factor. terms: the names of the terms, in their order. means: the labels of the marginal means of
# each term, in their order.
analyze_model <- function(y, factors, formula, type, terms, means) {
  factors <- data.frame(factors, check.names = FALSE)
  shared <- y[!is.na(y)][1]  # the rounding errors of lm are proportional to its input
  y <- y - shared
  row_of <- function(values, labels) matrix(values, 1, dimnames = list("", labels))
  key <- function(terms) {
    parts <- strsplit(gsub("`", "", terms, fixed = TRUE), ":", fixed = TRUE)
    vapply(parts, function(names) paste(sort(names), collapse = ":"), "")
  }
  table <- as.data.frame(anova_table(y, factors, formula, type))
  table <- table[match(key(terms), key(table$term)), ]
  squares <- table$sum_of_squares
  residual <- squares[length(squares)]
  effect <- table$df * (table$statistic - 1)
  eta <- squares / (squares + residual)
  eta[length(eta)] <- NA
  found <- list("sum of squares" = row_of(squares, terms),
                "degrees of freedom" = row_of(table$df, terms),
                "F" = row_of(table$statistic, terms),
                "p value of F" = row_of(table$p_value, terms),
                "partial eta squared" = row_of(eta, terms),
                "partial omega squared" = row_of(effect / (effect + sum(!is.na(y))), terms))
  for (term in names(means))
    found <- c(found, analyze_means(y, factors, formula, term, means[[term]], row_of, shared))
  found
}

# Marginal means of a term and all their differences, with Tukey's p values.
analyze_means <- function(y, factors, formula, term, labels, row_of, shared) {
  model <- marginal_means(y, factors, formula, term)
  place <- match(labels, model$label)
  mean <- model$mean[place]
  covariance <- model$covariance[place, place, drop = FALSE]
  pairs <- combn(length(labels), 2)
  first <- pairs[1, ]
  second <- pairs[2, ]
  difference <- mean[first] - mean[second]
  variance <- diag(covariance)
  stderr <- sqrt(variance[first] + variance[second] - 2 * covariance[cbind(first, second)])
  t <- difference / stderr
  tail <- studentized_range_tail(length(labels), model$df)
  both <- paste(labels[first], "-", labels[second])
  found <- list("mean" = row_of(mean + shared, labels),
                "stderr of mean" = row_of(sqrt(variance), labels),
                "difference" = row_of(difference, both),
                "stderr of difference" = row_of(stderr, both), "t" = row_of(t, both),
                "p value of t" = row_of(2 * pt(-abs(t), model$df), both),
                "p by tukey" = row_of(vapply(sqrt(2) * abs(t), tail, 0), both))
  setNames(found, paste0(term, ": ", names(found)))
}
