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
