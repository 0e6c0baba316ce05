# Policies for missing scores. x: the scores; reference: the reference scores; topics as rows.
# Each returns both with the remaining topics of x, matched by their names.
missing_raise <- function(x, reference) {
  if (anyNA(x) || anyNA(reference)) stop("a score is missing")
  matched(x, reference)
}

missing_omit <- function(x, reference) matched(x, reference)

# With all topics of the reference, as trec_eval -c has those of the judgments.
missing_zero <- function(x, reference) {
  x[is.na(x)] <- 0
  reference[is.na(reference)] <- 0
  without <- setdiff(rownames(reference), rownames(x))
  matched(rbind(x, matrix(0, length(without), ncol(x), dimnames = list(without, colnames(x)))),
          reference)
}

missing_drop_topic <- function(x, reference) {
  is_complete <- function(m) !apply(is.na(m), 1, any)
  both <- matched(x[is_complete(x), , drop = FALSE], reference)
  left <- is_complete(both$reference)
  lapply(both, function(m) m[left, , drop = FALSE])
}

matched <- function(x, reference) {
  absent <- setdiff(rownames(x), rownames(reference))
  if (length(absent)) stop("topic ", absent[1], " has no reference scores")
  list(x = x, reference = reference[rownames(x), , drop = FALSE])
}
