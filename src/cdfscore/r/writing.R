# Write quantities, a matrix for each, as CSV: quantity, topic, system, and value with 17 digits.
write_quantities <- function(quantities) {
  # A spreadsheet would run a label as a formula if it starts with one of these signs and is not a
  # number.
  guarded <- function(text) {
    number <- !is.na(suppressWarnings(as.numeric(text))) & !grepl("^'", text, useBytes = TRUE)
    runs <- grepl("^'*[-=+@\t\r]", text, useBytes = TRUE) & !number
    ifelse(runs, paste0("'", text), text)
  }
  quoted <- function(text)
    paste0("\"", gsub("\"", "\"\"", enc2utf8(guarded(text)), fixed = TRUE), "\"")
  lines <- lapply(names(quantities), function(name) {
    values <- quantities[[name]]
    paste(name, quoted(rownames(values)[row(values)]), quoted(colnames(values)[col(values)]),
          ifelse(is.na(values), "NA", sprintf("%.17g", values)), sep = ",")
  })
  writeLines(c("quantity,topic,system,value", unlist(lines)), useBytes = TRUE)
}
