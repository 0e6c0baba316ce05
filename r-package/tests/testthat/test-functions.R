scores <- rbind(a = c(s1 = 0.1, s2 = 0.3, s3 = 0.4), b = c(0.2, 0.5, 0.9), c = c(0.3, 0.3, 0.3),
                d = c(0.9, 0.2, 0.4))

test_that("data frames and matrices have the same numbers", {
  frame <- data.frame(topic = rownames(scores), scores)
  expect_equal(as.matrix(standardize(frame, "normal")), standardize(scores, "normal"))
  expect_equal(standardize(scores, "normal")["a", ],
               pnorm(scores["a", ], mean(scores["a", ]), sd(scores["a", ])))
  expect_equal(pnormal(0.2, scores["a", ]), pnorm(0.2, mean(scores["a", ]), sd(scores["a", ])))
})

test_that("policies are those of Python", {
  expect_equal(unname(standardize(scores, "normal", constant = "half")["c", ]), rep(0.5, 3))
  expect_equal(rownames(standardize(scores, "normal", constant = "drop_topic")), c("a", "b", "d"))
  expect_error(standardize(scores, "normal", constant = "raise"), "equal")
  expect_error(standardize(scores, "z", constant = "half"), "not accepted")
  expect_equal(standardize(scores, "z", lower_is_better = TRUE), -standardize(scores, "z"))
  factors <- fit_factors(scores, "normal", constant = "urbano2019")
  expect_equal(apply_factors(factors, scores),
               standardize(scores, "normal", constant = "urbano2019"))
})

test_that("wrong settings are refused in one sentence", {
  for (test in c("max_t", "permutation", "paired_t"))
    expect_error(compare_systems(scores[, 1:3], test, draws = 3), "^draws = 3 is not accepted; exp")
  expect_error(standardize(scores, "norm"), "^scheme = \"norm\" is not accepted; expected one of")
  expect_error(standardize(scores, "gamma", a = 1), "^gamma has no setting a; expected none$")
  expect_error(standardize(scores, "uniform", NULL, 1), "have names, as in A = ")
  expect_error(standardize(scores, "beta", ends = "cut"), "expected raise, shrink$")
  for (A in list(0, NA, "a", "number", 1:2, Inf, TRUE))
    expect_error(puniform(0.5, scores[1, ], A), "uniform: A = .* not accepted; expected a number above 0")
  expect_error(standardize(scores, "kernel", bandwidth = "silverman"), "a number above 0, or nrd0, ")
  expect_error(standardize(scores, "mixture", starts = 0.5), "a whole number from 0 to 1000$")
  expect_error(standardize(scores, "uniform", B = 2), "a number in [0, 1]", fixed = TRUE)
  expect_error(standardize(scores, "logspline", penalty = -1), "a number from 0 on")
  expect_error(standardize(scores, lower_is_better = "z"), "^lower_is_better: there is no topic z$")
  expect_error(standardize(scores, lower_is_better = TRUE, reflect_at = "a"), "a finite number$")
  expect_error(compare_systems(scores, "tukey_hsd", adjust = "holm"), "no correction")
  expect_error(compare_systems(scores, "paired_t", B = 5), "^paired_t has no setting B; expected alt")
  expect_error(compare_systems(scores, conf_level = 1), "paired_t: conf_level = 1 .* between 0 and 1$")
  expect_error(compare_systems(scores, "permutation", B = 0), "from 1 to 1000000000$")
  expect_error(compare_systems(scores, alpha = 2), "alpha")
  expect_error(compare_systems(scores, baselines = "z"), "^baselines: there is no system z$")
  expect_error(paired_t_test(1, 2), "^paired_t: 1 pair, but at least 2 are needed$")
  expect_error(paired_t_test("a", 2), "^x is not a vector of numbers$")
  expect_error(paired_t_test(c(1, Inf), 1:2), "^a score of x is infinite$")
  expect_error(friedman_test(scores[, 1, drop = FALSE]), "^there is 1 system")
  expect_error(pnormal(0.5, 0.5), "^normal needs at least 2 reference scores and there is 1$")
})

test_that("wrong scores are refused in one sentence", {
  with <- function(i, j, value) replace(scores, cbind(i, j), value)
  named <- function(...) structure(scores, dimnames = list(...))
  frame <- data.frame(topic = rownames(scores), scores)
  systems <- colnames(scores)
  wrong <- list(
    "^scores, topic b, system s3: the score is missing; choose" = with(2, 3, NA),
    "^scores, topic a, system s1: the score is infinite" = with(1, 1, -Inf),
    "^scores, column s2: it is not of numbers$" = transform(frame, s2 = factor(s2)),
    "^scores, column s1: it is not of numbers$" = transform(frame, s1 = as.character(s1)),
    "^scores, row 3: the name a is there twice$" = transform(frame, topic = c("a", "b", "a", "c")),
    "^scores, column 2: the name s is there twice$" = named(1:4, c("r", "s", "s")[c(2, 3, 1)]),
    "^scores, row 2: there is no name$" = named(c("a", "", "b", "c"), systems),
    "^scores, row 1: there is no name$" = transform(frame, topic = c(NA, "a", "b", "c")),
    "^scores: there are no topics or no systems$" = scores[0, ],
    "^scores: expected a matrix or data frame of numbers" = scores[, 1],
    "^scores: expected a matrix or data frame of numbers" = scores > 0.2)
  factors <- fit_factors(scores, "normal")
  for (k in seq_along(wrong)) {
    expect_error(standardize(wrong[[k]], "normal"), names(wrong)[k])
    expect_error(compare_systems(wrong[[k]]), names(wrong)[k])
    expect_error(fit_factors(wrong[[k]], "normal"), names(wrong)[k])
    expect_error(apply_factors(factors, wrong[[k]]), names(wrong)[k])
  }
  expect_error(standardize(scores, "normal", wrong[[1]]), "^reference, topic b, system s3: ")
  expect_error(standardize(scores[, 1, drop = FALSE], "normal"), "^topic a: normal needs at least 2")
  expect_error(read_matrix("none.csv"), "there is no file \"none.csv\"", fixed = TRUE)
})

test_that("wrong files of factors are refused in one sentence", {
  file <- "factors_kernel.json"
  text <- readChar(file, file.size(file))
  wrong <- list(
    "not JSON, or is cut short$" = substr(text, 1, 900),
    "not JSON, or is cut short$" = substr(text, 1, nchar(text) - 10),
    "not JSON, or is cut short$" = paste(text, "{}"),
    "not JSON, or is cut short$" = sub("\"2\": ", "\"1\": ", text),
    "not JSON, or is cut short$" = "factors",
    "does not have factors$" = "[1, 2]",
    "has factors of version 4; expected version 3$" = sub("version\": 3", "version\": 4", text),
    "expected one of gaussian, " = sub("gaussian", "student", text),
    "topic 1: the parameters are no fit of kernel$" = sub("0.0170538", "-0.017", text),
    "topic 1: the parameters are no fit of kernel$" = sub("bandwidth\": 0.0170", "width\": 0.01", text),
    "topic 1: the parameters are no fit of kernel$" = sub("[0.145878", "[null", text, fixed = TRUE))
  for (k in seq_along(wrong)) {
    cut <- tempfile(fileext = ".json")
    writeLines(wrong[[k]], cut)
    expect_error(read_factors(cut), names(wrong)[k])
  }
  expect_error(read_factors("none.json"), "there is no file")
  expect_error(apply_factors(scores, scores), "^expected factors, as fit_factors")
})

test_that("tests are those of R", {
  x <- scores[, 1]
  y <- scores[, 2]
  expect_equal(paired_t_test(x, y)$p.value, t.test(x, y, paired = TRUE)$p.value)
  expect_equal(friedman_test(scores)$p.value, friedman.test(scores)$p.value)
  expect_s3_class(welch_t_test(x, y, alternative = "greater"), "htest")
  expect_s3_class(tukey_hsd_test(scores), "compare_systems")
})

test_that("draws of R change no random numbers, and have the same law", {
  set.seed(1)
  many <- matrix(rnorm(120), 30, dimnames = list(NULL, letters[1:4])) + c(0, 0.5)
  before <- .Random.seed
  for (name in c("permutation", "bootstrap_shift", "bootstrap_studentized", "permutation_unpaired",
                 "max_t", "randomized_tukey_hsd")) {
    p <- compare_systems(many, name, adjust = "none", B = 2000)$table$p_value
    by_t <- if (name == "randomized_tukey_hsd") "tukey_hsd" else "paired_t"
    adjust <- if (name == "max_t") "holm" else "none"
    if (name == "permutation_unpaired") by_t <- "welch_t"
    expected <- compare_systems(many, by_t, adjust = adjust)$table$p_adjusted
    expect_lt(max(abs(p - expected)), 0.12)
  }
  expect_identical(.Random.seed, before)
})

test_that("a comparison is printed, summarized and plotted", {
  found <- compare_systems(scores)
  expect_output(print(found), "after holm")
  expect_equal(nrow(summary(found)), 3)
  file <- tempfile(fileext = ".pdf")
  grDevices::pdf(file)
  plot(found)
  grDevices::dev.off()
  expect_gt(file.size(file), 0)
})

test_that("labels in JSON keep their characters", {
  odd <- scores
  rownames(odd) <- c("a \"b\"", "\\", "\u00e9\u4e2d", "tab\t")
  file <- tempfile(fileext = ".json")
  write_factors(fit_factors(odd, "minmax"), file)
  expect_identical(names(read_factors(file)$topics), rownames(odd))
})
