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

test_that("wrong words are refused", {
  expect_error(standardize(scores, "norm"), "expected one of")
  expect_error(standardize(scores, "uniform", a = 1), "no setting a")
  expect_error(standardize(scores, "beta", ends = "cut"), "ends")
  expect_error(compare_systems(scores, "tukey_hsd", adjust = "holm"), "no correction")
  expect_error(compare_systems(scores, "paired_t", B = 5), "no setting B")
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
