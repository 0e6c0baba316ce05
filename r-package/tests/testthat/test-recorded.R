path <- system.file("extdata", "cranfield_ap.csv", package = "cdfscore")
scores <- read_matrix(path)
recorded <- read.csv("recorded.csv", colClasses = c(how = "character"))
of_test <- recorded$how %in% c("raw", "normal")

test_that("means by each scheme are those of Python", {
  for (name in unique(recorded$name[!of_test])) {
    rows <- recorded[recorded$name == name & !of_test, ]
    matrix <- scores[1:20, 1:30]
    if (name == "beta_binomial") matrix <- round(10 * matrix) / 10
    how <- list(unfitted = "drop_topic")
    if (nzchar(rows$how[1])) how$ends <- sub("ends=", "", rows$how[1])
    y <- suppressWarnings(do.call(standardize, c(list(matrix, name), how)))
    expect_equal(unname(colMeans(y)[rows$of]), rows$estimate, tolerance = 1e-9, info = name)
  }
})

test_that("comparisons by each test are those of Python", {
  expect_setequal(unique(recorded$name[of_test]),
                  setdiff(names(cdfscore:::significance_tests), "one_sample_t"))
  for (of in split(recorded[of_test, ], recorded[of_test, c("name", "how")])) {
    own <- cdfscore:::significance_tests[[of$name[1]]]
    matrix <- scores[seq_len(of$topics[1]), if (own$draws) 1:3 else 1:4]
    baselines <- if (own$one_baseline) colnames(matrix)[ncol(matrix)]
    given <- list(matrix, of$name[1], scheme = of$how[1], baselines = baselines)
    if (of$name[1] == "equivalence_t") given$margin <- 0.05
    table <- do.call(compare_systems, given)$table
    expect_equal(paste(table$system_a, "-", table$system_b), of$of)
    for (number in c("estimate", "p_adjusted", "effect_size"))
      expect_equal(table[[number]], of[[number]], tolerance = 1e-9, info = paste(of$name[1], number))
  }
})

test_that("factors of Python are read, and written factors are read again", {
  for (python in list.files(pattern = "^factors_")) {
    factors <- read_factors(python)
    few <- scores[1:3, 1:30]
    given <- c(list(few, factors$scheme), factors$settings)
    y <- do.call(standardize, given)
    expect_equal(apply_factors(factors, few), y, tolerance = 1e-9, info = python)
    own <- do.call(fit_factors, c(given, measure = "AP"))
    expect_equal(own$topics, factors$topics, tolerance = 1e-9, info = python)
    file <- tempfile(fileext = ".json")
    write_factors(own, file)
    expect_identical(read_factors(file)$topics, own$topics)
  }
})
