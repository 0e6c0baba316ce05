# Standardized scores and system means, in base R, to check those of cdfscore @version.
#
#     @run > numbers.csv
#
# scheme @scheme, constant @constant, missing @missing, unfitted @unfitted@dropped@reversed@tested
# numbers.csv has all numbers with 17 digits: quantity, topic, system, value.

@sources
# ---- the analysis

settings <- @settings
files <- list(@files)

arguments <- commandArgs(trailingOnly = TRUE)
if (length(arguments) != @count)
  stop(@usage)
@{draws}matrices <- Map(function(path, file) {
  if (tools::md5sum(path) != file$md5)
    message("note: ", path, " is not the file that this script was written for")
  do.call(read_scores, c(list(path), file$layout))
}, arguments[seq_along(files)], files)
message(R.version.string)
settled <- settle(matrices[[1]], matrices[[length(matrices)]],
                  missing = @missing, extra = @extra, lower = @lower, at = @at)
how <- list(standardize = standardize, settings = settings,
            constant = @constant, unfitted = @unfitted)
results <- analyze(settled, how)
y <- results[[1]]
@test
@{further}write_quantities(results)
@status