# Run a significance test on a matrix of scores y (topics x systems, with names), and p.adjust.
# If a sample has no p value, all its numbers are NA. kind: what the test compares. baselines: names
# of systems, empty for all pairs. checked: the places of the pairs to test, if not all. p_values:
# the p values of all pairs, since p.adjust also needs those of the pairs that are not tested. The
# attribute "stopped" has the message of the test if it stops on every sample, else "".
analyze_differences <- function(y, test, kind, settings, baselines, adjust, quantities, effect,
                                conf_level, checked = NULL, p_values = NULL) {
  systems <- colnames(y)
  if (kind == "one sample") {
    found <- test_rows(test, t(y), NULL, settings, quantities)
    labels <- systems
  } else if (kind == "all systems") {
    found <- test_matrix(test, unname(y), NULL, NULL, settings, quantities)
    labels <- "all systems"
  } else {
    pairs <- pairs_of(systems, baselines)
    if (!is.null(checked)) pairs <- lapply(pairs, `[`, checked)
    labels <- paste(systems[pairs$first], "-", systems[pairs$second])
    found <- if (kind == "pairs")
      test_matrix(test, unname(y), pairs$first, pairs$second, settings, quantities)
    else
      test_rows(test, t(y)[pairs$first, , drop = FALSE], t(y)[pairs$second, , drop = FALSE],
                settings, quantities)
  }
  stopped <- attr(found, "stopped")
  found[is.na(found[, "p_value"]), ] <- NA
  effects <- matrix(NA_real_, nrow(found), 3)
  if (!is.null(effect)) for (i in which(!is.na(found[, "p_value"])))
    effects[i, ] <- effect_numbers(effect(y[, pairs$first[i]], y[, pairs$second[i]], conf_level))
  p_adjusted <- if (is.null(checked)) p.adjust(found[, "p_value"], adjust) else
    p.adjust(replace(p_values, checked, found[, "p_value"]), adjust)[checked]
  numbers <- cbind(found, p_adjusted = p_adjusted,
                   effect_size = effects[, 1], effect_low = effects[, 2],
                   effect_high = effects[, 3])
  values <- lapply(colnames(numbers), function(name)
    matrix(numbers[, name], 1, dimnames = list("", labels)))
  names(values) <- gsub("_", " ", colnames(numbers))
  attr(values, "stopped") <- if (all(nzchar(stopped))) stopped[1] else ""
  values
}

# The numbers of an effect size, which may have no interval.
effect_numbers <- function(found) {
  vapply(c("estimate", "conf_low", "conf_high"),
         function(name) if (is.null(found[[name]])) NA_real_ else as.numeric(found[[name]]), 0)
}

# All pairs in the order of combn, or each other system against each baseline, with each pair of
# baselines once.
pairs_of <- function(systems, baselines) {
  if (length(baselines) == 0) {
    pairs <- combn(length(systems), 2)
    return(list(first = pairs[1, ], second = pairs[2, ]))
  }
  second <- match(baselines, systems)
  first <- lapply(seq_along(second), function(i)
    setdiff(seq_along(systems), second[seq_len(i)]))
  list(first = unlist(first), second = rep(second, lengths(first)))
}
