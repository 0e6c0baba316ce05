# R's own bandwidth of a sample by the name of a rule here, NaN where R stops, and 1 where it
# gave it without a warning.
bandwidth_in_r <- function(rule, x) {
  chosen <- switch(rule,
    nrd0 = bw.nrd0,
    nrd = bw.nrd,
    ucv = bw.ucv,
    bcv = bw.bcv,
    sj = bw.SJ,
    sj_dpi = function(x) bw.SJ(x, method = "dpi"),
    polansky_baker = function(x) ks::hpi.kcde(x, binned = FALSE))
  quiet <- 1
  warned <- function(w) {
    quiet <<- 0
    invokeRestart("muffleWarning")
  }
  tryCatch(c(withCallingHandlers(chosen(x), warning = warned), quiet), error = function(e) c(NaN, 0))
}
