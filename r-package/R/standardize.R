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
  x <- as_scores(scores, missing)
  settled <- settle(x, if (is.null(reference)) x else as_scores(reference, missing, "reference"),
                    policies$missing, extra_topics)
  settled <- reverse_both(settled, lower(lower_is_better, rownames(x)),
                          at_number(reflect_at, lower_is_better))
  how <- list(standardize = twin_of(scheme, settings), settings = settings,
              unfitted = policies$unfitted, constant = policies$constant,
              settle_constant = settle_constant_topics)
  y <- keeping_seed(standardized(settled, how))
  list(y = structure(y, stopped = NULL), settled = settled, how = how)
}

# The probability of a distribution that is fitted to the scores of a topic.
y_of <- function(scheme, x, scores, settings) {
  settings <- settings_of(scheme, settings)
  x <- vector_of("x", x)
  scores <- vector_of("scores", scores)
  if (any(is.infinite(scores))) stop("a reference score is infinite")
  keeping_seed(do.call(twin_of(scheme, settings), c(list(x, scores), settings)))
}

# The function of a scheme, with that of the family of zero_inflated.
twin_of <- function(scheme, settings) {
  twin <- schemes[[scheme]]$standardize
  if (scheme == "zero_inflated") {
    family <- family_of(settings)
    twin <- with_component(twin, twin_of(family$name, family$settings), family$settings)
  }
  function(x, scores, ...) {
    check_enough(scheme, scores)
    twin(x, scores, ...)
  }
}

check_enough <- function(scheme, scores) {
  n <- sum(!is.na(scores))
  least <- scheme_facts[[scheme]]$minimum
  if (n < least) stop(scheme, " needs at least ", least, " reference ",
                      if (least == 1) "score" else "scores", " and there ", if (n == 1) "is 1" else paste("are", n))
}

# The name and the settings of a family, such as "gamma" or "kernel(bandwidth=0.1;kernel=cosine)".
family_of <- function(settings) {
  family <- if (is.null(settings$family)) "beta" else settings$family
  name <- trimws(sub("[(].*", "", family))
  known <- names(Filter(function(facts) facts$is_cdf, scheme_facts))
  parts <- strsplit(sub("^[^(]*[(]?(.*?)[)]? *$", "\\1", family, perl = TRUE), ";")[[1]]
  if (!name %in% setdiff(known, "zero_inflated") || !grepl("^[^()]*([(][^()]*[)] *)?$", family) ||
        !all(grepl("=", parts)))
    stop("zero_inflated: family = ", deparse(family), " is not accepted; expected a distribution ",
         "such as gamma or kernel(bandwidth=0.1), and no linear scheme")
  own <- lapply(trimws(sub(".*?=", "", parts)), utils::type.convert, as.is = TRUE)
  own[vapply(own, identical, NA, "None")] <- list(NULL)  # as Python writes it
  own <- tryCatch(settings_of(name, setNames(own, trimws(sub("=.*", "", parts)))),
                  error = function(e) stop("zero_inflated: family: ", conditionMessage(e)))
  list(name = name, settings = own)
}

# The settings of a scheme without those that are NULL. The words of density() for the rule of
# Sheather and Jones are accepted too.
settings_of <- function(scheme, given) {
  one_of("scheme", scheme, names(schemes))
  accepts <- scheme_facts[[scheme]]$accepts
  check_names(scheme, given, names(accepts))
  if (is.character(given$bandwidth))
    given$bandwidth <- sub("^(-ste)$", "", sub("-", "_", sub("-ste$", "", tolower(given$bandwidth))))
  for (name in names(given)) check_setting(scheme, name, given[[name]], accepts[[name]])
  given <- given[lengths(given) > 0]
  check_together(scheme, given)
  given
}

# Stops unless the settings of a scheme, each of which is accepted, go together.
check_together <- function(scheme, given) {
  value <- function(name, otherwise) if (is.null(given[[name]])) otherwise else given[[name]]
  if (scheme == "zero_inflated") family_of(given)
  ends <- switch(scheme, truncated_normal = c(0, 1), logspline = c(-Inf, Inf))
  ends <- c(value("low", ends[1]), value("high", ends[2]))
  if (length(ends) == 2 && ends[1] >= ends[2])
    stop(scheme, ": low = ", ends[1], " is not below high = ", ends[2])
  if (scheme == "kernel") {
    boundary <- value("boundary", "none")
    if (boundary == "beta" && value("kernel", "gaussian") != "gaussian")
      stop("kernel: kernel = \"", given$kernel, "\" is not accepted with boundary = \"beta\", ",
           "which is a kernel itself")
    range <- scheme_facts$kernel$ranges[[boundary]]
    check_setting(paste0("kernel with boundary = \"", boundary, "\""), "bandwidth",
                  value("bandwidth", "nrd0"),
                  sub("above 0", range, scheme_facts$kernel$accepts$bandwidth))
  }
  if (scheme != "from_scipy") return()
  law <- scheme_facts$from_scipy$laws[[value("dist", "norm")]]
  of <- paste0("from_scipy with dist = \"", value("dist", "norm"), "\"")
  held <- given[setdiff(names(given), "dist")]
  check_names(of, held, names(law$accepts))
  for (name in names(held)) check_setting(of, name, held[[name]], law$accepts[[name]])
  if (length(absent <- setdiff(law$needs, names(held))))
    stop(of, " needs ", paste(absent, collapse = " and "))
  if (all(names(law$accepts) %in% names(held))) return()
  if (length(extra <- intersect(law$only_with_all, names(held))))
    stop(of, ": ", extra[1], " is not accepted; expected none, or all parameters")
  if (isTRUE(value("f0", Inf) < law$least))
    stop(of, ": f0 = ", given$f0, " is not accepted; expected at least ", law$least,
         ", or all parameters")
}

check_names <- function(of, given, known) {
  if (length(given) && (is.null(names(given)) || !all(nzchar(names(given)))))
    stop("settings of ", of, " have names, as in ", c(known, "name")[1], " = ...")
  if (length(other <- setdiff(names(given), known)))
    stop(of, " has no setting ", other[1], "; expected ",
         if (length(known)) paste(known, collapse = ", ") else "none")
  if (at <- anyDuplicated(names(given))) stop(of, ": ", names(given)[at], " is given twice")
}

# Stops unless a value is what the text says: a number in a range, one of some words, a choice, or
# NULL.
check_setting <- function(of, name, value, text) {
  ends <- as.numeric(regmatches(text, gregexpr("-?[0-9.]*[0-9]", text))[[1]])
  says <- function(words) grepl(words, text)
  number <- function() is.finite(value) && (!says("whole") || value == round(value)) &&
    (!says("above [0-9]|between") || value > ends[1]) && (!says("between") || value < ends[2]) &&
    (!says("from|in \\[|or more") || value >= ends[1]) &&
    (!says("from .* to|up to|in \\[") || value <= ends[2])
  words <- strsplit(sub("^one of ", "", sub(";.*", "", text)), ",? or (?!more)|, ", perl = TRUE)[[1]]
  accepted <- if (is.null(value)) says("NULL") else length(value) == 1 && switch(class(value)[1],
    character = !is.na(value) && nzchar(value) && says("such as") || value %in% grep("^[a-z][a-z0-9_-]*$", words, value = TRUE),
    logical = says("TRUE or FALSE") && !is.na(value),
    numeric = , integer = says("number") && number(), FALSE)
  if (!accepted) stop(of, ": ", name, " = ", deparse(value)[1], " is not accepted; expected ", text)
}

at_number <- function(reflect_at, lower_is_better = TRUE) {
  check_setting("lower_is_better", "reflect_at", reflect_at, "a finite number")
  if (isFALSE(lower_is_better) && reflect_at != 0)
    stop("reflect_at = ", reflect_at, " has no effect without lower_is_better")
  reflect_at
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
    stop(name, " = ", deparse(value)[1], " is not accepted; expected one of ",
         paste(known, collapse = ", "))
}

# One sentence, without the name of the function that finds a mistake.
stop <- function(..., call. = FALSE) base::stop(..., call. = call.)

# Which topics to reverse: TRUE, or their names.
lower <- function(lower_is_better, topics) {
  if (isTRUE(lower_is_better)) return(TRUE)
  if (isFALSE(lower_is_better)) return(character())
  if (!is.character(lower_is_better))
    stop("lower_is_better = ", deparse(lower_is_better)[1],
         " is not accepted; expected TRUE, FALSE or names of topics")
  if (length(other <- setdiff(lower_is_better, topics)))
    stop("lower_is_better: there is no topic ", other[1])
  lower_is_better
}

vector_of <- function(name, values) {
  if (!is.null(dim(values)) || !is.numeric(values) && !(is.logical(values) && all(is.na(values))))
    stop(name, " is not a vector of numbers")
  as.numeric(values)
}

# Topics x systems with their names; a first column of text, or named topic, has the topics.
as_scores <- function(scores, missing = "omit", what = "scores") {
  if (is.data.frame(scores) && ncol(scores)) {
    topics <- scores[[1]]
    first <- is.character(topics) || is.factor(topics) || identical(names(scores)[1], "topic")
    labels <- if (first) as.character(topics) else rownames(scores)
    if (first) scores <- scores[-1]
    if (length(other <- names(scores)[!vapply(scores, is.numeric, NA)]))
      stop(what, ", column ", other[1], ": it is not of numbers")
    scores <- structure(as.matrix(scores), dimnames = list(labels, names(scores)))
  }
  if (!is.matrix(scores) || !is.numeric(scores))
    stop(what, ": expected a matrix or data frame of numbers, topics x systems")
  if (!length(scores)) stop(what, ": there are no topics or no systems")
  storage.mode(scores) <- "double"
  if (is.null(colnames(scores))) colnames(scores) <- paste0("system", seq_len(ncol(scores)))
  if (is.null(rownames(scores))) rownames(scores) <- seq_len(nrow(scores))
  for (axis in 1:2) {
    labels <- dimnames(scores)[[axis]]
    of <- paste0(what, c(", row ", ", column ")[axis])
    if (length(at <- which(is.na(labels) | !nzchar(labels)))) stop(of, at[1], ": there is no name")
    if (at <- anyDuplicated(labels)) stop(of, at, ": the name ", labels[at], " is there twice")
  }
  refused <- is.infinite(scores) | missing == "raise" & is.na(scores)
  if (any(refused)) {
    at <- which(refused, arr.ind = TRUE)[1, ]
    stop(what, ", topic ", rownames(scores)[at[1]], ", system ", colnames(scores)[at[2]],
         ": the score is ", if (is.infinite(scores[at[1], at[2]]))
           "infinite; expected a number, or NA where it is missing" else
           "missing; choose missing = \"omit\", \"zero\" or \"drop_topic\"")
  }
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

read_matrix <- function(file, separator = ",", systems_as_rows = FALSE) {
  if (!identical(separator, ",") && !identical(separator, "\t"))
    stop("separator = ", deparse(separator)[1], " is not accepted; expected \",\" or \"\\t\"")
  check_setting("read_matrix", "systems_as_rows", systems_as_rows, "TRUE or FALSE")
  as_scores(read_scores(there(file), separator, 1, FALSE, systems_as_rows), what = file)
}

there <- function(file) {
  if (!is.character(file) || length(file) != 1 || !file.exists(file) || dir.exists(file))
    stop("there is no file ", deparse(file)[1])
  if (file.size(file) == 0) stop(file, " is empty")
  file
}
