# p values corrected for the number of tests; NA is passed over.
adjust <- function(p, method) p.adjust(p, method)
