# Webber, Moffat and Zobel (2008), Eq. 3 and 4.
rmse <- function(x, y) sqrt(mean((x - y)^2))

drmse <- function(x, y) 2 * rmse(x, y) / (sd(x) + sd(y))

# Below Eq. 4: the geometric mean of the standard deviations.
drmse_geometric <- function(x, y) rmse(x, y) / sqrt(sd(x) * sd(y))
