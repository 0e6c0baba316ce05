# Diagnose each of these topics by diagnose_topic. numbers: the names of those to compare. settled, how: as in analysis.R. Returns the numbers
# to compare, each as a matrix with one row.
analyze_diagnosis <- function(settled, how, topics, numbers, resolution, parameters) {
  found <- vapply(topics, function(topic) {
    scores <- settled$reference[topic, ]
    scores <- scores[!is.na(scores)]
    diagnose_topic(unname(scores), how$standardize, how$settings, resolution, parameters)[numbers]
  }, numeric(length(numbers)))
  values <- lapply(rownames(found), function(name)
    matrix(found[name, ], 1, dimnames = list("", topics)))
  setNames(values, paste("diagnosis:", gsub("_", " ", rownames(found))))
}
