# SAFE: the broker's scores of sampled documents on functions of their ranks, by lm for each list.
# lists: as ranked_lists of merging.R has them; sampled: topic, document, score and source of the
# broker's run, by topic and rank; ratio: |C| / |S_C| of each source. y is NA without a fit.
safe_scores <- function(lists, sampled, ratio) {
  functions <- list(identity, log, sqrt, function(r) 1 / r)
  falls <- c(-1, -1, -1, 1)
  lists$y <- NA_real_
  of_list <- split(seq_len(nrow(lists)), list(lists$number, lists$source), drop = TRUE)
  topics <- unique(lists$topic)
  for (rows in of_list) {
    own <- sampled[sampled$topic == lists$topic[rows[1]] & sampled$source == lists$source[rows[1]], ]
    j <- seq_len(nrow(own))
    rank <- (j - 0.5) * ratio[lists$source[rows[1]]]
    place <- match(own$document, lists$document[rows])
    rank[!is.na(place)] <- lists$rank[rows][place[!is.na(place)]]
    used <- !is.na(place) | rank > length(rows)
    rank <- rank[used]
    score <- own$score[used]
    if (length(rank) < 3 || length(unique(rank)) < 2) next
    fits <- lapply(functions, function(f) lm(score ~ x, data.frame(score = score, x = f(rank))))
    r_squared <- vapply(fits, function(fit) {
      1 - sum(residuals(fit)^2) / sum((score - mean(score))^2)
    }, 0)
    best <- if (length(unique(score)) == 1) 1 else which.max(r_squared)
    slope <- unname(coef(fits[[best]])[2])
    if (length(unique(score)) > 1 && slope * falls[best] < 0) next
    at <- data.frame(x = functions[[best]](lists$rank[rows]))
    lists$y[rows] <- unname(predict(fits[[best]], at))
  }
  lists[!is.na(lists$y), ]
}
