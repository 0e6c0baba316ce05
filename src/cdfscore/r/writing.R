# Write quantities, one matrix each, as CSV: quantity, topic, system, value with 17 digits.
write_quantities <- function(quantities) {
  quoted <- function(text) paste0("\"", gsub("\"", "\"\"", enc2utf8(text), fixed = TRUE), "\"")
  lines <- lapply(names(quantities), function(name) {
    values <- quantities[[name]]
    paste(name, quoted(rownames(values)[row(values)]), quoted(colnames(values)[col(values)]),
          ifelse(is.na(values), "NA", sprintf("%.17g", values)), sep = ",")
  })
  writeLines(c("quantity,topic,system,value", unlist(lines)), useBytes = TRUE)
}
