# Merging of ranked lists, in base R. A list is a topic and a source; lists is a data frame with a
# row for each document: topic, source (its number), document, score.

# A double as single precision holds it.
single <- function(x) readBin(writeBin(x, raw(), size = 4), "double", length(x), size = 4)

# The documents of each list by descending score in single precision, equal ones by descending id, as
# trec_eval orders them; rank from 1; the first `depth` of each.
ranked_lists <- function(lists, depth = Inf) {
  lists$number <- match(lists$topic, unique(lists$topic))
  o <- order(lists$number, lists$source, single(lists$score), lists$document,
             decreasing = c(FALSE, FALSE, TRUE, TRUE), method = "radix")
  lists <- lists[o, ]
  of_list <- interaction(lists$number, lists$source, drop = TRUE)
  lists$rank <- ave(lists$score, of_list, FUN = seq_along)
  lists[lists$rank <= depth, ]
}

# y = F(s) with F fitted to the list; a constant list by its policy, "limit" or "half". Lists on
# which the twin stops are left out. The attribute "notes" has its messages.
normalized <- function(lists, standardize, settings, constant) {
  stopped <- places <- character()
  lists$y <- ave(seq_len(nrow(lists)), lists$number, lists$source, FUN = function(rows) {
    s <- lists$score[rows]
    if (constant == "half" && length(unique(s)) == 1) return(rep(0.5, length(s)))
    tryCatch(do.call(standardize, c(list(s, s), settings)), error = function(e) {
      stopped <<- c(stopped, conditionMessage(e))
      places <<- c(places, paste("list", lists$source[rows[1]], "of topic", lists$topic[rows[1]]))
      rep(NA, length(s))
    })
  })
  structure(lists[!is.na(lists$y), ], notes = said_once("R stops", stopped, places))
}

# Each document of a topic once, with the highest of its y ("best"), the sum of them ("sum"), or that
# times their number ("mnz"); then by descending y, equal ones by descending id.
merged_lists <- function(lists, duplicates) {
  lists <- lists[order(lists$number, lists$source, lists$rank), ]
  key <- paste(lists$number, lists$document)
  if (duplicates == "refuse" && anyDuplicated(key)) stop("a document is in several lists")
  # One after another, from the highest: sum adds in higher precision.
  added <- function(each) Reduce(`+`, sort(each, decreasing = TRUE))
  together <- switch(duplicates, sum = added, mnz = function(each) added(each) * length(each), max)
  lists$y <- ave(lists$y, key, FUN = together)
  lists <- lists[!duplicated(key), ]
  lists[order(lists$number, lists$y, lists$document, decreasing = c(FALSE, TRUE, TRUE),
              method = "radix"), ]
}
