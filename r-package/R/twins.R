# Generated from src/cdfscore and docs/specification by make tables; not to be edited.

# ---- policies.R

# Policies for constant topics, whose reference scores are all equal. Returns y after the policy.
# y: the result of the twin, which is the limit; settled, how: as in analysis.R.
settle_constant_topics <- function(policy, y, settled, how) {
  x <- settled$x[rownames(y), , drop = FALSE]
  reference <- settled$reference[rownames(y), , drop = FALSE]
  if (policy == "drop_topic") return(without_constant_topics(y, reference))
  standardize <- function(x, scores) do.call(how$standardize, c(list(x, scores), how$settings))
  for (i in seq_len(nrow(y))) {
    scores <- reference[i, !is.na(reference[i, ])]
    if (length(unique(scores)) != 1) next
    mean <- mean(scores)
    unit <- c(-1, 0, 1)  # a sample whose mean is 0 and whose sd is 1
    own <- switch(policy,
      half = rep(0.5, ncol(y)),
      nan = rep(NaN, ncol(y)),
      urbano2019 = standardize(x[i, ], unit),
      matters = standardize(x[i, ] - mean, unit),
      trec_eval = ifelse(x[i, ] == mean, 0, -1000000),
      stop("topic ", rownames(y)[i], ": all its reference scores are equal"))
    y[i, ] <- ifelse(is.na(x[i, ]), NA, own)
  }
  y
}

without_constant_topics <- function(y, reference) {
  left <- apply(reference, 1, function(scores) length(unique(scores[!is.na(scores)])) != 1)
  if (!any(left)) stop("no topic is left, as the reference scores are equal on each", call. = FALSE)
  structure(y[left, , drop = FALSE], stopped = attr(y, "stopped"))
}

# Policies for missing scores. x: the scores; reference: the reference scores; topics as rows.
# Each returns both with the remaining topics of x, matched by their names.
missing_raise <- function(x, reference) {
  if (anyNA(x) || anyNA(reference)) stop("a score is missing")
  matched(x, reference)
}

missing_omit <- function(x, reference) matched(x, reference)

# With all topics of the reference, as trec_eval -c has those of the judgments.
missing_zero <- function(x, reference) {
  x[is.na(x)] <- 0
  reference[is.na(reference)] <- 0
  without <- setdiff(rownames(reference), rownames(x))
  matched(rbind(x, matrix(0, length(without), ncol(x), dimnames = list(without, colnames(x)))),
          reference)
}

missing_drop_topic <- function(x, reference) {
  is_complete <- function(m) !apply(is.na(m), 1, any)
  both <- matched(x[is_complete(x), , drop = FALSE], reference)
  left <- is_complete(both$reference)
  lapply(both, function(m) m[left, , drop = FALSE])
}

matched <- function(x, reference) {
  absent <- setdiff(rownames(x), rownames(reference))
  if (length(absent)) stop("topic ", absent[1], " has no reference scores")
  list(x = x, reference = reference[rownames(x), , drop = FALSE])
}

# Policy for topics on which lower is better. Returns m with the scores x of these rows replaced by
# at - x; for at = 0, these are the negated scores.
# lower: the names of these rows, or TRUE for all. If at - x is a number of up to 12 decimals
# except for rounding, it is rounded to that number, so that ties stay ties: 1 - 0.9 is 0.1.
reverse_scores <- function(m, lower, at) {
  rows <- if (isTRUE(lower)) rep(TRUE, nrow(m)) else rownames(m) %in% lower
  difference <- at - m[rows, ]
  rounded <- round(pmax(pmin(difference, 2^53 / 1e12), -2^53 / 1e12) * 1e12) / 1e12
  near <- !is.na(difference) & abs(rounded - difference) <= 2^-52 * abs(at)
  difference[near] <- rounded[near]
  m[rows, ] <- difference
  m
}

# Policies for unfitted topics, on which the twin stops. y: the scores, topics as rows, with the
# attribute "stopped": the error message of R for each topic, "" if it did not stop.
unfitted_raise <- function(y) refuse_stopped(y)

unfitted_nan <- function(y) structure(y, stopped = NULL)

unfitted_drop_topic <- function(y) {
  stopped <- attr(y, "stopped")
  if (all(nzchar(stopped)))
    stop("no topic is left, as the twin stops on each: ", stopped[1], call. = FALSE)
  y[!nzchar(stopped), , drop = FALSE]
}

# ---- rows.R

# Give a twin the twin of another scheme, as its function `component`, with the settings of that
# scheme.
with_component <- function(standardize, component, settings) {
  force(component)
  environment(standardize) <- list2env(
    list(component = function(x, scores) do.call(component, c(list(x, scores), settings))),
    parent = environment(standardize))
  standardize
}

# What a twin returned: y, a number for each of the m scores.
numbers_of <- function(y, m) {
  if (!(is.numeric(y) || is.logical(y)) || length(y) != m)
    stop("standardize returned ", length(y), if (length(y) == 1) " value" else " values",
         " of type ", typeof(y),
         "; expected ", m, " numbers, one for each x")
  y
}

# Apply a twin (the R function of a scheme) to each topic, a row of the matrices x and scores. A
# warning is an error. If the twin stops on a topic, y is NaN there. The attribute "stopped" has the
# message for each topic, or "".
each_row_where_possible <- function(standardize, x, scores, settings) {
  y <- x
  stopped <- character(nrow(x))
  for (i in seq_len(nrow(x))) {
    found <- tryCatch(
      numbers_of(do.call(standardize, c(list(x[i, ], scores[i, ]), settings)), ncol(x)),
      error = conditionMessage,
      warning = function(w) paste("(converted from warning)", conditionMessage(w)))
    if (is.character(found)) stopped[i] <- found
    y[i, ] <- if (is.character(found)) NaN else found
  }
  structure(y, stopped = stopped)
}

# Stop if the twin stopped on a topic; the attribute "stopped" of y has the messages.
refuse_stopped <- function(y) {
  i <- which(nzchar(attr(y, "stopped")))[1]
  if (is.na(i)) return(structure(y, stopped = NULL))
  topic <- if (is.null(rownames(y))) i else rownames(y)[i]
  stop("topic ", topic, ": ", attr(y, "stopped")[i], call. = FALSE)
}

# Messages as notes, each once, with the number of times and the first place. "" is no message.
said_once <- function(what, messages, places = NULL) {
  places <- places[nzchar(messages)]
  messages <- gsub("[[:space:]]+", " ", messages[nzchar(messages)])
  each <- unique(messages)
  notes <- vapply(each, function(message) {
    own <- which(messages == message)
    paste0(what, if (!is.null(places)) paste(" on", places[own[1]]),
           if (length(own) > 1) paste0(" (", length(own), " times)"), ": ", message)
  }, "", USE.NAMES = FALSE)
  if (length(each) > 5) c(notes[1:5], paste(what, "with", length(each) - 5, "other messages")) else
    notes
}

# What a function returns for these arguments. The attribute "notes" has its notes, and R's warnings.
noted <- function(run, ...) {
  warned <- character()
  found <- withCallingHandlers(run(...), warning = function(w) {
    warned <<- c(warned, conditionMessage(w))
    invokeRestart("muffleWarning")
  })
  structure(found, notes = c(attr(found, "notes"), said_once("R warns", warned)))
}

# ---- analysis.R

# Apply the policy for missing scores, the function of_missing, to the scores x and the reference
# scores: matrices of topics x systems with names. extra: "drop" leaves out topics that the
# reference lacks.
settle <- function(x, reference, of_missing, extra) {
  if (extra == "drop") x <- x[rownames(x) %in% rownames(reference), , drop = FALSE]
  of_missing(x, reference)
}

# Reverse scores after `settle` on topics on which lower is better: x becomes at - x.
reverse_both <- function(settled, lower, at) lapply(settled, reverse_scores, lower, at)

# Standardize scores after `settle`. The attribute "stopped" has the message of R for each topic, ""
# if the twin does not stop. how: a list of standardize (the function of the scheme), its settings,
# unfitted (the function of this policy), and the policy constant with the function that applies it,
# both NULL if constant topics have the limit, since that is what a scheme returns.
standardized <- function(settled, how) {
  tried <- each_row_where_possible(how$standardize, settled$x, settled$reference, how$settings)
  y <- how$unfitted(tried)
  settled$reference[nzchar(attr(tried, "stopped")), ] <- NA  # an unfitted topic is not constant
  if (!is.null(how$constant)) y <- how$settle_constant(how$constant, y, settled, how)
  structure(y, stopped = setNames(attr(tried, "stopped"), rownames(tried)))
}

# The scores y by a scheme, of which those that are equal but for rounding are equal. settled and how:
# as for `standardized`. is_known: FALSE if the factors were fitted before, to scores not at hand.
tied_scores <- function(y, settled, how, is_cdf, is_known = TRUE) {
  reference <- settled[[if (is_known) "reference" else "x"]][rownames(y), , drop = FALSE]
  most <- function(rows) apply(abs(rows), 1, max, 0, na.rm = TRUE)
  if (is_cdf) {
    width <- apply(reference, 1, max, -Inf, na.rm = TRUE) - apply(reference, 1, min, Inf, na.rm = TRUE)
    growth <- ifelse(width > 0, pmin(pmax(most(reference) / width / 32, 1), 2^22), 1)
    own <- pmax(y, 2^-958)  # pnorm is 0 below 4.6e-308
    sizes <- own * (1 - log(own)) * growth
  } else {
    at <- function(x, how) {
      fitted_on <- settled$reference[rownames(x), , drop = FALSE]
      standardized(list(x = x, reference = fitted_on), how)[rownames(x), , drop = FALSE]
    }
    of_reference <- most(if (is_known) at(reference, how) else y)
    zero <- array(0, c(nrow(y), 1), list(rownames(y), "0"))
    at_zero <- abs(at(zero, how[names(how) != "constant"])[, 1])
    error <- ifelse(is.finite(at_zero), at_zero, 0) / 32
    if (is_known) error <- ifelse(of_reference > 0, pmin(error, 2^22 * of_reference), error)
    sizes <- pmax(abs(y), of_reference, error)
  }
  sizes[] <- ave(sizes, match(y, unique(c(y))), FUN = max)  # of equal scores
  joined(y, sizes)
}

# ---- twins.R

# The whole number q such that all scores are k / q, with whole k up to 10^12; NaN if there is none.
# A score is k / q if it is the double nearest to it. Of the first score that is none, the least
# size that it is a fraction of is found, and q becomes the least common multiple.
denominator <- function(scores) {
  sizes <- c(1:2000, 10^(4:12))
  q <- 1
  while (max(1, abs(scores)) * q <= 1e12) {
    apart <- scores[round(scores * q) / q != scores]
    if (length(apart) == 0) return(q)
    size <- sizes[round(apart[1] * sizes) / sizes == apart[1]][1]
    if (is.na(size)) return(NaN)
    a <- q
    b <- size
    while (b > 0) {
      rest <- a %% b
      a <- b
      b <- rest
    }
    q <- q / a * size
  }
  NaN
}

# The values, of which those that are equal but for rounding are equal: of neighbours in order, the
# second becomes the first if they differ by at most 2^-42 of the larger of their sizes.
joined <- function(values, sizes = values) {
  order <- order(values)
  sorted <- values[order]
  sizes <- sizes[order]
  near <- diff(sorted) <= 2^-42 * pmax(sizes[-1], sizes[-length(sizes)])
  first <- c(TRUE, !near %in% TRUE)
  values[order] <- sorted[first][cumsum(first)]
  values
}

# The differences x - y - shift, in whole multiples where the scores have a resolution.
differences_at <- function(x, y, shift, ties_at) {
  d <- x - y - shift
  if (is.numeric(ties_at)) return(round(d, ties_at))
  if (is.function(ties_at)) return(ties_at(d))
  if (ties_at == "all_digits") return(d)
  q <- denominator(c(x, y, shift))
  if (is.nan(q)) sign(d) * joined(abs(d)) else (round(x * q) - round(y * q) - round(shift * q)) / q
}

# The differences x - y - shift (d), and those without what all of them share (apart). If all
# scores and the shift are multiples of some 1 / q, they are those of whole numbers.
resampled_differences <- function(x, y, shift) {
  without_offset <- function(d) if (diff(range(d)) <= max(abs(d)) / 2) d - d[1] else d
  q <- denominator(c(x, y, shift))
  if (is.nan(q)) {
    d <- x - y
    # The rest that the first difference has lost is kept for the second.
    back <- d - x
    lost <- (x - (d - back)) - (y + back)
    if (shift != 0) d <- (d - shift) + lost
    return(list(d = d, apart = without_offset(d)))
  }
  whole <- round(x * q) - round(y * q) - round(shift * q)
  list(d = whole / q, apart = without_offset(whole) / q)
}

# x - y - shift. Where the rounding of the scores may exceed what counts as a tie, and the scores are
# multiples of some 1 / q, the difference is one of whole numbers.
summed_differences <- function(x, y, shift) {
  d <- x - y - shift
  given <- c(x, y, shift)
  q <- if (sum(abs(c(x, y))) + length(d) * abs(shift) > 16 * length(d) * sum(abs(d)))
    denominator(given) else NaN
  if (is.nan(q)) d else (round(x * q) - round(y * q) - round(shift * q)) / q
}

# Scores less those of the system with the middle mean, as one may be far from the others: in whole
# numbers, if all are multiples of some 1 / q. If `of_systems`, these less the first of each system,
# with the digits that the difference loses (Knuth).
without_topics <- function(scores, of_systems = FALSE) {
  middle <- scores[, order(colMeans(scores))[(ncol(scores) + 1) %/% 2]]
  q <- denominator(scores)
  apart <- if (is.nan(q)) scores - middle else round(scores * q) - round(middle * q)
  if (of_systems) {
    part <- apart - scores
    lost <- if (is.nan(q)) (scores - (apart - part)) - (middle + part) else 0 * apart
    less_first <- function(x) x - rep(x[1, ], each = nrow(x))
    apart <- less_first(apart) + less_first(lost)
  }
  if (is.nan(q)) apart else apart / q
}

# The number of pairings that have each sum of gains, 0 ... most. One group of tied x after another
# takes some of the y; those with the same y left are counted together.
pairings <- function(x, gain, most) {
  bits <- 2^(seq_along(x) - 1)
  numbers <- list("0" = c(1, numeric(most)))
  for (size in table(x)) {
    longer <- list()
    for (set in names(numbers)) {
      taken <- as.numeric(set) %/% bits %% 2 == 1
      number <- sum(taken)
      left <- which(!taken)
      for (chosen in combn(length(left), size, simplify = FALSE)) {
        chosen <- left[chosen]
        by <- gain(number + seq_len(size), chosen, which(taken))
        after <- as.character(as.numeric(set) + sum(bits[chosen]))
        moved <- c(numeric(by), numbers[[set]][seq_len(most + 1 - by)])
        longer[[after]] <- if (is.null(longer[[after]])) moved else longer[[after]] + moved
      }
    }
    numbers <- longer
  }
  numbers[[1]]
}

# The ncp with P(T <= t) = p, a tail of at most 0.5: of the mean of pnorm(t s - ncp) over s, where
# s^2 is chi-square over its degrees of freedom. Sums with equal steps of log(s), from where terms
# vanish. A large t would need millions of them: there the sum is over a normal score z, of
# P(z + ncp <= t s).
noncentrality <- function(t, df, p) {
  if (abs(t) > max(1000, sqrt(2 * df))) {
    wide <- 10 + abs(t)
    z <- seq(-39, 39, by = 1 / 16)
    below <- function(ncp) {
      ratio <- pmax(0, (z + ncp) / t)
      sum(dnorm(z) * pchisq(df * ratio^2, df, lower.tail = t < 0)) / 16
    }
    return(uniroot(function(ncp) below(ncp) - p, t + c(-wide, wide), tol = 1e-13,
                   extendInt = "downX")$root)
  }
  step <- min(1 / 25, 0.35 / sqrt(2 * df), 0.25 / (1 + abs(t)))
  far <- 80 / df
  reach <- (far + sqrt(far^2 + 8 * far)) / 4
  u <- seq.int(-reach, min(reach, 3), by = step)
  weight <- exp(df * (u - expm1(2 * u) / 2))
  weight <- weight / sum(weight)
  scaled <- t * exp(u)
  # Newton's steps: the normal score of the sum is nearly linear in ncp. At the start s is near its
  # mean, and its own quantile is added to that of z.
  aim <- qnorm(p)
  mean_s <- 1 - 1 / (4 * df)
  quantile <- sqrt(qchisq(p, df, lower.tail = t < 0) / df)
  ncp <- t * mean_s + sqrt(aim^2 + (t * (quantile - mean_s))^2)
  for (k in 1:100) {
    score <- qnorm(sum(weight * pnorm(scaled - ncp)))
    move <- (score - aim) * dnorm(score) / sum(weight * dnorm(scaled - ncp))
    ncp <- ncp + move
    if (abs(move) < 1e-9 * (1 + abs(ncp))) return(ncp)
  }
  stop("no noncentrality was found")
}

# ---- tests.R

# Apply the R function of a significance test to each pair of rows of the matrices x and y (a test
# of one sample has no y). The result has a row for each sample and a column for each quantity. If
# the function stops on a sample, its row is NA, and the attribute "stopped" has the message. The
# attribute "warned" has all warnings. The function omits NA scores.
test_rows <- function(test, x, y, settings, quantities) {
  found <- matrix(NA_real_, nrow(x), length(quantities), dimnames = list(rownames(x), quantities))
  stopped <- character(nrow(x))
  warned <- warnings_of(for (i in seq_len(nrow(x))) {
    samples <- if (is.null(y)) list(x[i, ]) else list(x[i, ], y[i, ])
    numbers <- tryCatch(do.call(test, c(samples, settings)), error = conditionMessage)
    if (is.character(numbers)) stopped[i] <- numbers
    else found[i, names(numbers)] <- vapply(numbers, as.numeric, 0)
  })
  structure(found, stopped = stopped, warned = warned)
}

# The same for a test of a whole matrix (topics x systems). The result has a single row or, for a
# test of a family of pairs, a row for each pair of the columns first and second.
test_matrix <- function(test, scores, first, second, settings, quantities) {
  matrices <- if (is.null(first)) list(scores) else list(scores, first, second)
  warned <- warnings_of(
    numbers <- tryCatch(do.call(test, c(matrices, settings)), error = conditionMessage))
  found <- matrix(NA_real_, max(1, length(first)), length(quantities),
                  dimnames = list(NULL, quantities))
  stopped <- character(nrow(found))
  if (is.character(numbers)) stopped[] <- numbers
  else for (name in names(numbers)) found[, name] <- as.numeric(numbers[[name]])
  structure(found, stopped = stopped, warned = warned)
}

# Evaluate an expression; return the messages of its warnings.
warnings_of <- function(expression) {
  warned <- character()
  withCallingHandlers(expression, warning = function(w) {
    warned <<- c(warned, conditionMessage(w))
    invokeRestart("muffleWarning")
  })
  warned
}

# A test, or an effect size, of scores in a unit that suits them: a power of 2, which changes no digit
# and keeps squares in the range of doubles. Scores of ordinary size stay, with their decimals.
# in_unit: the settings and the numbers of the test that are in the unit of the scores.
in_own_unit <- function(test, in_unit) function(...) {
  given <- list(...)
  named <- if (is.null(names(given))) character(length(given)) else names(given)
  # The arguments without a name are scores; beside a matrix they are numbers of columns.
  scaled <- named %in% in_unit | !nzchar(named) & !(is.matrix(given[[1]]) & seq_along(given) > 1)
  largest <- max(0, abs(unlist(given[scaled], use.names = FALSE)), na.rm = TRUE)
  power <- min(floor(log2(max(largest, .Machine$double.xmin))), 1023)
  if (largest == 0 || abs(power + 1) <= 100) return(test(...))
  unit <- 2^power
  given[scaled] <- lapply(given[scaled], `/`, unit)
  decimals <- given$ties_at
  if (is.numeric(decimals)) given$ties_at <- function(d) {
    rounded <- round(d * unit, decimals) / unit  # decimals of the scores as they are given
    ifelse(is.finite(rounded), rounded, d)
  }
  found <- do.call(test, given)
  back <- intersect(names(found), in_unit)
  found[back] <- lapply(found[back], `*`, unit)
  found
}

# ---- draws.R

# Read random draws from a file of whole numbers. The names of sets are the sizes of the samples of
# a test, such as "249" or "249 x 110", or "67 reference systems". Each set has offset (the byte at
# which its draws begin), trials (the number of draws), numbers (the count of numbers in a draw) and
# width (the bytes of a number, 0 for a bit). Returns a function draws(f, sizes), which applies f to
# blocks of draws, matrices with a column for each draw, and returns the list of results.
draws_from <- function(path, sets) {
  if (length(sets) && !(is.character(path) && all(file.exists(path))))
    stop("path: there is no file ", deparse(path)[1])
  if (!is.list(sets)) stop("sets = ", deparse(sets)[1], " is not a list of draws by their sizes")
  decoded <- list()  # blocks that need less than 512 MB are kept for the next pair of systems
  kept <- 0
  decode <- function(bytes, set, trials) {
    numbers <- if (set$width > 0) {
      signed <- set$width == 4  # R reads only signed ones of this width; draws are below 2^31
      readBin(bytes, "integer", length(bytes), set$width, signed = signed, endian = "little")
    } else rawToBits(bytes)
    matrix(as.double(numbers), ncol = trials)[seq_len(set$numbers), , drop = FALSE]
  }
  read <- function(set, f) {
    connection <- file(path, "rb")
    on.exit(close(connection))
    seek(connection, set$offset)
    bytes <- if (set$width > 0) set$numbers * set$width else ceiling(set$numbers / 8)
    step <- max(1, 2^18 %/% set$numbers)
    lapply(seq(0, set$trials - 1, step), function(start) {
      trials <- min(step, set$trials - start)
      block <- readBin(connection, "raw", bytes * trials)
      if (length(block) < bytes * trials) stop("the file of draws ends too early")
      f(decode(block, set, trials))
    })
  }
  function(f, sizes) {
    key <- paste(sizes, collapse = " x ")
    set <- sets[[key]]
    if (is.null(set)) stop("there are no draws for samples of size ", key)
    if (is.null(decoded[[key]])) {
      if (kept + set$numbers * set$trials > 2^26) return(read(set, f))
      decoded[[key]] <<- read(set, identity)
      kept <<- kept + set$numbers * set$trials
    }
    lapply(decoded[[key]], f)
  }
}

# ---- differences.R

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

# ---- systems.R

# Compute what a comparison says of each system: the interval of its mean, its mean rank, and which
# systems share a letter. Returns the numbers to compare, each as a matrix with one row. tested: the
# numbers of analyze_differences. baselines: as in differences.R. kind: what the test compares.
# conf_level: NULL for no interval. letters, ranks: whether it has letters, mean ranks. counted: what
# numbers of topics are called.
analyze_systems <- function(y, tested, kind, baselines, conf_level, alpha, letters, ranks,
                            counted = "mean: n") {
  y <- y[rowSums(!is.na(y)) > 0, , drop = FALSE]
  row_of <- function(values, labels) matrix(as.numeric(values), 1, dimnames = list("", labels))
  interval <- in_own_unit(function(x) {
    ends <- tryCatch(t.test(x, conf.level = conf_level)$conf.int, error = function(e) c(NA, NA))
    list(low = ends[1], high = ends[2])
  }, c("low", "high"))
  found <- setNames(list(row_of(colSums(!is.na(y)), colnames(y))), counted)
  if (!is.null(conf_level)) {
    ends <- apply(y, 2, function(x) unlist(interval(x)))
    found[["mean: conf low"]] <- row_of(ends[1, ], colnames(y))
    found[["mean: conf high"]] <- row_of(ends[2, ], colnames(y))
  }
  ranked <- if (nrow(y)) t(apply(y, 1, rank)) else y
  if (ranks) found[["mean: rank"]] <- row_of(ncol(y) + 1 - colMeans(ranked), colnames(y))
  # The numbers of topics of each pair, or of all systems.
  p <- tested[["p adjusted"]]
  pairs <- if (kind == "all systems") list(first = NA, second = NA)
    else pairs_of(colnames(y), baselines)
  own <- match(colnames(p), paste(colnames(y)[pairs$first], "-", colnames(y)[pairs$second]))
  a <- !is.na(y[, pairs$first[own], drop = FALSE])
  b <- !is.na(y[, pairs$second[own], drop = FALSE])
  if (kind == "all systems") a <- b <- array(TRUE, c(nrow(y), 1))
  if (kind != "unpaired") a <- b <- a & b
  found[["n"]] <- row_of(colSums(a), colnames(p))
  found[["n b"]] <- row_of(colSums(b), colnames(p))
  # Letters are right if the pairs that share one are those that are not significant.
  if (letters) found[["letter in common"]] <- row_of(is.na(p) | p > alpha, colnames(p))
  found
}

# ---- reading.R

# Return the nearest double to each decimal number. as.numeric() may be wrong: for "0.002877" it is
# off by one unit in the last place. unserialize() uses the C library, which is right.
decimal <- function(text) {
  known <- grepl("^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?$", text)
  known <- known & nchar(text) <= 100  # the limit of R
  if (!all(known)) stop("not a decimal number of at most 100 characters: ", text[!known][1])
  header <- c("A", "2", "262658", "131840", "14", sprintf("%d", length(text)))
  unserialize(charToRaw(paste(c(header, text, ""), collapse = "\n")))
}

# Read a score matrix from a text file; return topics x systems with their names.
# separator: a comma or a tab. label_column: the position of the row names, 0 for none.
# unnamed_labels: TRUE if the first line has no field for this column.
read_scores <- function(path, separator, label_column, unnamed_labels, systems_as_rows) {
  bytes <- readBin(path, "raw", file.size(path))
  if (as.raw(0) %in% bytes) stop("it is not text; expected a CSV or TSV file")
  if (identical(head(bytes, 3), as.raw(c(0xef, 0xbb, 0xbf)))) bytes <- bytes[-(1:3)]
  # A line break in quotes is part of a label. Bytes that do not occur in UTF-8 replace it until the
  # cells are separated, because connections of R convert \r, and scan() ends at \n. (0xff would end
  # the text.)
  in_quotes <- cumsum(bytes == charToRaw("\"")) %% 2 == 1
  breaks <- list("\r" = as.raw(0xfd), "\n" = as.raw(0xfe))
  for (character in names(breaks))
    bytes[in_quotes & bytes == charToRaw(character)] <- breaks[[character]]
  trimmed <- function(cells) {
    for (character in names(breaks))
      cells <- gsub(rawToChar(breaks[[character]]), character, cells, fixed = TRUE, useBytes = TRUE)
    Encoding(cells) <- "UTF-8"
    trimws(cells)
  }
  text <- gsub("\r\n?", "\n", rawToChar(bytes), useBytes = TRUE)
  connection <- textConnection(text, encoding = "bytes")  # UTF-8 stays as it is in any locale
  on.exit(close(connection))
  header <- trimmed(scan(connection, "", sep = separator, quote = "\"", nlines = 1, quiet = TRUE,
                         na.strings = character(), encoding = "UTF-8"))
  cells <- as.matrix(read.table(connection, sep = separator, quote = "\"", comment.char = "",
                                colClasses = "character", na.strings = character(),
                                encoding = "UTF-8"))
  cells[] <- trimmed(cells)
  # cdfscore writes an apostrophe before labels that a spreadsheet would run as formulas.
  unguarded <- function(labels) sub("^'(?='*[-=+@\t\r])", "", labels, perl = TRUE)
  header <- unguarded(header)
  if (unnamed_labels) header <- c("", header)
  if (length(header) != ncol(cells) || ncol(cells) == (label_column > 0))
    stop("the number of fields is ", length(header), " in the first line and ", ncol(cells),
         " in the next lines; expected labels and scores, separated by ",
         if (separator == "\t") "tabs" else "commas")
  rows <- if (label_column) unguarded(cells[, label_column]) else seq_len(nrow(cells))
  if (label_column) {
    cells <- cells[, -label_column, drop = FALSE]
    header <- header[-label_column]
  }
  scores <- array(NA_real_, dim(cells), list(rows, header))
  there <- !cells %in% c("", "NA", "NaN", "nan")
  scores[there] <- decimal(cells[there])
  if (systems_as_rows) t(scores) else scores
}

schemes <- list()

scheme_facts <- list()

schemes$beta <- local({
# ---- beta.R
# The beta distribution, by maximum likelihood or by moments.
# x: scores to standardize; scores: the reference scores of the topic, between 0 and 1.
# ends: the treatment of scores of 0 and 1; Smithson and Verkuilen (2006), p. 55.
standardize <- function(x, scores, method = "ml", ends = "raise")
  do.call(evaluate, c(list(x), estimate(scores, method, ends)))

estimate <- function(scores, method = "ml", ends = "raise") {
  scores <- scores[!is.na(scores)]
  n <- length(scores)
  if (n < 2) stop("beta needs at least 2 reference scores")
  if (min(scores) < 0 || max(scores) > 1) stop("a reference score is not in [0, 1]")
  given <- list(min = min(scores), max = max(scores))
  if (given$min == given$max) return(c(a = 1, b = 1, given))
  if (ends == "shrink") scores <- (scores * (n - 1) + 0.5) / n
  p <- if (method == "ml") fit_beta(scores) else match_beta(scores)
  if (max(p) > 1e10) stop("the reference scores differ too little for a beta distribution")
  c(a = p[1], b = p[2], given)
}

evaluate <- function(x, a, b, min, max) {
  if (min == max) return(ifelse(x < min, 0, ifelse(x > min, 1, 0.5)))  # the limit
  pbeta(x, a, b)
}

# The variance is the one with n. m (1 - m) - v is the mean of x (1 - x).
match_beta <- function(s) {
  m <- mean(s)
  size <- mean(s * (1 - s)) / mean((s - m)^2)
  if (size == 0) stop("all reference scores are 0 or 1; no beta distribution has their moments")
  c(m, 1 - m) * size
}

# Newton's method for the log-likelihood per score, which is concave in both shapes. Steps
# are halved while they go far beyond the maximum, and end when only rounding errors are left.
fit_beta <- function(s) {
  if (min(s) == 0 || max(s) == 1)
    stop("a reference score is 0 or 1, where the likelihood of beta has no maximum")
  l <- c(mean(log(s)), mean(log1p(-s)))
  slope <- function(p) l - digamma(p) + digamma(sum(p))
  p <- pmax(match_beta(s), 1e-8)
  size <- Inf
  for (i in 1:500) {
    step <- solve(diag(trigamma(p)) - trigamma(sum(p)), slope(p), tol = 0)
    while (any(p + step <= 0) || sum(slope(p + step) * step) < -0.5 * abs(sum(slope(p) * step)))
      if (max(abs(step) / p) < 1e-9) break else step <- step / 2
    p <- p + step
    last <- size
    size <- max(abs(step) / p)
    if (size <= 1e-15 || (size < 1e-7 && size >= last / 2)) return(refine_beta(s, p))
  }
  stop("the likelihood of beta was not maximized in 500 steps")
}

# If scores are close together, these differences lose digits, more for larger shapes: mean(log(s))
# is log(mean(s)) minus a gap of about 1 / (2 p[1]). The last steps therefore use the gaps, the
# logarithm of the sum n of the shapes, and d, the difference of the fitted mean from the mean of
# the scores.
refine_beta <- function(s, p) {
  reflected <- mean(s) > 0.5
  u <- cbind(s, 1 - s)
  if (reflected) u <- u[, 2:1]
  m <- mean(u[, 1])
  m <- c(m, 1 - m)
  e <- (u[, 1] - m[1]) %o% c(1, -1) / rep(m, each = length(s))
  gap <- colMeans(e - ifelse(abs(e) < 0.5, log1p(e), log(u / rep(m, each = length(s)))))
  if (reflected) p <- rev(p)
  n <- sum(p)
  d <- p[1] / n / m[1] - 1
  side <- c(1, -m[1] / m[2])
  size <- Inf
  for (i in 1:50) {
    p <- m * (1 + side * d) * n
    slope <- log_minus_digamma(p) - log_minus_digamma(n) - log1p(side * d) - gap
    own <- 1 - p * trigamma(p)
    by_n <- own - (1 - n * trigamma(n))
    by_d <- side * (own - 1) / (1 + side * d)
    step <- solve(cbind(by_n, by_d), -slope, tol = 0)
    n <- n * exp(step[1])
    d <- d + step[2]
    last <- size
    size <- max(abs(step))
    if (size <= 1e-16 || (size < 1e-7 && size >= last / 2)) break
  }
  p <- m * (1 + side * d) * n
  if (reflected) rev(p) else p
}

# log(x) - digamma(x), from 16 on by its asymptotic series, which is accurate there.
log_minus_digamma <- function(x) {
  r <- 1 / x^2
  series <- 1 / 240 - r * (1 / 132 - r * (691 / 32760 - r / 12))
  series <- 0.5 / x + r * (1 / 12 - r * (1 / 120 - r * (1 / 252 - r * series)))
  ifelse(x < 16, log(x) - digamma(x), series)
}
environment()
})

scheme_facts$beta <- list(is_cdf = TRUE, has_rounding = TRUE, has_moments = FALSE, constant = c("limit", "half", "nan", "drop_topic", "raise"), minimum = 2, parameters = c("a", "b", "min", "max"), accepts = list(method = "ml, moments", ends = "raise, shrink"))

schemes$beta_binomial <- local({
# ---- beta_binomial.R
# The beta-binomial distribution of size * score, by maximum likelihood on the closed square of
# the mean and the correlation rho.
# x: scores to standardize; scores: the reference scores of the topic.
standardize <- function(x, scores, size = 10)
  do.call(evaluate, c(list(x), estimate(scores, size), size = size))

estimate <- function(scores, size = 10) {
  scores <- scores[!is.na(scores)]
  if (length(scores) < 2) stop("beta_binomial needs at least 2 reference scores")
  if (any(scores < 0 | scores > 1)) stop("beta_binomial is a distribution on [0, 1]")
  near <- abs(size * scores - round(size * scores)) <= 1e-12 * size
  if (min(scores) < max(scores)) scores[near] <- round(size * scores[near]) / size  # 3 * 0.1 and 0.3 are one score
  a <- min(scores)
  if (a == max(scores)) return(list(mean = a, rho = 0, spread = 0))  # nothing tells rho
  if (any(abs(size * scores - round(size * scores)) > 1e-12 * size))
    stop("beta_binomial: a reference score is no multiple of 1/", size)
  k <- round(size * scores)

  fit <- if (all(k == 0 | k == size)) c(mean(k) / size, 1) else fit_beta_binomial(k, size)
  list(mean = fit[1], rho = fit[2], spread = max(scores) - a)
}

evaluate <- function(x, mean, rho, spread, size = 10) {
  if (spread == 0) return(ifelse(x < mean, 0, ifelse(x > mean, 1, 0.5)))
  p <- if (rho == 1) c(1 - mean, rep(0, size - 1), mean) else probabilities(mean, rho, size)
  at <- size * x
  at <- ifelse(!is.finite(at) | abs(at - round(at)) > 1e-12 * size, floor(at), round(at))
  at[x < 0] <- -1
  c(0, pmin(cumsum(p)[1:size], 1), 1)[pmin(pmax(at, -1), size) + 2]
}

probabilities <- function(mean, rho, size) {
  if (rho == 0) return(dbinom(0:size, size, mean))
  i <- 0:size
  rising <- function(p) cumsum(c(0, log(p + rho * (0:(size - 1)))))  # of p + i rho
  exp(lchoose(size, i) + rising(mean * (1 - rho))[i + 1] +
        rising((1 - mean) * (1 - rho))[size - i + 1] - rising(1 - rho)[size + 1])
}

# The slopes of the log-likelihood by the mean and by rho; tail has, for i < size, how many k
# are above i, rest how many size - k are.
slopes <- function(mean, rho, tail, rest) {
  i <- seq_along(tail) - 1
  p <- mean * (1 - rho) + i * rho
  q <- (1 - mean) * (1 - rho) + i * rho
  n <- (sum(tail) + sum(rest)) / length(tail)
  c((1 - rho) * (sum(tail / p) - sum(rest / q)),
    sum(tail * (i - mean) / p) + sum(rest * (i - 1 + mean) / q) -
      n * sum((i - 1) / (1 - rho + i * rho)))
}

fit_beta_binomial <- function(k, size) {
  tail <- sapply(1:size, function(i) sum(k >= i))
  rest <- sapply(1:size, function(i) sum(size - k >= i))
  best_mean <- function(rho)
    uniroot(function(m) slopes(m, rho, tail, rest)[1], c(1e-12, 1 - 1e-12), tol = 1e-16,
            maxiter = 1000)$root
  slope <- function(rho) slopes(best_mean(rho), rho, tail, rest)[2]
  value <- function(rho) sum(log(probabilities(best_mean(rho), rho, size)[k + 1]))
  grid <- c(seq(0, 0.95, 0.05)^2, 0.95, 0.99, 0.999, 1 - 1e-6)
  at <- sapply(grid, slope)
  maxima <- if (at[1] <= 0) 0
  for (i in which(at[-length(at)] > 0 & at[-1] <= 0))
    maxima <- c(maxima, uniroot(slope, grid[i + 0:1], tol = 1e-16, maxiter = 1000)$root)
  rho <- maxima[which.max(sapply(maxima, value))]
  c(best_mean(rho), rho)
}
environment()
})

scheme_facts$beta_binomial <- list(is_cdf = TRUE, has_rounding = TRUE, has_moments = FALSE, constant = c("limit", "half", "nan", "drop_topic", "raise"), minimum = 2, parameters = c("mean", "rho", "spread"), accepts = list(size = "a whole number from 2 to 1000"))

schemes$centered <- local({
# ---- centered.R
# Centering: Mizzaro and Robertson (2007), as in Webber, Moffat and Zobel (2008), Section 6.
# x: scores to standardize; scores: the reference scores of the topic.
standardize <- function(x, scores) do.call(evaluate, c(list(x), estimate(scores)))

estimate <- function(scores) {
  scores <- scores[!is.na(scores)]
  if (length(scores) == 0) stop("there is no reference score")
  list(mean = mean(scores), spread = max(scores) - min(scores))
}

evaluate <- function(x, mean, spread) x - mean
environment()
})

scheme_facts$centered <- list(is_cdf = FALSE, has_rounding = TRUE, has_moments = FALSE, constant = c("limit", "nan", "drop_topic", "raise", "urbano2019"), minimum = 1, parameters = c("mean", "spread"), accepts = list())

schemes$empirical <- local({
# ---- empirical.R
# E-std: Urbano, Lima and Hanjalic (2019), Eq. 7; its plotting positions are those of ppoints.
# x: scores to standardize; scores: the reference scores of the topic.
standardize <- function(x, scores, convention = "weak", position = NULL, interpolation = NULL)
  evaluate(x, estimate(scores)$sample, convention, position, interpolation)

estimate <- function(scores) {
  scores <- scores[!is.na(scores)]
  if (length(scores) == 0) stop("there are no reference scores")
  list(sample = scores)
}

evaluate <- function(x, sample, convention = "weak", position = NULL, interpolation = NULL) {
  scores <- sample
  n <- length(scores)
  below <- function(v) vapply(v, function(u) sum(scores < u), numeric(1))
  at_most <- function(v) vapply(v, function(u) sum(scores <= u), numeric(1))
  named <- c(hazen = 1 / 2, weibull = 0, blom = 3 / 8)
  a <- if (is.character(position)) named[[position]] else position
  if (identical(as.numeric(a), 1) && n == 1)
    stop("position 1 needs at least 2 reference scores and there are 1")
  steps <- function(v) {
    if (is.null(a)) return(switch(convention,
      weak = ecdf(scores)(v),
      strict = below(v) / n,
      mid = (below(v) + at_most(v)) / (2 * n)))
    y <- switch(convention,
      weak = c(0, ppoints(n, a))[at_most(v) + 1],
      strict = c(0, ppoints(n, a))[below(v) + 1],
      mid = ((below(v) + at_most(v) + 1) / 2 - a) / (n + 1 - 2 * a))
    ifelse(is.infinite(v), as.numeric(v > 0), pmin(pmax(y, 0), 1))
  }
  y <- steps(x)
  distinct <- sort(unique(scores))
  if (is.null(interpolation) || length(distinct) == 1) return(y)
  inside <- which(x > min(scores) & x < max(scores))
  y[inside] <- approxfun(distinct, steps(distinct))(x[inside])
  y
}
environment()
})

scheme_facts$empirical <- list(is_cdf = TRUE, has_rounding = FALSE, has_moments = FALSE, constant = c("limit", "half", "nan", "drop_topic", "raise", "urbano2019"), minimum = 1, parameters = c("sample"), accepts = list(convention = "weak, strict, mid", position = "a number from 0 to 1, hazen, weibull, blom or NULL", interpolation = "linear, or NULL for steps"))

schemes$exponential <- local({
# ---- exponential.R
# The exponential shifted to the minimum, scale by maximum likelihood.
# x: scores to standardize; scores: the reference scores of the topic.
standardize <- function(x, scores) do.call(evaluate, c(list(x), estimate(scores)))

estimate <- function(scores) {
  scores <- scores[!is.na(scores)]
  list(min = min(scores), scale = mean(scores - min(scores)))
}

evaluate <- function(x, min, scale) {
  if (scale == 0) return(ifelse(x > min, 1, 0))  # the limit as the scale goes to 0
  pexp(x - min, rate = 1 / scale)
}
environment()
})

scheme_facts$exponential <- list(is_cdf = TRUE, has_rounding = TRUE, has_moments = FALSE, constant = c("limit", "half", "nan", "drop_topic", "raise"), minimum = 1, parameters = c("min", "scale"), accepts = list())

schemes$from_scipy <- local({
# ---- from_scipy.R
# Maximum likelihood for laws of scipy.stats: closed forms, and otherwise R's own optimizers on the
# sum of log densities, which are R's where it has them.
# x: scores to standardize; scores: the reference scores of the topic. dist and the held
# parameters have SciPy's names: floc, fscale, and f0 and f1 for the shapes.
standardize <- function(x, scores, dist = "norm", floc = NULL, fscale = NULL,
                        f0 = NULL, f1 = NULL)
  do.call(evaluate, c(list(x), estimate(scores, dist, floc, fscale, f0, f1), dist = dist))

# The shapes have SciPy's names.
estimate <- function(scores, dist = "norm", floc = NULL, fscale = NULL, f0 = NULL, f1 = NULL) {
  scores <- scores[!is.na(scores)]
  if (length(scores) < 2) stop("from_scipy needs at least 2 reference scores")
  spread <- max(scores) - min(scores)
  shapes <- laws[[dist]]$shapes
  fit <- if (spread == 0) list(shapes = rep(1, length(shapes)), loc = scores[[1]], scale = 1) else
    fit_law(scores, dist, floc, fscale, f0, f1)  # on a constant topic there is no fit
  c(spread = spread, setNames(as.list(fit$shapes), shapes), loc = fit$loc, scale = fit$scale)
}

evaluate <- function(x, ..., spread, loc, scale, dist = "norm") {
  if (spread == 0) return(ifelse(x < loc, 0, ifelse(x > loc, 1, 0.5)))
  law <- laws[[dist]]
  if (dist == "norm") pnorm(x, loc, scale) else law$p((x - loc) / scale, list(...)[law$shapes])
}

# The parameters of highest likelihood.
fit_law <- function(scores, dist, floc = NULL, fscale = NULL, f0 = NULL, f1 = NULL) {
  law <- laws[[dist]]
  if (is.null(law)) stop("from_scipy: ", dist, " is not one of the laws that can be fitted")
  slots <- c(head(c("f0", "f1"), length(law$shapes)), "floc", "fscale")
  held <- list(f0 = f0, f1 = f1, floc = floc, fscale = fscale)[slots]
  free <- names(held)[lengths(held) == 0]
  for (name in law$needs) if (name %in% free) stop("from_scipy: ", dist, " needs ", name)
  value <- function(name, otherwise) if (is.null(held[[name]])) otherwise else held[[name]]
  as_usual <- setequal(c(free, law$needs), names(held))
  s <- scores - value("floc", 0)
  if ("floc" %in% law$needs) check_inside(min(s) > 0 && max(s) < value("fscale", Inf) * law$high)

  # Location, scale and shapes in closed form, for any held parameters.
  low <- value("floc", min(scores))
  fit <- switch(dist,
    norm = , halfnorm = {
      # The scale is about the mean before it is rounded, as far from 0 its rounding error is large.
      z <- scores - low
      center <- if (dist == "norm" && is.null(floc)) mean(z) else 0
      list(loc = low + center, scale = value("fscale", sqrt(mean((z - center)^2))))
    },
    laplace = list(loc = value("floc", median(scores)),
                   scale = value("fscale", mean(abs(scores - value("floc", median(scores)))))),
    expon = list(loc = low, scale = value("fscale", mean(scores - low))),
    uniform = {
      if (is.null(floc) && !is.null(fscale)) low <- low - (fscale - diff(range(scores))) / 2
      list(loc = low, scale = value("fscale", max(scores) - low))
    },
    lognorm = {
      scale <- value("fscale", exp(mean(log(s))))
      list(shapes = list(value("f0", sqrt(mean((log(s) - log(scale))^2)))), scale = scale)
    },
    loglaplace = {
      scale <- value("fscale", exp(median(log(s))))
      list(shapes = list(value("f0", 1 / mean(abs(log(s) - log(scale))))), scale = scale)
    })
  # And where nothing else is held than has to be.
  if (as_usual) fit <- switch(dist,
    gamma = {
      shape <- fit_gamma(s)
      list(shapes = list(shape), scale = mean(s) / shape)
    },
    invgauss = {
      r <- mean(1 / s) - 1 / mean(s)
      list(shapes = list(mean(s) * r), scale = 1 / r)
    },
    pareto = list(shapes = list(1 / mean(log(s / min(s)))), scale = min(s)),
    levy = list(shapes = list(), scale = 1 / mean(1 / s)),
    powerlaw = list(shapes = list(-1 / mean(log(s / fscale))), scale = fscale),
    johnsonsb = {
      t <- qlogis(s / fscale)
      sd <- sqrt(mean((t - mean(t))^2))
      list(shapes = list(-mean(t) / sd, 1 / sd), scale = fscale)
    }, fit)
  if (is.null(fit$loc)) fit$loc <- floc
  if (length(free) == 0) fit <- list(shapes = held[seq_along(law$shapes)], loc = floc, scale = fscale)
  if (is.null(fit$scale)) fit <- maximize(law, scores, held)
  check_inside((min(scores) - fit$loc) / fit$scale >= law$low - 1e-12 &&
                 (max(scores) - fit$loc) / fit$scale <= law$high + 1e-12)
  fit
}

check_inside <- function(inside)
  if (!inside) stop("from_scipy: a reference score lies outside the support that is held fixed")

# The highest likelihood of location, scale and shapes. The scores become z in [0, 1]. A shape with a
# range has a place, its logarithm or asinh: optimize finds the highest likelihood over the places,
# where optim or optimize has found that of the other parameters at each. At the end all are
# improved together by Newton's method.
maximize <- function(law, scores, held) {
  unit <- diff(range(scores))
  z <- (scores - min(scores)) / unit
  k <- length(law$shapes)
  fixed <- vapply(held, function(v) if (is.null(v)) NA_real_ else v, 0)
  fixed[k + 1:2] <- c((fixed[k + 1] - min(scores)) / unit, fixed[k + 2] / unit)
  if (law$edge && is.na(fixed[k + 1])) fixed[k + 1] <- 0
  real <- c(rep(!is.null(law$range) && law$range[1] < 0, k), NA, FALSE)
  signed <- which(real)
  above_0 <- which(!real)
  parameters <- function(q) replace(replace(q, signed, sinh(q[signed])), above_0, exp(q[above_0]))
  places <- replace(replace(fixed, signed, asinh(fixed[signed])), above_0, log(fixed[above_0]))
  if (!is.null(law$ties)) {
    df <- if (k == 0) 1 else if (is.na(fixed[1])) law$range[1] else fixed[1]
    share <- if (is.na(fixed[k + 1])) max(table(z)) else sum(z == fixed[k + 1])
    if (share / length(z) >= df / (df + 1)) stop("from_scipy: too many reference scores are equal")
  }
  loss <- function(q) {
    p <- parameters(q)
    u <- (z - p[k + 1]) / p[k + 2]
    if (anyNA(u) || min(u) < law$low || max(u) > law$high) return(1e300)
    # R warns of NaN at points that the search tries, which are none of its results.
    value <- suppressWarnings(log(p[k + 2]) * length(z) - sum(law$d(u, as.list(p[seq_len(k)]))))
    if (is.finite(value)) value else 1e300
  }
  inner <- function(q) {
    free <- which(is.na(q))
    if (length(free) == 0) return(q)
    q <- started(law, z, q, parameters, loss)
    of_free <- function(v) loss(replace(q, free, v))
    if (length(free) == 1) {
      around <- q[free] + c(-12, 12)
      if (free == k + 1)  # the locations with all scores in the support
        around <- pmax(pmin(around, -law$low * exp(q[k + 2])), 1 - law$high * exp(q[k + 2]))
      q[free] <- optimize(of_free, around, tol = 1e-9)$minimum
      return(q)
    }
    for (i in 1:2) q[free] <- optim(q[free], of_free, control =
      list(reltol = 1e-15, maxit = 2000, parscale = pmax(0.1, abs(q[free]))))$par
    q
  }
  improved <- function(q) {
    free <- which(is.na(places))
    if (length(free)) q[free] <- polished(function(v) loss(replace(q, free, v)), q[free], length(z))
    q
  }
  searched <- if (is.null(law$range)) NULL else which(is.na(fixed[seq_len(k)]))
  if (length(searched)) {
    at <- function(place) inner(replace(places, searched, place))
    ends <- if (law$range[1] < 0) asinh(law$range) else log(law$range)
    count <- 1 + ceiling(diff(ends) / 0.6)
    grid <- seq(ends[1], ends[2], length.out = count)
    losses <- vapply(grid, function(place) loss(at(place)), 0)
    # A minimum of the loss lies beside each place that is lower than its neighbors. All are found.
    left <- c(Inf, losses[-count])
    right <- c(losses[-1], Inf)
    lower <- losses <= left & losses <= right & losses < pmax(left, right) - 1e-9
    peaks <- union(which.min(losses), which(lower))
    tops <- lapply(peaks, function(i)
      optimize(function(place) loss(at(place)), grid[c(max(i - 1, 1), min(i + 1, count))], tol = 1e-6))
    found <- pmin(losses[peaks], vapply(tops, function(top) top$objective, 0))
    near <- range(peaks[found <= min(found) + 1e-9])
    between <- setdiff(near[1]:near[2], peaks)
    if (any(losses[between] > min(found) + 1e-6))
      stop("from_scipy: the likelihood has two maxima that are equally high")
    lowest <- which.min(found)
    best <- peaks[lowest]
    place <- tops[[lowest]]$minimum
    q <- improved(at(place))
    if (q[searched] <= ends[1] || q[searched] >= ends[2] ||
          best %in% c(1, count) && losses[best] <= loss(q) + 1e-10) {
      end <- if (abs(q[searched] - ends[1]) < abs(q[searched] - ends[2])) 1 else 2
      if (!law$limits[end])
        stop("from_scipy: the likelihood still rises at an end of the range of the shape")
      places[searched] <- ends[end]
      q <- improved(at(ends[end]))
    }
  } else q <- improved(inner(places))
  p <- parameters(q)
  list(shapes = p[seq_len(k)],
       loc = if (is.null(held$floc)) min(scores) + unit * p[[k + 1]] else held$floc,
       scale = if (is.null(held$fscale)) unit * p[[k + 2]] else held$fscale)
}

# Places to start from where q has NA: laws whose quartiles are about those of the scores z.
started <- function(law, z, q, parameters, loss) {
  k <- length(law$shapes)
  loc <- k + 1
  scale <- k + 2
  if (anyNA(q[seq_len(k)])) q[seq_len(k)][is.na(q[seq_len(k)])] <- log(1.3 / sd(log(z - q[loc])))
  shapes <- as.list(parameters(q)[seq_len(k)])
  ends <- c(law$low, law$high)
  both <- all(is.finite(ends))
  fits <- vapply(c(0.01, 0.25, 0.75, 0.99), function(level) quantile_of(law, shapes, level), 0)
  away <- if (is.na(q[loc])) z - mean(z) else z - q[loc]
  if (is.na(q[scale])) q[scale] <- log(if (both) 1.25 * max(abs(away)) / law$high
    else if (is.finite(law$low) && !is.na(q[loc])) mean(away) / mean(fits[2:3])
    else 1.35 * sqrt(mean(away^2)) / diff(fits[2:3]))
  size <- exp(q[scale])
  if (is.na(q[loc])) {
    places <- if (both) 0.5 - size * mean(ends)
      else if (is.finite(law$low)) min(mean(z) - mean(fits[2:3]) * size, -0.05 * size)
      else c(mean(z), min(z), max(z)) - c(mean(fits[2:3]), fits[1], fits[4]) * size
    losses <- vapply(places, function(place) loss(replace(q, loc, place)), 0)
    q[loc] <- places[which.min(losses)]
  }
  q
}

# A quantile of a law at location 0 and scale 1.
quantile_of <- function(law, shapes, level) {
  x <- function(t) if (is.finite(law$high)) law$low + (law$high - law$low) * plogis(t)
    else if (is.finite(law$low)) law$low + exp(t)
    else sinh(t)
  x(uniroot(function(t) law$p(x(t), shapes) - level, c(-30, 30), extendInt = "upX", tol = 1e-9)$root)
}

# Newton's method for the minimum of a loss of n scores, with derivatives by differences. Where the
# loss is steep, the differences are of smaller steps. It ends when a step gains nothing.
polished <- function(loss, q, n) {
  k <- length(q)
  units <- rep(1, k)
  h <- 1e-3
  for (i in 1:60) {
    at <- function(...) loss(q + h * units * rowSums(cbind(...)))
    axis <- function(i) replace(numeric(k), i, 1)
    now <- loss(q)
    near <- vapply(1:k, function(i) c(at(axis(i)), at(-axis(i)), at(2 * axis(i)), at(-2 * axis(i))),
                   numeric(4))
    gradient <- (8 * (near[1, ] - near[2, ]) - (near[3, ] - near[4, ])) / (12 * h)
    bend <- (16 * (near[1, ] + near[2, ]) - (near[3, ] + near[4, ]) - 30 * now) / (12 * h^2)
    steeper <- pmin(1, units / sqrt(pmax(1e-4, bend / n)))
    if (any(near >= 1e300) || any(steeper < units / 3)) {
      units <- if (any(near >= 1e300)) units / 4 else steeper
      next
    }
    hessian <- diag(bend, k)
    for (i in seq_len(k)) for (j in seq_len(i - 1))
      hessian[i, j] <- hessian[j, i] <- (at(axis(i), axis(j)) + at(-axis(i), -axis(j)) -
        at(axis(i), -axis(j)) - at(-axis(i), axis(j))) / (4 * h^2)
    step <- tryCatch(units * solve(hessian, gradient), error = function(e) NULL)
    if (is.null(step) || !(loss(q - step) <= now + 1e-11)) break
    q <- q - step
    if (max(abs(step / units)) < 1e-11) break
  }
  q
}

# log(shape) - digamma(shape) = log(mean(s)) - mean(log(s)); the left side decreases with the shape.
# It is the asymptotic series for a large shape, whose logarithms would cancel.
fit_gamma <- function(s) {
  e <- s / mean(s) - 1
  right <- mean(e - log1p(e))
  left <- function(x) {
    u <- 1 / x^2
    ifelse(x < 16, log(x) - digamma(x), 0.5 / x + u * (1 / 12 - u * (1 / 120 - u * (1 / 252 - u * (
      1 / 240 - u * (1 / 132 - u * (691 / 32760 - u / 12)))))))
  }
  exp(uniroot(function(t) log(left(exp(t)) / right), log(0.5 / right) + c(-1, 1),
              extendInt = "downX", tol = 1e-15, maxiter = 10000)$root)
}

# A law: the names of its shapes, its support, cdf and log density at location 0 and scale 1, given u
# and the shapes a and b; what has to be held; the range of the shape that is searched,
# and whether the ends of the range are limits of the law.
law <- function(shapes, low, high, p, d, needs = NULL, range = NULL, limits = c(TRUE, TRUE),
                edge = FALSE, ties = NULL) {
  f <- function(e) {
    inner <- eval(call("function", as.pairlist(alist(u = , a = , b = )), e))
    function(u, s) do.call(inner, c(list(u), unname(s)))
  }
  p <- f(substitute(p))
  inside <- function(u, s) {
    known <- !is.na(u)  # integrate refuses others
    v <- u[known]
    y <- p(pmin(pmax(v, low), high), s)
    replace(u, known, ifelse(v <= low, 0, ifelse(v >= high, 1, y)))
  }
  list(shapes = shapes, low = low, high = high, p = inside, d = f(substitute(d)), needs = needs,
       range = range, limits = limits, edge = edge, ties = ties)
}
squared <- function(u, df) dchisq(u^2, df, log = TRUE) + log(2 * u)
both <- function(u, half) 0.5 + sign(u) * half / 2
in_unit <- c("floc", "fscale")
wide <- c(1e-6, 1e6)
laws <- list(
  norm = law(NULL, -Inf, Inf, pnorm(u), dnorm(u, log = TRUE)),
  laplace = law(NULL, -Inf, Inf, both(u, -expm1(-abs(u))), -abs(u) - log(2)),
  expon = law(NULL, 0, Inf, pexp(u), dexp(u, log = TRUE)),
  uniform = law(NULL, 0, 1, punif(u), dunif(u, log = TRUE)),
  halfnorm = law(NULL, 0, Inf, pchisq(u^2, 1), log(2) + dnorm(u, log = TRUE)),
  logistic = law(NULL, -Inf, Inf, plogis(u), dlogis(u, log = TRUE)),
  gumbel_r = law(NULL, -Inf, Inf, exp(-exp(-u)), -u - exp(-u)),
  gumbel_l = law(NULL, -Inf, Inf, -expm1(-exp(u)), u - exp(u)),
  hypsecant = law(NULL, -Inf, Inf, 2 / pi * atan(exp(u)), -log(pi * cosh(u))),
  moyal = law(NULL, -Inf, Inf, 2 * pnorm(-exp(-u / 2)), -(u + exp(-u) + log(2 * pi)) / 2),
  rayleigh = law(NULL, 0, Inf, pchisq(u^2, 2), log(u) - u^2 / 2),
  maxwell = law(NULL, 0, Inf, pchisq(u^2, 3), squared(u, 3)),
  semicircular = law(NULL, -1, 1, pbeta((u + 1) / 2, 1.5, 1.5), log(2 / pi) + log(1 - u^2) / 2),
  cosine = law(NULL, -pi, pi, (pi + u + sin(u)) / (2 * pi), log((1 + cos(u)) / (2 * pi))),
  anglit = law(NULL, -pi / 4, pi / 4, sin(u + pi / 4)^2, log(cos(2 * u))),
  halflogistic = law(NULL, 0, Inf, tanh(u / 2), log(2) + dlogis(u, log = TRUE), edge = TRUE),
  lognorm = law("s", 0, Inf, plnorm(u, 0, a), dlnorm(u, 0, a, log = TRUE), "floc"),
  loglaplace = law("c", 0, Inf, ifelse(u < 1, u^a / 2, 1 - u^-a / 2),
                   log(a / 2) - log(u) - a * abs(log(u)), "floc"),
  fisk = law("c", 0, Inf, plogis(a * log(u)), dlogis(a * log(u), log = TRUE) + log(a) - log(u), "floc"),
  weibull_min = law("c", 0, Inf, pweibull(u, a), dweibull(u, a, log = TRUE), "floc"),
  invweibull = law("c", 0, Inf, exp(-u^-a), log(a) - (a + 1) * log(u) - u^-a, "floc"),
  gamma = law("a", 0, Inf, pgamma(u, a), dgamma(u, a, log = TRUE), "floc"),
  invgamma = law("a", 0, Inf, pgamma(1 / u, a, lower.tail = FALSE),
                 dgamma(1 / u, a, log = TRUE) - 2 * log(u), "floc"),
  chi2 = law("df", 0, Inf, pchisq(u, a), dchisq(u, a, log = TRUE), "floc"),
  chi = law("df", 0, Inf, pchisq(u^2, a), squared(u, a), "floc"),
  nakagami = law("nu", 0, Inf, pgamma(a * u^2, a),
                 dgamma(a * u^2, a, log = TRUE) + log(2 * a * u), "floc"),
  f = law(c("dfn", "dfd"), 0, Inf, pf(u, a, b), df(u, a, b, log = TRUE), c("f0", "f1", "floc")),
  invgauss = law("mu", 0, Inf, inverse_gaussian(u, a),
                 -log(2 * pi * u^3) / 2 - (u / a - 1)^2 / (2 * u), "floc"),
  pareto = law("b", 1, Inf, -expm1(-a * log(u)), log(a) - (a + 1) * log(u), "floc"),
  levy = law(NULL, 0, Inf, 2 * pnorm(-1 / sqrt(u)), -log(2 * pi * u^3) / 2 - 1 / (2 * u), "floc"),
  beta = law(c("a", "b"), 0, 1, pbeta(u, a, b), dbeta(u, a, b, log = TRUE), in_unit),
  betaprime = law(c("a", "b"), 0, Inf, pbeta(u / (1 + u), a, b),
                  dbeta(u / (1 + u), a, b, log = TRUE) - 2 * log1p(u), in_unit),
  powerlaw = law("a", 0, 1, pbeta(u, a, 1), log(a) + (a - 1) * log(u), in_unit),
  johnsonsb = law(c("a", "b"), 0, 1, pnorm(a + b * qlogis(u)),
                  dnorm(a + b * qlogis(u), log = TRUE) + log(b) - log(u) - log1p(-u), in_unit),
  cauchy = law(NULL, -Inf, Inf, pcauchy(u), dcauchy(u, log = TRUE), ties = TRUE),
  t = law("df", -Inf, Inf, pt(u, a), dt(u, a, log = TRUE), range = c(1, 1e6),
          limits = c(FALSE, TRUE), ties = TRUE),
  skewnorm = law("a", -Inf, Inf, pnorm(u) - 2 * owen(u, a),
                 log(2) + dnorm(u, log = TRUE) + pnorm(a * u, log.p = TRUE), range = c(-1e6, 1e6)),
  genlogistic = law("c", -Inf, Inf, exp(a * plogis(u, log.p = TRUE)),
                    log(a) + a * plogis(u, log.p = TRUE) + plogis(-u, log.p = TRUE), range = wide),
  exponnorm = law("K", -Inf, Inf, pnorm(u) - exp(log_tilted(u, a)), log_tilted(u, a) - log(a),
                  range = c(1e-3, 1e6)),
  loggamma = law("c", -Inf, Inf, ifelse(u < -40, exp(a * u - lgamma(a + 1)), pgamma(exp(u), a)),
                 ifelse(u < -700, a * u - lgamma(a), u + dgamma(exp(u), a, log = TRUE)), range = wide),
  gompertz = law("c", 0, Inf, -expm1(-a * expm1(u)), log(a) + u - a * expm1(u), "floc",
                 range = c(1e-20, 1e6), limits = c(FALSE, TRUE))
)
inverse_gaussian <- function(u, mu)
  pnorm((u / mu - 1) / sqrt(u)) + exp(2 / mu + pnorm(-(u / mu + 1) / sqrt(u), log.p = TRUE))
# 1 / (2 a^2) - u / a + log Phi(u - 1 / a), which loses all digits for small a as it stands.
log_tilted <- function(u, a) {
  v <- 1 / a - u
  mills <- ifelse(v > 50, log1p(-1 / v^2 + 3 / v^4 - 15 / v^6) - log(v),
                  pnorm(v, lower.tail = FALSE, log.p = TRUE) - dnorm(v, log = TRUE))
  ifelse(v > 5, dnorm(u, log = TRUE) + mills, 1 / (2 * a^2) - u / a + pnorm(-v, log.p = TRUE))
}
# Owen's T function; beyond a = 1 its integrand is too steep.
owen <- function(h, a) {
  if (abs(a) > 1) {
    p <- pnorm(abs(h))
    q <- pnorm(abs(a * h))
    return(sign(a) * ((p + q) / 2 - p * q - owen(a * h, 1 / abs(a))))
  }
  vapply(h, function(h) {
    integrate(function(v) exp(-(h / cos(v))^2 / 2), 0, atan(a), rel.tol = 1e-12)$value / (2 * pi)
  }, 0)
}
environment()
})

scheme_facts$from_scipy <- list(is_cdf = TRUE, has_rounding = TRUE, has_moments = FALSE, constant = c("limit", "half", "nan", "drop_topic", "raise"), minimum = 2, parameters = c("spread", "loc", "scale"), accepts = list(dist = "one of norm, laplace, expon, uniform, halfnorm, logistic, hypsecant, gumbel_r, gumbel_l, moyal, rayleigh, maxwell, semicircular, cosine, anglit, halflogistic, cauchy, t, skewnorm, genlogistic, exponnorm, loggamma, gompertz, lognorm, loglaplace, fisk, weibull_min, invweibull, gamma, invgamma, chi2, chi, nakagami, f, invgauss, pareto, levy, beta, betaprime, powerlaw, johnsonsb; others may have several maxima or none", floc = "a finite number, or NULL", fscale = "a number above 0, or NULL", f0 = "a number, or NULL", f1 = "a number, or NULL"), laws = list(norm = list(accepts = list(floc = "a finite number", fscale = "a number above 0"), needs = character(0), parameters = c("spread", "loc", "scale"), only_with_all = character(0), least = NULL), laplace = list(accepts = list(floc = "a finite number", fscale = "a number above 0"), needs = character(0), parameters = c("spread", "loc", "scale"), only_with_all = character(0), least = NULL), expon = list(accepts = list(floc = "a finite number", fscale = "a number above 0"), needs = character(0), parameters = c("spread", "loc", "scale"), only_with_all = character(0), least = NULL), uniform = list(accepts = list(floc = "a finite number", fscale = "a number above 0"), needs = character(0), parameters = c("spread", "loc", "scale"), only_with_all = character(0), least = NULL), halfnorm = list(accepts = list(floc = "a finite number", fscale = "a number above 0"), needs = character(0), parameters = c("spread", "loc", "scale"), only_with_all = character(0), least = NULL), logistic = list(accepts = list(floc = "a finite number", fscale = "a number above 0"), needs = character(0), parameters = c("spread", "loc", "scale"), only_with_all = character(0), least = NULL), hypsecant = list(accepts = list(floc = "a finite number", fscale = "a number above 0"), needs = character(0), parameters = c("spread", "loc", "scale"), only_with_all = character(0), least = NULL), gumbel_r = list(accepts = list(floc = "a finite number", fscale = "a number above 0"), needs = character(0), parameters = c("spread", "loc", "scale"), only_with_all = character(0), least = NULL), gumbel_l = list(accepts = list(floc = "a finite number", fscale = "a number above 0"), needs = character(0), parameters = c("spread", "loc", "scale"), only_with_all = character(0), least = NULL), moyal = list(accepts = list(floc = "a finite number", fscale = "a number above 0"), needs = character(0), parameters = c("spread", "loc", "scale"), only_with_all = character(0), least = NULL), rayleigh = list(accepts = list(floc = "a finite number", fscale = "a number above 0"), needs = character(0), parameters = c("spread", "loc", "scale"), only_with_all = character(0), least = NULL), maxwell = list(accepts = list(floc = "a finite number", fscale = "a number above 0"), needs = character(0), parameters = c("spread", "loc", "scale"), only_with_all = character(0), least = NULL), semicircular = list(accepts = list(floc = "a finite number", fscale = "a number above 0"), needs = character(0), parameters = c("spread", "loc", "scale"), only_with_all = character(0), least = NULL), cosine = list(accepts = list(floc = "a finite number", fscale = "a number above 0"), needs = character(0), parameters = c("spread", "loc", "scale"), only_with_all = character(0), least = NULL), anglit = list(accepts = list(floc = "a finite number", fscale = "a number above 0"), needs = character(0), parameters = c("spread", "loc", "scale"), only_with_all = character(0), least = NULL), halflogistic = list(accepts = list(floc = "a finite number", fscale = "a number above 0"), needs = character(0), parameters = c("spread", "loc", "scale"), only_with_all = character(0), least = NULL), cauchy = list(accepts = list(floc = "a finite number", fscale = "a number above 0"), needs = character(0), parameters = c("spread", "loc", "scale"), only_with_all = c("fscale"), least = NULL), t = list(accepts = list(f0 = "a number above 0", floc = "a finite number", fscale = "a number above 0"), needs = character(0), parameters = c("spread", "df", "loc", "scale"), only_with_all = c("fscale"), least = 1), skewnorm = list(accepts = list(f0 = "a finite number", floc = "a finite number", fscale = "a number above 0"), needs = character(0), parameters = c("spread", "a", "loc", "scale"), only_with_all = character(0), least = NULL), genlogistic = list(accepts = list(f0 = "a number above 0", floc = "a finite number", fscale = "a number above 0"), needs = character(0), parameters = c("spread", "c", "loc", "scale"), only_with_all = character(0), least = NULL), exponnorm = list(accepts = list(f0 = "a number above 0", floc = "a finite number", fscale = "a number above 0"), needs = character(0), parameters = c("spread", "K", "loc", "scale"), only_with_all = character(0), least = NULL), loggamma = list(accepts = list(f0 = "a number above 0", floc = "a finite number", fscale = "a number above 0"), needs = character(0), parameters = c("spread", "c", "loc", "scale"), only_with_all = character(0), least = NULL), gompertz = list(accepts = list(f0 = "a number above 0", floc = "a finite number", fscale = "a number above 0"), needs = c("floc"), parameters = c("spread", "c", "loc", "scale"), only_with_all = character(0), least = NULL), lognorm = list(accepts = list(f0 = "a number above 0", floc = "a finite number", fscale = "a number above 0"), needs = c("floc"), parameters = c("spread", "s", "loc", "scale"), only_with_all = character(0), least = NULL), loglaplace = list(accepts = list(f0 = "a number above 0", floc = "a finite number", fscale = "a number above 0"), needs = c("floc"), parameters = c("spread", "c", "loc", "scale"), only_with_all = character(0), least = NULL), fisk = list(accepts = list(f0 = "a number above 0", floc = "a finite number", fscale = "a number above 0"), needs = c("floc"), parameters = c("spread", "c", "loc", "scale"), only_with_all = character(0), least = NULL), weibull_min = list(accepts = list(f0 = "a number above 0", floc = "a finite number", fscale = "a number above 0"), needs = c("floc"), parameters = c("spread", "c", "loc", "scale"), only_with_all = character(0), least = NULL), invweibull = list(accepts = list(f0 = "a number above 0", floc = "a finite number", fscale = "a number above 0"), needs = c("floc"), parameters = c("spread", "c", "loc", "scale"), only_with_all = character(0), least = NULL), gamma = list(accepts = list(f0 = "a number above 0", floc = "a finite number", fscale = "a number above 0"), needs = c("floc"), parameters = c("spread", "a", "loc", "scale"), only_with_all = character(0), least = NULL), invgamma = list(accepts = list(f0 = "a number above 0", floc = "a finite number", fscale = "a number above 0"), needs = c("floc"), parameters = c("spread", "a", "loc", "scale"), only_with_all = character(0), least = NULL), chi2 = list(accepts = list(f0 = "a number above 0", floc = "a finite number", fscale = "a number above 0"), needs = c("floc"), parameters = c("spread", "df", "loc", "scale"), only_with_all = character(0), least = NULL), chi = list(accepts = list(f0 = "a number above 0", floc = "a finite number", fscale = "a number above 0"), needs = c("floc"), parameters = c("spread", "df", "loc", "scale"), only_with_all = character(0), least = NULL), nakagami = list(accepts = list(f0 = "a number above 0", floc = "a finite number", fscale = "a number above 0"), needs = c("floc"), parameters = c("spread", "nu", "loc", "scale"), only_with_all = character(0), least = NULL), f = list(accepts = list(f0 = "a number above 0", f1 = "a number above 0", floc = "a finite number", fscale = "a number above 0"), needs = c("f0", "f1", "floc"), parameters = c("spread", "dfn", "dfd", "loc", "scale"), only_with_all = character(0), least = NULL), invgauss = list(accepts = list(f0 = "a number above 0", floc = "a finite number", fscale = "a number above 0"), needs = c("floc"), parameters = c("spread", "mu", "loc", "scale"), only_with_all = c("f0", "fscale"), least = NULL), pareto = list(accepts = list(f0 = "a number above 0", floc = "a finite number", fscale = "a number above 0"), needs = c("floc"), parameters = c("spread", "b", "loc", "scale"), only_with_all = c("f0", "fscale"), least = NULL), levy = list(accepts = list(floc = "a finite number", fscale = "a number above 0"), needs = c("floc"), parameters = c("spread", "loc", "scale"), only_with_all = c("fscale"), least = NULL), beta = list(accepts = list(f0 = "a number above 0", f1 = "a number above 0", floc = "a finite number", fscale = "a number above 0"), needs = c("floc", "fscale"), parameters = c("spread", "a", "b", "loc", "scale"), only_with_all = c("f0", "f1"), least = NULL), betaprime = list(accepts = list(f0 = "a number above 0", f1 = "a number above 0", floc = "a finite number", fscale = "a number above 0"), needs = c("floc", "fscale"), parameters = c("spread", "a", "b", "loc", "scale"), only_with_all = c("f0", "f1"), least = NULL), powerlaw = list(accepts = list(f0 = "a number above 0", floc = "a finite number", fscale = "a number above 0"), needs = c("floc", "fscale"), parameters = c("spread", "a", "loc", "scale"), only_with_all = c("f0"), least = NULL), johnsonsb = list(accepts = list(f0 = "a finite number", f1 = "a number above 0", floc = "a finite number", fscale = "a number above 0"), needs = c("floc", "fscale"), parameters = c("spread", "a", "b", "loc", "scale"), only_with_all = c("f0", "f1"), least = NULL)))

schemes$gamma <- local({
# ---- gamma.R
# The gamma distribution by maximum likelihood.
# x: scores to standardize; scores: the reference scores of the topic, above 0.
standardize <- function(x, scores) do.call(evaluate, c(list(x), estimate(scores)))

estimate <- function(scores) {
  scores <- scores[!is.na(scores)]
  if (length(scores) < 2) stop("gamma needs at least 2 reference scores")
  if (min(scores) < 0) stop("a reference score is below 0")
  given <- list(min = min(scores), max = max(scores))
  if (given$min == given$max) return(c(shape = 1, scale = 1, given))
  if (min(scores) == 0)
    stop("a reference score is 0, where the likelihood of gamma has no maximum")
  shape <- fit_gamma(scores)
  if (shape > 2e5) stop("the reference scores differ too little for a gamma distribution")
  c(shape = shape, scale = mean(scores) / shape, given)
}

evaluate <- function(x, shape, scale, min, max) {
  if (min == max) return(ifelse(x < min, 0, ifelse(x > min, 1, 0.5)))  # the limit
  pgamma(x, shape, scale = scale)
}

# log(shape) - digamma(shape) = log(mean(s)) - mean(log(s)); the left side decreases with the shape.
# Its logarithm is nearly linear in the logarithm of the shape.
fit_gamma <- function(s) {
  r <- s / mean(s)
  e <- r - 1
  right <- mean(e - ifelse(abs(e) < 0.5, log1p(e), log(r)))
  exp(uniroot(function(t) log(log_minus_digamma(exp(t)) / right), log(0.5 / right) + c(-1, 1),
              extendInt = "downX", tol = 1e-15, maxiter = 10000)$root)
}

# log(x) - digamma(x), from 16 on by its asymptotic series, which is accurate there.
log_minus_digamma <- function(x) {
  r <- 1 / x^2
  series <- 1 / 240 - r * (1 / 132 - r * (691 / 32760 - r / 12))
  series <- 0.5 / x + r * (1 / 12 - r * (1 / 120 - r * (1 / 252 - r * series)))
  ifelse(x < 16, log(x) - digamma(x), series)
}
environment()
})

scheme_facts$gamma <- list(is_cdf = TRUE, has_rounding = TRUE, has_moments = FALSE, constant = c("limit", "half", "nan", "drop_topic", "raise"), minimum = 2, parameters = c("shape", "scale", "min", "max"), accepts = list())

schemes$johnson_su <- local({
# ---- johnson_su.R
# Johnson's SU system with the lognormal as its limit, by maximum likelihood with a penalty: a
# maximum uphill from the normal distribution.
# x: scores to standardize; scores: the reference scores of the topic.
standardize <- function(x, scores) do.call(evaluate, c(list(x), estimate(scores)))

estimate <- function(scores) {
  scores <- sort(scores[!is.na(scores)])
  n <- length(scores)
  if (n < 4) stop("johnson_su needs at least 4 reference scores")
  a <- scores[1]
  if (a == scores[n]) return(list(location = a, scale = 0, skew = 0, tail = 0))
  m <- mean(scores)
  s <- sqrt(mean((scores - m)^2))
  u <- (scores - m) / s

  p <- fit_johnson(u)
  z <- johnson_z(u, p[1], p[2])
  sd <- sqrt(squares(z, johnson_root(u, p[1], p[2])) / (n + 2 / n))
  # z has its mean at the median, where the slope of u by z / sd is the unit of skew and tail.
  centre <- mean(z)
  median <- uniroot(function(u) johnson_z(u, p[1], p[2]) - centre, range(u), tol = 1e-16,
                    maxiter = 1000)$root
  root <- johnson_root(median, p[1], p[2])
  list(location = m + s * median, scale = s * root * sd,
       skew = (p[1] - (p[1]^2 + p[2]) * median) * sd / root, tail = p[2] * (sd / root)^2)
}

evaluate <- function(x, location, scale, skew, tail) {
  if (scale == 0) return(ifelse(x < location, 0, ifelse(x > location, 1, 0.5)))  # the limit
  pnorm(johnson_z((x - location) / scale, skew, tail))
}

johnson_root <- function(u, skew, tail) sqrt((1 - skew * u)^2 + tail * u^2)

# The integral of 1 / root from 0 to u: an inverse hyperbolic sine, without its constant.
johnson_z <- function(u, skew, tail) {
  if (tail == 0) return(log_z(skew, u))
  t <- sqrt(skew^2 + tail)
  q <- t * abs(u)
  near <- sign(u) * log1p(2 * q / (johnson_root(u, skew, tail) + 1 - q)) / t
  far <- (asinh((t^2 * u - skew) / sqrt(tail)) + asinh(skew / sqrt(tail))) / t
  ifelse(q < 1, near, far)
}

# For scores whose z has slope 1 / root. The penalty is 1/n times the mean of
# 1 / (sd root)^2 + log((sd root)^2).
squares <- function(z, root) sum((z - mean(z))^2) + 2 * mean(1 / root^2) / length(z)
likelihood <- function(z, root) {
  n <- length(z)
  -(n + 2 / n) / 2 * log(squares(z, root)) - (1 + 2 / n^2) * sum(log(root))
}

of_skew_and_tail <- function(p, u) {
  if (p[2] == 0 && any(1 - p[1] * u <= 0)) return(-Inf)
  likelihood(johnson_z(u, p[1], p[2]), johnson_root(u, p[1], p[2]))
}

# The skew and the tail of highest likelihood, about u = 0.
fit_johnson <- function(u) {
  look_for_two_maxima(u)
  edge <- lognormal(u)
  if (!gains_by_tail(edge, u)) return(c(edge, 0))
  p <- nlminb(c(edge, 0), function(p) -of_skew_and_tail(p, u), lower = c(-Inf, 0),
              control = list(eval.max = 2000, iter.max = 1000))$par
  k <- p[1]^2 + p[2]
  q <- newton(c(p[1] / k, log(p[2]) / 2 - log(k)), function(q) slopes(q, u))  # xi, log(lambda)
  c(q[1], exp(2 * q[2]) / (q[1]^2 + exp(2 * q[2]))) / (q[1]^2 + exp(2 * q[2]))
}

gains_by_tail <- function(edge, u)
  of_skew_and_tail(c(edge, 1e-7), u) > of_skew_and_tail(c(edge, 0), u)

# Stops where skew = 0, with the tail uphill from the normal, is a minimum along skew and the
# slope by skew nearly 0 there, as it is for symmetric scores; for a skewness of at most 0.2.
look_for_two_maxima <- function(u) {
  by <- function(b) by_skew(b, u)
  if (abs(by(0)) > 0.1 * length(u)) return()
  if (gains_by_tail(0, u)) {
    tail <- nlminb(0, function(t) -of_skew_and_tail(c(0, t), u), lower = 0)$par
    by <- function(b) slopes(c(b / tail, -log(tail) / 2), u)[1] / tail
  }
  if (abs(by(0)) <= 1e-3 * length(u) && by(1e-5) >= by(-1e-5))
    stop("johnson_su: the likelihood has two maxima, one to either side, as the scores are ",
         "nearly symmetric")
}

# The slopes of the likelihood by xi and log(lambda).
slopes <- function(q, u) {
  n <- length(u)
  d <- u - q[1]
  l <- exp(q[2])
  r <- sqrt(d^2 + l^2)
  v <- asinh(d / l)
  e <- v - mean(v)
  (n + 2 / n) / squares(v, r) *
    c(sum(e / r) - 2 * mean(d / r^4) / n, sum(e * d / r) + 2 * mean(l^2 / r^4) / n) +
    (1 + 2 / n^2) * c(sum(d / r^2), -sum(l^2 / r^2))
}

log_z <- function(skew, u) if (skew == 0) u else -log1p(-pmin(skew * u, 1)) / skew

# The slope of the likelihood of a lognormal distribution by its skew b.
by_skew <- function(b, u) {
  n <- length(u)
  r <- 1 - b * u
  z <- log_z(b, u)
  by_b <- if (max(abs(b * u)) < 0.02) {  # d z / d b, as the power series
    k <- 2:14
    colSums((k - 1) * b^(k - 2) * outer(k, u, function(k, u) u^k / k))
  } else (u / r - z) / b
  (1 + 2 / n^2) * sum(u / r) -
    (n + 2 / n) * (sum((z - mean(z)) * by_b) + 2 * mean(u / r^3) / n) / squares(z, r)
}

# The skew of a lognormal distribution by its likelihood equation: the first uphill from 0.
lognormal <- function(u) {
  slope <- function(b) by_skew(b, u)
  at_0 <- slope(0)
  if (at_0 == 0) return(0)
  b <- (1 - 2^-(0:400 / 10)) / (if (at_0 > 0) max(u) else min(u))
  for (i in 2:401) if (slope(b[i]) * at_0 <= 0)
    return(uniroot(slope, sort(b[i - 1:0]), tol = 1e-16, maxiter = 1000)$root)
  stop("johnson_su: no maximum was found")
}

# A maximum by its slopes: Newton's method, in short steps uphill where there is no maximum near.
newton <- function(p, slopes) {
  k <- seq_along(p)
  for (i in 1:1000) {
    h <- sapply(k, function(j) {
      d <- 1e-4 * (k == j)
      (8 * (slopes(p + d) - slopes(p - d)) - slopes(p + 2 * d) + slopes(p - 2 * d)) / 12e-4
    })
    axes <- eigen((h + t(h)) / 2, symmetric = TRUE)
    if (max(axes$values) >= 0) {
      bent <- abs(axes$values)
      h <- -axes$vectors %*% (pmax(bent, max(bent) / 1e6) * t(axes$vectors))
    }
    step <- -solve(h, slopes(p))
    if (max(axes$values) < 0 && all(abs(step) < 1e-11 * (1 + abs(p)))) return(p + step)
    p <- p + step * min(1, 0.25 / max(abs(step)))
  }
  stop("johnson_su: no maximum was found")
}
environment()
})

scheme_facts$johnson_su <- list(is_cdf = TRUE, has_rounding = TRUE, has_moments = FALSE, constant = c("limit", "half", "nan", "drop_topic", "raise"), minimum = 4, parameters = c("location", "scale", "skew", "tail"), accepts = list())

schemes$kernel <- local({
# ---- kernel.R
# The empirical distribution smoothed by a kernel.
# x: scores to standardize; scores: the reference scores of the topic. bandwidth is a number, the
# name of a rule, or a function of the scores; kernel is a name, or a function as in `integrated`.
standardize <- function(x, scores, bandwidth = "nrd0", kernel = "gaussian", boundary = "none")
  do.call(evaluate, c(list(x), estimate(scores, bandwidth, boundary), kernel = kernel,
                      boundary = boundary))

estimate <- function(scores, bandwidth = "nrd0", boundary = "none") {
  scores <- scores[!is.na(scores)]
  scale <- list(none = identity, reflection = identity, truncation = identity, logit = qlogis,
                beta = function(s) 2 * asin(sqrt(s)))[[boundary]]
  if (boundary != "none" && any(scores < 0 | scores > 1))
    stop("a reference score lies outside [0, 1]")
  by_rule <- !is.numeric(bandwidth)
  if (by_rule) {
    if (length(scores) < 2) stop("a bandwidth rule needs at least 2 reference scores")
    if (min(scores) == max(scores)) return(list(sample = scores, bandwidth = 0))
  }
  if (boundary == "logit" && any(scores == 0 | scores == 1))
    stop("a reference score is exactly 0 or 1, which has no finite logit")
  h <- if (by_rule) bandwidth_of(bandwidth, scale(scores)) else bandwidth
  if (boundary == "beta" && h < 1e-4) stop("the bandwidth is below 1e-4")
  list(sample = scores, bandwidth = h)
}

evaluate <- function(x, sample, bandwidth, kernel = "gaussian", boundary = "none") {
  scores <- sample
  h <- bandwidth
  if (h == 0)  # the limit as the spread goes to 0
    return(ifelse(x < scores[1], 0, ifelse(x > scores[1], 1, 0.5)))
  own <- is.function(kernel)
  k <- if (own) kernel else integrated[[kernel]]
  smoothed <- function(x, s) vapply(x, function(v) mean(k(v - s, h)), numeric(1))
  if (boundary == "none") return(smoothed(x, scores))
  inside <- !is.na(x) & x >= 0 & x < 1
  y <- ifelse(x < 0, 0, 1)
  y[inside] <- switch(boundary,
    reflection = reflected(x[inside], if (own) folds_of(k, h) else ceiling(12 * h) + 1,
                           function(v) smoothed(v, scores)),
    truncation = {
      ends <- smoothed(c(0, 1), scores)
      (smoothed(x[inside], scores) - ends[1]) / (ends[2] - ends[1])
    },
    logit = smoothed(qlogis(x[inside]), qlogis(scores)),
    beta = vapply(x[inside], function(m) {
      if (m == 0) return(mean(scores == 0))
      mean(pbeta(scores, m / h^2, (1 - m) / h^2, lower.tail = FALSE))
    }, numeric(1)))
  pmin(pmax(y, 0), 1)
}

# Fold a cdf back into [0, 1] as often as the widest kernel, the logistic, is 1 in doubles, that is
# 12 h + 1 times, or as a kernel of one's own needs.
reflected <- function(x, folds, cdf) {
  at <- 2 * seq(-folds, folds)
  rowSums(matrix(vapply(at, function(k) cdf(k + x) - cdf(k - x), x), nrow = length(x)))
}

folds_of <- function(k, h) {
  folds <- 1
  while (k(-2 * folds, h) > 2^-56) folds <- ceiling(1.1 * folds)
  folds + 1
}

# The kernels, with standard deviation h, from -Inf to d. (1 - u^2)^p on [-1, 1] is a beta
# distribution with shapes p + 1 on another interval.
power_of_parabola <- function(p, per_sd) {
  function(d, h) pbeta((1 + pmax(-1, pmin(1, d / (h * per_sd)))) / 2, p + 1, p + 1)
}
integrated <- list(
  gaussian = function(d, h) pnorm(d / h),
  rectangular = power_of_parabola(0, sqrt(3)),
  epanechnikov = power_of_parabola(1, sqrt(5)),
  biweight = power_of_parabola(2, sqrt(7)),
  triweight = power_of_parabola(3, 3),
  triangular = function(d, h) {
    u <- pmax(-1, pmin(1, d / (h * sqrt(6))))
    ifelse(u < 0, (1 + u)^2 / 2, 1 - (1 - u)^2 / 2)
  },
  cosine = function(d, h) {
    u <- pmax(-1, pmin(1, d / (h * (1 / sqrt(1 / 3 - 2 / pi^2)))))
    (1 + u + sinpi(u) / pi) / 2
  },
  logistic = function(d, h) plogis(d / (h * (sqrt(3) / pi))))

# The bandwidth that a rule chooses for the scores of a topic, which are at least two; 0 where
# they are all equal.
bandwidth_of <- function(rule, scores) {
  if (min(scores) == max(scores)) return(0)
  if (is.function(rule)) return(rule(scores))
  if (rule == "nrd0") return(bw.nrd0(scores))
  if (rule != "nrd" && !rule %in% names(rules)) stop("unknown bandwidth rule ", rule)
  if (rule %in% c("nrd", "sj", "sj_dpi") && IQR(scores) == 0)
    stop("bandwidth rule ", rule, ": the interquartile range is 0 and the scores are not constant")
  if (rule == "nrd") return(bw.nrd(scores))
  # A power of 2 keeps what is taken to the seventh power within the doubles.
  half <- max(scores) / 2 - min(scores) / 2
  unit <- if (half < 1e-20 || half > 1e20) 2^(floor(log2(half)) + 1) else 1
  x <- scores / unit
  # R counts pairs on a grid of 1000 steps, by integers that overflow for 500 scores or fewer.
  if (length(x) <= 500 && max(abs(x)) >= 2^31 * diff(range(x)) * 1.01 / 1000) x <- x - min(x)
  h <- tryCatch(rules[[rule]](x), warning = function(w) stop(conditionMessage(w)))
  if (!is.finite(h)) stop("bandwidth rule ", rule, ": the bandwidth is not a finite number")
  unit * h
}

# Altman and Leger (1995), with the Gaussian kernel and the pilot bandwidth sd n^(-0.3).
altman_leger <- function(x) {
  n <- length(x)
  a <- sd(x) * n^-0.3
  u <- outer(x, x, "-") / a
  bells <- dnorm(u)
  squared <- (sum(bells) - sum(diag(bells))) / (n * (n - 1) * a)
  slopes <- rowSums(-u * bells) / (n * a^2)
  h <- (squared / (sqrt(pi) * mean(slopes^2) * n))^(1 / 3)
  if (!is.finite(h) || h > diff(range(x)))
    stop("bandwidth rule altman_leger: h is above the range of the scores")
  h
}

# Polansky and Baker (2000), two stages, with the Gaussian kernel.
polansky_baker <- function(x) {
  n <- length(x)
  psi <- function(r, g) {
    u <- outer(x, x, "-") / g
    hermite <- if (r == 2) u^2 - 1 else u^4 - 6 * u^2 + 3
    mean(hermite * dnorm(u)) / g^(r + 1)
  }
  psi6 <- -15 / (16 * sqrt(pi) * sd(x)^7)
  psi4 <- psi(4, (-2 * 3 * dnorm(0) / (psi6 * n))^(1 / 7))
  psi2 <- psi(2, (2 * dnorm(0) / (psi4 * n))^(1 / 5))
  (-1 / (sqrt(pi) * psi2 * n))^(1 / 3)
}

# Bowman, Hall and Prvan (1998): the least of all minima of the cross-validation criterion.
bowman_hall_prvan <- function(x) {
  n <- length(x)
  d <- as.vector(dist(x))
  distance <- function(s) d * (2 * pnorm(d / s) - 1) + 2 * s * dnorm(d / s)  # E|d + s Z|
  criterion <- function(h) {  # less its value at h = 0
    pairs <- 2 * sum(distance(h) - d) - (n - 2) / (n - 1) * sum(distance(sqrt(2) * h) - d)
    pairs / (n * (n - 1)) - h / ((n - 1) * sqrt(pi))
  }
  slope <- function(h) {
    pairs <- 2 * sum(2 * dnorm(d / h)) -
      (n - 2) / (n - 1) * sum(2 * sqrt(2) * dnorm(d / (sqrt(2) * h)))
    pairs / (n * (n - 1)) - 1 / ((n - 1) * sqrt(pi))
  }
  # Above range / sqrt(log(2)) the criterion rises.
  grid <- 1.25 * diff(range(x)) * 2^(-(0:80) / 4)
  slopes <- vapply(grid, slope, numeric(1))
  lower <- which(slopes[-1] < 0 & slopes[-length(slopes)] >= 0) + 1
  minima <- vapply(lower, function(k) {
    uniroot(slope, c(grid[k], grid[k - 1]), tol = 2^-52 * grid[k])$root
  }, numeric(1))
  values <- vapply(minima, criterion, numeric(1))
  if (!any(values < 0)) stop("bandwidth rule bowman_hall_prvan: cross-validation is best at h = 0")
  minima[which.min(values)]
}

rules <- list(
  ucv = bw.ucv,
  bcv = bw.bcv,
  sj = bw.SJ,
  sj_dpi = function(x) bw.SJ(x, method = "dpi"),
  altman_leger = altman_leger,
  polansky_baker = polansky_baker,
  bowman_hall_prvan = bowman_hall_prvan
)
environment()
})

scheme_facts$kernel <- list(is_cdf = TRUE, has_rounding = TRUE, has_moments = FALSE, constant = c("limit", "half", "nan", "drop_topic", "raise"), minimum = 2, parameters = c("sample", "bandwidth"), accepts = list(bandwidth = "a number above 0, or nrd0, nrd, ucv, bcv, sj, sj_dpi, altman_leger, bowman_hall_prvan, polansky_baker", kernel = "one of gaussian, epanechnikov, biweight, triweight, triangular, rectangular, cosine, logistic", boundary = "none, reflection, truncation, logit, beta"), ranges = list(none = "above 0", reflection = "above 0 up to 1", truncation = "above 0 up to 1", logit = "above 0", beta = "from 0.0001 up to 10"))

schemes$kumaraswamy <- local({
# ---- kumaraswamy.R
# The Kumaraswamy distribution by maximum likelihood.
# x: scores to standardize; scores: the reference scores of the topic, between 0 and 1.
# ends: the treatment of scores of 0 and 1; Smithson and Verkuilen (2006), p. 55.
standardize <- function(x, scores, ends = "raise")
  do.call(evaluate, c(list(x), estimate(scores, ends)))

estimate <- function(scores, ends = "raise") {
  scores <- scores[!is.na(scores)]
  n <- length(scores)
  if (n < 2) stop("kumaraswamy needs at least 2 reference scores")
  if (min(scores) < 0 || max(scores) > 1) stop("a reference score is not in [0, 1]")
  given <- list(min = min(scores), max = max(scores))
  if (given$min == given$max) return(c(a = 1, b = 1, given))
  if (ends == "shrink") scores <- (scores * (n - 1) + 0.5) / n
  if (min(scores) == 0 || max(scores) == 1)
    stop("a reference score is 0 or 1, where the likelihood of kumaraswamy has no maximum")
  a <- fit_kumaraswamy(scores)
  b <- -1 / mean(log_rest(a * log(scores)))
  if (!is.finite(b)) stop("the reference scores differ too little for a Kumaraswamy distribution")
  c(a = a, b = b, given)
}

evaluate <- function(x, a, b, min, max) {
  if (min == max) return(ifelse(x < min, 0, ifelse(x > min, 1, 0.5)))  # the limit
  -expm1(b * log_rest(a * log(pmin(1, pmax(0, x)))))
}

# log(1 - exp(u)) for u <= 0.
log_rest <- function(u) {
  near <- !is.na(u) & u > -log(2)
  u[near] <- log(-expm1(u[near]))
  u[!near] <- log1p(-exp(u[!near]))
  u
}

# The slope of the log-likelihood per score by log(a), with the best b for each a. Powers are
# relative to the largest, as all of them may be too small for a double.
fit_kumaraswamy <- function(s) {
  l <- log(s)
  if (min(l) == max(l)) stop("the reference scores differ too little for a distribution")
  slope <- function(log_a) {
    u <- exp(log_a) * l
    weighted <- u * exp(u - max(u)) / -expm1(u)
    rests <- ifelse(u < -40, -exp(u - max(u)), log_rest(u) * exp(-max(u)))
    1 + mean(u) + mean(weighted) * exp(max(u)) + mean(weighted) / mean(rests)
  }
  exp(uniroot(slope, log(pi / sqrt(6) / sd(l)) + c(-1, 1), extendInt = "downX",
              tol = 1e-15, maxiter = 10000)$root)
}
environment()
})

scheme_facts$kumaraswamy <- list(is_cdf = TRUE, has_rounding = TRUE, has_moments = FALSE, constant = c("limit", "half", "nan", "drop_topic", "raise"), minimum = 2, parameters = c("a", "b", "min", "max"), accepts = list(ends = "raise, shrink"))

schemes$logit_normal <- local({
# ---- logit_normal.R
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
environment()
})

scheme_facts$logit_normal <- list(is_cdf = TRUE, has_rounding = TRUE, has_moments = FALSE, constant = c("limit", "half", "nan", "drop_topic", "raise"), minimum = 2, parameters = c("mu", "sigma", "min", "max"), accepts = list(ends = "raise, shrink"))

schemes$logspline <- local({
# ---- logspline.R
# The logspline density of Stone, Hansen, Kooperberg and Truong (1997), each fit converged.
# x: scores to standardize; scores: the reference scores of the topic; penalty: added to -2 log L
# for each free coefficient, log n if NULL, for BIC; low, high: the ends of the scores.
# Splines are splinefun's natural ones, given by their values at the knots; the first value is 0.
standardize <- function(x, scores, penalty = NULL, low = NULL, high = NULL)
  do.call(evaluate, c(list(x), estimate(scores, penalty, low, high), low = low, high = high))

estimate <- function(scores, penalty = NULL, low = NULL, high = NULL) {
  if (is.null(low)) low <- -Inf
  if (is.null(high)) high <- Inf
  scores <- sort(scores)
  n <- length(scores)
  a <- scores[1]
  if (n < 10) stop("logspline needs at least 10 reference scores")
  if (a == scores[n]) return(list(knots = a, bends = 0, slope = 0))
  if (length(unique(scores)) < 3) stop("logspline needs three different reference scores")
  if (a < low || scores[n] > high) stop("a reference score lies outside of low and high")
  spread <- scores[n] - a
  if (spread < 1e-100 || spread > 1e100) stop("the range of the scores is not from 1e-100 to 1e100")
  if (is.null(penalty)) penalty <- log(n)
  # Far from 0 the nodes between knots would lose their digits; the distances from a do not.
  first <- first_knots(scores, low, high) - a
  found <- search_knots(scores - a, first, penalty, low - a, high - a, gauss(100))
  s <- splinefun(found$t, c(0, found$theta), "natural")
  list(knots = a + found$t, bends = s(found$t, 2), slope = s(found$t[1], 1))
}

evaluate <- function(x, knots, bends, slope, low = NULL, high = NULL) {
  a <- knots[1]
  if (length(knots) == 1) return(ifelse(x < a, 0, ifelse(x > a, 1, 0.5)))  # the limit
  if (is.null(low)) low <- -Inf
  if (is.null(high)) high <- Inf
  h <- diff(knots)
  before <- bends[-length(bends)]
  slopes <- slope + c(0, cumsum(h * (before + bends[-1]) / 2))
  rises <- h * (slopes[-length(slopes)] + h * (before / 3 + bends[-1] / 6))
  s <- splinefun(knots - a, c(0, cumsum(rises)), "natural")
  grid <- gauss(100)
  vapply(x - a, function(v) cdf(v, s, knots - a, low - a, high - a, grid), numeric(1))
}

# Nodes and weights of Gauss and Legendre on [0, 1], from the eigenvalues of the recursion.
gauss <- function(m) {
  i <- seq_len(m - 1)
  off <- i / sqrt(4 * i^2 - 1)
  jacobi <- matrix(0, m, m)
  jacobi[cbind(i, i + 1)] <- jacobi[cbind(i + 1, i)] <- off
  e <- eigen(jacobi, symmetric = TRUE)
  list(u = (1 + e$values) / 2, w = e$vectors[1, ]^2)
}

search_knots <- function(scores, first, penalty, low, high, grid) {
  n <- length(scores)
  distance <- floor(2.5 * n^0.2 + 0.5)
  if (n %/% distance < 10) distance <- n %/% 10
  distance <- max(distance, 3)
  most <- floor(4 * n^0.2 + 1)
  fit_on <- function(t, theta) maximize(model_on(t, scores, low, high, grid), theta)
  fit <- fit_on(first, NULL)
  if (is.null(fit)) stop("the likelihood of the logspline has no maximum: too many ties")
  fits <- list(fit)
  gains <- rep(-Inf, most)
  repeat {
    d <- length(fit$theta)
    gains[d] <- fit$gain
    before <- if (d > 4) 2:(d - 3) else integer(0)
    if (d >= most || any(gains[d] - gains[before] < (d - before) / 2 - 0.5)) break
    knot <- knot_to_add(fit, scores, distance, low, high, grid)
    if (is.na(knot)) break
    fit_or_not <- with_knot(fit, knot, fit_on)
    if (is.null(fit_or_not)) break
    fit <- fit_or_not
    fits <- c(fits, list(fit))
  }
  price <- function(f) penalty * length(f$theta) - 2 * f$gain
  least <- min(vapply(fits, price, numeric(1)))
  while (length(fit$t) > 3) {
    fit <- without_weakest(fit, fit_on)
    if (is.null(fit)) break
    fits <- c(fits, list(fit))
    least <- min(least, price(fit))
    if (price(fit) - least >= penalty * (length(fit$theta) - 2)) break
  }
  fits[[which.min(vapply(fits, price, numeric(1)))]]
}

# Quantiles: evenly if both ends are given, else closer together towards both, or the one given.
first_knots <- function(scores, low, high) {
  n <- length(scores)
  k <- max(3, floor(2.5 * n^0.2 + 1))
  if (is.infinite(low) && is.infinite(high)) shares <- grown(k, n)
  else if (is.finite(low) && is.finite(high)) shares <- seq(0, 1, length.out = k)
  else {
    shares <- 2 * grown(2 * k - 1, 2 * n)[1:k]
    if (is.finite(high)) shares <- 1 - rev(shares)
  }
  values <- unique(scores)
  counts <- tabulate(match(scores, values))
  m <- length(values)
  middles <- (cumsum(counts) - counts / 2)[-m]
  middles <- (middles - middles[1]) / (middles[m - 1] - middles[1])
  inner <- approx(middles, values[-m], shares[2:(k - 1)])$y
  c(values[1], inner, values[m])
}

# Ranks from both ends whose distances grow by 4, 4 - e, 4 - 2e, ... until they meet.
grown <- function(k, n) {
  half <- (k - 1) %/% 2
  odd <- k %% 2 == 1
  last <- if (odd) half else half + 1
  lower <- min(0, 4 - ((n - 1) / 4)^(1 / (last - 1)))
  upper <- 3
  for (turn in 1:100) {
    if (turn > 1 && upper - lower <= 0.0001) break
    e <- (lower + upper) / 2
    gaps <- 4 * cumprod(c(1, pmax(1, 4 - seq_len(half) * e)))
    ranks <- 1 + cumsum(gaps[1:half])
    reached <- ranks[half] + if (odd) 0 else gaps[half + 1] / 2
    if (2 * reached >= n + 1) lower <- e else upper <- e
  }
  ranks <- if (odd) c(1, ranks[-half], (n + 1) / 2, n + 1 - rev(ranks[-half]), n)
           else c(1, ranks, n + 1 - rev(ranks), n)
  (ranks - 1) / (n - 1)
}

# Terms of the likelihood for a set of knots: the functions at the nodes of all pieces.
model_on <- function(t, scores, low, high, grid) {
  k <- length(t)
  if (any(diff(t) <= 0)) stop("two of the first knots are equal")
  phi <- lapply(2:k, function(j) splinefun(t, as.numeric(seq_len(k) == j), "natural"))
  at <- function(z, deriv = 0) {
    matrix(vapply(phi, function(f) f(z, deriv), numeric(length(z))), length(z))
  }
  ends <- c(if (is.finite(low)) t[1] - rev(lengths_to(t[1] - low, t[k] - t[1])), t,
            if (is.finite(high)) t[k] + lengths_to(high - t[k], t[k] - t[1]))
  h <- diff(ends)
  z <- as.vector(outer(grid$u, h) + rep(head(ends, -1), each = length(grid$u)))
  inner <- t[-k] + diff(t) / 2
  list(t = t, n = length(scores), at = at, sample = colMeans(at(scores)),
       nodes = at(z), weights = as.vector(outer(grid$w, h)),
       open = is.infinite(c(low, high)), ends = at(t[c(1, k)]), slopes = at(t[c(1, k)], 1),
       jumps = rbind(at(inner, 3), 0) - rbind(0, at(inner, 3)))
}

# Where a tail is cut: at the spread and 4, 16, ... times it, up to its whole length.
lengths_to <- function(length, spread) {
  cuts <- spread * 4^(0:400)
  c(cuts[cuts < length], if (length > 0) length)
}

# The integrals of a density; NULL if they do not exist. Two nodes of Laguerre are exact in a tail.
integrals <- function(model, theta) {
  values <- c(0, theta)
  s <- as.vector(model$nodes %*% theta)
  level <- max(values, s)
  if (level - min(values) > 600) return(NULL)
  nodes <- model$nodes
  mass <- model$weights * exp(s - level)
  for (side in 1:2) if (model$open[side]) {
    slope <- sum(model$slopes[side, ] * theta) * c(1, -1)[side]
    if (slope <= 0) return(NULL)
    u <- (2 + c(-1, 1) * sqrt(2)) / slope * c(-1, 1)[side]
    nodes <- rbind(nodes, outer(c(1, 1), model$ends[side, ]) + outer(u, model$slopes[side, ]))
    height <- exp(sum(model$ends[side, ] * theta) - level)
    mass <- c(mass, (2 + c(1, -1) * sqrt(2)) / 4 * height / slope)
  }
  total <- sum(mass)
  mean <- colSums(nodes * mass) / total
  centred <- sweep(nodes, 2, mean)
  list(mean = mean, covariance = crossprod(centred, centred * mass) / total,
       gain = model$n * (sum(theta * model$sample) - log(total) - level))
}

maximize <- function(model, theta) {
  now <- if (!is.null(theta)) integrals(model, theta)
  if (is.null(now)) {
    middle <- mean(range(model$t))
    values <- -2 * ((model$t - middle) / diff(range(model$t)))^2
    theta <- values[-1] - values[1]
    now <- integrals(model, theta)
  }
  for (turn in 1:200) {
    if (is.null(now)) return(NULL)
    score <- model$sample - now$mean
    scale <- sqrt(diag(now$covariance))
    step <- tryCatch(solve(now$covariance / outer(scale, scale), score / scale, tol = 0) / scale,
                     error = function(e) NULL)
    if (is.null(step)) return(NULL)
    promised <- model$n * sum(step * score)
    share <- 1
    repeat {
      then <- integrals(model, theta + share * step)
      gained <- if (is.null(then)) -Inf else then$gain - now$gain
      if (gained >= 1e-4 * share * promised || promised < 1e-7 && !is.null(then)) break
      share <- share / 2
      if (share < 1e-12) return(NULL)
    }
    theta <- theta + share * step
    now <- then
    if (promised <= 1e-16) return(c(model[c("t", "at", "jumps", "n")], list(theta = theta), now))
  }
  NULL
}

with_knot <- function(fit, knot, fit_on) {
  t <- sort(c(fit$t, knot))
  values <- as.vector(fit$at(t) %*% fit$theta)
  fit_on(t, values[-1])
}

# Rao's statistic of a knot, from the score and the information of the larger model.
rao <- function(fit, knot, scores, low, high, grid) {
  t <- sort(c(fit$t, knot))
  model <- model_on(t, scores, low, high, grid)
  theta <- as.vector(fit$at(t) %*% fit$theta)[-1]
  now <- integrals(model, theta)
  score <- model$sample - now$mean
  scale <- sqrt(diag(now$covariance))
  model$n * sum(score / scale * solve(now$covariance / outer(scale, scale), score / scale, tol = 0))
}

# The middle score of each piece, then halfway from the best to the ends; places from 0.
knot_to_add <- function(fit, scores, distance, low, high, grid) {
  at <- function(i) scores[i + 1]
  statistic <- function(i) rao(fit, at(i), scores, low, high, grid)
  largest <- -1
  best <- NA
  for (i in seq_len(length(fit$t) - 1)) {
    first <- sum(scores <= fit$t[i]) - 1
    last <- sum(scores < fit$t[i + 1])
    if (last - first < 2 * distance + 1) next
    first <- first + distance + 1
    last <- last - distance - 1
    here <- statistic((first + last) %/% 2)
    if (here > largest) {
      largest <- here
      best <- (first + last) %/% 2
      ends <- c(first, last)
    }
  }
  if (is.na(best)) return(NA)
  while (at(ends[2]) > at(ends[1])) {
    up <- halfway(at, best, ends[2], 1)
    down <- halfway(at, best, ends[1], -1)
    above <- if (is.na(up)) largest else statistic(up)
    below <- if (is.na(down)) largest else statistic(down)
    if (below > largest) {
      ends[2] <- best
      best <- down
      largest <- below
    } else if (above > largest) {
      ends[1] <- best
      best <- up
      largest <- above
    } else break
  }
  at(best)
}

halfway <- function(at, best, end, sign) {
  if (at(best) == at(end)) return(NA)
  half <- (best + end + sign) %/% 2
  if (at(half) != at(best)) return(half)
  half <- (half + end) %/% 2
  if (at(half) != at(best)) half else end
}

without_weakest <- function(fit, fit_on) {
  scale <- sqrt(diag(fit$covariance))
  inverse <- solve(fit$covariance / outer(scale, scale), tol = 0) / outer(scale, scale)
  sizes <- as.vector(fit$jumps %*% fit$theta)
  variances <- rowSums((fit$jumps %*% inverse) * fit$jumps)
  i <- which.min(sizes^2 / variances)
  theta <- fit$theta - as.vector(inverse %*% fit$jumps[i, ]) * sizes[i] / variances[i]
  values <- c(0, theta)[-i]
  fit_on(fit$t[-i], values[-1] - values[1])
}

# F of v: the mass left of v divided by the total. s is linear beyond the knots.
cdf <- function(v, s, t, low, high, grid) {
  if (is.na(v)) return(NA)
  if (v <= low) return(0)
  if (v >= high) return(1)
  k <- length(t)
  level <- max(s(t))
  piece <- function(a, b) {
    if (a == b) return(0)
    (b - a) * sum(grid$w * exp(s(a + (b - a) * grid$u) - level))
  }
  slopes <- s(t[c(1, k)], deriv = 1)
  tail <- function(from, length, slope) {
    height <- exp(s(from) - level)
    if (slope == 0) height * length else height * expm1(slope * length) / slope
  }
  left <- function(b) {
    if (is.finite(low)) return(tail(b, b - low, -slopes[1]))
    exp(s(t[1]) + slopes[1] * (b - t[1]) - level) / slopes[1]
  }
  right <- function(a) {
    if (is.finite(high)) return(tail(a, high - a, slopes[2]))
    exp(s(t[k]) + slopes[2] * (a - t[k]) - level) / -slopes[2]
  }
  inner <- vapply(seq_len(k - 1), function(i) piece(t[i], t[i + 1]), numeric(1))
  all <- left(t[1]) + sum(inner) + right(t[k])
  if (v <= t[1]) return(left(v) / all)
  if (v >= t[k]) return(1 - right(v) / all)
  i <- findInterval(v, t)
  (left(t[1]) + sum(inner[seq_len(i - 1)]) + piece(t[i], v)) / all
}
environment()
})

scheme_facts$logspline <- list(is_cdf = TRUE, has_rounding = TRUE, has_moments = FALSE, constant = c("limit", "half", "nan", "drop_topic", "raise"), minimum = 10, parameters = c("knots", "bends", "slope"), accepts = list(penalty = "a number from 0 on, or NULL", low = "a finite number, or NULL", high = "a finite number, or NULL"))

schemes$max <- local({
# ---- max.R
# Max-normalization: Zobel (1998), as in Webber, Moffat and Zobel (2008), Section 6.
# x: scores to standardize; scores: the reference scores of the topic.
standardize <- function(x, scores) do.call(evaluate, c(list(x), estimate(scores)))

estimate <- function(scores) {
  scores <- scores[!is.na(scores)]
  if (length(scores) == 0) stop("there is no reference score")
  if (any(scores < 0)) stop("a reference score is below 0")
  list(min = min(scores), max = max(scores))
}

evaluate <- function(x, min, max) if (max == 0) ifelse(x == 0, 0, x * Inf) else x / max  # the limit
environment()
})

scheme_facts$max <- list(is_cdf = FALSE, has_rounding = TRUE, has_moments = FALSE, constant = c("limit", "nan", "drop_topic", "raise", "urbano2019"), minimum = 1, parameters = c("min", "max"), accepts = list())

schemes$minmax <- local({
# ---- minmax.R
# MinMax: Markov, Linear Score Normalization Revisited.
# x: scores to standardize; scores: the reference scores of the topic.
standardize <- function(x, scores) do.call(evaluate, c(list(x), estimate(scores)))

estimate <- function(scores) {
  scores <- scores[!is.na(scores)]
  list(min = min(scores), max = max(scores))
}

evaluate <- function(x, min, max) {
  if (min == max) return(ifelse(x < min, 0, ifelse(x > min, 1, 0.5)))  # the limit
  punif(x, min, max)
}
environment()
})

scheme_facts$minmax <- list(is_cdf = TRUE, has_rounding = TRUE, has_moments = FALSE, constant = c("limit", "half", "nan", "drop_topic", "raise"), minimum = 1, parameters = c("min", "max"), accepts = list())

schemes$mixture <- local({
# ---- mixture.R
# Two normal distributions by penalized maximum likelihood: Chen, Tan and Zhang (2008), a_n = 1/n.
# x: scores to standardize; scores: the reference scores of the topic. starts: number of random
# splits of the scores from which EM starts, drawn after set.seed(seed), beside that at the median.
standardize <- function(x, scores, starts = 10, seed = 0)
  do.call(evaluate, c(list(x), estimate(scores, starts, seed)))

estimate <- function(scores, starts = 10, seed = 0) {
  scores <- sort(scores[!is.na(scores)])
  n <- length(scores)
  if (n < 5) stop("mixture needs at least 5 reference scores")
  a <- scores[1]
  if (a == scores[n]) return(list(weight = 0.5, mean_1 = a, sd_1 = 0, mean_2 = a, sd_2 = 0))
  m <- mean(scores)
  s <- sqrt(mean((scores - m)^2))
  z <- (scores - m) / s

  set.seed(seed)
  draws <- rbind(c(0.5, 0), matrix(runif(2 * starts), ncol = 2, byrow = TRUE))
  best <- c(0, 0, 0, 0, 0)  # both components are the normal distribution of all scores
  highest <- penalized(best, z)
  missed <- -Inf
  for (k in seq_len(nrow(draws))) {
    size <- 1 + floor(draws[k, 1] * (n - 1))
    first <- floor(draws[k, 2] * (n - size + 1))
    p <- climb(z, seq_len(n) > first & seq_len(n) <= first + size)
    if (is.null(p)) next
    value <- penalized(p, z)
    if (is.null(attr(p, "arrived"))) missed <- max(missed, value)
    else if (value > highest + 1e-9) { highest <- value; best <- p }
  }
  if (missed > highest + 1e-9) stop("mixture: the likelihood was not maximized from all starts")

  list(weight = plogis(best[1]), mean_1 = m + s * best[2], sd_1 = s * exp(best[4]),
       mean_2 = m + s * best[3], sd_2 = s * exp(best[5]))
}

evaluate <- function(x, weight, mean_1, sd_1, mean_2, sd_2) {
  if (sd_1 == 0) return(ifelse(x < mean_1, 0, ifelse(x > mean_1, 1, 0.5)))  # the limit
  weight * pnorm(x, mean_1, sd_1) + (1 - weight) * pnorm(x, mean_2, sd_2)
}

# p: log odds of the first component, both means, the logarithms of both standard deviations.
logs <- function(p, z) cbind(plogis(p[1], log.p = TRUE) + dnorm(z, p[2], exp(p[4]), log = TRUE),
                             plogis(-p[1], log.p = TRUE) + dnorm(z, p[3], exp(p[5]), log = TRUE))

# Of z with mean 0 and mean square 1.
penalized <- function(p, z) {
  l <- logs(p, z)
  sum(pmax(l[, 1], l[, 2]) + log1p(exp(-abs(l[, 1] - l[, 2])))) -
    sum(exp(-2 * p[4:5]) + 2 * p[4:5]) / length(z)
}

slopes <- function(p, z) {
  l <- logs(p, z)
  r <- plogis(l[, 1] - l[, 2])
  a <- (z - p[2]) / exp(p[4])
  b <- (z - p[3]) / exp(p[5])
  c(sum(r - plogis(p[1])), sum(r * a) / exp(p[4]), sum((1 - r) * b) / exp(p[5]),
    sum(r * (a^2 - 1)) + 2 * (exp(-2 * p[4]) - 1) / length(z),
    sum((1 - r) * (b^2 - 1)) + 2 * (exp(-2 * p[5]) - 1) / length(z))
}

curvature <- function(p, z) {
  h <- sapply(1:5, function(k) {
    d <- 1e-4 * (1:5 == k)
    (8 * (slopes(p + d, z) - slopes(p - d, z)) - slopes(p + 2 * d, z) + slopes(p - 2 * d, z)) /
      12e-4
  })
  (h + t(h)) / 2
}
is_concave <- function(h) max(eigen(h, symmetric = TRUE, only.values = TRUE)$values) < 0

# EM to where the likelihood is concave, and Newton's method by short steps; NULL where EM goes
# to a saddle, or to one component alone.
climb <- function(z, r) {
  n <- length(z)
  value <- -Inf
  least <- 1e-3
  for (i in 1:5000) {
    k <- c(sum(r), sum(1 - r))
    mu <- c(sum(r * z), sum((1 - r) * z)) / k
    v <- (c(sum(r * (z - mu[1])^2), sum((1 - r) * (z - mu[2])^2)) + 2 / n) / (k + 2 / n)
    p <- c(log(k[1] / k[2]), mu, log(v) / 2)
    l <- logs(p, z)
    r <- plogis(l[, 1] - l[, 2])
    before <- value
    value <- penalized(p, z)
    if (value - before >= least) next
    if (is_concave(curvature(p, z))) break
    least <- least / 10
    if (least < 0.9e-5) return(NULL)
  }
  if (i == 5000) return(NULL)
  for (i in 1:200) {
    if (n * plogis(-abs(p[1])) < 1e-6) return(NULL)
    g <- slopes(p, z)
    h <- curvature(p, z)
    concave <- is_concave(h)
    if (!concave) {  # uphill along every axis of the curvature
      axes <- eigen(h, symmetric = TRUE)
      bent <- abs(axes$values)
      h <- -axes$vectors %*% (pmax(bent, max(bent) / 1000) * t(axes$vectors))
    }
    step <- -solve(h, g)
    promise <- sum(step * g)
    if (concave && promise < 1e-20) return(structure(p + step, arrived = TRUE))
    step <- step * min(1, 0.25 / max(abs(step)))
    while (promise > 1e-9 && penalized(p + step, z) < penalized(p, z)) step <- step / 2
    p <- p + step
  }
  p
}
environment()
})

scheme_facts$mixture <- list(is_cdf = TRUE, has_rounding = TRUE, has_moments = FALSE, constant = c("limit", "half", "nan", "drop_topic", "raise"), minimum = 5, parameters = c("weight", "mean_1", "sd_1", "mean_2", "sd_2"), accepts = list(starts = "a whole number from 0 to 1000", seed = "a whole number from -2147483647 to 2147483647"))

schemes$normal <- local({
# ---- normal.R
# N-std: Webber, Moffat and Zobel (2008), Eq. 1 and 2; Urbano, Lima and Hanjalic (2019), Eq. 5.
# x: scores to standardize; scores: the reference scores of the topic.
standardize <- function(x, scores) do.call(evaluate, c(list(x), estimate(scores)))

estimate <- function(scores) {
  scores <- scores[!is.na(scores)]
  list(mean = mean(scores), sd = sd(scores))
}

evaluate <- function(x, mean, sd) {
  if (sd == 0) return(ifelse(x < mean, 0, ifelse(x > mean, 1, 0.5)))  # the limit as sd goes to 0
  pnorm(x, mean, sd)
}
environment()
})

scheme_facts$normal <- list(is_cdf = TRUE, has_rounding = TRUE, has_moments = TRUE, constant = c("limit", "half", "nan", "drop_topic", "raise", "urbano2019", "matters"), minimum = 2, parameters = c("mean", "sd"), accepts = list())

schemes$raw <- local({
# ---- raw.R
# No standardization: y = x.
# x: scores to standardize; scores: the reference scores of the topic.
standardize <- function(x, scores) do.call(evaluate, c(list(x), estimate(scores)))

estimate <- function(scores) list()

evaluate <- function(x) x
environment()
})

scheme_facts$raw <- list(is_cdf = FALSE, has_rounding = FALSE, has_moments = FALSE, constant = c("limit", "drop_topic", "urbano2019"), minimum = 1, parameters = character(0), accepts = list())

schemes$sum <- local({
# ---- sum.R
# Sum normalization: Markov, Linear Score Normalization Revisited.
# x: scores to standardize; scores: the reference scores of the topic.
standardize <- function(x, scores) do.call(evaluate, c(list(x), estimate(scores)))

estimate <- function(scores) {
  scores <- scores[!is.na(scores)]
  if (length(scores) == 0) stop("there is no reference score")
  list(min = min(scores), total = sum(scores - min(scores)))
}

evaluate <- function(x, min, total)
  if (total == 0) ifelse(x == min, 0, (x - min) * Inf) else (x - min) / total  # the limit
environment()
})

scheme_facts$sum <- list(is_cdf = FALSE, has_rounding = TRUE, has_moments = FALSE, constant = c("limit", "nan", "drop_topic", "raise"), minimum = 1, parameters = c("min", "total"), accepts = list())

schemes$truncated_normal <- local({
# ---- truncated_normal.R
# The normal distribution restricted to [low, high], by maximum likelihood.
# x: scores to standardize; scores: the reference scores of the topic.
standardize <- function(x, scores, low = 0, high = 1)
  do.call(evaluate, c(list(x), estimate(scores, low, high), low = low, high = high))

estimate <- function(scores, low = 0, high = 1) {
  scores <- scores[!is.na(scores)]
  if (length(scores) < 2) stop("truncated_normal needs at least 2 reference scores")
  if (min(scores) < low || max(scores) > high) stop("a reference score is not in [low, high]")
  given <- list(min = min(scores), max = max(scores))
  if (given$min == given$max)
    return(c(location = given$min, scale = 1, slope = 0, curvature = 0, given))
  m <- mean(scores)
  s <- sqrt(mean((scores - m)^2))
  left <- (low - m) / s
  right <- (high - m) / s
  if (!is.finite(left) || !is.finite(right) || left >= 0 || right <= 0)
    stop("the spread of the reference scores is lost in the last digits")
  fit <- fit_truncated(left, right)
  c(location = m, scale = s, slope = fit[1], curvature = fit[2], given)
}

evaluate <- function(x, location, scale, slope, curvature, min, max, low = 0, high = 1) {
  if (min == max) return(ifelse(x < min, 0, ifelse(x > min, 1, 0.5)))  # the limit
  left <- (low - location) / scale
  right <- (high - location) / scale
  truncated_cdf(pmin(right, pmax(left, (x - location) / scale)), left, right, slope, curvature)
}

# F for the density exp(slope z - curvature z^2 / 2) on [left, right], up to a factor.
truncated_cdf <- function(z, left, right, slope, curvature) {
  if (curvature == 0) {
    if (slope == 0) return((z - left) / (right - left))
    if (slope < 0) return(expm1(slope * (z - left)) / expm1(slope * (right - left)))
    return(1 - expm1(slope * (z - right)) / expm1(slope * (left - right)))
  }
  g <- function(z) sqrt(curvature) * z - slope / sqrt(curvature)
  tail <- max(g(left), -g(right), 0)
  if (tail < 5 && g(right) - g(left) > 0.5) {  # differences of pnorm have their digits
    side <- g(left) < 0
    area <- function(z) abs(pnorm(g(z), lower.tail = side) - pnorm(g(left), lower.tail = side))
    return(area(z) / area(right))
  }
  mode <- min(right, max(left, slope / curvature))
  below <- function(z) {  # from left to z, in units of the density at the mode
    at <- min(z, mode)
    height <- exp((at - mode) * (slope - curvature * (at + mode) / 2))
    height * side_integral(slope - curvature * at, curvature, at - left, 0) +
      side_integral(curvature * mode - slope, curvature, z - at, 0)
  }
  y <- z
  y[!is.na(z)] <- vapply(z[!is.na(z)], below, numeric(1)) / below(right)
  y
}

# The integral of t^k exp(-rate t - curvature t^2 / 2) from 0 to the length.
side_integral <- function(rate, curvature, length, k) {
  reach <- min(length, 100 / (rate + sqrt(rate^2 + 100 * curvature)))
  if (reach <= 0) return(0)
  f <- function(u) u^k * exp(-reach * u * (rate + curvature * reach * u / 2))
  reach^(k + 1) * integrate(f, 0, 1, rel.tol = 1e-13, subdivisions = 1000)$value
}

# Moments of z: the means of z and z^2, the variances and the covariance of both.
moments <- function(left, right, slope, curvature) {
  mode <- if (slope >= curvature * right) right
          else if (slope <= curvature * left) left else slope / curvature
  k <- 0:4
  above <- vapply(k, function(k) side_integral(curvature * mode - slope, curvature,
                                               right - mode, k), numeric(1))
  below <- vapply(k, function(k) side_integral(slope - curvature * mode, curvature,
                                               mode - left, k), numeric(1))
  m <- ((above + (-1)^k * below) / (above[1] + below[1]))[-1]
  v11 <- m[2] - m[1]^2
  v12 <- 2 * mode * v11 + m[3] - m[1] * m[2]
  v22 <- 4 * mode^2 * v11 + 4 * mode * (m[3] - m[1] * m[2]) + m[4] - m[2]^2
  list(first = mode + m[1], second = mode^2 + 2 * mode * m[1] + m[2],
       variance = matrix(c(v11, v12, v12, v22), 2))
}

# z has the mean 0 and the mean square 1 in the reference scores, and in the fit; with a
# curvature of 0 where even the exponential distribution has a smaller mean square.
fit_truncated <- function(left, right) {
  mean_of <- function(slope) {  # of the exponential distribution on [left, right]
    c <- slope * (right - left)
    share <- if (abs(c) < 0.1) 1/2 + c/12 - c^3/720 + c^5/30240 - c^7/1209600 + c^9/47900160
             else if (c > 0) 1 / -expm1(-c) - 1 / c else exp(c) / expm1(c) - 1 / c
    left + (right - left) * share
  }
  slope <- uniroot(mean_of, c(1.01 / left, 1.01 / right), tol = 1e-15)$root
  if (moments(left, right, slope, 0)$second <= 1) return(c(slope, 0))

  # Newton's method for the log-likelihood, which is concave in slope and -curvature / 2.
  p <- c(0, -0.5)
  size <- Inf
  for (i in 1:200) {
    now <- moments(left, right, p[1], -2 * p[2])
    gradient <- c(-now$first, 1 - now$second)
    step <- solve(now$variance, gradient, tol = 0)
    while (p[2] + step[2] > 0) step <- step / 2
    last <- size
    size <- sqrt(abs(sum(gradient * step)))
    repeat {
      then <- moments(left, right, p[1] + step[1], -2 * (p[2] + step[2]))
      ahead <- sum(c(-then$first, 1 - then$second) * step)
      if (size < 1e-7 || ahead >= -0.5 * abs(sum(gradient * step))) break
      step <- step / 2
    }
    p <- p + step
    if (all(step == 0) || (size < 1e-7 && size >= last / 2)) return(c(p[1], -2 * p[2]))
  }
  stop("the likelihood of truncated_normal was not maximized in 200 steps")
}
environment()
})

scheme_facts$truncated_normal <- list(is_cdf = TRUE, has_rounding = TRUE, has_moments = FALSE, constant = c("limit", "half", "nan", "drop_topic", "raise"), minimum = 2, parameters = c("location", "scale", "slope", "curvature", "min", "max"), accepts = list(low = "finite numbers with low < high", high = "finite numbers with low < high"))

schemes$uniform <- local({
# ---- uniform.R
# U-std: Sakai (2016); Urbano, Lima and Hanjalic (2019), Eq. 3 and 6, on the scale of z.
# x: scores to standardize; scores: the reference scores of the topic.
standardize <- function(x, scores, A = 0.15, B = 0.5)
  do.call(evaluate, c(list(x), estimate(scores), A = A, B = B))

estimate <- function(scores) {
  scores <- scores[!is.na(scores)]
  list(mean = mean(scores), sd = sd(scores))
}

evaluate <- function(x, mean, sd, A = 0.15, B = 0.5) {
  z <- if (sd == 0) ifelse(x == mean, 0, (x - mean) * Inf) else (x - mean) / sd  # the limit
  punif(z, -B / A, (1 - B) / A)
}
environment()
})

scheme_facts$uniform <- list(is_cdf = TRUE, has_rounding = TRUE, has_moments = TRUE, constant = c("limit", "half", "nan", "drop_topic", "raise", "urbano2019", "matters"), minimum = 2, parameters = c("mean", "sd"), accepts = list(A = "a number above 0", B = "a number in [0, 1]"))

schemes$z <- local({
# ---- z.R
# The z-score: Webber, Moffat and Zobel (2008), Eq. 1.
# x: scores to standardize; scores: the reference scores of the topic.
standardize <- function(x, scores) do.call(evaluate, c(list(x), estimate(scores)))

estimate <- function(scores) {
  scores <- scores[!is.na(scores)]
  list(mean = mean(scores), sd = sd(scores))
}

evaluate <- function(x, mean, sd)
  if (sd == 0) ifelse(x == mean, 0, (x - mean) * Inf) else (x - mean) / sd  # the limit as sd goes to 0
environment()
})

scheme_facts$z <- list(is_cdf = FALSE, has_rounding = TRUE, has_moments = TRUE, constant = c("limit", "nan", "drop_topic", "raise", "urbano2019", "trec_eval", "matters"), minimum = 2, parameters = c("mean", "sd"), accepts = list())

schemes$zero_inflated <- local({
# ---- zero_inflated.R
# A point mass at `at`, such as 0, and another distribution; Lambert (1992), Eq. 1 and 2.
# x: scores to standardize; scores: the reference scores of the topic. component(x, scores) is
# the twin of the distribution that `family` names, with its settings.
standardize <- function(x, scores, family = "beta", at = 0) {
  scores <- scores[!is.na(scores)]
  if (length(scores) == 0) stop("there are no reference scores")
  others <- scores[scores != at]
  if (length(others) == 0) return(ifelse(x >= at, 1, 0))
  p <- sum(scores == at) / length(scores)
  # A single value is a sample of that value, also where the family asks for more scores.
  y <- if (length(unique(others)) > 1) component(x, others) else
    tryCatch(component(x, others), error = function(e) component(x, rep(others[1], 100)))
  p * (x >= at) + (1 - p) * y
}
environment()
})

scheme_facts$zero_inflated <- list(is_cdf = TRUE, has_rounding = TRUE, has_moments = FALSE, constant = c("limit", "half", "nan", "drop_topic", "raise"), minimum = 1, parameters = c("share", "family_a", "family_b", "family_min", "family_max"), accepts = list(family = "a distribution such as gamma or kernel(bandwidth=0.1)", at = "a finite number"))

effect_sizes <- list()

effect_sizes$d_av <- list(effect = in_own_unit(local({
# ---- d_av.R
# The standardized mean difference of paired scores by their average variance (Bonett 2008).
effect_size <- function(x, y, conf_level) {
  both <- !is.na(x) & !is.na(y)
  x <- x[both]
  y <- y[both]
  df <- length(x) - 1
  variance <- (var(x) + var(y)) / 2
  stderr <- sqrt(2 * variance / length(x))
  # the rule of t.test for constant data
  if (df < 1 || stderr == 0 ||
      stderr < 10 * .Machine$double.eps * max(abs(mean(x)), abs(mean(y))))
    return(list(estimate = NaN))
  d <- mean(x - y) / sqrt(variance)
  stderr <- sqrt(d^2 * (var(x)^2 + var(y)^2 + 2 * cov(x, y)^2) / (8 * df * variance^2) +
                   var(x - y) / (df * variance))
  margin <- qnorm((1 - conf_level) / 2, lower.tail = FALSE) * stderr
  list(estimate = d, conf_low = d - margin, conf_high = d + margin)
}
effect_size
}), character(0)), ranks = "")

effect_sizes$d_z <- list(effect = in_own_unit(local({
# ---- d_z.R
# The standardized mean difference of paired scores, with the exact interval of noncentral t.
# R's pt(ncp =) is a normal approximation above 37.62; this file computes the distribution.
effect_size <- function(x, y, conf_level) {
  d <- (x - y)[!is.na(x - y)]
  n <- length(d)
  stderr <- sd(d) / sqrt(n)
  # the rule of t.test for constant data
  if (n < 2 || stderr == 0 || stderr < 10 * .Machine$double.eps * abs(mean(d)))
    return(list(estimate = NaN))
  t <- sqrt(n) * mean(d) / sd(d)
  tail <- (1 - conf_level) / 2
  list(estimate = mean(d) / sd(d),
       conf_low = -noncentrality(-t, n - 1, tail) / sqrt(n),
       conf_high = noncentrality(t, n - 1, tail) / sqrt(n))
}
effect_size
}), character(0)), ranks = "")

effect_sizes$hedges_g <- list(effect = in_own_unit(local({
# ---- hedges_g.R
# Hedges' g of two independent samples, with the exact interval of noncentral t.
# R's pt(ncp =) is a normal approximation above 37.62; this file computes the distribution.
effect_size <- function(x, y, conf_level) {
  x <- x[!is.na(x)]
  y <- y[!is.na(y)]
  n <- as.numeric(length(x))  # whole numbers of R end at 2^31
  m <- as.numeric(length(y))
  df <- n + m - 2
  largest <- max(abs(mean(x)), abs(mean(y)))
  # An offset that both samples share would round their means; the subtraction is exact.
  scores <- c(x, y)
  if (length(scores) && diff(range(scores)) <= max(abs(scores)) / 1024) {
    x <- x - scores[1]
    y <- y - scores[1]
  }
  s <- sqrt(((n - 1) * var(x) + (m - 1) * var(y)) / df)
  root <- sqrt(n * m / (n + m))
  # the rule of t.test for constant data
  if (min(n, m) < 2 || s == 0 ||
      s / root < 10 * .Machine$double.eps * largest)
    return(list(estimate = NaN))
  d <- (mean(x) - mean(y)) / s
  j <- sqrt(2 * pi / df) / beta((df - 1) / 2, 1 / 2)  # the digits of a ratio of gamma functions
  t <- d * root
  tail <- (1 - conf_level) / 2
  list(estimate = j * d,
       conf_low = -noncentrality(-t, df, tail) / root,
       conf_high = noncentrality(t, df, tail) / root)
}
effect_size
}), character(0)), ranks = "")

effect_sizes$rank_biserial <- list(effect = local({
# ---- rank_biserial.R
# The rank-biserial correlation of two independent samples, with Fisher's z and the standard error
# of DeLong, DeLong and Clarke-Pearson; an exact bound for r of -1 or 1.
effect_size <- function(x, y, conf_level) {
  x <- x[!is.na(x)]
  y <- y[!is.na(y)]
  n <- as.numeric(length(x))  # whole numbers of R end at 2^31
  m <- as.numeric(length(y))
  u <- unname(wilcox.test(x, y, exact = FALSE)$statistic)
  r <- 2 * u / (n * m) - 1
  signs <- sign(outer(x, y, "-"))
  variance <- var(rowMeans(signs)) / n + var(colMeans(signs)) / m
  if (abs(r) == 1) {
    bound <- 2 * ((1 - conf_level) / 2)^(1 / min(n, m)) - 1
    return(list(estimate = r, conf_low = min(r, r * bound), conf_high = max(r, r * bound)))
  }
  if (is.na(variance) || variance == 0) return(list(estimate = r))
  margin <- qnorm((1 - conf_level) / 2, lower.tail = FALSE) * sqrt(variance) / (1 - r^2)
  ends <- tanh(atanh(r) + c(-1, 1) * margin)
  list(estimate = r, conf_low = ends[1], conf_high = ends[2])
}
effect_size
}), ranks = "topics")

effect_sizes$rank_biserial_paired <- list(effect = in_own_unit(local({
# ---- rank_biserial_paired.R
# The matched-pairs rank-biserial correlation, with Fisher's z and Hoeffding's standard error;
# an exact bound for r of -1 or 1.
effect_size <- function(x, y, conf_level) {
  pairs <- !is.na(x) & !is.na(y)
  d <- differences_at(x[pairs], y[pairs], 0, "resolution")
  d <- d[d != 0]
  k <- length(d)
  ranks <- rank(abs(d))
  r <- (sum(ranks[d > 0]) - sum(ranks[d < 0])) / sum(ranks)
  if (is.nan(r)) return(list(estimate = r))
  if (abs(r) == 1) {
    bound <- 2 * ((1 - conf_level) / 2)^(2 / k) - 1
    return(list(estimate = r, conf_low = min(r, r * bound), conf_high = max(r, r * bound)))
  }
  sums <- rowSums(sign(outer(d, d, "+")))
  stderr <- sqrt(4 * var(sums) / (k * (k + 1)^2))
  margin <- qnorm((1 - conf_level) / 2, lower.tail = FALSE) * stderr / (1 - r^2)
  ends <- tanh(atanh(r) + c(-1, 1) * margin)
  list(estimate = r, conf_low = ends[1], conf_high = ends[2])
}
effect_size
}), character(0)), ranks = "differences")

significance_tests <- list()

significance_tests$anova_two_way <- list(
  samples = "all systems",
  minimum = 2,
  simultaneous = FALSE,
  one_baseline = FALSE,
  ranks = "",
  draws = FALSE,
  effect = "",
  estimates = "difference",
  title = "Test whether all systems have the same mean, by two-way analysis of variance",
  defaults = list(),
  required = character(0),
  accepts = list(),
  run = on_all_systems,
  test = in_own_unit(local({
# ---- anova_two_way.R
# The F test of all systems at once: two-way analysis of variance, system and topic. The rounding
# errors of aov are proportional to its input. Therefore the means of the topics are subtracted for
# the test of the systems, and also the means of the systems for the residuals.
significance_test <- function(scores) {
  left <- without_topics(scores, of_systems = TRUE)
  left <- left - rowMeans(left)
  scores <- without_topics(scores)
  scores <- scores - rowMeans(scores)
  size <- mean(scores^2)
  left <- left - rep(colMeans(left), each = nrow(left))
  fit <- function(values)
    aov(score ~ system + topic, data.frame(score = as.vector(values), topic = factor(row(values)),
                                           system = factor(col(values))))
  rest <- fit(left)
  mean_square <- sum(residuals(rest)^2) / rest$df.residual
  if (mean_square <= (10 * .Machine$double.eps)^2 * size)
    stop("the residuals are 0, except for rounding")
  table <- summary(fit(scores))[[1]]
  f <- table[1, "Mean Sq"] / mean_square
  list(statistic = f, parameter = table[1, "Df"],
       p_value = pf(f, table[1, "Df"], rest$df.residual, lower.tail = FALSE))
}
significance_test
}), character(0)))

significance_tests$bootstrap_shift <- list(
  samples = "paired",
  minimum = 2,
  simultaneous = FALSE,
  one_baseline = FALSE,
  ranks = "",
  draws = TRUE,
  effect = "d_z",
  estimates = "difference",
  title = "Test by the shift bootstrap whether the mean difference is null_value",
  defaults = list(alternative = "two-sided", null_value = 0, conf_level = 0.95, B = 10000, seed = 0),
  required = character(0),
  accepts = list(alternative = "two-sided, less, greater", null_value = "a finite number", conf_level = "a number between 0 and 1", B = "a whole number from 1 to 1000000000", seed = "a whole number of 0 or more"),
  run = on_each_pair,
  test = in_own_unit(local({
# ---- bootstrap_shift.R
# The shift bootstrap test of paired scores: all n^n resamples for n up to 7, otherwise the
# resamples of draws(f, n). It applies f to each block: one resample per column, with the count of
# each pair.
significance_test <- function(x, y, alternative, null_value, conf_level, B, seed, draws) {
  pairs <- !is.na(x) & !is.na(y)
  x <- x[pairs]
  y <- y[pairs]
  found <- resampled_differences(x, y, 0)
  d <- found$apart
  offset <- found$d[1] - d[1]
  estimate <- mean(found$d)
  n <- length(d)
  if (n < 2) stop("not enough pairs")
  stderr <- sd(d) / sqrt(n)
  # the rule of t.test
  if (stderr == 0 || stderr < 10 * .Machine$double.eps * abs(estimate))
    stop("the differences are essentially constant")
  ties <- 2^-48 * sum(abs(d - mean(d)))
  shifted <- mean(resampled_differences(x, y, null_value)$d)
  means <- if (n <= 7) rowMeans(matrix(d[as.matrix(expand.grid(rep(list(1:n), n)))], ncol = n)) else
    unlist(draws(function(counts) drop(d %*% counts), n)) / n
  toward <- switch(alternative, "two-sided" = abs, less = function(t) -t, greater = identity)
  extreme <- toward(means - mean(d)) >= toward(shifted) - ties
  tail <- (1 - conf_level) / if (alternative == "two-sided") 2 else 1
  ends <- quantile(means, c(tail, 1 - tail), type = 6) + offset
  list(statistic = estimate, estimate = estimate,
       stderr = sqrt(sum((d - mean(d))^2)) / n,
       conf_low = if (alternative == "less") -Inf else ends[1],
       conf_high = if (alternative == "greater") Inf else ends[2],
       p_value = if (n <= 7) mean(extreme) else (sum(extreme) + 1) / (B + 1))
}
significance_test
}), c("null_value", "estimate", "stderr", "conf_low", "conf_high", "statistic")))

significance_tests$bootstrap_studentized <- list(
  samples = "paired",
  minimum = 2,
  simultaneous = FALSE,
  one_baseline = FALSE,
  ranks = "",
  draws = TRUE,
  effect = "d_z",
  estimates = "difference",
  title = "Test by the studentized bootstrap whether the mean difference is null_value",
  defaults = list(alternative = "two-sided", null_value = 0, conf_level = 0.95, B = 10000, seed = 0),
  required = character(0),
  accepts = list(alternative = "two-sided, less, greater", null_value = "a finite number", conf_level = "a number between 0 and 1", B = "a whole number from 1 to 1000000000", seed = "a whole number of 0 or more"),
  run = on_each_pair,
  test = in_own_unit(local({
# ---- bootstrap_studentized.R
# The studentized bootstrap test of paired scores: all n^n resamples for n up to 7, otherwise the
# resamples of draws(f, n). It applies f to each block: one resample per column, with the count of
# each pair.
significance_test <- function(x, y, alternative, null_value, conf_level, B, seed, draws) {
  pairs <- !is.na(x) & !is.na(y)
  x <- x[pairs]
  y <- y[pairs]
  found <- resampled_differences(x, y, 0)
  d <- found$apart
  estimate <- mean(found$d)
  n <- length(d)
  if (n < 2) stop("not enough pairs")
  eps <- .Machine$double.eps
  stderr <- sd(d) / sqrt(n)
  # the rule of t.test
  if (stderr == 0 || stderr < 10 * eps * abs(estimate))
    stop("the differences are essentially constant")
  centred <- d - mean(d)
  size <- 2^-48 * n * sum(abs(centred))
  # t* from the sum of a resample, and from the sum of squares about its own mean.
  studentized <- function(total, deviations) {
    t <- total / sqrt(deviations * n / (n - 1))
    # Equal differences have sd 0: t* is infinite, or 0 if their mean is that of the sample.
    equal <- deviations <= size^2
    t[equal] <- ifelse(abs(total[equal]) <= size, 0, sign(total[equal]) * Inf)
    t
  }
  of_counts <- function(counts) {
    total <- drop(centred %*% counts)
    squares <- drop(centred^2 %*% counts)
    deviations <- squares - total^2 / n
    # Squares are added one by one if the difference of two sums would lose digits.
    for (k in which(deviations <= squares / 1024))
      deviations[k] <- sum(counts[, k] * (centred - total[k] / n)^2)
    studentized(total, deviations)
  }
  t_drawn <- if (n <= 7) {
    drawn <- matrix(centred[as.matrix(expand.grid(rep(list(1:n), n)))], ncol = n)
    studentized(rowSums(drawn), rowSums((drawn - rowMeans(drawn))^2))
  } else unlist(draws(of_counts, n))
  t <- mean(resampled_differences(x, y, null_value)$d) / stderr
  # The rounding error of a t* that equals t: of its mean, and of its sum of squares.
  relative <- min(n * eps * (1 + t^2 / (n - 1)), 1e-3 / n)
  ties <- size / stderr + n * relative * abs(t)
  toward <- switch(alternative, "two-sided" = abs, less = function(t) -t, greater = identity)
  extreme <- toward(t_drawn) >= toward(t) - ties
  tail <- (1 - conf_level) / if (alternative == "two-sided") 2 else 1
  critical <- quantile(t_drawn, c(1 - tail, tail), type = 6)
  # An end that equals the null value except for rounding error is set to it, as for p.
  ends <- ifelse(abs(critical - t) <= ties, null_value, estimate - stderr * critical)
  list(statistic = t, estimate = estimate, stderr = stderr,
       conf_low = if (alternative == "less") -Inf else ends[1],
       conf_high = if (alternative == "greater") Inf else ends[2],
       p_value = if (n <= 7) mean(extreme) else (sum(extreme) + 1) / (B + 1))
}
significance_test
}), c("null_value", "estimate", "stderr", "conf_low", "conf_high")))

significance_tests$conover <- list(
  samples = "pairs",
  minimum = 2,
  simultaneous = FALSE,
  one_baseline = FALSE,
  ranks = "",
  draws = FALSE,
  effect = "rank_biserial_paired",
  estimates = "difference of mean ranks",
  title = "Test single pairs of systems by their ranks within topics",
  defaults = list(),
  required = character(0),
  accepts = list(),
  run = on_all_pairs,
  test = local({
# ---- conover.R
# Conover's test of pairs of systems by their sums of ranks within topics, as in friedman() of
# agricolae. PMCMRplus has another variance.
significance_test <- function(scores, first, second) {
  n <- nrow(scores)
  df <- (n - 1) * (ncol(scores) - 1)
  ranks <- t(apply(scores, 1, rank))
  sums <- colSums(ranks)
  spread <- n * sum(ranks^2) - sum(sums^2)
  if (spread == 0) stop("the systems have the same ranks in all topics")
  stderr <- sqrt(2 * spread / df)
  t <- (sums[first] - sums[second]) / stderr
  list(estimate = (sums[first] - sums[second]) / n, stderr = rep(stderr / n, length(t)),
       statistic = t, parameter = rep(df, length(t)), p_value = 2 * pt(-abs(t), df))
}
significance_test
}))

significance_tests$dunnett <- list(
  samples = "pairs",
  minimum = 2,
  simultaneous = TRUE,
  one_baseline = TRUE,
  ranks = "",
  draws = FALSE,
  effect = "d_z",
  estimates = "difference",
  title = "Test systems against one baseline simultaneously by Dunnett's test, with topics as blocks",
  defaults = list(alternative = "two-sided", conf_level = 0.95),
  required = character(0),
  accepts = list(alternative = "two-sided, less, greater", conf_level = "a number between 0 and 1"),
  run = on_all_pairs,
  test = in_own_unit(local({
# ---- dunnett.R
# Dunnett's test of systems against one baseline, with topics as blocks. multcomp and mvtnorm use
# random points for the multivariate t; here its integrals are sums over one matrix, in which s
# varies with the row and the baseline with the column.
significance_test <- function(scores, first, second, alternative, conf_level) {
  left <- without_topics(scores, of_systems = TRUE)
  scores <- without_topics(scores)
  if (length(unique(second)) > 1) stop("there are several baselines")
  # The rounding errors of aov are proportional to its input; the means change no residual.
  left <- left - rowMeans(left)
  left <- left - rep(colMeans(left), each = nrow(scores))
  data <- data.frame(score = as.vector(left), topic = factor(row(scores)),
                     system = factor(col(scores)))
  fit <- aov(score ~ system + topic, data)
  df <- fit$df.residual
  mean_square <- sum(residuals(fit)^2) / df
  if (mean_square <= (10 * .Machine$double.eps)^2 * mean((scores - rowMeans(scores))^2))
    stop("the residuals are 0, except for rounding")
  difference <- colMeans(scores)[first] - colMeans(scores)[second]
  stderr <- sqrt(2 * mean_square / nrow(scores))
  t <- difference / stderr
  toward <- switch(alternative, "two-sided" = abs(t), less = -t, greater = t)
  tail <- largest_t_tail(length(unique(first)), df, alternative == "two-sided")
  # If 1 - conf_level is above P(max T > 0), the quantile is negative.
  low <- if (alternative == "two-sided") 1e-9 else -1
  high <- 1
  while (tail(low) < 1 - conf_level) low <- 2 * low
  while (tail(high) > 1 - conf_level) high <- high + 1
  quantile <- uniroot(function(x) log(tail(x) / (1 - conf_level)), c(low, high), tol = 1e-14)$root
  list(estimate = difference, stderr = rep(stderr, length(t)),
       conf_low = if (alternative == "less") -Inf else difference - quantile * stderr,
       conf_high = if (alternative == "greater") Inf else difference + quantile * stderr,
       statistic = t, parameter = rep(df, length(t)), p_value = vapply(toward, tail, 0))
}

# P(max abs(Z_i - Z_0) > w), or P(max(Z_i - Z_0) > w), of m normals and Z_0 = -z, for each w.
largest_difference_tail <- function(w, m, two_sided) {
  z <- seq(-9, 9, by = 1 / 10)
  # The terms are largest about w / 2, and about -w / 2 with two sides; both are covered.
  about <- function(centre) {
    z <- outer(centre, z, "+")
    above <- pnorm(z - w)
    if (two_sided) above <- above + pnorm(-z - w)
    # Left of 0 the other half counts, which is the same: no term counts twice.
    weight <- if (two_sided) 2 * pnorm(8 * z) else 1
    rowSums(weight * dnorm(z) * -expm1(m * log1p(-pmin(above, 1)))) / 10
  }
  about(pmax(w, 0) / 2)
}

# P(T > t) as a function of one t, T the largest of m with one denominator s, where s^2 is
# chi-square over its degrees of freedom: a sum over log(s) with equal steps.
largest_t_tail <- function(m, df, two_sided) {
  step <- min(1 / 25, 0.35 / sqrt(2 * df))
  far <- 80 / df
  reach <- (far + sqrt(far^2 + 8 * far)) / 4
  u <- seq(-reach, min(reach, 3), by = step)
  density <- function(u) exp(df * (u - expm1(2 * u) / 2))
  total <- sum(density(u))
  log_w <- seq(-3, log(55), by = 1 / 100)
  log_tail <- log(largest_difference_tail(exp(log_w), m, two_sided))
  function(t) {
    w <- sqrt(2) * t
    if (two_sided && t <= 0) return(1)
    # The terms are largest where the product of density and tail is; for t < 0 about s = 1.
    centre <- 0
    if (t > 0) {
      at <- log_w - log(w)
      centre <- at[which.max(df * (at - expm1(2 * at) / 2) + log_tail)]
      if (log(w) < log_w[1]) centre <- 0
    }
    u <- centre + u
    sum(density(u) * largest_difference_tail(w * exp(u), m, two_sided)) / total
  }
}
significance_test
}), c("null_value", "estimate", "stderr", "conf_low", "conf_high")))

significance_tests$equivalence_t <- list(
  samples = "paired",
  minimum = 2,
  simultaneous = FALSE,
  one_baseline = FALSE,
  ranks = "",
  draws = FALSE,
  effect = "d_z",
  estimates = "difference",
  title = "Test whether the mean difference of paired scores is within margin of centre",
  defaults = list(centre = 0, conf_level = 0.9),
  required = c("margin"),
  accepts = list(margin = "a finite number above 0, the largest difference that does not matter", centre = "a finite number, not too large for the margin", conf_level = "a number between 0 and 1"),
  run = on_each_pair,
  test = in_own_unit(local({
# ---- equivalence_t.R
# Two one-sided t tests of paired scores, and the interval of the mean difference.
significance_test <- function(x, y, margin, centre, conf_level) {
  low <- centre - margin
  high <- centre + margin
  above <- t.test(x, y, paired = TRUE, mu = low, alternative = "greater")
  if (above$stderr == 0) stop("the data are constant")  # where t.test divides by 0
  below <- t.test(x, y, paired = TRUE, mu = high, alternative = "less")
  larger <- if (above$statistic <= -below$statistic) above else below
  conf_int <- t.test(x, y, paired = TRUE, conf.level = conf_level)$conf.int
  list(statistic = larger$statistic, parameter = larger$parameter, p_value = larger$p.value,
       conf_low = conf_int[1], conf_high = conf_int[2],
       estimate = larger$estimate, stderr = larger$stderr)
}
significance_test
}), c("null_value", "estimate", "stderr", "conf_low", "conf_high", "margin", "centre")))

significance_tests$friedman <- list(
  samples = "all systems",
  minimum = 2,
  simultaneous = FALSE,
  one_baseline = FALSE,
  ranks = "",
  draws = FALSE,
  effect = "",
  estimates = "difference",
  title = "Test whether all orders of the systems' scores within a topic are equally likely",
  defaults = list(),
  required = character(0),
  accepts = list(),
  run = on_all_systems,
  test = local({
# ---- friedman.R
# Friedman's rank test of all systems: topics are the rows and blocks, systems the columns.
significance_test <- function(scores) {
  test <- friedman.test(scores)
  list(statistic = test$statistic, parameter = test$parameter, p_value = test$p.value)
}
significance_test
}))

significance_tests$kendall <- list(
  samples = "paired",
  minimum = 2,
  simultaneous = FALSE,
  one_baseline = FALSE,
  ranks = "topics",
  draws = FALSE,
  effect = "",
  estimates = "correlation",
  title = "Test whether paired scores are uncorrelated, by Kendall's tau_b",
  defaults = list(alternative = "two-sided", exact = NULL, continuity = FALSE),
  required = character(0),
  accepts = list(alternative = "two-sided, less, greater", exact = "TRUE or FALSE, or NULL for the rule of R", continuity = "TRUE or FALSE"),
  run = on_each_pair,
  test = local({
# ---- kendall.R
# The test of Kendall's rank correlation. With exact = TRUE, the distribution is that over all
# pairings of the tied scores, for which cor.test takes the normal approximation. Two-sided, p is
# then the probability of all C - D at least as far from 0.
significance_test <- function(x, y, alternative, exact, continuity) {
  pairs <- !is.na(x) & !is.na(y)
  x <- x[pairs]
  y <- y[pairs]
  tied <- c(anyDuplicated(x), anyDuplicated(y)) > 0
  by_count <- isTRUE(exact) && any(tied) && min(x) < max(x) && min(y) < max(y)
  test <- cor.test(x, y, method = "kendall", exact = if (by_count) FALSE else exact,
                   continuity = continuity, alternative = chartr("-", ".", alternative))
  if (!by_count) {
    return(list(statistic = test$statistic, p_value = test$p.value, estimate = test$estimate))
  }
  products <- sign(outer(x, x, "-")) * sign(outer(y, y, "-"))
  excess <- sum(products) / 2
  found <- if (all(tied)) by_pairings(x, y) else by_rank_sums(if (tied[1]) x else y)
  extreme <- switch(alternative, less = found$excess <= excess, greater = found$excess >= excess,
                    "two-sided" = abs(found$excess) >= abs(excess))
  list(statistic = sum(products > 0) / 2, p_value = sum(found$p[extreme]),
       estimate = test$estimate)
}

# Ties in one sample only: the scores of each tie have a rank sum among those of the ties before,
# and these are independent.
by_rank_sums <- function(tied) {
  p <- 1
  before <- 0
  for (size in table(tied)) {
    most <- before * size
    longer <- numeric(length(p) + most)
    for (w in 0:most) {
      at <- w + seq_along(p)
      longer[at] <- longer[at] + p * if (before > 0) dwilcox(w, before, size) else 1
    }
    p <- longer
    before <- before + size
  }
  list(p = p, excess = 2 * (seq_along(p) - 1) - (length(p) - 1))
}

# Ties in both samples. A gain is C - D with those before, and their number, so that it is whole
# and not negative.
by_pairings <- function(x, y) {
  counted <- sum(outer(x, x, ">"))
  gain <- function(places, chosen, taken) {
    sum(sign(outer(y[chosen], y[taken], "-"))) + length(chosen) * length(taken)
  }
  numbers <- pairings(x, gain, 2 * counted)
  list(p = numbers / sum(numbers), excess = seq_along(numbers) - 1 - counted)
}
significance_test
}))

significance_tests$kolmogorov_smirnov <- list(
  samples = "unpaired",
  minimum = 1,
  simultaneous = FALSE,
  one_baseline = FALSE,
  ranks = "topics",
  draws = FALSE,
  effect = "",
  estimates = "difference",
  title = "Test whether two samples have the same distribution, by the distance of their cdfs",
  defaults = list(alternative = "two-sided", exact = NULL),
  required = character(0),
  accepts = list(alternative = "two-sided, less, greater", exact = "TRUE or FALSE, or NULL for the rule of R"),
  run = on_each_pair,
  test = local({
# ---- kolmogorov_smirnov.R
# The two-sample Kolmogorov-Smirnov test. ks.test uses the distribution of D+ also for "less"; with
# ties and different sizes this is not the distribution of D-. Therefore x and y are exchanged. It
# also ends the series of the asymptotic two-sided p value early (the error is up to 4e-5), so that
# this file adds up the series.
significance_test <- function(x, y, alternative, exact) {
  test <- if (alternative == "less") ks.test(y, x, exact = exact, alternative = "greater")
          else ks.test(x, y, exact = exact, alternative = chartr("-", ".", alternative))
  p <- test$p.value
  if (!test$exact && alternative == "two-sided") {
    n <- sum(!is.na(x))
    m <- sum(!is.na(y))
    z <- sqrt(n / (n + m) * m) * test$statistic
    k <- 1:1000
    p <- if (z < 0.1) 1 else 2 * sum((-1)^(k - 1) * exp(-2 * (k * z)^2))
  }
  list(statistic = test$statistic, p_value = p)
}
significance_test
}))

significance_tests$mann_whitney <- list(
  samples = "unpaired",
  minimum = 1,
  simultaneous = FALSE,
  one_baseline = FALSE,
  ranks = "topics",
  draws = FALSE,
  effect = "rank_biserial",
  estimates = "difference",
  title = "Test whether two samples have the same distribution, shifted by null_value",
  defaults = list(alternative = "two-sided", null_value = 0, exact = NULL, correct = TRUE, ties_at = "resolution", conf_int = FALSE, conf_level = 0.95),
  required = character(0),
  accepts = list(alternative = "two-sided, less, greater", null_value = "a finite number", exact = "TRUE or FALSE, or NULL for the rule of R", correct = "TRUE or FALSE", ties_at = "a whole number from 0 to 12, or resolution or all_digits", conf_int = "TRUE or FALSE", conf_level = "a number between 0 and 1"),
  run = on_each_pair,
  test = in_own_unit(local({
# ---- mann_whitney.R
# The Mann-Whitney test. If all scores are equal, this function stops; wilcox.test divides by 0 and
# gives NaN, or 1 for a one-sided alternative. In the approximation, wilcox.test searches for the
# interval, with the tolerance tol.root, and its estimate is any point between the middle two
# differences. Here the estimate is their median. With exact = TRUE, ties have the exact distribution
# of their midranks, for which wilcox.test takes the approximation.
significance_test <- function(x, y, alternative, null_value, exact, correct, ties_at, conf_int,
                              conf_level) {
  x <- x[!is.na(x)]
  y <- y[!is.na(y)]
  q <- if (identical(ties_at, "resolution")) denominator(c(x, y, null_value)) else NaN
  x <- if (is.nan(q)) x - null_value else (round(x * q) - round(null_value * q)) / q
  decimals <- if (is.numeric(ties_at)) function(x) round(x, ties_at) else ties_at
  if (is.function(decimals)) {
    x <- decimals(x)
    y <- decimals(y)
  }
  if (length(x) && length(y) && all(c(x, y) == x[1])) stop("all scores are equal")
  tied <- isTRUE(exact) && anyDuplicated(c(x, y))
  test <- function(...) {
    if (tied) return(exact_with_ties(x, y, alternative))
    wilcox.test(x, y, exact = exact, correct = correct, ...,
                alternative = chartr("-", ".", alternative))
  }
  found <- list(statistic = test()$statistic, p_value = test()$p.value)
  if (!conf_int) return(found)
  # wilcox.test with an interval stops where all differences are equal and the method is not exact.
  equal <- all(x == x[1]) && all(y == y[1]) && !grepl("exact", test()$method)
  ends <- if (tied) ends_with_ties(x, y, alternative, conf_level)
          else if (equal) c(if (alternative == "less") -Inf else NaN,
                       if (alternative == "greater") Inf else NaN)
          else test(conf.int = TRUE, conf.level = conf_level, tol.root = 1e-14)$conf.int
  c(found, list(estimate = median(outer(x, y, "-")) + null_value,
                conf_low = ends[1] + null_value, conf_high = ends[2] + null_value))
}

# The distribution of W if all divisions of the pooled midranks are equally likely. Two-sided, p is
# the probability of all W that are at least as far from the mean.
exact_with_ties <- function(x, y, alternative) {
  n <- length(x)
  ranks <- 2 * rank(c(x, y))
  counts <- matrix(0, n + 1, sum(ranks) + 1)
  counts[1, 1] <- 1
  for (each in ranks) {
    from <- seq_len(ncol(counts) - each)
    counts[-1, from + each] <- counts[-1, from + each] + counts[-(n + 1), from]
  }
  p <- counts[n + 1, ] / choose(length(ranks), n)
  apart <- seq_along(p) - 1 - n * (length(ranks) + 1)
  observed <- sum(ranks[seq_len(n)]) - n * (length(ranks) + 1)
  extreme <- switch(alternative, less = apart <= observed, greater = apart >= observed,
                    "two-sided" = abs(apart) >= abs(observed))
  list(statistic = (observed + n * length(y)) / 2, p.value = sum(p[extreme]), method = "exact")
}

# The ends by the quantile for scores without ties.
ends_with_ties <- function(x, y, alternative, conf_level) {
  apart <- sort(outer(x, y, "-"))
  tail <- (1 - conf_level) / if (alternative == "two-sided") 2 else 1
  cut <- max(1, qwilcox(tail, length(x), length(y)))
  c(if (alternative == "less") -Inf else apart[cut],
    if (alternative == "greater") Inf else apart[length(apart) + 1 - cut])
}
significance_test
}), c("null_value", "estimate", "stderr", "conf_low", "conf_high")))

significance_tests$max_t <- list(
  samples = "pairs",
  minimum = 2,
  simultaneous = TRUE,
  one_baseline = FALSE,
  ranks = "",
  draws = TRUE,
  effect = "d_z",
  estimates = "difference",
  title = "Test a family of pairs by Westfall-Young step-down max-T, with sign flips",
  defaults = list(alternative = "two-sided", B = 10000, seed = 0),
  required = character(0),
  accepts = list(alternative = "two-sided, less, greater", B = "a whole number from 1 to 1000000000", seed = "a whole number of 0 or more"),
  run = on_all_pairs,
  test = in_own_unit(local({
# ---- max_t.R
# The step-down max-T test: all sign flips of at most 20 topics, otherwise the flips of
# draws(f, dim(scores)). It applies f to each block: one flip per column, 1 for a changed sign.
significance_test <- function(scores, first, second, alternative, B, seed, draws) {
  n <- nrow(scores)
  d <- scores[, first, drop = FALSE] - scores[, second, drop = FALSE]
  tests <- lapply(seq_len(ncol(d)), function(j) tryCatch(t.test(d[, j]), error = function(e) NULL))
  of <- function(name) vapply(tests, function(test) {
    if (is.null(test)) NA_real_ else as.numeric(test[[name]])
  }, 0)
  t <- of("statistic")
  family <- which(!is.na(t))
  # A flip does not change sum(d^2), so that r = sum(d) / sqrt(n sum(d^2)) decides its t.
  units <- vapply(seq_along(first), function(j) {
    d <- summed_differences(scores[, first[j]], scores[, second[j]], 0)
    d <- d / max(abs(d))
    d / sqrt(n * sum(d^2))
  }, numeric(n))
  units <- matrix(units, n)
  ties <- 2^-48 * n * colSums(abs(units))
  toward <- switch(alternative, "two-sided" = abs, less = function(t) -t, greater = identity)
  r <- colSums(units)
  # From the least extreme pair on: the most extreme r* of it and of all pairs before.
  order <- family[order(toward(r[family]))]
  units <- units[, order, drop = FALSE]
  count <- function(flips) {
    flipped <- toward(rep(r[order], each = ncol(flips)) - 2 * crossprod(flips, units))
    most <- rep(-Inf, nrow(flipped))
    vapply(seq_along(order), function(k) {
      most <<- pmax(most, flipped[, k])
      sum(most >= toward(r[order[k]]) - ties[order[k]])
    }, 0)
  }
  # All flips: the bits of the numbers below 2^n, in blocks of 2^10.
  every <- function(f) lapply(split(0:(2^n - 1), 0:(2^n - 1) %/% 2^10), function(k)
    f(outer(2^(seq_len(n) - 1), k, function(bit, k) k %/% bit %% 2)))
  extreme <- Reduce(`+`, if (n <= 20) every(count) else draws(count, dim(scores)))
  extreme <- rev(cummax(rev(extreme)))
  p <- rep(NA_real_, ncol(d))
  p[order] <- if (n <= 20) extreme / 2^n else (extreme + 1) / (B + 1)
  estimate <- apply(d, 2, mean)
  list(statistic = t, parameter = n - 1, p_value = p,
       estimate = estimate, stderr = ifelse(is.na(t), NA, of("stderr")))
}
significance_test
}), c("null_value", "estimate", "stderr", "conf_low", "conf_high")))

significance_tests$max_t_baseline <- list(
  samples = "pairs",
  minimum = 2,
  simultaneous = TRUE,
  one_baseline = TRUE,
  ranks = "",
  draws = TRUE,
  effect = "d_z",
  estimates = "difference",
  title = "Test systems against one baseline by single-step max-T, with sign flips",
  defaults = list(alternative = "two-sided", conf_level = 0.95, B = 10000, seed = 0),
  required = character(0),
  accepts = list(alternative = "two-sided, less, greater", conf_level = "a number between 0 and 1", B = "a whole number from 1 to 1000000000", seed = "a whole number of 0 or more"),
  run = on_all_pairs,
  test = in_own_unit(local({
# ---- max_t_baseline.R
# Systems against one baseline by the largest t: all sign flips of at most 20 topics, otherwise the
# flips of draws(f, dim(scores)). It applies f to each block: one flip per column, 1 for a changed
# sign.
significance_test <- function(scores, first, second, alternative, conf_level, B, seed, draws) {
  if (!nrow(scores)) stop("there is no topic")
  n <- nrow(scores)
  if (length(unique(second)) > 1) stop("there are several baselines")
  d <- scores[, first, drop = FALSE] - scores[, second, drop = FALSE]
  tests <- lapply(seq_len(ncol(d)), function(j) tryCatch(t.test(d[, j]), error = function(e) NULL))
  of <- function(name) vapply(tests, function(test) {
    if (is.null(test)) NA_real_ else as.numeric(test[[name]])
  }, 0)
  t <- of("statistic")
  stderr <- ifelse(is.na(t), NA, of("stderr"))
  family <- which(!is.na(t))
  # A flip does not change sum(d^2), so that r = sum(d) / sqrt(n sum(d^2)) decides its t.
  units <- vapply(seq_along(first), function(j) {
    d <- summed_differences(scores[, first[j]], scores[, second[j]], 0)
    d <- d / max(abs(d))
    d / sqrt(n * sum(d^2))
  }, numeric(n))
  units <- matrix(units, n)
  ties <- 2^-48 * n * colSums(abs(units))
  toward <- switch(alternative, "two-sided" = abs, less = function(t) -t, greater = identity)
  r <- colSums(units)
  largest_of <- function(flips) {
    most <- rep(-1, ncol(flips))
    for (j in family) most <- pmax(most, toward(r[j] - 2 * drop(units[, j] %*% flips)))
    most
  }
  # All flips: the bits of the numbers below 2^n, in blocks of 2^10.
  every <- function(f) lapply(split(0:(2^n - 1), 0:(2^n - 1) %/% 2^10), function(k)
    f(outer(2^(seq_len(n) - 1), k, function(bit, k) k %/% bit %% 2)))
  largest <- unlist(if (n <= 20) every(largest_of) else draws(largest_of, dim(scores)))
  extreme <- vapply(seq_along(t), function(j) sum(largest >= toward(r[j]) - ties[j]), 0)
  p <- if (n <= 20) extreme / 2^n else (extreme + 1) / (B + 1)
  place <- max(1, ceiling(conf_level * (length(largest) + (n > 20)) * (1 - 1e-15)))
  critical <- if (place > length(largest)) Inf else sort(largest)[place]
  rest <- 1 - critical^2
  t_critical <- if (rest <= 4 * n * .Machine$double.eps) sign(critical) * Inf else
    critical * sqrt((n - 1) / rest)
  estimate <- apply(d, 2, mean)
  # An end that is 0 except for rounding error is set to 0, as for p.
  margin <- ifelse(abs(critical - toward(r)) <= ties, toward(estimate), t_critical * stderr)
  infinite <- ifelse(is.na(t), NA, Inf)
  list(statistic = t, parameter = n - 1, p_value = ifelse(is.na(t), NA, p),
       estimate = estimate, stderr = stderr,
       conf_low = if (alternative == "less") -infinite else estimate - margin,
       conf_high = if (alternative == "greater") infinite else estimate + margin)
}
significance_test
}), c("null_value", "estimate", "stderr", "conf_low", "conf_high")))

significance_tests$nemenyi <- list(
  samples = "pairs",
  minimum = 2,
  simultaneous = TRUE,
  one_baseline = FALSE,
  ranks = "",
  draws = FALSE,
  effect = "rank_biserial_paired",
  estimates = "difference of mean ranks",
  title = "Test all pairs of systems simultaneously by their mean ranks within topics",
  defaults = list(),
  required = character(0),
  accepts = list(),
  run = on_all_pairs,
  test = local({
# ---- nemenyi.R
# Nemenyi's test of pairs of systems by mean ranks, with the critical difference of Demsar (2006).
# ptukey loses p values below 1e-9. Therefore this file computes the tail of the range of normals.
significance_test <- function(scores, first, second) {
  n <- nrow(scores)
  if (n < 2) stop("1 topic, but at least 2 are needed")
  k <- ncol(scores)
  mean_ranks <- colMeans(t(apply(scores, 1, rank)))
  difference <- mean_ranks[first] - mean_ranks[second]
  stderr <- sqrt(k * (k + 1) / (6 * n))
  q <- abs(difference) / stderr * sqrt(2)
  list(estimate = difference, stderr = rep(stderr, length(q)), statistic = q,
       p_value = vapply(q, range_tail, 0, groups = k))
}

# P(range > w) of normals, the largest of which is z: not all others are above z - w.
range_tail <- function(w, groups) {
  if (w == 0) return(1)
  z <- seq(w / 2 - 9, w / 2 + 10, by = 1 / 16)
  below <- pmin(exp(pnorm(z - w, log.p = TRUE) - pnorm(z, log.p = TRUE)), 1)
  terms <- dnorm(z) * pnorm(z)^(groups - 1) * -expm1((groups - 1) * log1p(-below))
  min(groups * sum(terms) / 16, 1)
}
significance_test
}))

significance_tests$one_sample_t <- list(
  samples = "one sample",
  minimum = 2,
  simultaneous = FALSE,
  one_baseline = FALSE,
  ranks = "",
  draws = FALSE,
  effect = "",
  estimates = "difference",
  title = "Test whether the mean of the scores is null_value",
  defaults = list(alternative = "two-sided", null_value = 0, conf_level = 0.95),
  required = character(0),
  accepts = list(alternative = "two-sided, less, greater", null_value = "a finite number", conf_level = "a number between 0 and 1"),
  run = on_each_system,
  test = in_own_unit(local({
# ---- one_sample_t.R
# Student's t test of one sample.
significance_test <- function(x, alternative, null_value, conf_level) {
  of <- function(x, mu) t.test(x, mu = mu, conf.level = conf_level,
                               alternative = chartr("-", ".", alternative))
  test <- of(x, null_value)  # which stops if the data are essentially constant
  if (test$stderr == 0) stop("the data are constant")  # where t.test divides by 0
  # The mean of nearly constant scores is rounded; without the first score, which is exact, less so.
  scores <- x[!is.na(x)]
  offset <- if (diff(range(scores)) <= max(abs(scores)) / 1024) scores[1] else 0
  if (offset != 0) test <- of(x - offset, null_value - offset)
  list(statistic = test$statistic, parameter = test$parameter, p_value = test$p.value,
       conf_low = test$conf.int[1] + offset, conf_high = test$conf.int[2] + offset,
       estimate = test$estimate + offset, stderr = test$stderr)
}
significance_test
}), c("null_value", "estimate", "stderr", "conf_low", "conf_high")))

significance_tests$paired_t <- list(
  samples = "paired",
  minimum = 2,
  simultaneous = FALSE,
  one_baseline = FALSE,
  ranks = "",
  draws = FALSE,
  effect = "d_z",
  estimates = "difference",
  title = "Test whether the mean difference of paired scores is null_value",
  defaults = list(alternative = "two-sided", null_value = 0, conf_level = 0.95),
  required = character(0),
  accepts = list(alternative = "two-sided, less, greater", null_value = "a finite number", conf_level = "a number between 0 and 1"),
  run = on_each_pair,
  test = in_own_unit(local({
# ---- paired_t.R
# Student's t test of paired scores.
significance_test <- function(x, y, alternative, null_value, conf_level) {
  test <- t.test(x, y, paired = TRUE, mu = null_value, conf.level = conf_level,
                 alternative = chartr("-", ".", alternative))
  if (test$stderr == 0) stop("the data are constant")  # where t.test divides by 0
  list(statistic = test$statistic, parameter = test$parameter, p_value = test$p.value,
       conf_low = test$conf.int[1], conf_high = test$conf.int[2],
       estimate = test$estimate, stderr = test$stderr)
}
significance_test
}), c("null_value", "estimate", "stderr", "conf_low", "conf_high")))

significance_tests$pearson <- list(
  samples = "paired",
  minimum = 3,
  simultaneous = FALSE,
  one_baseline = FALSE,
  ranks = "",
  draws = FALSE,
  effect = "",
  estimates = "correlation",
  title = "Test whether paired scores are uncorrelated, by Pearson's r",
  defaults = list(alternative = "two-sided", conf_level = 0.95),
  required = character(0),
  accepts = list(alternative = "two-sided, less, greater", conf_level = "a number between 0 and 1"),
  run = on_each_pair,
  test = local({
# ---- pearson.R
# The test of Pearson's product-moment correlation. cor.test computes t from 1 - r^2, which has no
# correct digits near a perfect correlation. Here 1 - r is sum((u - v)^2) / 2, with u and v the
# samples at mean 0 and length 1; it is 0 if u and v are equal except for rounding error. For nearly
# constant samples, the rounding error of the mean in cor.test is as large as the differences of the
# scores. Therefore the first score of such a sample is subtracted beforehand, which is exact.
significance_test <- function(x, y, alternative, conf_level) {
  both <- !is.na(x) & !is.na(y)
  less_first <- function(x) {
    # A power of 2 changes no digit, and keeps squares in the range of doubles.
    x <- x / 2^min(floor(log2(max(abs(x), .Machine$double.xmin))), 1023)
    if (length(x) && diff(range(x)) <= max(abs(x)) / 8) x - x[1] else x
  }
  x <- less_first(x[both])
  y <- less_first(y[both])
  test <- cor.test(x, y, conf.level = conf_level, alternative = chartr("-", ".", alternative))
  interval <- if (is.null(test$conf.int)) c(NA, NA) else test$conf.int
  unit <- function(x) { d <- (x - mean(x)) / max(abs(x - mean(x))); d / sqrt(sum(d^2)) }
  if (max(x) == min(x) || max(y) == min(y)) stop("the scores of one sample are all equal")
  u <- unit(x)
  v <- unit(y)
  apart <- sqrt(c(sum((u - v)^2), sum((u + v)^2)))
  apart[apart < 16 * .Machine$double.eps * sqrt(length(u))] <- 0
  r <- if (apart[1] == 0) 1 else if (apart[2] == 0) -1 else test$estimate
  if (abs(r) == 1 && alternative != "less") interval[1] <- interval[1] * 0 + r
  if (abs(r) == 1 && alternative != "greater") interval[2] <- interval[2] * 0 + r
  t <- sqrt(test$parameter) * r / (apart[1] * apart[2] / 2)
  p <- pt(c(t, -t), test$parameter)
  list(statistic = t, parameter = test$parameter, estimate = r,
       p_value = switch(alternative, less = p[1], greater = p[2], 2 * min(p)),
       conf_low = interval[1], conf_high = interval[2])
}
significance_test
}))

significance_tests$permutation <- list(
  samples = "paired",
  minimum = 1,
  simultaneous = FALSE,
  one_baseline = FALSE,
  ranks = "",
  draws = TRUE,
  effect = "d_z",
  estimates = "difference",
  title = "Test by sign flips whether paired differences are symmetric around null_value",
  defaults = list(alternative = "two-sided", null_value = 0, B = 10000, seed = 0),
  required = character(0),
  accepts = list(alternative = "two-sided, less, greater", null_value = "a finite number", B = "a whole number from 1 to 1000000000", seed = "a whole number of 0 or more"),
  run = on_each_pair,
  test = in_own_unit(local({
# ---- permutation.R
# The permutation test of paired scores: all sign flips if they are at most 2^20, otherwise the
# flips of draws(f, n). It applies f to each block: one flip per column, 1 for a changed sign.
significance_test <- function(x, y, alternative, null_value, B, seed, draws) {
  pairs <- !is.na(x) & !is.na(y)
  x <- x[pairs]
  y <- y[pairs]
  if (!any(pairs)) stop("there is no pair")
  d <- summed_differences(x, y, null_value)
  n <- length(d)
  # The sums of all flips: with each difference there are twice as many.
  flipped <- if (n <= 20) Reduce(function(sums, value) c(sums + value, sums - value), d, 0) else
    sum(d) - 2 * unlist(draws(function(flips) drop(d %*% flips), n))
  toward <- switch(alternative, "two-sided" = abs, less = function(t) -t, greater = identity)
  ties <- 2^-48 * n * sum(abs(d))
  extreme <- toward(flipped) >= toward(sum(d)) - ties
  estimate <- mean(x - y)
  list(statistic = estimate, estimate = estimate,
       p_value = if (n <= 20) mean(extreme) else (sum(extreme) + 1) / (B + 1))
}
significance_test
}), c("null_value", "estimate", "stderr", "conf_low", "conf_high", "statistic")))

significance_tests$permutation_unpaired <- list(
  samples = "unpaired",
  minimum = 1,
  simultaneous = FALSE,
  one_baseline = FALSE,
  ranks = "",
  draws = TRUE,
  effect = "hedges_g",
  estimates = "difference",
  title = "Test by permutation whether two samples differ only by the shift null_value",
  defaults = list(alternative = "two-sided", null_value = 0, B = 10000, seed = 0),
  required = character(0),
  accepts = list(alternative = "two-sided, less, greater", null_value = "a finite number", B = "a whole number from 1 to 1000000000", seed = "a whole number of 0 or more"),
  run = on_each_pair,
  test = in_own_unit(local({
# ---- permutation_unpaired.R
# The permutation test of two samples: all divisions if they are at most 2^20, otherwise the
# divisions of draws(f, c(n, m)). It applies f to each block: one division per column, 1 for the
# first group.
significance_test <- function(x, y, alternative, null_value, B, seed, draws) {
  x <- x[!is.na(x)]
  y <- y[!is.na(y)]
  n <- length(x)
  m <- length(y)
  if (n == 0 || m == 0) stop("a sample is empty")
  every <- choose(n + m, n) <= 2^20
  # Without the median of y, no common offset is left to round.
  offset <- sort(y)[m %/% 2 + 1]
  pooled <- c(summed_differences(x, rep(offset, n), null_value), summed_differences(y, rep(offset, m), 0))
  # About the mean, the sum of the first group is n m / (n + m) times the difference of means.
  centred <- pooled - mean(pooled)
  first <- if (every) colSums(matrix(centred[combn(n + m, n)], n)) else
    unlist(draws(function(groups) drop(centred %*% groups), c(n, m)))
  toward <- switch(alternative, "two-sided" = abs, less = function(t) -t, greater = identity)
  ties <- 2^-48 * (n + m) * sum(abs(centred))
  extreme <- toward(first) >= toward(sum(centred[1:n])) - ties
  estimate <- mean(x - offset) - mean(y - offset)
  list(statistic = estimate, estimate = estimate,
       p_value = if (every) mean(extreme) else (sum(extreme) + 1) / (B + 1))
}
significance_test
}), c("null_value", "estimate", "stderr", "conf_low", "conf_high", "statistic")))

significance_tests$randomized_tukey_hsd <- list(
  samples = "pairs",
  minimum = 1,
  simultaneous = TRUE,
  one_baseline = FALSE,
  ranks = "",
  draws = TRUE,
  effect = "d_z",
  estimates = "difference",
  title = "Test all pairs of systems simultaneously by shuffling the scores within each topic",
  defaults = list(B = 10000, seed = 0),
  required = character(0),
  accepts = list(B = "a whole number from 1 to 1000000000", seed = "a whole number of 0 or more"),
  run = on_all_pairs,
  test = in_own_unit(local({
# ---- randomized_tukey_hsd.R
# The randomized Tukey HSD test: all shuffles within topics if they are at most 2^20, otherwise the
# shuffles of draws(f, dim(scores)). It applies f to each block, with one shuffle per column: for
# the first system, the systems (from 0) whose scores it gets on each topic; then for the second.
significance_test <- function(scores, first, second, B, seed, draws) {
  topics <- nrow(scores)
  systems <- ncol(scores)
  scores <- without_topics(scores)
  every <- topics * lfactorial(systems) <= log(2^20) + 1e-9
  # All orders of the numbers of a vector, one a row.
  orders <- function(v) {
    if (length(v) == 1) return(matrix(v))
    do.call(rbind, lapply(seq_along(v), function(i) cbind(v[i], orders(v[-i]))))
  }
  add <- function(sums, topic) {
    shuffled <- matrix(scores[topic, orders(seq_len(systems))], ncol = systems)
    each <- expand.grid(seq_len(nrow(sums)), seq_len(nrow(shuffled)))
    sums[each[, 1], , drop = FALSE] + shuffled[each[, 2], , drop = FALSE]
  }
  sums_of <- function(places) {
    shuffled <- scores[places * topics + seq_len(topics)]
    t(colSums(array(shuffled, c(topics, systems, ncol(places)))))
  }
  range_of <- function(sums) do.call(pmax, as.data.frame(sums)) - do.call(pmin, as.data.frame(sums))
  ranges <- if (every) range_of(Reduce(add, seq_len(topics), matrix(0, 1, systems))) else
    unlist(draws(function(places) range_of(sums_of(places)), dim(scores)))
  means <- apply(scores, 2, mean)
  estimate <- means[first] - means[second]
  # No difference of a topic, however shuffled, is larger than the range of its scores.
  size <- 2^-48 * topics * sum(apply(scores, 1, function(topic) diff(range(topic))))
  extreme <- vapply(abs(estimate) * topics - size, function(bound) sum(ranges >= bound), 0)
  list(statistic = estimate, estimate = estimate,
       p_value = if (every) extreme / length(ranges) else (extreme + 1) / (B + 1))
}
significance_test
}), c("null_value", "estimate", "stderr", "conf_low", "conf_high", "statistic")))

significance_tests$sign <- list(
  samples = "paired",
  minimum = 1,
  simultaneous = FALSE,
  one_baseline = FALSE,
  ranks = "",
  draws = FALSE,
  effect = "",
  estimates = "proportion of positive differences",
  title = "Test whether the median of paired differences is null_value, by the sign test",
  defaults = list(alternative = "two-sided", null_value = 0, conf_level = 0.95, ties_at = "resolution"),
  required = character(0),
  accepts = list(alternative = "two-sided, less, greater", null_value = "a finite number", conf_level = "a number between 0 and 1", ties_at = "a whole number from 0 to 12, or resolution or all_digits"),
  run = on_each_pair,
  test = in_own_unit(local({
# ---- sign.R
# The sign test of paired scores: the binomial test of the signs without zeros.
significance_test <- function(x, y, alternative, null_value, conf_level, ties_at) {
  pairs <- !is.na(x) & !is.na(y)
  d <- differences_at(x[pairs], y[pairs], null_value, ties_at)
  if (all(d == 0)) stop("all differences are 0")
  test <- binom.test(sum(d > 0), sum(d != 0), conf.level = conf_level,
                     alternative = chartr("-", ".", alternative))
  list(statistic = test$statistic, parameter = test$parameter, p_value = test$p.value,
       conf_low = test$conf.int[1], conf_high = test$conf.int[2], estimate = test$estimate)
}
significance_test
}), c("null_value")))

significance_tests$spearman <- list(
  samples = "paired",
  minimum = 2,
  simultaneous = FALSE,
  one_baseline = FALSE,
  ranks = "topics",
  draws = FALSE,
  effect = "",
  estimates = "correlation",
  title = "Test whether paired scores are uncorrelated, by Spearman's rho",
  defaults = list(alternative = "two-sided", exact = NULL, continuity = FALSE),
  required = character(0),
  accepts = list(alternative = "two-sided, less, greater", exact = "TRUE or FALSE, or NULL for the rule of R", continuity = "TRUE or FALSE"),
  run = on_each_pair,
  test = local({
# ---- spearman.R
# The test of Spearman's rank correlation. With exact = TRUE, the distribution is that over all
# pairings of the midranks, for which cor.test takes an approximation with ties, and a series for
# more than nine pairs. Two-sided, p is then the probability of all correlations at least as far
# from 0.
significance_test <- function(x, y, alternative, exact, continuity) {
  pairs <- !is.na(x) & !is.na(y)
  x <- x[pairs]
  y <- y[pairs]
  in_r <- length(x) < 10 && !anyDuplicated(x) && !anyDuplicated(y)
  by_count <- isTRUE(exact) && !in_r && min(x) < max(x) && min(y) < max(y)
  test <- cor.test(x, y, method = "spearman", exact = if (by_count) FALSE else exact,
                   continuity = continuity, alternative = chartr("-", ".", alternative))
  p <- if (by_count) over_pairings(x, y, alternative) else test$p.value
  list(statistic = test$statistic, p_value = p, estimate = test$estimate)
}

# The p value by the sum of the products of twice the midranks, which is whole.
over_pairings <- function(x, y, alternative) {
  u <- 2 * rank(x)
  v <- 2 * rank(y)
  ordered <- sort(u)
  gain <- function(places, chosen, taken) ordered[places[1]] * sum(v[chosen])
  numbers <- pairings(x, gain, sum(ordered * sort(v)))
  apart <- seq_along(numbers) - 1 - length(x) * mean(u) * mean(v)
  observed <- sum(u * v) - length(x) * mean(u) * mean(v)
  extreme <- switch(alternative, less = apart <= observed, greater = apart >= observed,
                    "two-sided" = abs(apart) >= abs(observed))
  sum(numbers[extreme]) / sum(numbers)
}
significance_test
}))

significance_tests$student_t <- list(
  samples = "unpaired",
  minimum = 1,
  simultaneous = FALSE,
  one_baseline = FALSE,
  ranks = "",
  draws = FALSE,
  effect = "hedges_g",
  estimates = "difference",
  title = "Test whether the means of two independent samples of equal variance differ",
  defaults = list(alternative = "two-sided", null_value = 0, conf_level = 0.95),
  required = character(0),
  accepts = list(alternative = "two-sided, less, greater", null_value = "a finite number", conf_level = "a number between 0 and 1"),
  run = on_each_pair,
  test = in_own_unit(local({
# ---- student_t.R
# Student's t test of two independent samples of equal variance.
significance_test <- function(x, y, alternative, null_value, conf_level) {
  of <- function(x, y) t.test(x, y, var.equal = TRUE, mu = null_value, conf.level = conf_level,
                              alternative = chartr("-", ".", alternative))
  scores <- c(x, y)[!is.na(c(x, y))]
  if (length(scores) < 3) stop("each sample has only one score")
  test <- of(x, y)  # which stops if the data are essentially constant
  # An offset that both samples share would round their means; the subtraction is exact.
  if (diff(range(scores)) <= max(abs(scores)) / 1024) test <- of(x - scores[1], y - scores[1])
  if (test$stderr == 0) stop("the data are constant")  # where t.test divides by 0
  list(statistic = test$statistic, parameter = test$parameter, p_value = test$p.value,
       conf_low = test$conf.int[1], conf_high = test$conf.int[2],
       estimate = test$estimate[1] - test$estimate[2], stderr = test$stderr)
}
significance_test
}), c("null_value", "estimate", "stderr", "conf_low", "conf_high")))

significance_tests$tukey_hsd <- list(
  samples = "pairs",
  minimum = 2,
  simultaneous = TRUE,
  one_baseline = FALSE,
  ranks = "",
  draws = FALSE,
  effect = "d_z",
  estimates = "difference",
  title = "Test all pairs of systems simultaneously by Tukey's HSD, with topics as blocks",
  defaults = list(conf_level = 0.95),
  required = character(0),
  accepts = list(conf_level = "a number between 0 and 1"),
  run = on_all_pairs,
  test = in_own_unit(local({
# ---- tukey_hsd.R
# Tukey's honestly significant differences of pairs of systems, with topics as blocks. R's ptukey
# treats more than 25,000 degrees of freedom as Inf, accepts none below 2, and is off by up to 1e-3
# for 3 systems on 2 topics; qtukey is off by more. Therefore this file computes the distribution.
# The differences of TukeyHSD are off by 3e-13 on 249 topics and 110 systems; those of colMeans are
# not.
significance_test <- function(scores, first, second, conf_level) {
  left <- without_topics(scores, of_systems = TRUE)
  scores <- without_topics(scores)
  # The rounding errors of aov are proportional to its input; the means change no residual.
  left <- left - rowMeans(left)
  left <- left - rep(colMeans(left), each = nrow(scores))
  data <- data.frame(score = as.vector(left), topic = factor(row(scores)),
                     system = factor(col(scores)))
  fit <- aov(score ~ system + topic, data)
  df <- fit$df.residual
  mean_square <- sum(residuals(fit)^2) / df
  if (mean_square <= (10 * .Machine$double.eps)^2 * mean((scores - rowMeans(scores))^2))
    stop("the residuals are 0, except for rounding")
  difference <- colMeans(scores)[first] - colMeans(scores)[second]
  stderr <- sqrt(mean_square / nrow(scores))
  q <- abs(difference) / stderr
  tail <- studentized_range_tail(ncol(scores), df)
  high <- 1
  while (tail(exp(high)) > 1 - conf_level) high <- high + 1
  quantile <- exp(uniroot(function(x) log(tail(exp(x)) / (1 - conf_level)), c(-8, high),
                          tol = 1e-14)$root)
  list(estimate = difference, stderr = rep(sqrt(2) * stderr, length(q)),
       conf_low = difference - quantile * stderr,
       conf_high = difference + quantile * stderr,
       statistic = q, parameter = rep(df, length(q)), p_value = vapply(q, tail, 0))
}

# The logarithm of P(range > w) of normals, for each w, by the number of them: it takes a second.
range_tails <- new.env()
log_range_tails <- function(groups, w) {
  key <- as.character(groups)
  if (!is.null(range_tails[[key]])) return(range_tails[[key]])
  z <- seq(-9, 40, by = 1 / 16)
  log_below <- pnorm(z, log.p = TRUE)
  density <- dnorm(z) * pnorm(z)^(groups - 1)
  range_tails[[key]] <- vapply(w, function(w) {
    inside <- which(z > w / 2 - 9 & z < w / 2 + 10)
    below <- pmin(exp(pnorm(z[inside] - w, log.p = TRUE) - log_below[inside]), 1)
    log(groups / 16 * sum(density[inside] * -expm1((groups - 1) * log1p(-below))))
  }, 0)
}

# P(Q > q), as a function of one q: the tail of the range of normals over log(s), where s^2 is
# chi-square over its degrees of freedom. Sums with equal steps, from where terms vanish.
studentized_range_tail <- function(groups, df) {
  # Finer steps where the tail is near 1: splines are off by the fourth power of a step.
  w <- c(seq(0, 2, by = 1 / 1024), seq(2 + 1 / 128, 60, by = 1 / 128))
  log_range_tail <- log_range_tails(groups, w)
  usable <- is.finite(log_range_tail)
  range_tail <- splinefun(w[usable], log_range_tail[usable])
  largest <- max(w[usable])
  log_term <- function(u, q) {
    w <- q * exp(u)
    ifelse(w > largest, -Inf, df * (u - expm1(2 * u) / 2) + range_tail(pmin(w, largest)))
  }
  step <- min(1 / 25, 0.35 / sqrt(2 * df))
  far <- 80 / df
  reach <- (far + sqrt(far^2 + 8 * far)) / 4
  right <- min(reach, 3)
  u <- seq(-reach, right, by = step)
  total <- sum(exp(df * (u - expm1(2 * u) / 2)))
  # Where terms are largest df (1 - exp(2u)) is minus the slope of log_range_tail in log(w).
  peak_w <- w[usable & w > 0.05]
  slope <- peak_w * range_tail(peak_w, deriv = 1)
  peak_w <- peak_w[slope > -df]
  log_q <- log(peak_w) - log1p(slope[slope > -df] / df) / 2
  peak <- approxfun(log_q, log(peak_w), rule = 2)
  function(q) {
    if (q == 0) return(1)
    at <- if (log(q) < log_q[1]) 0 else peak(log(q)) - log(q)
    sum(exp(log_term(at + u, q))) / total
  }
}
significance_test
}), c("null_value", "estimate", "stderr", "conf_low", "conf_high")))

significance_tests$variance_ratio <- list(
  samples = "unpaired",
  minimum = 2,
  simultaneous = FALSE,
  one_baseline = FALSE,
  ranks = "",
  draws = FALSE,
  effect = "",
  estimates = "ratio of variances",
  title = "Test whether the ratio of the variances of two independent samples is null_value",
  defaults = list(alternative = "two-sided", null_value = 1, conf_level = 0.95),
  required = character(0),
  accepts = list(alternative = "two-sided, less, greater", null_value = "a ratio of variances, a number above 0", conf_level = "a number between 0 and 1"),
  run = on_each_pair,
  test = in_own_unit(local({
# ---- variance_ratio.R
# The F test of two variances. The p value and the interval are not those of var.test. It computes
# the upper tail as 1 - p, which has no correct digits if the tail is small, and uses lower
# quantiles, which qf subtracts from 1. Here both come from the upper tail of F or of 1 / F.
significance_test <- function(x, y, alternative, null_value, conf_level) {
  # The mean of nearly constant scores is rounded; without the first score, which is exact, it is not.
  less_first <- function(x) {
    x <- x[!is.na(x)]
    if (length(x) && diff(range(x)) <= max(abs(x)) / 1024) x - x[1] else x
  }
  test <- var.test(less_first(x), less_first(y), ratio = null_value)
  f <- unname(test$statistic)
  df <- unname(test$parameter)
  greater <- pf(f, df[1], df[2], lower.tail = FALSE)
  less <- pf(f, df[1], df[2])
  ratio <- unname(test$estimate)
  tail <- (1 - conf_level) / if (alternative == "two-sided") 2 else 1
  low <- ratio / qf(tail, df[1], df[2], lower.tail = FALSE)
  high <- ratio * qf(tail, df[2], df[1], lower.tail = FALSE)
  list(statistic = f, estimate = ratio,
       p_value = switch(alternative, less = less, greater = greater, 2 * min(less, greater)),
       conf_low = if (alternative == "less") 0 else low,
       conf_high = if (alternative == "greater") Inf else high)
}
significance_test
}), character(0)))

significance_tests$welch_t <- list(
  samples = "unpaired",
  minimum = 2,
  simultaneous = FALSE,
  one_baseline = FALSE,
  ranks = "",
  draws = FALSE,
  effect = "hedges_g",
  estimates = "difference",
  title = "Test whether the means of two independent samples differ, with a variance for each sample",
  defaults = list(alternative = "two-sided", null_value = 0, conf_level = 0.95),
  required = character(0),
  accepts = list(alternative = "two-sided, less, greater", null_value = "a finite number", conf_level = "a number between 0 and 1"),
  run = on_each_pair,
  test = in_own_unit(local({
# ---- welch_t.R
# Welch's t test of two independent samples.
significance_test <- function(x, y, alternative, null_value, conf_level) {
  of <- function(x, y) t.test(x, y, mu = null_value, conf.level = conf_level,
                              alternative = chartr("-", ".", alternative))
  test <- of(x, y)  # which stops if the data are essentially constant
  # An offset that both samples share would round their means; the subtraction is exact.
  scores <- c(x, y)[!is.na(c(x, y))]
  if (diff(range(scores)) <= max(abs(scores)) / 1024) test <- of(x - scores[1], y - scores[1])
  if (test$stderr == 0) stop("the data are constant")  # where t.test divides by 0
  list(statistic = test$statistic, parameter = test$parameter, p_value = test$p.value,
       conf_low = test$conf.int[1], conf_high = test$conf.int[2],
       estimate = test$estimate[1] - test$estimate[2], stderr = test$stderr)
}
significance_test
}), c("null_value", "estimate", "stderr", "conf_low", "conf_high")))

significance_tests$wilcoxon_signed_rank <- list(
  samples = "paired",
  minimum = 1,
  simultaneous = FALSE,
  one_baseline = FALSE,
  ranks = "differences",
  draws = FALSE,
  effect = "rank_biserial_paired",
  estimates = "difference",
  title = "Test whether paired differences are symmetric about null_value",
  defaults = list(alternative = "two-sided", null_value = 0, exact = NULL, correct = TRUE, ties_at = "resolution", conf_int = FALSE, conf_level = 0.95),
  required = character(0),
  accepts = list(alternative = "two-sided, less, greater", null_value = "a finite number", exact = "TRUE or FALSE, or NULL for the rule of R", correct = "TRUE or FALSE", ties_at = "a whole number from 0 to 12, or resolution or all_digits", conf_int = "TRUE or FALSE", conf_level = "a number between 0 and 1"),
  run = on_each_pair,
  test = in_own_unit(local({
# ---- wilcoxon_signed_rank.R
# Wilcoxon's signed-rank test of paired scores. If all differences are 0, this function stops;
# wilcox.test divides by 0 and gives NaN, or 1 for a one-sided alternative. In the approximation,
# wilcox.test searches for the interval, with the tolerance tol.root, and its estimate is any point
# between the middle two of the means of pairs. Here the estimate is their median. If there are too
# few pairs for the level, wilcox.test lowers the level of both ends. Here such an end is the end of
# the range; the upper end is the lower end of the negative differences. With exact = TRUE,
# differences of 0 are left out first, and ties have the exact distribution of their midranks, for
# which wilcox.test takes the approximation.
significance_test <- function(x, y, alternative, null_value, exact, correct, ties_at, conf_int,
                              conf_level) {
  pairs <- !is.na(x) & !is.na(y)
  d <- differences_at(x[pairs], y[pairs], null_value, ties_at)
  if (all(d == 0)) stop("all differences are 0")
  changed <- d[d != 0]
  if (isTRUE(exact)) d <- changed
  tied <- isTRUE(exact) && anyDuplicated(abs(d))
  test <- if (tied) exact_with_ties(d, alternative)
          else wilcox.test(d, exact = exact, correct = correct,
                           alternative = chartr("-", ".", alternative))
  found <- list(statistic = test$statistic, p_value = test$p.value)
  if (!conf_int) return(found)
  level <- if (alternative == "two-sided") (1 + conf_level) / 2 else conf_level
  means <- function(d) {
    every <- outer(d, d, "+") / 2
    sort(every[!lower.tri(every)])
  }
  lower_end <- function(d) {
    # With ties, by the quantile for differences without ties.
    if (tied) return(means(d)[max(1, qsignrank(1 - level, length(d)))])
    changed <- d[d != 0]
    if (min(changed) == max(changed) && !grepl("exact", test$method)) return(NaN)
    ends <- wilcox.test(d, exact = exact, correct = correct, conf.int = TRUE, tol.root = 1e-14,
                        alternative = "greater", conf.level = level)$conf.int
    lowered <- 1 - attr(ends, "conf.level") > 1.5 * (1 - level)
    if (lowered) min(changed) else ends[1]
  }
  c(found, list(estimate = median(means(changed)) + null_value,
                conf_low = if (alternative == "less") -Inf else lower_end(d) + null_value,
                conf_high = if (alternative == "greater") Inf else null_value - lower_end(-d)))
}

# The distribution of V if a fair coin gives each midrank its sign: twice V is whole.
exact_with_ties <- function(d, alternative) {
  ranks <- rank(abs(d))
  p <- 1
  for (twice in 2 * ranks) p <- (c(p, numeric(twice)) + c(numeric(twice), p)) / 2
  value <- (seq_along(p) - 1) / 2
  v <- sum(ranks[d > 0])
  less <- sum(p[value <= v])
  greater <- sum(p[value >= v])
  list(statistic = v, method = "exact",
       p.value = switch(alternative, less = less, greater = greater,
                        "two-sided" = min(1, 2 * less, 2 * greater)))
}
significance_test
}), c("null_value", "estimate", "stderr", "conf_low", "conf_high")))

quantities <- c("estimate", "stderr", "conf_low", "conf_high", "statistic", "parameter", "p_value")

version <- "0.1.0"

pbeta_fit <- function(x, scores, method = "ml", ends = "raise")
  y_of("beta", x, scores, list(method = method, ends = ends))

pbeta_binomial <- function(x, scores, size = 10)
  y_of("beta_binomial", x, scores, list(size = size))

pempirical <- function(x, scores, convention = "weak", position = NULL, interpolation = NULL)
  y_of("empirical", x, scores, list(convention = convention, position = position, interpolation = interpolation))

pexponential <- function(x, scores)
  y_of("exponential", x, scores, list())

pfrom_scipy <- function(x, scores, dist = "norm", floc = NULL, fscale = NULL, f0 = NULL, f1 = NULL)
  y_of("from_scipy", x, scores, list(dist = dist, floc = floc, fscale = fscale, f0 = f0, f1 = f1))

pgamma_fit <- function(x, scores)
  y_of("gamma", x, scores, list())

pjohnson_su <- function(x, scores)
  y_of("johnson_su", x, scores, list())

pkernel <- function(x, scores, bandwidth = "nrd0", kernel = "gaussian", boundary = "none")
  y_of("kernel", x, scores, list(bandwidth = bandwidth, kernel = kernel, boundary = boundary))

pkumaraswamy <- function(x, scores, ends = "raise")
  y_of("kumaraswamy", x, scores, list(ends = ends))

plogit_normal <- function(x, scores, ends = "raise")
  y_of("logit_normal", x, scores, list(ends = ends))

plogspline <- function(x, scores, penalty = NULL, low = NULL, high = NULL)
  y_of("logspline", x, scores, list(penalty = penalty, low = low, high = high))

pminmax <- function(x, scores)
  y_of("minmax", x, scores, list())

pmixture <- function(x, scores, starts = 10, seed = 0)
  y_of("mixture", x, scores, list(starts = starts, seed = seed))

pnormal <- function(x, scores)
  y_of("normal", x, scores, list())

ptruncated_normal <- function(x, scores, low = 0, high = 1)
  y_of("truncated_normal", x, scores, list(low = low, high = high))

puniform <- function(x, scores, A = 0.15, B = 0.5)
  y_of("uniform", x, scores, list(A = A, B = B))

pzero_inflated <- function(x, scores, family = "beta", at = 0)
  y_of("zero_inflated", x, scores, list(family = family, at = at))

anova_two_way_test <- function(scores)
  htest_of("anova_two_way", list(scores = scores), list())

bootstrap_shift_test <- function(x, y, alternative = "two-sided", null_value = 0, conf_level = 0.95, B = 10000, seed = 0, draws = NULL)
  htest_of("bootstrap_shift", list(x = x, y = y), list(alternative = alternative, null_value = null_value, conf_level = conf_level, B = B, seed = seed, draws = draws))

bootstrap_studentized_test <- function(x, y, alternative = "two-sided", null_value = 0, conf_level = 0.95, B = 10000, seed = 0, draws = NULL)
  htest_of("bootstrap_studentized", list(x = x, y = y), list(alternative = alternative, null_value = null_value, conf_level = conf_level, B = B, seed = seed, draws = draws))

conover_test <- function(scores, baselines = NULL)
  compare_systems(scores, "conover", baselines = baselines)

dunnett_test <- function(scores, baselines, alternative = "two-sided", conf_level = 0.95)
  compare_systems(scores, "dunnett", baselines = baselines, alternative = alternative, conf_level = conf_level)

equivalence_t_test <- function(x, y, margin, centre = 0, conf_level = 0.9)
  htest_of("equivalence_t", list(x = x, y = y), list(margin = margin, centre = centre, conf_level = conf_level))

friedman_test <- function(scores)
  htest_of("friedman", list(scores = scores), list())

kendall_test <- function(x, y, alternative = "two-sided", exact = NULL, continuity = FALSE)
  htest_of("kendall", list(x = x, y = y), list(alternative = alternative, exact = exact, continuity = continuity))

kolmogorov_smirnov_test <- function(x, y, alternative = "two-sided", exact = NULL)
  htest_of("kolmogorov_smirnov", list(x = x, y = y), list(alternative = alternative, exact = exact))

mann_whitney_test <- function(x, y, alternative = "two-sided", null_value = 0, exact = NULL, correct = TRUE, ties_at = "resolution", conf_int = FALSE, conf_level = 0.95)
  htest_of("mann_whitney", list(x = x, y = y), list(alternative = alternative, null_value = null_value, exact = exact, correct = correct, ties_at = ties_at, conf_int = conf_int, conf_level = conf_level))

max_t_test <- function(scores, baselines = NULL, alternative = "two-sided", B = 10000, seed = 0, draws = NULL)
  compare_systems(scores, "max_t", baselines = baselines, alternative = alternative, B = B, seed = seed, draws = draws)

max_t_baseline_test <- function(scores, baselines, alternative = "two-sided", conf_level = 0.95, B = 10000, seed = 0, draws = NULL)
  compare_systems(scores, "max_t_baseline", baselines = baselines, alternative = alternative, conf_level = conf_level, B = B, seed = seed, draws = draws)

nemenyi_test <- function(scores, baselines = NULL)
  compare_systems(scores, "nemenyi", baselines = baselines)

one_sample_t_test <- function(x, alternative = "two-sided", null_value = 0, conf_level = 0.95)
  htest_of("one_sample_t", list(x = x), list(alternative = alternative, null_value = null_value, conf_level = conf_level))

paired_t_test <- function(x, y, alternative = "two-sided", null_value = 0, conf_level = 0.95)
  htest_of("paired_t", list(x = x, y = y), list(alternative = alternative, null_value = null_value, conf_level = conf_level))

pearson_test <- function(x, y, alternative = "two-sided", conf_level = 0.95)
  htest_of("pearson", list(x = x, y = y), list(alternative = alternative, conf_level = conf_level))

permutation_test <- function(x, y, alternative = "two-sided", null_value = 0, B = 10000, seed = 0, draws = NULL)
  htest_of("permutation", list(x = x, y = y), list(alternative = alternative, null_value = null_value, B = B, seed = seed, draws = draws))

permutation_unpaired_test <- function(x, y, alternative = "two-sided", null_value = 0, B = 10000, seed = 0, draws = NULL)
  htest_of("permutation_unpaired", list(x = x, y = y), list(alternative = alternative, null_value = null_value, B = B, seed = seed, draws = draws))

randomized_tukey_hsd_test <- function(scores, baselines = NULL, B = 10000, seed = 0, draws = NULL)
  compare_systems(scores, "randomized_tukey_hsd", baselines = baselines, B = B, seed = seed, draws = draws)

sign_test <- function(x, y, alternative = "two-sided", null_value = 0, conf_level = 0.95, ties_at = "resolution")
  htest_of("sign", list(x = x, y = y), list(alternative = alternative, null_value = null_value, conf_level = conf_level, ties_at = ties_at))

spearman_test <- function(x, y, alternative = "two-sided", exact = NULL, continuity = FALSE)
  htest_of("spearman", list(x = x, y = y), list(alternative = alternative, exact = exact, continuity = continuity))

student_t_test <- function(x, y, alternative = "two-sided", null_value = 0, conf_level = 0.95)
  htest_of("student_t", list(x = x, y = y), list(alternative = alternative, null_value = null_value, conf_level = conf_level))

tukey_hsd_test <- function(scores, baselines = NULL, conf_level = 0.95)
  compare_systems(scores, "tukey_hsd", baselines = baselines, conf_level = conf_level)

variance_ratio_test <- function(x, y, alternative = "two-sided", null_value = 1, conf_level = 0.95)
  htest_of("variance_ratio", list(x = x, y = y), list(alternative = alternative, null_value = null_value, conf_level = conf_level))

welch_t_test <- function(x, y, alternative = "two-sided", null_value = 0, conf_level = 0.95)
  htest_of("welch_t", list(x = x, y = y), list(alternative = alternative, null_value = null_value, conf_level = conf_level))

wilcoxon_signed_rank_test <- function(x, y, alternative = "two-sided", null_value = 0, exact = NULL, correct = TRUE, ties_at = "resolution", conf_int = FALSE, conf_level = 0.95)
  htest_of("wilcoxon_signed_rank", list(x = x, y = y), list(alternative = alternative, null_value = null_value, exact = exact, correct = correct, ties_at = ties_at, conf_int = conf_int, conf_level = conf_level))
