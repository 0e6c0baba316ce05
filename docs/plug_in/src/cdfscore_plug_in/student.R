# Student's t distribution with 7 degrees of freedom, scaled to the standard deviation h.
# d: distances from a reference score; h: the bandwidth.
smoothing_kernel <- function(d, h) pt(d / h * sqrt(7 / 5), 7)
