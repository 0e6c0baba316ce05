# Say in one sentence what is wrong with the files. The status of R is then 2.
refuse <- function(...) {
  message(...)
  quit(save = "no", status = 2)
}

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
