# Compare published tables (CSV or TSV) with the numbers computed anew, and write the differences as
# CSV. The status of R is then 1 if there are any, and 2 if a table cannot be read or has nothing to
# compare. For the other arguments see check_published.
show_published <- function(paths, results, retest, how) {
  writeLines("file,row,column,published,anew")
  status <- 0
  for (path in paths) {
    found <- tryCatch(check_published(path, results, retest, how), error = conditionMessage)
    if (is.character(found)) {
      message(path, ": ", found)
      status <- 2
      next
    }
    rows <- found$differences
    if (nrow(rows)) writeLines(do.call(paste, c(lapply(cbind(path, rows), quoted), sep = ",")),
                               useBytes = TRUE)
    message(path, ": ", found$count, " cells compared, ", nrow(rows),
            if (nrow(rows) == 1) " difference" else " differences")
    for (note in found$notes) message("note: ", path, ": ", note)
    status <- max(status, if (nrow(rows)) 1 else if (found$count == 0) 2 else 0)
  }
  quit(save = "no", status = status)
}

# Test pairs of systems by analyze_differences, as a function of the places of pairs to swap. The
# attribute "pairs" has the pairs that are tested.
retester <- function(y, test, run, pairs, settings, adjust, quantities, effect, checked = NULL, ...) {
  own <- if (is.null(checked)) pairs else lapply(pairs, `[`, checked)
  structure(function(at = integer()) {
    if (length(checked)) at <- checked[at]
    pairs[] <- Map(replace, pairs, list(at), lapply(rev(pairs), `[`, at))
    analyze_differences(y, test, run, pairs, settings, adjust, quantities, effect, checked, ...)
  }, pairs = own)
}

# The label of a pair, in quotation marks if other pairs of these systems have it too.
label_of_pair <- function(a, b, systems) {
  own <- ifelse(b == "", a, paste(a, "-", b))
  every <- outer(systems, systems, paste, sep = " - ")
  ifelse(own %in% every[duplicated(c(every))], paste0("'", a, "' - '", b, "'"), own)
}

# Name the numbers of tested pairs by label_of_pair.
with_labels <- function(results, pairs, systems) {
  a <- systems[pairs$first]
  b <- systems[pairs$second]
  for (name in names(results)) if (identical(colnames(results[[name]]), paste(a, "-", b)))
    colnames(results[[name]]) <- label_of_pair(a, b, systems)
  results
}

# Compare a table with numbers at the precision of its digits. results: matrices of numbers with
# names, by quantity. retest: a retester, NULL without a test. how: a list of scheme (its spellings),
# alpha (the level of decisions), words (quantities by the name of a column), sampled (TRUE if not
# all pairs are tested), and allowed (what Python and R may differ by where that is more than 1e-9 of
# a number: relative, absolute, and "by" at the places "at"). Returns a list: the count of cells that
# are compared, the differences, and notes.
check_published <- function(path, results, retest, how) {
  apart <- function(row, column, published, anew)
    data.frame(row, column = rep_len(column, length(row)), published = rep_len(published, length(row)),
               anew = rep_len(anew, length(row)))
  table <- read_published(path)
  notes <- character()
  note <- function(...) notes <<- c(notes, paste0(...))
  scheme <- match("scheme", tolower(names(table)))
  if (!is.na(scheme)) {
    own <- table[[scheme]] %in% how$scheme
    others <- paste(unique(table[[scheme]][!own]), collapse = ", ")
    if (!any(own)) stop("the table is of the scheme ", others, ", and this analysis of ", how$scheme[1])
    if (nzchar(others)) note("rows of other schemes are not compared: ", others)
    table <- table[own, -scheme, drop = FALSE]
  }
  # "adjusted p*" states that its cells have a mark if they are significant.
  is_marked <- grepl("[*]$", names(table)) & !names(table) %in% colnames(results[["standardized score"]])
  names(table)[is_marked] <- sub(" *[*]+$", "", names(table)[is_marked])
  headers <- gsub("_", " ", tolower(trimws(names(table))), fixed = TRUE)
  pairs <- attr(retest, "pairs")
  if (!is.null(pairs)) {
    results <- with_labels(results, pairs, colnames(results[["standardized score"]]))
    results <- with_constant(results, pairs, how)
  }
  kind <- kind_of_table(table, headers, results)
  named <- paste(names(table), collapse = ", ")
  nothing <- function(reason)
    list(count = 0, differences = apart(character(), "", "", ""), notes = paste0(reason, named))
  if (length(kind$known) == 0)
    return(nothing("this analysis has no numbers for a table with the columns "))
  expected <- kind$known
  is_swapped <- !kind$labels %in% kind$known & kind$reversed %in% kind$known
  if (length(is_swapped) && any(is_swapped)) {
    swapped <- unique(kind$labels[is_swapped])
    reversed <- kind$reversed[match(swapped, kind$labels)]
    both <- reversed %in% kind$labels  # a - b too, and its family is that of a - b
    results <- with_swapped(results, retest, how, kind$prefix, swapped[!both], reversed[!both])
    expected[match(reversed[!both], expected)] <- swapped[!both]
    kind$known <- c(expected, swapped[both])
    kind$place <- c(seq_along(expected), match(reversed[both], expected))
    if (any(both)) {
      others <- with_swapped(results, retest, how, kind$prefix, swapped[both], reversed[both])
      for (name in names(results)) {
        own <- match(swapped[both], colnames(others[[name]]))
        if (!anyNA(own))
          results[[name]] <- cbind(results[[name]], others[[name]][, own, drop = FALSE])
      }
    }
    note("pairs in the opposite order, computed anew in the order of the table: ",
         paste(swapped, collapse = ", "))
  }
  labels <- kind$labels
  scores <- results[["standardized score"]]
  untested <- how$sampled & kind$is == "pairs" & !labels %in% kind$known &
    labels %in% outer(colnames(scores), colnames(scores), paste, sep = " - ")
  if (kind$is == "diagnosis") untested <- !labels %in% kind$known
  if (any(untested)) note("rows that R did not compute: ", sum(untested))
  lost <- if (kind$is == "topics") setdiff(colnames(scores), names(table))
  differences <- rbind(
    apart(setdiff(labels[!untested], kind$known), "", "a row", "not in the analysis"),
    apart(unique(labels[duplicated(labels)]), "", "two rows", "one row"),
    apart(as.character(c(setdiff(expected, labels), lost)), "", "not in the table", "in the analysis"))
  rows <- labels %in% kind$known & !duplicated(labels)
  count <- 0
  ignored <- integer()
  for (at in setdiff(seq_along(table), kind$used)) {
    own <- check_column(table[rows, at], headers[at], names(table)[at], labels[rows], kind, results, how,
                        is_marked[at])
    name <- names(table)[at]
    if (is.null(own)) ignored <- c(ignored, at)
    else {
      words <- sum(grepl("[a-z]", own$mark) & !grepl("^(n[.]? ?s[.]?|not sig.*|sig.*)$", own$mark))
      if (words) note("text after numbers of ", name, ", not compared: ", words)
      untested <- sum(own$verdict == "untested")
      if (untested)
        note("cells of ", name, ", not compared, as R cannot test these pairs: ", untested)
      count <- count + nrow(own) - untested
      open <- own$row[own$open %in% TRUE & own$verdict == "agrees"]
      if (length(open)) note("the digits of ", name, " do not tell the decision at ", how$alpha, ": ",
                             paste(open, collapse = ", "))
      if (any(own$alone)) note(own$published[own$alone], " of ", own$row[own$alone], ": ", name, " has ",
                               "more decimals in all other rows, and this cell agrees only at its own")
      wrong <- own[own$verdict == "apart", ]
      differences <- rbind(differences, apart(wrong$row, name, wrong$published, wrong$anew))
    }
  }
  if (length(ignored) == length(table) - length(kind$used))
    return(nothing("no column has numbers of this analysis; the columns are "))
  claims <- vapply(table[ignored], function(cells) !all(read_cells(cells)$missing), NA)
  if (any(claims))
    note("columns that are not compared: ", paste(names(table)[ignored][claims], collapse = ", "))
  list(count = count, differences = differences, notes = notes)
}

# Read a table as text, because the digits of its numbers are their precision.
read_published <- function(path) {
  if (!file.exists(path) || dir.exists(path)) stop("there is no such file")
  separator <- if (any(grepl("\t", readLines(path, 1, warn = FALSE), useBytes = TRUE))) "\t" else ","
  refused <- function(why) stop("this is no table of CSV or TSV (", why, "); expected one such as ",
                                "'cdfscore compare' writes by -o FILE.csv", call. = FALSE)
  table <- tryCatch(
    read.table(path, sep = separator, header = FALSE, quote = "\"", comment.char = "",
               colClasses = "character", na.strings = character(), strip.white = TRUE,
               encoding = "UTF-8"),
    error = function(e) refused(conditionMessage(e)))
  if (nrow(table) < 2) refused("it has no rows")
  # With header = TRUE, one name too few would be those of the other columns.
  names(table) <- sub("^\xef\xbb\xbf", "", unlist(table[1, ]), useBytes = TRUE)
  table <- table[-1, , drop = FALSE]
  # cdfscore writes an apostrophe before labels that a spreadsheet would run as formulas.
  unguarded <- function(labels) sub("^'(?='*[-=+@\t\r])", "", labels, perl = TRUE)
  names(table) <- unguarded(names(table))
  twice <- unique(names(table)[duplicated(names(table))])
  if (length(twice)) stop("the table has two columns ", paste(twice, collapse = ", "),
                          "; expected one of each name")
  table[] <- lapply(table, unguarded)
  table
}

# Find what the rows of a table are: their labels in the table, and those known in the analysis.
kind_of_table <- function(table, headers, results) {
  at <- function(...) match(TRUE, headers %in% c(...))
  of <- function(is, known, used, labels = table[[used[1]]], prefix = "", ...)
    list(is = is, known = known, used = used, labels = labels, prefix = prefix, ...)
  columns <- function(quantity) colnames(results[[quantity]])
  key <- match(c("quantity", "topic", "system", "value"), headers)
  if (!anyNA(key)) {
    every <- unlist(lapply(names(results), function(name)
      paste(outer(rownames(results[[name]]), colnames(results[[name]]), paste), name)))
    return(of("quantities", every, key[1:3], do.call(paste, table[key[c(2, 3, 1)]]),
              quantity = rep(names(results), lengths(results)), anew = unlist(lapply(results, c)),
              place = sequence(lengths(results))))
  }
  first <- at("system a", "a", "system 1")
  second <- at("system b", "b", "system 2")
  term <- at("term")
  system <- at("system", "systems", "model", "models")
  topic <- at("topic", "")
  if (!is.na(first) && !is.na(second)) {
    both <- function(a, b) label_of_pair(a, b, colnames(results[["standardized score"]]))
    a <- table[[first]]
    b <- table[[second]]
    itself <- a[!is.na(a) & !is.na(b) & a == b]
    if (length(itself)) stop("the table has a pair of ", itself[1], " with itself, as of two ",
                             "collections; expected pairs of one collection")
    if (is.na(term)) return(of("pairs", columns("p value"), c(first, second), both(a, b),
                               reversed = both(b, a)))
    terms <- unique(table[[term]])
    if (length(terms) > 1) stop("the table has the terms ", paste(terms, collapse = ", "),
                                "; expected one")
    prefix <- paste0(terms, ": ")
    return(of("pairs", columns(paste0(prefix, "difference")), c(first, second, term), both(a, b),
              prefix, reversed = both(b, a)))
  }
  contrast <- at("contrast")
  if (!is.na(term) && !is.na(contrast)) return(of("coefficients", columns("coefficient"), c(
    term, contrast), trimws(paste(table[[term]], table[[contrast]]))))
  if (!is.na(term)) return(of("terms", columns("F"), term))
  if (!is.na(at("measure"))) return(of("measures", columns("correlation"), at("measure")))
  if (!is.na(at("component"))) return(of("components", columns("variance"), at("component")))
  if (!is.na(topic) && !is.na(at("ks", "crps")) && length(columns("diagnosis: ks")))
    return(of("diagnosis", columns("diagnosis: ks"), topic, prefix = "diagnosis: "))
  if (!is.na(system) && identical(columns("p value"), "all systems") && !is.na(at("p", "p value")))
    return(of("pairs", "all systems", system, rep("all systems", nrow(table))))
  if (!is.na(system)) return(of("systems", columns("system mean"), system, prefix = "mean: "))
  of("topics", rownames(results[["standardized score"]]), if (is.na(topic)) 1 else topic)
}

# Set the estimates of pairs that R cannot test because their differences are constant: the constant.
with_constant <- function(results, pairs, how) {
  if (!any(grepl("difference|shift|median|location", names(how$words)))) return(results)
  y <- results[["standardized score"]]
  for (at in which(is.na(results[["estimate"]]))) {
    apart <- y[, pairs$first[at]] - y[, pairs$second[at]]
    apart <- apart[!is.na(apart)]
    if (length(apart) && diff(range(apart)) <= 1e-12 * max(abs(apart)))
      results[["estimate"]][at] <- mean(apart)
  }
  results
}

# Rename swapped pairs, and compute their numbers anew: by the test, or with the other sign.
with_swapped <- function(results, retest, how, prefix, swapped, reversed) {
  if (length(swapped) == 0) return(results)
  if (prefix == "") {
    pairs <- attr(retest, "pairs")
    systems <- colnames(results[["standardized score"]])
    labels <- label_of_pair(systems[pairs$first], systems[pairs$second], systems)
    at <- match(reversed, labels)
    tested <- retest(at)
    pairs[] <- Map(replace, pairs, list(at), lapply(rev(pairs), `[`, at))
    results[names(tested)] <- with_labels(tested, pairs, systems)
    results <- with_constant(results, pairs, how)
  }
  own <- function(name) match(reversed, colnames(results[[name]]))
  ends <- paste0("difference: both ", c("low", "high"))
  for (name in intersect(c(paste0(prefix, c("difference", "t")), ends), names(results)))
    results[[name]][, own(name)] <- -results[[name]][, own(name)]
  for (two in list(c("n", "n b"), ends)) if (two[1] %in% names(results))
    results[two] <- lapply(1:2, function(i)
      replace(results[[two[i]]], own(two[i]), results[[two[3 - i]]][, own(two[i])]))
  for (name in names(results)) if (!anyNA(own(name)))
    colnames(results[[name]])[own(name)] <- swapped
  results
}

# Find the numbers of a column, by the name of a quantity after the prefix of the table; NULL if
# there are none. A name may have several meanings, of which one has the labels of the table.
numbers_of_column <- function(name, labels, kind, results, how) {
  if (kind$is == "quantities") {
    at <- match(labels, kind$known)
    return(list(quantity = kind$quantity[at], place = kind$place[at], anew = kind$anew[at]))
  }
  others <- list(
    "f" = "F", "ss" = "sum of squares", "eta^2" = "partial eta squared",
    "omega^2" = "partial omega squared", "mean" = "system mean", "n of b" = "n b",
    "estimate" = c("difference", "coefficient"), "difference" = "estimate",
    "mean difference" = c("estimate", "difference"), "standard error" = "stderr",
    "stderr" = c("stderr of difference", "stderr of coefficient"), "t" = "statistic",
    "statistic" = c("t", "F"),
    "df" = c("parameter", "degrees of freedom", "degrees of freedom of difference",
             "degrees of freedom of t"),
    "df error" = "degrees of freedom of F", "df of error" = "degrees of freedom of F",
    "p" = c("p value", "p value of t", "p value of F"), "p-value" = "p value",
    "p value" = c("p value of t", "p value of F"), "p adjusted" = "p by tukey",
    "adjusted p" = c("p adjusted", "p by tukey"), "mean rank" = "rank", "value" = "correlation")
  for (each in c(name, how$words[[name]], others[[name]]))
    for (quantity in paste0(c("", kind$prefix, "difference: "), each)) {
      place <- match(labels, colnames(results[[quantity]]))
      if (length(place) && !anyNA(place) && nrow(results[[quantity]]) == 1)
        return(list(quantity = quantity, anew = results[[quantity]][, place],
                    place = if (is.null(kind$place)) place else kind$place[place]))
    }
  NULL
}

# Compare the cells of a column. The verdict of a cell is "agrees" or "apart". Returns NULL for a
# column without numbers of the analysis.
check_column <- function(cells, name, header, labels, kind, results, how, is_marked) {
  if (kind$is == "topics") {
    scores <- results[["standardized score"]]
    if (!header %in% colnames(scores)) return(NULL)
    place <- match(labels, rownames(scores))
    return(check_cells(cells, labels, list(quantity = "standardized score", place = place,
                                           anew = scores[place, header]), how))
  }
  numbers <- function(name) numbers_of_column(name, labels, kind, results, how)
  p <- numbers("p adjusted")
  if (is.null(p)) p <- numbers("p value")
  significant <- !is.na(p$anew) & p$anew <= how$alpha
  decided <- paste0(ifelse(significant, "", "not "), "significant, p = ", sprintf("%.15g", p$anew))
  if (kind$is == "systems" && grepl("^(letter|group)s?$", name))
    return(check_letters(cells, labels, results[["letter in common"]]))
  decision <- "^(is )?(significan(t|ce)|decision|sig[.]?|reject(ed)?)( at ([0-9.]+))? ?[?]?$"
  level <- if (grepl(decision, name)) as.numeric(paste0("0", sub(decision, "\\6", name)))
  if (length(level) && !is.null(p) && level %in% c(0, how$alpha)) {
    said <- tolower(trimws(cells))
    no <- grepl("^(no|false|0|n[.]?s[.]?|not .*|-|)$", said)
    yes <- grepl("^(yes|true|1|sig.*|reject.*|[*]+)$", said)
    right <- ifelse(significant, yes, no)
    return(data.frame(row = labels, published = cells, anew = decided,
                      verdict = ifelse(right, "agrees", "apart")))
  }
  if (grepl("^(confidence )?interval( of .*)?$|^([0-9.]+ ?% ?)?ci$", name)) {
    ends <- lapply(paste(if (grepl(" of ", name)) "effect" else "conf", c("low", "high")), numbers)
    if (is.null(ends[[1]])) return(NULL)
    pattern <- "^[[(] *(.*?) *(,|;| to ) *(.*?) *[])]$"
    inside <- trimws(gsub("[$\\\\]", "", cells))
    both <- lapply(1:2, function(i)
      check_cells(sub(pattern, c("\\1", "\\3")[i], inside, perl = TRUE), labels, ends[[i]], how))
    wrong <- both[[1]]$verdict == "apart" | both[[2]]$verdict == "apart"
    return(data.frame(row = labels, published = cells,
                      anew = paste0("[", both[[1]]$anew, ", ", both[[2]]$anew, "]"),
                      alone = both[[1]]$alone | both[[2]]$alone,
                      verdict = ifelse(wrong, "apart", "agrees")))
  }
  found <- numbers(name)
  if (is.null(found)) return(NULL)
  own <- check_cells(cells, labels, found, how)
  if (kind$is == "pairs" && found$quantity %in% c("estimate", "statistic", "parameter", "stderr")) {
    no_p <- is.na(numbers("p value")$anew)
    own$verdict[no_p & is.na(found$anew) & own$is_number] <- "untested"
    own$verdict[no_p & own$is_missing] <- "agrees"
  }
  marked <- grepl("[*]", own$mark)
  states <- (is_marked | any(marked)) & marked != significant |
    grepl("^(n[.]? ?s[.]?|not sig.*)$", own$mark) & significant | grepl("^sig", own$mark) & !significant
  wrong <- own$verdict == "agrees" & states & !is.null(p)
  own$verdict[wrong] <- "apart"
  own$anew[wrong] <- decided[wrong]
  own
}

# Compare numbers with those computed anew. Half a unit of the last digit is the rounding, where a
# cell has at least the digits of its column. The decision of a p value is "open" if the digits that
# agree are on the other side of alpha.
check_cells <- function(cells, labels, found, how) {
  said <- read_cells(cells)
  anew <- found$anew
  is_p <- grepl("(^|: )p (value|adjusted|by tukey)( of [tF])?$", found$quantity)
  of_column <- pmin(said$unit, unit_of_column(said), most_unit(said$value, is_p))
  allowed <- 1e-9 * abs(anew)
  for (name in intersect(unique(found$quantity), names(how$allowed))) {
    more <- how$allowed[[name]]
    own <- which(rep_len(found$quantity, length(anew)) == name)
    by <- if (length(more$at)) more$by[match(found$place[own], more$at)] else NA
    allowed[own] <- pmax(more$relative * abs(anew[own]), more$absolute, by, na.rm = TRUE)
  }
  allowed[!is.finite(allowed)] <- 0
  apart <- said$value - anew
  within <- function(unit) said$value == anew | abs(apart) <= unit / 2 * (1 + 1e-9) + allowed
  agrees <- within(of_column)
  short <- said$relation %in% c("", "=") & within(said$unit) & !agrees
  # Where a single cell lacks decimals that all others have, it may have been shortened.
  is_number <- is.finite(said$value) & said$relation %in% c("", "=")
  alone <- is_number & !within(min(Inf, said$unit[is_number])) %in% TRUE
  alone <- alone & sum(alone) == 1 & agrees %in% TRUE
  bounds <- list("<" = apart + allowed > 0, "<=" = apart + allowed >= 0,
                 ">" = apart - allowed < 0, ">=" = apart - allowed <= 0)
  for (sign in names(bounds)) agrees <- ifelse(said$relation == sign, bounds[[sign]], agrees)
  right <- agrees %in% TRUE | said$missing & is.na(anew)
  alpha <- if (is.null(how$alpha)) NA else how$alpha
  side <- ifelse(said$relation %in% c("<", "<="), ifelse(said$value <= alpha, TRUE, NA),
                 ifelse(said$relation %in% c(">", ">="), ifelse(said$value < alpha, NA, FALSE),
                        said$value <= alpha))
  exact <- said$relation %in% c("", "=") & abs(apart) <= allowed
  open <- is_p & right & !exact & !is.na(anew) & !is.na(alpha) & (is.na(side) | side != (anew <= alpha))
  data.frame(row = labels, published = cells, mark = said$mark, open = open %in% TRUE, alone,
             is_number = is.finite(said$value), is_missing = said$missing,
             anew = paste0(sprintf("%.15g", anew), ifelse(
               short %in% TRUE, ", and the cell has fewer digits than its column", "")),
             verdict = ifelse(right, "agrees", "apart"))
}

# The unit of a cell if it has the digits of its column: as many decimals as the median cell or, where
# the decimals differ more than the digits that count, as many of these. Zeros that are not written
# belong to both.
unit_of_column <- function(said) {
  known <- is.finite(said$value) & said$relation %in% c("", "=")
  if (!any(known)) return(said$unit)
  median_of <- function(values) sort(values)[length(values) %/% 2 + 1]
  size <- floor(log10(abs(said$value)))
  unit <- -median_of(-said$unit[known])
  some <- known & said$value != 0
  if (!any(some)) return(rep(unit, length(size)))
  digits <- (size - round(log10(said$unit)) + 1)[some]
  alike <- function(values) max(table(values))
  units <- alike(signif(said$unit[known], 3))
  if (units >= alike(digits) && units > sum(known) / 2) return(rep(unit, length(size)))
  digits <- median_of(digits)
  pmax(unit, ifelse(said$value == 0, 0, 10^(size - digits + 1)), na.rm = TRUE)
}

# The largest unit of a cell in any column: a 0 has a decimal, a p value too, and a p value of 0 two.
most_unit <- function(value, is_p)
  ifelse(value %in% 0, ifelse(is_p, 0.01, 0.1), ifelse(is_p, 0.1, Inf))

# What cells say: a number, its unit (that of its last digit), a relation such as <, and a mark.
read_cells <- function(cells) {
  signs <- c("\xe2\x88\x92|\xe2\x80\x93|\xe2\x80\x94" = "-", "\xe2\x89\xa4" = "<=",
             "\xe2\x89\xa5" = ">=", "\xe2\x80\xa0" = "*", "\xc2\xa0" = " ", "[$\\\\{}^]" = "")
  for (sign in names(signs)) cells <- gsub(sign, signs[[sign]], cells, useBytes = TRUE)
  cells <- tolower(trimws(cells))
  number <- "[-+]?(?:[0-9]+[.]?[0-9]*|[.][0-9]+)(?:e[-+]?[0-9]+)?|[-+]?inf(?:inity)?"
  pattern <- paste0("^(?:p ?)?(<=|>=|<|>|=|) ?(", number, ") ?(%?) ?([*]+|[a-z][a-z ,.]*|)$")
  known <- grepl(pattern, cells, perl = TRUE)
  part <- function(i) ifelse(known, sub(pattern, paste0("\\", i), cells, perl = TRUE), "")
  mantissa <- sub("e.*$", "", part(2))
  decimals <- ifelse(grepl(".", mantissa, fixed = TRUE), nchar(sub("^.*[.]", "", mantissa)), 0)
  power <- ifelse(grepl("[0-9.]e", part(2)), sub("^.*e", "", part(2)), "0")
  scale <- ifelse(part(3) == "%", 0.01, 1)
  value <- suppressWarnings(as.numeric(part(2))) * scale
  # 0e9 has no digit that says how precise it is.
  value[value %in% 0 & as.numeric(power) > 0] <- NA
  list(value = value, mark = part(4), relation = part(1),
       unit = 10^(as.numeric(power) - decimals) * scale,
       missing = cells %in% c("", "na", "nan", "n/a", "null", "-", "--", "---"))
}

# Letters are right if the systems that share one are those whose difference is not significant.
check_letters <- function(cells, labels, common) {
  if (is.null(common) || length(labels) < 2) return(NULL)
  letters <- strsplit(trimws(cells), if (any(grepl("[ ,]", trimws(cells)))) "[ ,]+" else "")
  pairs <- combn(length(labels), 2)
  both <- function(i, j) label_of_pair(labels[pairs[i, ]], labels[pairs[j, ]], labels)
  place <- pmin(match(both(1, 2), colnames(common)), match(both(2, 1), colnames(common)), na.rm = TRUE)
  share <- apply(pairs, 2, function(pair) any(letters[[pair[1]]] %in% letters[[pair[2]]]))
  right <- common[place] == share
  own <- data.frame(row = both(1, 2), verdict = ifelse(right, "agrees", "apart"),
                    published = paste(cells[pairs[1, ]], "and", cells[pairs[2, ]]),
                    anew = ifelse(common[place] == 1, "not significant: a letter in common",
                                  "significant: no letter in common"))
  own[!is.na(place), ]
}
