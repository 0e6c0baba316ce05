# Run a significance test on a matrix of scores y (topics x systems, with names), and p.adjust.
# If a sample has no p value, all its numbers are NA. run: how the test runs on y, one of the
# functions below. pairs: the pairs of systems, NULL if the test has none. effect: a function of two
# samples, or NULL. checked: the places of the pairs to test, if not all. p_values: the p values of
# all pairs, since p.adjust also needs those of the pairs that are not tested. The attribute
# "stopped" has the message of the test if it stops on every sample, else "". The attribute "notes"
# has the messages if it stops on some, and the warnings; "reasons" why each has no p value, or "".
analyze_differences <- function(y, test, run, pairs, settings, adjust, quantities, effect,
                                checked = NULL, p_values = NULL) {
  y <- y[rowSums(!is.na(y)) > 0, , drop = FALSE]  # topics without a score have no influence
  if (!is.null(checked)) pairs <- lapply(pairs, `[`, checked)
  found <- run(y, test, pairs, settings, quantities)
  if (!is.null(pairs))
    rownames(found) <- paste(colnames(y)[pairs$first], "-", colnames(y)[pairs$second])
  stopped <- attr(found, "stopped")
  found[is.na(found[, "p_value"]), ] <- NA
  effects <- matrix(NA_real_, nrow(found), 3)
  if (!is.null(effect)) effects <- noted(function() {
    for (i in which(!is.na(found[, "p_value"])))
      effects[i, ] <- effect(y[, pairs$first[i]], y[, pairs$second[i]])
    effects
  })
  p_adjusted <- if (is.null(checked)) p.adjust(found[, "p_value"], adjust) else
    p.adjust(replace(p_values, checked, found[, "p_value"]), adjust)[checked]
  numbers <- cbind(found, p_adjusted = p_adjusted,
                   effect_size = effects[, 1], effect_low = effects[, 2],
                   effect_high = effects[, 3])
  values <- lapply(colnames(numbers), function(name)
    matrix(numbers[, name], 1, dimnames = list("", rownames(found))))
  names(values) <- gsub("_", " ", colnames(numbers))
  every <- all(nzchar(stopped))
  stopped[!nzchar(stopped) & is.na(found[, "p_value"])] <- "it has no p value"
  notes <- c(if (!every) said_once("R's test fails", stopped, paste0("'", rownames(found), "'")),
             said_once("R's test warns", attr(found, "warned")), attr(effects, "notes"))
  structure(values, stopped = if (every) stopped[1] else "", reasons = stopped, notes = notes)
}

# How a test runs: on each system, on the matrix of all systems, on the scores of each pair of
# systems, or on the matrix with all pairs.
on_each_system <- function(y, test, pairs, settings, quantities)
  test_rows(test, t(y), NULL, settings, quantities)

on_all_systems <- function(y, test, pairs, settings, quantities) {
  found <- test_matrix(test, unname(y), NULL, NULL, settings, quantities)
  rownames(found) <- "all systems"
  found
}

on_each_pair <- function(y, test, pairs, settings, quantities)
  test_rows(test, t(y)[pairs$first, , drop = FALSE], t(y)[pairs$second, , drop = FALSE], settings,
            quantities)

on_all_pairs <- function(y, test, pairs, settings, quantities)
  test_matrix(test, unname(y), pairs$first, pairs$second, settings, quantities)

# The numbers of an effect size, which may have no interval, as a function of two samples.
effect_numbers <- function(effect_size, conf_level)
  function(x, y) {
    found <- effect_size(x, y, conf_level = conf_level)
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
