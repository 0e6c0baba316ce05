# The logit-normal distribution: logits are normal, with the sample's mean and sd.
# x: scores to standardize; scores: the reference scores of the topic, between 0 and 1.
# ends: the treatment of scores of 0 and 1; Smithson and Verkuilen (2006), p. 55.
standardize <- function(x, scores, ends = "raise") {
  scores <- scores[!is.na(scores)]
  n <- length(scores)
  if (n < 2) stop("logit_normal needs at least 2 reference scores")
  if (min(scores) < 0 || max(scores) > 1) stop("a reference score is not in [0, 1]")
  if (min(scores) == max(scores))
    return(ifelse(x < scores[1], 0, ifelse(x > scores[1], 1, 0.5)))  # the limit
  if (ends == "shrink") scores <- (scores * (n - 1) + 0.5) / n
  if (min(scores) == 0 || max(scores) == 1)
    stop("a reference score is 0 or 1, whose logit is infinite")
  u <- pmin(1, pmax(0, x))
  l <- qlogis(scores)
  if (sd(l) == 0) stop("the reference scores differ so little that their logits are equal")
  pnorm(qlogis(u), mean(l), sd(l))
}
