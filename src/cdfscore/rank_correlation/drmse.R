# Webber, Moffat and Zobel (2008), Eq. 3 and 4.
rmse <- function(x, y) sqrt(mean((x - y)^2))

drmse <- function(x, y) 2 * rmse(x, y) / (sd(x) + sd(y))
