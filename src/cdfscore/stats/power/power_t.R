# The power of Student's t tests, or the quantity (NULL) that gives a power.
power_test <- function(n, delta, sd, sig_level, power, type, alternative, strict) {
  power.t.test(n = n, delta = delta, sd = sd, sig.level = sig_level, power = power,
               type = sub("_", ".", type), alternative = chartr("-", ".", alternative),
               strict = strict, tol = 1e-13)[c("n", "delta", "sd", "sig.level", "power")]
}
