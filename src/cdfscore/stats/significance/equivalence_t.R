# Two one-sided t tests of paired scores, and the interval of the mean difference.
significance_test <- function(x, y, margin, centre, conf_level) {
  low <- centre - margin
  high <- centre + margin
  above <- t.test(x, y, paired = TRUE, mu = low, alternative = "greater")
  if (above$stderr == 0) stop("the data are constant")  # where t.test divides by 0
  below <- t.test(x, y, paired = TRUE, mu = high, alternative = "less")
  larger <- if (above$statistic <= -below$statistic) above else below
  conf_int <- t.test(x, y, paired = TRUE, conf.level = conf_level)$conf.int
  list(statistic = larger$statistic, parameter = larger$parameter, p_value = larger$p.value,
       conf_low = conf_int[1], conf_high = conf_int[2],
       estimate = larger$estimate, stderr = larger$stderr)
}
