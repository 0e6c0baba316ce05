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
