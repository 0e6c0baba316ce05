library(testthat)
library(cdfscore)

test_check("cdfscore")
