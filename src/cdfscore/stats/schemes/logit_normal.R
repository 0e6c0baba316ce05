# The logit-normal distribution: logits are normal, with the sample's mean and sd.
# x: scores to standardize; scores: the reference scores of the topic, between 0 and 1.
# ends: the treatment of scores of 0 and 1; Smithson and Verkuilen (2006), p. 55.
standardize <- function(x, scores, ends = "raise")
  do.call(evaluate, c(list(x), estimate(scores, ends)))

estimate <- function(scores, ends = "raise") {
  scores <- scores[!is.na(scores)]
  n <- length(scores)
  if (n < 2) stop("logit_normal needs at least 2 reference scores")
  if (min(scores) < 0 || max(scores) > 1) stop("a reference score is not in [0, 1]")
  given <- list(min = min(scores), max = max(scores))
  if (given$min == given$max) return(c(mu = 0, sigma = 1, given))
  if (ends == "shrink") scores <- (scores * (n - 1) + 0.5) / n
  if (min(scores) == 0 || max(scores) == 1)
    stop("a reference score is 0 or 1, whose logit is infinite")
  l <- qlogis(scores)
  if (sd(l) == 0) stop("the reference scores differ so little that their logits are equal")
  c(mu = mean(l), sigma = sd(l), given)
}

evaluate <- function(x, mu, sigma, min, max) {
  if (min == max) return(ifelse(x < min, 0, ifelse(x > min, 1, 0.5)))  # the limit
  pnorm(qlogis(pmin(1, pmax(0, x))), mu, sigma)
}
