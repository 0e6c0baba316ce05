# Scores (topics x slots) in long form: a row for each score, with its topic and its factors. factors
# is a data frame with a row for each slot: a system, or a system and a replicate.
long_frame <- function(scores, factors) {
  place <- which(!is.na(scores), arr.ind = TRUE)
  place <- place[order(place[, 1], place[, 2]), , drop = FALSE]
  data <- data.frame(score = scores[place], topic = factor(place[, 1]))
  for (name in names(factors))
    data[[name]] <- factor(factors[place[, 2], name], levels = unique(factors[[name]]))
  data
}

in_sum_contrasts <- function(names) setNames(rep(list("contr.sum"), length(names)), names)

# The coefficients of the mean of each cell of a term, over equal weights of all other levels.
mean_rows <- function(formula, data, term) {
  used <- setdiff(all.vars(formula), "score")
  grid <- expand.grid(lapply(data[used], levels))
  design <- model.matrix(delete.response(terms(formula)), grid,
                         contrasts.arg = in_sum_contrasts(used))
  own <- strsplit(term, ":", fixed = TRUE)[[1]]
  cell <- do.call(paste, c(unname(lapply(own, function(name) grid[[name]])), sep = ":"))
  rowsum(design, cell, reorder = FALSE) / as.vector(table(cell)[unique(cell)])
}
