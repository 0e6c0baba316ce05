# This script computes standardized scores and system means in base R, to check those of
# cdfscore @version. Run it as:
#
#     @run > numbers.csv
#
# To compare a published table (CSV or TSV) with the numbers, give its file as one more argument:
#
#     @run pairs.csv
#
# With --vanilla, R does not read your .Rprofile, which could change options or functions.
#
# scheme @scheme, @policies@dropped@reversed@tested
# numbers.csv has the columns quantity, topic, system and value, with 17 digits.

@sources
# ---- the analysis

settings <- @settings
files <- list(@files)

arguments <- commandArgs(trailingOnly = TRUE)
if (length(arguments) < @count)
  stop(@usage)
for (path in arguments[seq_along(files)]) if (!file.exists(path) || dir.exists(path))
  stop(path, " is not a file; ", @usage)
@{draws}matrices <- Map(function(path, file) {
  if (!identical(unname(tools::md5sum(path)), file$md5))
    message("note: ", path, " is not the file that this script was written for")
  tryCatch(do.call(read_scores, c(list(path), file$layout)), error = function(e)
    stop(path, " cannot be read as a table of scores: ", conditionMessage(e), call. = FALSE))
}, arguments[seq_along(files)], files)
message(R.version.string)
settled <- settle(matrices[[1]], matrices[[@reference]],
                  missing = @missing, extra = @extra)
@lower@{other}how <- list(standardize = standardize, settings = settings, unfitted = @unfitted@constant)
results <- analyze(settled, how)
notes <- attr(results, "notes")
y <- results[[1]]
@test
@{further}for (note in notes) message("note: ", note)
if (length(arguments) > @count)
  show_published(arguments[-seq_len(@count)], results, retest, @published)
write_quantities(results)
@status