# Policies for constant topics, whose reference scores are all equal. Returns y after the policy.
# y: the result of the twin, which is the limit; settled, how: as in analysis.R.
settle_constant_topics <- function(policy, y, settled, how) {
  x <- settled$x[rownames(y), , drop = FALSE]
  reference <- settled$reference[rownames(y), , drop = FALSE]
  if (policy == "drop_topic") return(without_constant_topics(y, reference))
  standardize <- function(x, scores) do.call(how$standardize, c(list(x, scores), how$settings))
  for (i in seq_len(nrow(y))) {
    scores <- reference[i, !is.na(reference[i, ])]
    if (length(unique(scores)) != 1) next
    mean <- mean(scores)
    unit <- c(-1, 0, 1)  # a sample whose mean is 0 and whose sd is 1
    own <- switch(policy,
      half = rep(0.5, ncol(y)),
      nan = rep(NaN, ncol(y)),
      urbano2019 = standardize(x[i, ], unit),
      matters = standardize(x[i, ] - mean, unit),
      trec_eval = ifelse(x[i, ] == mean, 0, -1000000),
      stop("topic ", rownames(y)[i], ": all its reference scores are equal"))
    y[i, ] <- ifelse(is.na(x[i, ]), NA, own)
  }
  y
}

without_constant_topics <- function(y, reference) {
  left <- apply(reference, 1, function(scores) length(unique(scores[!is.na(scores)])) != 1)
  if (!any(left)) stop("no topic is left, as the reference scores are equal on each", call. = FALSE)
  structure(y[left, , drop = FALSE], stopped = attr(y, "stopped"))
}

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

# Policy for topics on which lower is better. Returns m with the scores x of these rows replaced by
# at - x; for at = 0, these are the negated scores.
# lower: the names of these rows, or TRUE for all. If at - x is a number of up to 12 decimals
# except for rounding, it is rounded to that number, so that ties stay ties: 1 - 0.9 is 0.1.
reverse_scores <- function(m, lower, at) {
  rows <- if (isTRUE(lower)) rep(TRUE, nrow(m)) else rownames(m) %in% lower
  difference <- at - m[rows, ]
  rounded <- round(pmax(pmin(difference, 2^53 / 1e12), -2^53 / 1e12) * 1e12) / 1e12
  near <- !is.na(difference) & abs(rounded - difference) <= 2^-52 * abs(at)
  difference[near] <- rounded[near]
  m[rows, ] <- difference
  m
}

# Policies for unfitted topics, on which the twin stops. y: the scores, topics as rows, with the
# attribute "stopped": the error message of R for each topic, "" if it did not stop.
unfitted_raise <- function(y) refuse_stopped(y)

unfitted_nan <- function(y) structure(y, stopped = NULL)

unfitted_drop_topic <- function(y) {
  stopped <- attr(y, "stopped")
  if (all(nzchar(stopped)))
    stop("no topic is left, as the twin stops on each: ", stopped[1], call. = FALSE)
  y[!nzchar(stopped), , drop = FALSE]
}
