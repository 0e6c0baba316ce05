standardize <- function(scores, scheme = "empirical", reference = NULL, ..., constant = "limit",
                        missing = "raise", unfitted = "raise", lower_is_better = FALSE,
                        reflect_at = 0, extra_topics = "refuse") {
  given_back(standardized_with(scores, scheme, reference, ..., constant = constant,
                               missing = missing, unfitted = unfitted,
                               lower_is_better = lower_is_better, reflect_at = reflect_at,
                               extra_topics = extra_topics)$y, scores)
}

# The standardized scores y, and the arguments settled and how of the function standardized.
standardized_with <- function(scores, scheme, reference, ..., constant = "limit",
                              missing = "raise", unfitted = "raise", lower_is_better = FALSE,
                              reflect_at = 0, extra_topics = "refuse") {
  settings <- settings_of(scheme, list(...))
  policies <- checked_policies(scheme, constant, missing, unfitted, extra_topics)
  x <- as_scores(scores)
  settled <- settle(x, if (is.null(reference)) x else as_scores(reference), policies$missing,
                    extra_topics)
  if (any(is.infinite(settled$reference)))
    stop("a reference score is infinite; expected a finite number, or NA if missing")
  settled <- reverse_both(settled, lower(lower_is_better), reflect_at)
  how <- list(standardize = twin_of(scheme, settings), settings = settings,
              unfitted = policies$unfitted, constant = policies$constant,
              settle_constant = settle_constant_topics)
  y <- keeping_seed(standardized(settled, how))
  list(y = structure(y, stopped = NULL), settled = settled, how = how)
}

# The probability of a distribution that is fitted to the scores of a topic.
y_of <- function(scheme, x, scores, settings) {
  settings <- settings_of(scheme, settings)
  keeping_seed(do.call(twin_of(scheme, settings), c(list(x, scores), settings)))
}

# The function of a scheme, with that of the family of zero_inflated.
twin_of <- function(scheme, settings) {
  twin <- schemes[[scheme]]$standardize
  if (scheme != "zero_inflated") return(twin)
  family <- family_of(settings)
  with_component(twin, twin_of(family$name, family$settings), family$settings)
}

# The name and the settings of a family, such as "gamma" or "kernel(bandwidth=0.1;kernel=cosine)".
family_of <- function(settings) {
  family <- if (is.null(settings$family)) "beta" else settings$family
  name <- trimws(sub("[(].*", "", family))
  pairs <- regmatches(family, gregexpr("\\w+ *= *[^;)]+", family))[[1]]
  own <- lapply(trimws(sub(".*?=", "", pairs)), utils::type.convert, as.is = TRUE)
  own <- settings_of(name, setNames(own, trimws(sub("=.*", "", pairs))))
  if (!scheme_facts[[name]]$is_cdf || name == "zero_inflated")
    stop(name, " is no family of distributions")
  list(name = name, settings = own)
}

# The settings of a scheme without those that are NULL. The words of density() for the rule of
# Sheather and Jones are accepted too.
settings_of <- function(scheme, given) {
  one_of("scheme", scheme, names(schemes))
  given <- given[lengths(given) > 0]
  known <- names(formals(schemes[[scheme]]$standardize))[-(1:2)]
  other <- setdiff(names(given), known)
  if (length(other) || length(given) && is.null(names(given)))
    stop("the scheme ", scheme, " has no setting ", other[1], "; expected ",
         if (length(known)) paste(known, collapse = ", ") else "none")
  if (is.character(given$bandwidth))
    given$bandwidth <- sub("^(-ste)$", "", sub("-", "_", sub("-ste$", "", tolower(given$bandwidth))))
  words <- scheme_facts[[scheme]]$words
  for (name in names(given)) if (is.character(given[[name]]) && length(words[[name]]))
    one_of(name, given[[name]], words[[name]])
  given
}

checked_policies <- function(scheme, constant, missing, unfitted, extra_topics) {
  of_missing <- list(raise = missing_raise, omit = missing_omit, zero = missing_zero,
                     drop_topic = missing_drop_topic)
  of_unfitted <- list(raise = unfitted_raise, nan = unfitted_nan, drop_topic = unfitted_drop_topic)
  facts <- scheme_facts[[scheme]]
  one_of("constant", constant, facts$constant)
  one_of("missing", missing, names(of_missing))
  one_of("unfitted", unfitted, names(of_unfitted))
  one_of("extra_topics", extra_topics, c("refuse", "drop"))
  plain <- constant == "limit" || constant == "urbano2019" && !facts$has_moments
  list(missing = of_missing[[missing]], unfitted = of_unfitted[[unfitted]],
       constant = if (!plain) constant)
}

one_of <- function(name, value, known) {
  if (!is.character(value) || length(value) != 1 || !value %in% known)
    stop(name, " = ", deparse(value), " is not accepted; expected one of ",
         paste(known, collapse = ", "), call. = FALSE)
}

# Which topics to reverse: TRUE, or their names.
lower <- function(lower_is_better) if (isFALSE(lower_is_better)) character() else lower_is_better

# Topics x systems with their names; a first column of text, or named topic, has the topics.
as_scores <- function(scores) {
  if (is.data.frame(scores)) {
    topics <- scores[[1]]
    labels <- is.character(topics) || is.factor(topics) || identical(names(scores)[1], "topic")
    if (labels) scores <- data.frame(scores[-1], row.names = topics, check.names = FALSE)
    scores <- as.matrix(scores)
  }
  if (!is.matrix(scores) || !is.numeric(scores))
    stop("expected a matrix or data frame of numbers, topics x systems")
  storage.mode(scores) <- "double"
  if (is.null(colnames(scores))) colnames(scores) <- paste0("system", seq_len(ncol(scores)))
  if (is.null(rownames(scores))) rownames(scores) <- seq_len(nrow(scores))
  twice <- c(rownames(scores)[duplicated(rownames(scores))],
             colnames(scores)[duplicated(colnames(scores))])
  if (length(twice)) stop("the label ", twice[1], " is there twice")
  scores
}

given_back <- function(y, scores) {
  if (is.data.frame(scores)) as.data.frame(y) else y
}

# What an expression returns; the random numbers of R then go on as before it.
keeping_seed <- function(value) {
  before <- get0(".Random.seed", globalenv(), inherits = FALSE)
  on.exit(if (is.null(before)) suppressWarnings(rm(".Random.seed", envir = globalenv())) else
    assign(".Random.seed", before, envir = globalenv()))
  force(value)
}

read_matrix <- function(file, separator = ",", systems_as_rows = FALSE)
  read_scores(file, separator, 1, FALSE, systems_as_rows)
