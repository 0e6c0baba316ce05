# Policies for missing scores. x: the scores; reference: the reference scores; topics as rows.
# Returns both with the remaining topics of x, matched by their names; under "zero" with all
# topics of the reference, as trec_eval -c has those of the judgments.
settle_missing_scores <- function(policy, x, reference) {
  complete <- function(m) m[!apply(is.na(m), 1, any), , drop = FALSE]
  if (policy == "raise" && (anyNA(x) || anyNA(reference))) stop("a score is missing")
  if (policy == "zero") {
    x[is.na(x)] <- 0
    reference[is.na(reference)] <- 0
    without <- setdiff(rownames(reference), rownames(x))
    x <- rbind(x, matrix(0, length(without), ncol(x), dimnames = list(without, colnames(x))))
  }
  if (policy == "drop_topic") x <- complete(x)
  absent <- setdiff(rownames(x), rownames(reference))
  if (length(absent)) stop("topic ", absent[1], " has no reference scores")
  if (policy == "drop_topic") {
    reference <- complete(reference)
    x <- x[rownames(x) %in% rownames(reference), , drop = FALSE]
  }
  list(x = x, reference = reference[rownames(x), , drop = FALSE])
}
