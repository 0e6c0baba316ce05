# p values corrected for the number of tests; NA is omitted.
adjust <- function(p, method) p.adjust(p, method)
