fit_factors <- function(scores, scheme = "empirical", ..., constant = "limit", missing = "raise",
                        unfitted = "raise", lower_is_better = FALSE, reflect_at = 0,
                        measure = NULL) {
  settings <- settings_of(scheme, list(...))
  twin <- fitted_twin(scheme, settings)
  policies <- checked_policies(scheme, constant, missing, unfitted, "refuse")
  if (!is.null(measure)) check_setting("fit_factors", "measure", measure, "a text such as AP, or NULL")
  given <- as_scores(scores, missing)
  settled <- reverse_both(settle(given, given, policies$missing, "refuse"),
                          lower(lower_is_better, rownames(given)),
                          at_number(reflect_at, lower_is_better))$reference
  known <- lapply(formals(schemes[[scheme]]$standardize)[-(1:2)], eval)
  known[names(settings)] <- settings
  settings <- known[lengths(known) > 0]
  fits <- lapply(rownames(settled), function(topic) tryCatch({
    own <- settled[topic, !is.na(settled[topic, ])]
    check_enough(scheme, own)
    found <- keeping_seed(parameters_of(twin, unname(own), settings))
    if (!all(is.finite(unlist(found)))) stop("the reference scores determine no parameters")
    c(list(n = as.numeric(length(own))), found)
  }, error = conditionMessage, warning = conditionMessage))
  names(fits) <- rownames(settled)
  failed <- vapply(fits, is.character, NA)
  if (any(failed) && unfitted == "raise")
    stop("topic ", names(fits)[failed][1], ": ", fits[failed][[1]])
  factors <- structure(list(
    scheme = scheme, settings = settings, constant = constant, missing = missing,
    fitted_missing = missing, unfitted = unfitted, measure = measure, systems = colnames(given),
    positions = if (is.null(rownames(scores))) nrow(given),
    dropped = setdiff(rownames(given), rownames(settled)), unfitted_topics = fits[failed],
    lower_is_better = if (!isFALSE(lower_is_better)) lower_is_better, reflect_at = reflect_at,
    topics = fits[!failed]), class = "cdfscore_factors")
  if (constant == "raise" && any(same <- !is.na(vapply(factors$topics, common_score, 0, settings))))
    stop("topic ", names(factors$topics)[same][1], ": all its reference scores are equal")
  factors
}

apply_factors <- function(factors, scores, extra_topics = "refuse") {
  check_factors(factors)
  twin <- fitted_twin(factors$scheme, factors$settings)
  policies <- checked_policies(factors$scheme, factors$constant, factors$missing, factors$unfitted,
                               extra_topics)
  # The policies see the common score of a constant topic, and other scores that differ.
  same <- vapply(factors$topics, common_score, 0, factors$settings)
  reference <- cbind(ifelse(is.na(same), 0, same), ifelse(is.na(same), 1, same))
  failed <- length(factors$unfitted_topics)
  reference <- rbind(reference, cbind(numeric(failed), rep(1, failed)))
  rownames(reference) <- c(names(factors$topics), names(factors$unfitted_topics))
  settled <- settle(as_scores(scores, factors$missing), reference, policies$missing, extra_topics)
  settled$x <- reverse_scores(settled$x, factors$lower_is_better, factors$reflect_at)
  of_topic <- function(topic) {
    own <- factors$topics[[topic]]
    own$n <- NULL
    function(x) evaluated(twin, x, own, factors$settings)
  }
  y <- settled$x
  stopped <- character(nrow(y))
  for (i in seq_len(nrow(y))) {
    topic <- rownames(y)[i]
    reason <- factors$unfitted_topics[[topic]]
    if (is.null(reason)) y[i, ] <- of_topic(topic)(y[i, ]) else {
      y[i, ] <- NaN
      stopped[i] <- reason
    }
  }
  y <- policies$unfitted(structure(y, stopped = stopped))
  if (!is.null(policies$constant)) {
    how <- list(standardize = twin_of(factors$scheme, factors$settings), settings = factors$settings)
    y <- settle_constant_topics(policies$constant, y, settled, how)
  }
  given_back(structure(y, stopped = NULL), scores)
}

# The functions of a scheme that fit and evaluate; those of zero_inflated call those of its family.
fitted_twin <- function(scheme, settings) {
  one_of("scheme", scheme, names(schemes))
  if (scheme != "zero_inflated") return(schemes[[scheme]])
  family <- family_of(settings)
  twin <- schemes[[family$name]]
  list(estimate = function(scores, at = 0) {
    others <- scores[scores != at]
    # A single value is a sample of that value; without any, the family has no weight.
    if (length(unique(others)) <= 1)
      others <- rep(c(others, at)[1], if (length(others)) max(length(others), 10) else 10)
    found <- parameters_of(twin, others, family$settings)
    c(share = mean(scores == at), setNames(found, paste0("family_", names(found))))
  }, evaluate = function(x, share, ..., at = 0) {
    share * (x >= at) + (1 - share) * evaluated(twin, x, of_family(list(...)), family$settings)
  })
}

parameter_names <- function(scheme, settings) {
  facts <- scheme_facts[[scheme]]
  if (scheme == "from_scipy") facts <- facts$laws[[if (is.null(settings$dist)) "norm" else settings$dist]]
  if (scheme != "zero_inflated") return(facts$parameters)
  family <- family_of(settings)
  c("share", paste0("family_", parameter_names(family$name, family$settings)))
}

of_family <- function(own) setNames(own, sub("^family_", "", names(own)))

parameters_of <- function(twin, scores, settings) {
  found <- do.call(twin$estimate, c(list(scores), for_function(settings, twin$estimate)))
  if (length(found$sample)) found$sample <- sort(found$sample)
  found
}

evaluated <- function(twin, x, own, settings)
  do.call(twin$evaluate, c(list(x), own, for_function(settings[setdiff(names(settings), names(own))],
                                                      twin$evaluate)))

for_function <- function(settings, f) settings[intersect(names(settings), names(formals(f)))]

# The score that all reference scores of a topic are equal to, by its parameters; NA if they differ.
common_score <- function(own, settings) {
  if (length(own$share)) {
    if (own$share == 1) return(if (is.null(settings$at)) 0 else settings$at)
    return(if (own$share == 0) common_score(of_family(own[names(own) != "share"])) else NA_real_)
  }
  if (length(own$sample)) return(if (min(own$sample) == max(own$sample)) own$sample[1] else NA_real_)
  if (length(own$knots)) return(if (length(own$knots) == 1) own$knots else NA_real_)
  if (length(own$max)) return(if (own$min == own$max) own$min else NA_real_)
  spread <- c(own$sd, own$spread, own$total, own$sd_1, own$scale)[1]
  if (isTRUE(spread == 0)) c(own$mean, own$mean_1, own$location, own$loc, own$min)[1] else NA_real_
}

print.cdfscore_factors <- function(x, ...) {
  cat("Factors", if (length(x$measure)) paste(" of", x$measure), " by ", x$scheme, " for ",
      length(x$topics), " topics\n", sep = "")
  invisible(x)
}

check_factors <- function(factors) if (!inherits(factors, "cdfscore_factors"))
  stop("expected factors, as fit_factors and read_factors return them")

write_factors <- function(factors, file) {
  check_factors(factors)
  if (!is.character(file) || length(file) != 1 || is.na(file) || !nzchar(file) || dir.exists(file))
    stop("file = ", deparse(file)[1], " is not accepted; expected the name of a file to write")
  if (!dir.exists(dirname(file))) stop("file: there is no folder ", dirname(file))
  head <- list(format = "cdfscore factors", version = 3L,
               cdfscore = version, scheme = factors$scheme,
               settings = named(factors$settings), constant = factors$constant,
               missing = factors$missing, fitted_missing = factors$fitted_missing,
               unfitted = factors$unfitted, measure = factors$measure,
               systems = as.list(factors$systems), digest = factors$digest, scale = factors$scale,
               positions = factors$positions, dropped = as.list(factors$dropped),
               unfitted_topics = named(factors$unfitted_topics))
  if (length(factors$lower_is_better)) head <- c(head, list(
    lower_is_better = if (isTRUE(factors$lower_is_better)) TRUE else as.list(factors$lower_is_better),
    reflect_at = factors$reflect_at))
  head <- c(head, factors[intersect(c("origin", "doubts", "units", "sets"), names(factors))],
            list(content_digest = NULL))
  topics <- lapply(factors$topics, function(own) {
    own$n <- as.integer(own$n)
    lists <- grepl("(sample|knots|bends)$", names(own))
    replace(own, lists, lapply(own[lists], as.list))
  })
  lines <- paste0(" ", vapply(names(head), json, ""), ": ", vapply(head, json, ""), ",")
  rows <- paste0("  ", vapply(names(topics), json, ""), ": ", vapply(topics, json, ""))
  writeLines(c("{", lines, ' "topics": {', paste(rows, collapse = ",\n"), " }", "}"), file,
             useBytes = TRUE)
}

read_factors <- function(file) {
  lines <- readLines(there(file), encoding = "UTF-8", warn = FALSE, skipNul = TRUE)
  found <- tryCatch(from_json(paste(lines, collapse = "\n")), error = function(e)
    stop(file, " is not JSON, or is cut short"))
  if (!is.list(found) || !identical(found$format, "cdfscore factors"))
    stop(file, " does not have factors")
  if (!identical(found$version, 3))
    stop(file, " has factors of version ", found$version, "; expected version 3")
  # What is said of an entry begins with the name of the file.
  tryCatch({
    check_entries(found)
    settings_of(found$scheme, found$settings)
    checked_policies(found$scheme, found$constant, found$missing, found$unfitted, "refuse")
  }, error = function(e) stop(file, ": ", conditionMessage(e)))
  for (name in c("systems", "dropped", "lower_is_better")) found[[name]] <- unlist(found[[name]])
  twin <- fitted_twin(found$scheme, found$settings)
  known <- c("n", parameter_names(found$scheme, found$settings))
  found$topics <- lapply(setNames(nm = names(found$topics)), function(topic) {
    own <- found$topics[[topic]]
    if (!setequal(names(own), known) || !is_fit(own) || !rises(twin, own, found$settings))
      stop(file, ", topic ", topic, ": the parameters are no fit of ", found$scheme)
    lapply(own, unlist)
  })
  if (is.null(found$reflect_at)) found$reflect_at <- 0
  known <- c("format", "version", "cdfscore", "content_digest")
  structure(found[setdiff(names(found), known)], class = "cdfscore_factors")
}

# What each entry of a document is.
entries <- c(
  format = "text", version = "a whole number", scheme = "text",
  settings = "an object", constant = "text", missing = "text", fitted_missing = "text or null",
  unfitted = "text", measure = "text or null", systems = "a list of text or null",
  digest = "text or null", scale = "an object or null", positions = "a whole number or null",
  dropped = "a list of text", unfitted_topics = "an object", content_digest = "text or null",
  topics = "an object")

check_entries <- function(found) {
  kind <- function(value, name, expected) {
    is_text <- function(each) is.character(each) && length(each) == 1
    right <- if (is.null(value)) grepl("null", expected) else switch(sub(" or null", "", expected),
      text = is_text(value), "an object" = is.list(value) && !is.null(names(value)),
      "a whole number" = is.numeric(value) && value == round(value),
      "a list of text" = is.list(value) && is.null(names(value)) && all(vapply(value, is_text, NA)))
    if (!right) stop(name, " is ", json(value), "; expected ", expected)
  }
  for (name in names(entries)) {
    if (!name %in% names(found)) stop("there is no ", name, "; expected it next to format")
    kind(found[[name]], name, entries[[name]])
  }
  if (!is.null(found$measure) && !nzchar(trimws(found$measure)))
    stop("measure is ", json(found$measure), "; expected text such as AP, or null")
  for (name in names(found$unfitted_topics))
    kind(found$unfitted_topics[[name]], paste("the reason of topic", name), "text")
  if (!length(found$topics)) stop("topics is {}; expected at least one topic")
  labels <- list(topic = c(names(found$topics), names(found$unfitted_topics), unlist(found$dropped)),
                 system = unlist(found$systems))
  for (what in names(labels)) {
    if (!all(nzchar(labels[[what]]))) stop("a ", what, " has no name")
    if (at <- anyDuplicated(labels[[what]])) stop(what, " ", labels[[what]][at], " is there twice")
  }
  for (name in names(found$topics)) kind(found$topics[[name]], paste("topic", name), "an object")
  if (length(found$unfitted_topics) && found$unfitted == "raise")
    stop("topic ", names(found$unfitted_topics)[1], ": ", found$unfitted_topics[[1]])
  for (name in names(found$settings)) if (is.null(found$settings[[name]]))
    stop("setting ", name, " is null; expected a number or text")
  if (!is.null(found$fitted_missing))
    one_of("fitted_missing", found$fitted_missing, c("raise", "omit", "zero", "drop_topic"))
  topics <- length(found$topics) + length(found$dropped) + length(found$unfitted_topics)
  if (!is.null(found$positions) && found$positions != topics)
    stop("positions is ", found$positions, "; expected the number of topics, ", topics, ", or null")
  scale <- found$scale
  if (!is.null(scale) && !(is.numeric(scale$low) && is.numeric(scale$high) && scale$low <= scale$high))
    stop("scale is ", json(scale), "; expected low and high, numbers in rising order")
  if (("lower_is_better" %in% names(found)) != ("reflect_at" %in% names(found)))
    stop("there is one of lower_is_better and reflect_at; expected both or neither")
  at_number(if (is.null(found$reflect_at)) 0 else found$reflect_at)
}

# Whether the parameters of a topic are numbers: of scores, of which there are n in ascending order,
# and of knots with their bends.
is_fit <- function(own) {
  lists <- grepl("(sample|knots|bends)$", names(own))
  flat <- vapply(own, function(each) length(each) > 0 && is.null(names(each)) &&
                   all(vapply(each, is.numeric, NA)), NA)
  if (!all(flat & (lists | !vapply(own, is.list, NA)))) return(FALSE)
  from_0 <- grepl("(scale|shape|spread|sd|total|bandwidth|curvature)$", names(own))
  if (any(unlist(own[from_0]) < 0)) return(FALSE)
  rising <- grepl("(sample|knots)$", names(own))
  if (any(vapply(own[rising], function(each) is.unsorted(unlist(each)), NA))) return(FALSE)
  length(own$n) == 1 && own$n > 0 && own$n == round(own$n) && own$n < 2^53 &&
    length(own$sample) %in% c(0, own$n) && length(own$knots) == length(own$bends)
}

# Whether y by these parameters does not decrease with the score: in [0, 1], at the parameters and
# on both sides.
rises <- function(twin, own, settings) {
  own <- lapply(own[names(own) != "n"], unlist)
  x <- sort(c(seq(0.05, 0.95, 0.1), unlist(own[lengths(own) == 1]), range(0, unlist(own)) + c(-1, 1)))
  y <- tryCatch(suppressWarnings(evaluated(twin, x, own, settings)), error = function(e) NULL)
  length(y) == length(x) && !anyNA(y) && all(y[-1] >= y[-length(y)] - 1e-9)
}

named <- function(values) setNames(as.list(values), if (length(values)) names(values) else character())

# JSON of a value: a list with names is an object, one without names an array.
json <- function(value) {
  if (is.null(value)) return("null")
  if (is.list(value)) {
    parts <- vapply(value, json, "")
    if (is.null(names(value))) return(paste0("[", paste(parts, collapse = ", "), "]"))
    return(paste0("{", paste(vapply(names(value), json, ""), parts, sep = ": ", collapse = ", "), "}"))
  }
  if (is.logical(value)) return(if (value) "true" else "false")
  if (is.integer(value)) return(sprintf("%d", value))
  if (is.numeric(value)) return(shortest(value))
  text <- gsub('(["\\\\])', "\\\\\\1", enc2utf8(value))
  for (code in c(1:31)) if (grepl(intToUtf8(code), text, fixed = TRUE))
    text <- gsub(intToUtf8(code), sprintf("\\u%04x", code), text, fixed = TRUE)
  paste0('"', text, '"')
}

# The fewest of 15 to 17 digits that give back the same double; a whole number has a point.
shortest <- function(value) {
  texts <- sprintf(c("%.15g", "%.16g", "%.17g"), value)
  text <- texts[decimal(texts) == value][1]
  if (grepl("[.e]", text)) text else paste0(text, ".0")
}

# The value of JSON text: an object and an array are lists, null is NULL.
from_json <- function(text) {
  text_pattern <- '"(?:[^"\\\\\\x01-\\x1f]|\\\\(?:["\\\\/bfnrt]|u[0-9a-fA-F]{4}))*"'
  number_pattern <- "-?(?:0|[1-9][0-9]*)(?:[.][0-9]+)?(?:[eE][+-]?[0-9]+)?"
  pattern <- paste(text_pattern, number_pattern, "true|false|null|[][{}:,]", sep = "|")
  if (!validUTF8(text) || grepl("\\S", gsub(pattern, "", text, perl = TRUE))) stop("not JSON")
  tokens <- regmatches(text, gregexpr(pattern, text, perl = TRUE))[[1]]
  is_number <- grepl("^[-0-9]", tokens)
  numbers <- numeric(length(tokens))
  numbers[is_number] <- decimal(tokens[is_number])
  at <- 0
  read_items <- function(end, items, item) {
    if (tokens[at + 1] == end) {
      at <<- at + 1
      return(items)
    }
    repeat {
      items <- c(items, item())
      at <<- at + 1
      if (anyDuplicated(names(items))) stop("a name is there twice")
      if (tokens[at] == end) return(items)
      if (tokens[at] != ",") stop("the text is not JSON")
    }
  }
  read <- function() {
    at <<- at + 1
    if (at > length(tokens)) stop("the text is not JSON")
    token <- tokens[at]
    if (is_number[at]) return(numbers[at])
    switch(token, "{" = read_items("}", named(list()), function() {
      at <<- at + 1
      name <- unquoted(tokens[at])
      at <<- at + 1
      setNames(list(read()), name)
    }), "[" = read_items("]", list(), function() list(read())),
      true = TRUE, false = FALSE, null = NULL, unquoted(token))
  }
  found <- read()
  if (at < length(tokens)) stop("the text is not JSON")
  found
}

unquoted <- function(token) {
  text <- substr(token, 2, nchar(token) - 1)
  if (!grepl("\\", text, fixed = TRUE)) return(text)
  found <- gregexpr("(?:\\\\u[0-9a-fA-F]{4})+|\\\\.", text, perl = TRUE)
  plain <- c(n = "\n", t = "\t", r = "\r", b = "\b", f = "\f")
  regmatches(text, found) <- list(vapply(regmatches(text, found)[[1]], function(escaped) {
    if (startsWith(escaped, "\\u"))
      return(intToUtf8(strtoi(strsplit(escaped, "\\u", fixed = TRUE)[[1]][-1], 16),
                       allow_surrogate_pairs = TRUE))
    letter <- substr(escaped, 2, 2)
    if (letter %in% names(plain)) plain[[letter]] else letter
  }, ""))
  text
}
