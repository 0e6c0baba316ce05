# Put text in quotes for CSV. A spreadsheet would run a label as a formula if it starts with one of
# these signs and is not a number.
quoted <- function(text) {
  number <- !is.na(suppressWarnings(as.numeric(text))) & !grepl("^'", text, useBytes = TRUE)
  runs <- grepl("^'*[-=+@\t\r]", text, useBytes = TRUE) & !number
  text <- enc2utf8(ifelse(runs, paste0("'", text), text))
  paste0("\"", gsub("\"", "\"\"", text, fixed = TRUE), "\"")
}

# Write quantities, a matrix for each, as CSV: quantity, topic, system, and value with 17 digits.
write_quantities <- function(quantities) {
  lines <- lapply(names(quantities), function(name) {
    values <- quantities[[name]]
    paste(name, quoted(rownames(values)[row(values)]), quoted(colnames(values)[col(values)]),
          ifelse(is.na(values), "NA", sprintf("%.17g", values)), sep = ",")
  })
  writeLines(c("quantity,topic,system,value", unlist(lines)), useBytes = TRUE)
}
