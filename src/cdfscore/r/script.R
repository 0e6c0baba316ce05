# This script computes standardized scores and system means in base R, to check those of
# cdfscore @version. Run it as:
#
#     @run > numbers.csv
#
@{of_tables}# With --vanilla, R does not read your .Rprofile, which could change options or functions.
#
# scheme @scheme, @policies@dropped@reversed@told
# numbers.csv has the columns quantity, topic, system and value, with 17 digits.

@sources
# ---- the analysis

settings <- @settings
files <- list(@files)

arguments <- commandArgs(trailingOnly = TRUE)
usage <- @usage
if (length(arguments) < @count) refuse(usage)
@{tables}for (path in arguments[seq_along(files)]) if (!file.exists(path) || dir.exists(path))
  refuse(path, " is not a file; ", usage)
@{draws}matrices <- Map(function(path, file) {
  scores <- tryCatch(do.call(read_scores, c(list(path), file$layout)), error = function(e)
    refuse(path, " cannot be read as a table of scores: ", conditionMessage(e)))
  if (!identical(unname(tools::md5sum(path)), file$md5))
    message("note: ", path, " is not the file that this script was written for")
  scores
}, arguments[seq_along(files)], files)
message(R.version.string)
@computed
settled <- settle(matrices[[1]], matrices[[@reference]], missing_@missing, extra = @extra)
@lower@{other}how <- list(standardize = standardize, settings = settings, unfitted = unfitted_@unfitted@constant)
results <- analyze(settled, how)
notes <- attr(results, "notes")
y <- results[[1]]
@{parts}@written
for (note in notes) message("note: ", note)
@{published}write_quantities(results)
@status