# R's numbers for a case, by the names that cdfscore has for them: R's own functions wherever R has
# one. A list of named numbers; what is not there, R does not have.
doubles <- function(found) lapply(found, as.double)

in_r <- function(word) gsub("[-_]", ".", word)

of_t_test <- function(found) {
  estimate <- if (length(found$estimate) == 2) -diff(unname(found$estimate)) else found$estimate
  list(estimate = estimate, stderr = found$stderr, statistic = found$statistic,
       parameter = found$parameter, p_value = found$p.value, conf_low = found$conf.int[1],
       conf_high = found$conf.int[2])
}

one_sample_t <- function(x, null_value, alternative, conf_level)
  of_t_test(t.test(x, mu = null_value, alternative = in_r(alternative), conf.level = conf_level))

paired_t <- function(x, y, null_value, alternative, conf_level)
  of_t_test(t.test(x, y, paired = TRUE, mu = null_value, alternative = in_r(alternative),
                   conf.level = conf_level))

two_sample_t <- function(x, y, null_value, alternative, conf_level, equal)
  of_t_test(t.test(x, y, var.equal = equal, mu = null_value, alternative = in_r(alternative),
                   conf.level = conf_level))

equivalence_t <- function(x, y, margin, centre) {
  above <- t.test(x, y, paired = TRUE, mu = centre - margin, alternative = "greater")
  below <- t.test(x, y, paired = TRUE, mu = centre + margin, alternative = "less")
  t <- if (above$statistic <= -below$statistic) above$statistic else below$statistic
  list(statistic = t, parameter = above$parameter, p_value = max(above$p.value, below$p.value))
}

variance_ratio <- function(x, y, alternative) {
  found <- var.test(x, y, alternative = in_r(alternative))
  list(statistic = found$statistic, parameter = found$parameter[1], p_value = found$p.value)
}

sign_test <- function(x, y, alternative, conf_level) {
  d <- x - y
  d <- d[d != 0]
  found <- binom.test(sum(d > 0), length(d), alternative = in_r(alternative), conf.level = conf_level)
  list(statistic = found$statistic, parameter = found$parameter, p_value = found$p.value,
       estimate = found$estimate, conf_low = found$conf.int[1], conf_high = found$conf.int[2])
}

friedman <- function(scores) {
  found <- friedman.test(scores)
  list(statistic = found$statistic, parameter = found$parameter, p_value = found$p.value)
}

pearson <- function(x, y) {
  found <- cor.test(x, y)
  list(estimate = found$estimate, statistic = found$statistic, parameter = found$parameter,
       p_value = found$p.value)
}

adjusted <- function(p) {
  methods <- c("holm", "hochberg", "hommel", "bonferroni", "BH", "BY")
  sapply(methods, p.adjust, p = p, simplify = FALSE)
}

long_form <- function(scores) {
  place <- which(!is.na(scores), arr.ind = TRUE)
  data.frame(score = scores[place], topic = factor(place[, 1]), system = factor(place[, 2]))
}

two_way <- function(scores) {
  table <- anova(lm(score ~ topic + system, long_form(scores)))
  list(statistic = table["system", "F value"], parameter = table["system", "Df"],
       p_value = table["system", "Pr(>F)"])
}

# All pairs, the later system less the earlier one, as TukeyHSD has them and statsmodels too.
tukey_one_way <- function(scores, conf_level) {
  found <- TukeyHSD(aov(score ~ system, long_form(scores)), conf.level = conf_level)$system
  list(estimate = found[, "diff"], p_adjusted = found[, "p adj"])
}

studentized_range <- function(q, systems, df)
  list(p_value = ptukey(q, systems, df, lower.tail = FALSE))

studentized_point <- function(tail, systems, df)
  list(point = qtukey(tail, systems, df, lower.tail = FALSE))

noncentrality_of_t <- function(t, df, tail) {
  at <- function(p) {
    f <- function(c) pt(t, df, c) - p
    uniroot(f, c(t - 40, t + 40), tol = 1e-14)$root
  }
  c(at(1 - tail), at(tail))
}

d_z <- function(x, y, conf_level) {
  d <- x - y
  n <- length(d)
  estimate <- mean(d) / sd(d)
  ends <- noncentrality_of_t(estimate * sqrt(n), n - 1, (1 - conf_level) / 2) / sqrt(n)
  list(estimate = estimate, conf_low = ends[1], conf_high = ends[2])
}

hedges_g <- function(x, y, conf_level = NULL) {
  n <- length(x)
  m <- length(y)
  k <- n + m - 2
  s <- sqrt(((n - 1) * var(x) + (m - 1) * var(y)) / k)
  g <- exp(lgamma(k / 2) - lgamma((k - 1) / 2)) / sqrt(k / 2) * (mean(x) - mean(y)) / s
  found <- list(estimate = g, estimate_of_nc = g)
  if (is.null(conf_level)) return(found)
  root <- sqrt(n * m / (n + m))
  ends <- noncentrality_of_t((mean(x) - mean(y)) / s * root, k, (1 - conf_level) / 2) / root
  c(found, conf_low = ends[1], conf_high = ends[2])
}

rank_biserial <- function(x, y, conf_level) {
  signs <- sign(outer(x, y, "-"))
  r <- mean(signs)
  stderr <- sqrt(var(rowMeans(signs)) / length(x) + var(colMeans(signs)) / length(y))
  margin <- qnorm((1 + conf_level) / 2) * stderr / (1 - r^2)
  list(estimate = r, conf_low = tanh(atanh(r) - margin), conf_high = tanh(atanh(r) + margin))
}


power_t <- function(n, delta, sig_level, type, alternative)
  list(power = power.t.test(n, delta, 1, sig_level, type = in_r(type), alternative = in_r(alternative),
                            strict = TRUE)$power)

solved <- function(unknown, n, delta, sig_level, power, type, alternative) {
  given <- list(n = n, delta = delta, sd = 1, sig.level = sig_level, power = power)
  given[in_r(unknown)] <- list(NULL)
  kind <- list(type = in_r(type), alternative = in_r(alternative), strict = TRUE)
  list(solution = do.call(power.t.test, c(given, kind))[[in_r(unknown)]])
}

power_of_f <- function(topics, systems, variance, difference, alpha, two_way) {
  df1 <- systems - 1
  df2 <- if (two_way) df1 * (topics - 1) else systems * (topics - 1)
  lambda <- topics * difference^2 / (2 * variance)
  list(power = pf(qf(alpha, df1, df2, lower.tail = FALSE), df1, df2, lambda, lower.tail = FALSE))
}

noncentrality_of_f <- function(f, df1, df2, conf_level) {
  tail <- (1 - conf_level) / 2
  at <- function(p) {
    if (pf(f, df1, df2) <= p) return(0)
    top <- 1 + df1 * f
    while (pf(f, df1, df2, top) > p) top <- 2 * top
    uniroot(function(c) pf(f, df1, df2, c) - p, c(0, top), tol = 1e-12)$root
  }
  n <- df1 + df2 + 1
  ends <- c(at(1 - tail), at(tail))
  list(effect_low = ends[1] / (ends[1] + n), effect_high = ends[2] / (ends[2] + n))
}

variance_components <- function(scores) {
  table <- anova(lm(score ~ topic + system, long_form(scores)))
  squares <- table[["Mean Sq"]]
  list(topic = (squares[1] - squares[3]) / ncol(scores),
       system = (squares[2] - squares[3]) / nrow(scores), residual = squares[3])
}

# The factors a and b of systems, as counterparts/tables.py has them.
crossed <- function(systems) {
  s <- seq_len(systems) - 1
  data.frame(system = paste0("s", s), a = paste0("a", s %% 2), b = paste0("b", s %/% 2 %% 3))
}

# The table is the twin's.
components_table <- function(scores, formula, type) {
  found <- anova_table(scores, crossed(ncol(scores)), formula, type)
  terms <- length(found$term) - 1
  list(sum_of_squares = found$sum_of_squares, parameter = found$df,
       statistic = found$statistic[seq_len(terms)], p_value = found$p_value[seq_len(terms)])
}

one_way_table <- function(scores) {
  table <- anova(lm(score ~ system, long_form(scores)))
  list(between = table[1, "Sum Sq"], within = table[2, "Sum Sq"],
       statistic = table[1, "F value"])
}

one_way <- function(scores) {
  table <- anova(lm(score ~ system, long_form(scores)))
  f <- table[1, "F value"]
  df1 <- table[1, "Df"]
  df2 <- table[2, "Df"]
  squares <- table[["Sum Sq"]]
  omega <- df1 * (f - 1)
  c(list(statistic = f, p_value = table[1, "Pr(>F)"],
         partial_eta_squared = squares[1] / sum(squares),
         partial_omega_squared = omega / (omega + df1 + df2 + 1)),
    noncentrality_of_f(f, df1, df2, 0.95))
}

differences <- function(scores) {
  model <- lm(score ~ topic + system, long_form(scores))
  k <- ncol(scores)
  own <- tail(names(coef(model)), k - 1)
  b <- c(0, coef(model)[own])
  v <- rbind(0, cbind(0, vcov(model)[own, own]))
  pairs <- combn(k, 2)
  estimate <- b[pairs[1, ]] - b[pairs[2, ]]
  stderr <- sqrt(diag(v)[pairs[1, ]] + diag(v)[pairs[2, ]] - 2 * v[t(pairs)])
  t <- estimate / stderr
  p <- 2 * pt(-abs(t), df.residual(model))
  margin <- qt(0.975, df.residual(model)) * stderr
  list(estimate = estimate, stderr = stderr, statistic = t, p_value = p,
       p_adjusted = p.adjust(p, "holm"), conf_low = estimate - margin,
       conf_high = estimate + margin)
}

# Scores by topics, as cdfscore has residuals.
checks <- function(scores) {
  data <- long_form(scores)
  data <- data[order(data$topic, data$system), ]
  model <- lm(score ~ topic + system, data)
  data$fitted <- fitted(model)
  data$left <- residuals(model)
  more <- anova(model, lm(score ~ topic + system + I(fitted^2), data))[2, ]
  spread <- function(group) {
    distance <- abs(data$left - ave(data$left, group, FUN = median))
    anova(lm(distance ~ group))[1, ]
  }
  tests <- rbind(spread(data$topic), spread(data$system))
  second <- mean(data$left^2)
  list(fitted = data$fitted, residual = data$left, skewness = mean(data$left^3) / second^1.5,
       kurtosis = mean(data$left^4) / second^2 - 3, additivity = more[["F"]],
       p_of_additivity = more[["Pr(>F)"]], statistic = tests[["F value"]],
       p_value = tests[["Pr(>F)"]])
}

# By the twin, which lets nlme go on.
mixed <- function(scores, by_a, method) {
  random <- if (by_a) c("topic", "topic:a") else "topic"
  found <- mixed_model(scores, crossed(ncol(scores)), "score ~ a + b", random, method)
  c(setNames(as.list(found$variances), c(random, "residual")),
    list(estimate = found$coefficients, stderr = sqrt(diag(found$covariance)),
         log_likelihood = found$log_likelihood))
}

rmse <- function(x, y) list(rmse = sqrt(mean((x - y)^2)))

# Pairs as TukeyHSD has them, the later system less the earlier one; here the other way round.
tukey_blocked <- function(scores, conf_level) {
  model <- aov(score ~ topic + system, long_form(scores))
  found <- TukeyHSD(model, "system", conf.level = conf_level)$system
  of_pairs <- function(number) rep(number, nrow(found))
  stderr <- sqrt(2 * deviance(model) / df.residual(model) / nrow(scores))
  list(estimate = -found[, "diff"], stderr = of_pairs(stderr),
       statistic = sqrt(2) * abs(found[, "diff"]) / stderr,
       parameter = of_pairs(df.residual(model)), p_value = found[, "p adj"],
       conf_low = -found[, "upr"], conf_high = -found[, "lwr"])
}

nemenyi <- function(scores) {
  ranks <- colMeans(t(apply(scores, 1, rank)))
  pairs <- combn(ncol(scores), 2)
  estimate <- ranks[pairs[1, ]] - ranks[pairs[2, ]]
  spread <- sqrt(ncol(scores) * (ncol(scores) + 1) / 12 / nrow(scores))
  q <- abs(estimate) / spread
  list(estimate = estimate, stderr = rep(sqrt(2) * spread, ncol(pairs)), statistic = q,
       p_value = ptukey(q, ncol(scores), Inf, lower.tail = FALSE))
}

# The two-sided paired t test of pairs whose differences have twice the residual variance.
topics_for_power <- function(scores, difference, power, alpha) {
  model <- lm(score ~ topic + system, long_form(scores))
  sd <- sqrt(2 * deviance(model) / df.residual(model))
  of <- function(...) power.t.test(..., delta = difference, sd = sd, sig.level = alpha,
                                   type = "paired", strict = TRUE)
  topics <- max(2, ceiling(of(power = power)$n))
  list(topics = topics, value = of(n = topics)$power)
}
