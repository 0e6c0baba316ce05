compare_systems <- function(scores, test = "paired_t", adjust = NULL, ..., scheme = "raw",
                            reference = NULL, how = list(), baselines = NULL, effect = NULL,
                            alpha = 0.05, draws = NULL) {
  one_of("test", test, names(significance_tests))
  own <- with_enough(significance_tests[[test]])
  if (own$samples == "one sample") stop(test, " tests one system; expected a test of pairs")
  settings <- settings_of_test(test, list(...))
  check_setting("compare_systems", "alpha", alpha, "a number between 0 and 1")
  one_of("scheme", scheme, names(schemes))
  if (!is.list(how)) stop("how = ", deparse(how)[1], " is not accepted; expected a list such as ",
                          "list(missing = \"omit\")")
  policies <- setdiff(names(formals(standardized_with)), c("scores", "scheme", "reference", "..."))
  check_names("how", how, c(policies, names(scheme_facts[[scheme]]$accepts)))
  found <- do.call(standardized_with, c(list(scores, scheme, reference), how), quote = TRUE)
  y <- several(found$y)
  if (any(is.infinite(y))) stop("a standardized score is infinite; expected another policy for ",
                                "constant topics, as by how = list(constant = \"nan\")")
  alone <- own$samples == "all systems"
  gaps <- rowSums(is.na(y))
  topic <- which(gaps > 0 & gaps < ncol(y))[1]
  if (own$samples %in% c("pairs", "all systems") && !is.na(topic))
    stop("topic ", rownames(y)[topic], ", system ", colnames(y)[is.na(y[topic, ])][1], ": ", test,
         " needs every score, and this one is missing; expected a complete matrix, for example by ",
         "how = list(missing = \"drop_topic\")")
  if (!is.null(baselines) && !is.character(baselines))
    stop("baselines = ", deparse(baselines)[1], " is not accepted; expected names of systems")
  if (alone && length(baselines)) stop(test, " compares all systems, without baselines")
  if (own$one_baseline && length(baselines) != 1) stop(test, " needs one baseline")
  if (length(unknown <- setdiff(baselines, colnames(y)))) stop("baselines: there is no system ", unknown[1])
  if (at <- anyDuplicated(baselines)) stop("baselines: ", baselines[at], " is given twice")
  adjust <- adjustment_of(adjust, test, own)
  if (is.null(effect)) effect <- own$effect
  if (!identical(effect, "")) one_of("effect", effect, names(effect_sizes))
  size <- if (nzchar(effect)) effect_sizes[[effect]]
  facts <- scheme_facts[[scheme]]
  ranks <- "topics" %in% c(own$ranks, size$ranks)
  tied <- if (facts$has_rounding && ranks)
    tied_scores(y, found$settled, found$how, facts$is_cdf) else y
  conf_level <- if (is.null(settings$conf_level)) 0.95 else settings$conf_level
  given <- with_draws(test, settings, draws)  # now, as an error within would be one of a pair
  tested <- keeping_seed(analyze_differences(
    tied, own$test, own$run, if (!alone) pairs_of(colnames(y), baselines),
    given, adjust, quantities,
    if (!is.null(size)) effect_numbers(size$effect, conf_level)))
  reasons <- attr(tested, "reasons")
  notes <- c(said_once("R's test fails", reasons, colnames(tested[["p value"]])),
             grep("^R's test fails", attr(tested, "notes"), invert = TRUE, value = TRUE))
  systems <- analyze_systems(y, tested, own$samples, baselines, conf_level, alpha, FALSE, FALSE)
  structure(list(
    table = cbind(table_of(tested, systems, y, if (!alone) pairs_of(colnames(y), baselines)),
                  reason = reasons),
    means = data.frame(mean = colMeans(y, na.rm = TRUE), n = c(systems[["mean: n"]]),
                       low = c(systems[["mean: conf low"]]), high = c(systems[["mean: conf high"]])),
    test = test, title = own$title, estimates = own$estimates, settings = settings, scheme = scheme,
    adjust = adjust, effect = effect, alpha = alpha, baselines = baselines,
    notes = notes), class = "compare_systems")
}

# A test that counts its scores before R's functions do, whose words depend on the language of R.
with_enough <- function(own) {
  test <- own$test
  own$test <- function(...) {
    given <- list(...)
    there <- lapply(given, function(each) !is.na(each))
    n <- switch(own$samples, paired = c(pair = sum(there[[1]] & there[[2]])),
                unpaired = c("score of x" = sum(there[[1]]), "score of y" = sum(there[[2]])),
                "one sample" = c("score of x" = sum(there[[1]])), c(topic = nrow(given[[1]])))
    n <- n[which.min(n)]
    if (n < own$minimum)
      stop(n, " ", sub("^([a-z]+)", if (n == 1) "\\1" else "\\1s", names(n)), ", but at least ",
           own$minimum, if (own$minimum == 1) " is" else " are", " needed")
    constant <- gettext("data are essentially constant", domain = "R-stats")
    tryCatch(test(...), error = function(e) stop(
      if (conditionMessage(e) == constant) "the data are essentially constant" else conditionMessage(e)))
  }
  own
}

several <- function(y) if (ncol(y) > 1) y else
  stop("there is 1 system to compare; expected 2 or more")

adjustment_of <- function(adjust, test, own) {
  none <- own$simultaneous || own$samples == "all systems"
  if (is.null(adjust)) return(if (none) "none" else "holm")
  one_of("adjust", adjust, p.adjust.methods)
  if (none && adjust != "none")
    stop("the p values of ", test, " need no correction; expected adjust = \"none\"")
  adjust
}

# The settings of a test: those given, and the defaults of the others.
settings_of_test <- function(test, given) {
  own <- significance_tests[[test]]
  check_names(test, given, c(own$required, names(own$defaults)))
  if (length(absent <- setdiff(own$required, names(given)))) stop(test, " needs ", absent[1])
  if (is.character(given$alternative)) given$alternative <- sub(".", "-", given$alternative, fixed = TRUE)
  for (name in names(given)) check_setting(test, name, given[[name]], own$accepts[[name]])
  settings <- own$defaults
  settings[names(given)] <- given
  settings
}

# One row for each pair, with the columns of compare() in Python.
table_of <- function(tested, systems, y, pairs) {
  numbers <- lapply(tested, c)
  names(numbers) <- gsub(" ", "_", names(tested))
  first <- if (is.null(pairs)) "all systems" else colnames(y)[pairs$first]
  second <- if (is.null(pairs)) "" else colnames(y)[pairs$second]
  data.frame(system_a = first, system_b = second, n = c(systems$n), n_b = c(systems[["n b"]]), numbers)
}

# A test as R returns its own tests.
htest_of <- function(test, samples, settings) {
  draws <- settings$draws
  settings <- settings_of_test(test, settings[setdiff(names(settings), "draws")])
  own <- with_enough(significance_tests[[test]])
  if (own$samples == "paired" && length(samples$x) != length(samples$y))
    stop("x and y have ", length(samples$x), " and ", length(samples$y), " scores; expected pairs")
  given <- samples
  samples <- if (own$samples == "all systems")
    list(scores = unname(several(as_scores(samples$scores, "raise")))) else
    Map(vector_of, names(samples), samples)
  if (length(odd <- Filter(function(each) any(is.infinite(each)), samples)))
    stop("a score of ", names(odd)[1], " is infinite")
  found <- tryCatch(keeping_seed(
    do.call(own$test, c(unname(samples), with_draws(test, settings, draws)))),
    error = function(e) stop(test, ": ", conditionMessage(e)))
  number <- function(name, label) if (length(found[[name]]) && !is.na(found[[name]]))
    setNames(as.numeric(found[[name]]), label)
  ends <- c(number("conf_low", NULL), number("conf_high", NULL))
  result <- list(
    statistic = number("statistic", "statistic"), parameter = number("parameter", "df"),
    p.value = as.numeric(found$p_value), estimate = number("estimate", own$estimates),
    conf.int = if (length(ends) == 2) structure(ends, conf.level = settings$conf_level),
    null.value = if (!is.null(settings$null_value)) setNames(settings$null_value, own$estimates),
    alternative = if (!is.null(settings$alternative)) sub("-", ".", settings$alternative),
    method = own$title, data.name = paste(names(given), collapse = " and "))
  structure(result[lengths(result) > 0], class = "htest")
}

with_draws <- function(test, settings, draws) {
  drawn <- significance_tests[[test]]$draws
  if (!is.null(draws) && !(drawn && is.function(draws) && identical(names(formals(draws)), c("f", "sizes"))))
    stop("draws = ", deparse(draws)[1], " is not accepted; expected ",
         if (drawn) "what draws_from returns, or NULL" else paste("none, as", test, "does not draw"))
  if (!drawn) return(settings)
  c(settings, draws = if (is.null(draws)) r_draws(test, settings) else draws)
}

# Random draws of R in place of those of Python: other numbers of the same distribution.
r_draws <- function(test, settings) function(f, sizes) {
  n <- sizes[1]
  draw <- switch(sub("_.*", "", test),
    bootstrap = function(trials) rmultinom(trials, n, rep(1, n)),
    randomized = function(trials) replicate(trials, c(t(replicate(n, sample(sizes[2]) - 1)))),
    max = function(trials) matrix(rbinom(n * trials, 1, 0.5), n),
    permutation = if (length(sizes) == 2)
      function(trials) replicate(trials, as.numeric(sample(sum(sizes)) <= n)) else
      function(trials) matrix(rbinom(n * trials, 1, 0.5), n))
  set.seed(settings$seed)
  lapply(block_sizes(settings$B, 1000), function(trials) f(draw(trials)))
}

block_sizes <- function(B, size) c(rep(size, B %/% size), if (B %% size > 0) B %% size)

check_rows <- function(of, rows, expected)
  if (!identical(rows, Inf)) check_setting(of, "rows", rows, expected)

print.compare_systems <- function(x, digits = 3, rows = 10, ...) {
  check_setting("print", "digits", digits, "a whole number from 1 to 22, or NULL")
  check_rows("print", rows, "a whole number of 0 or more, or Inf")
  cat(x$test, if (x$scheme != "raw") paste(" of scores by", x$scheme), "\n", sep = "")
  shown <- x$table[order(x$table$p_adjusted), c("system_a", "system_b", "n", "estimate", "conf_low",
                                                "conf_high", "p_value", "p_adjusted", "effect_size")]
  shown <- shown[, vapply(shown, function(column) !all(is.na(column)), NA)]
  print(head(shown, rows), digits = digits, row.names = FALSE)
  if (nrow(shown) > rows) cat("... and", nrow(shown) - rows, "more, in $table\n")
  cat(sum(x$table$p_adjusted <= x$alpha, na.rm = TRUE), " of ", nrow(shown), " with p <= ", x$alpha,
      if (x$adjust != "none") paste(" after", x$adjust), "\n", sep = "")
  for (note in x$notes) cat("Note:", note, "\n")
  invisible(x)
}

summary.compare_systems <- function(object, ...) {
  significant <- object$table$p_adjusted <= object$alpha
  apart <- function(system) sum(significant & (object$table$system_a == system |
                                                 object$table$system_b == system), na.rm = TRUE)
  found <- object$means[order(-object$means$mean), ]
  found$differs_from <- vapply(rownames(found), apart, 0)
  found
}

plot.compare_systems <- function(x, rows = 30, ...) {
  check_rows("plot", rows, "a whole number of 1 or more, or Inf")
  shown <- x$table[order(-abs(x$table$estimate)), ]
  shown <- head(shown[!is.na(shown$estimate), ], rows)
  if (nrow(shown) == 0) stop("there are no estimates to plot")
  at <- rev(seq_len(nrow(shown)))
  ends <- cbind(shown$conf_low, shown$conf_high)
  within <- range(0, shown$estimate, ends[is.finite(ends)])
  labels <- paste(shown$system_a, "-", shown$system_b)
  before <- par(mar = c(5, 1 + 0.5 * max(nchar(labels)), 1, 1))
  on.exit(par(before))
  plot(shown$estimate, at, xlim = within, ylim = c(0.5, max(at) + 0.5), yaxt = "n", ylab = "",
       xlab = x$estimates, pch = ifelse((shown$p_adjusted <= x$alpha) %in% TRUE, 19, 1), ...)
  abline(v = 0, lty = 3)
  segments(pmax(ends[, 1], within[1]), at, pmin(ends[, 2], within[2]), at)
  axis(2, at, labels, las = 1, cex.axis = 0.7)
  invisible(x)
}
