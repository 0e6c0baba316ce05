"""The claims that are checked by other tests than those of tests/claims, or by a program."""

from __future__ import annotations

#: The page, a piece of it word by word, and the test, the page with examples, or the program.
CHECKED_ELSEWHERE: tuple[tuple[str, str, str], ...] = (
    (
        "README.md",
        "`cdfscore verify` runs the twin on your data and compares every number",
        "tests/cli/test_verify.py::test_agreement_is_status_0",
    ),
    (
        "README.md",
        "With `--script check.R` it writes an R script for reviewers without Python",
        "tests/r/test_script.py::test_script_has_the_digits_of_r_in_process",
    ),
    (
        "README.md",
        "all 83 numbers that the public scores determine are listed with the computed "
        "ones: 78 have every printed digit, two are as worded, and [three "
        "differ](docs/reproduction.md)",
        "validation/papers/test_webber2008.py::test_all_that_can_be_computed_is",
    ),
    (
        "README.md",
        "An E-std score is an integer divided by n. Its means are exact fractions, rounded once",
        "tests/standardization/test_exact_means.py::test_means_are_fractions_rounded_once",
    ),
    (
        "README.md",
        "Rank tests compare the differences of decimals as whole numbers",
        "tests/guards/test_ties.py::test_decimals_are_tested_as_their_whole_numbers",
    ),
    (
        "README.md",
        "Factors are saved as JSON. Applying them gives the same bits as standardizing directly",
        "tests/standardization/formats/test_json_round_trip.py::test_real_scores",
    ),
    (
        "README.md",
        "`compare` corrects for many tests like R's `p.adjust`",
        "tests/comparison/test_adjustment.py::test_random_p_values_become_those_of_r",
    ),
    (
        "README.md",
        "Bad input is refused with exit status 2 and a message that names the file, and "
        "the line and column where there is one; no file is changed",
        "tests/cli/test_bad_input.py::test_score_file_is_refused",
    ),
    (
        "README.md",
        "standardized scores come back as the same kind (those of DuckDB as a table of pyarrow)",
        "tests/io/test_frames.py::test_standardized_scores_and_means_are_of_the_kind_that_came_in",
    ),
    (
        "README.md",
        "compares tests and models with statsmodels, SciPy or a second implementation in NumPy",
        "tests/judge/test_against_statsmodels.py::test_every_number_of_a_test",
    ),
    (
        "README.md",
        "Where both compute a number, R and 50 digits judge both",
        "python -m validation.statsmodels_judge",
    ),
    (
        "README.md",
        "The distributions of rank tests are compared with enumeration",
        "tests/significance/test_exact_with_ties.py::test_wilcoxon_of_all_differences",
    ),
    (
        "README.md",
        "a page that needs no network",
        "tests/report/page/test_in_a_browser.py::test_names_of_files_stay_text_and_the_browser_says_nothing",
    ),
    (
        "README.md",
        "`cdfscore schemes` lists all 22 schemes with formula, settings and source",
        "tests/cli/test_commands.py::test_list_of_schemes",
    ),
    (
        "docs/r-parity.md",
        "78 printed numbers of Webber, Moffat and Zobel (2008), in Tables 1 to 6, Figure "
        "3 and the text, are equal in every printed digit",
        "validation/papers/test_webber2008.py::test_all_that_can_be_computed_is",
    ),
    (
        "docs/r-parity.md",
        "trec_eval's own expected output under `-Z` (387 lines) is reproduced character "
        "by character",
        "validation/trec_eval/test_zscores.py::test_every_line_from_the_run",
    ),
    (
        "docs/r-parity.md",
        "The exact and conditional distributions of the significance tests are enumerated",
        "tests/significance/test_enumeration.py::test_mann_whitney_with_ties",
    ),
    (
        "docs/r-parity.md",
        "its last bit differs from R's for 55 % of the topics",
        "validation/traps/test_means.py::test_numpys_differ_in_the_last_bit",
    ),
    (
        "docs/r-parity.md",
        "for 76 % if the matrix is stored by columns",
        "validation/traps/test_means.py::test_numpys_means_depend_on_the_order_in_memory",
    ),
    (
        "docs/r-parity.md",
        "`ddof=1` corrects it up to the last bit, which differs for every fourth sample",
        "validation/traps/test_spread.py::test_with_n_minus_1_numpy_is_off_in_the_last_bit_for_every_fourth_sample",
    ),
    (
        "docs/r-parity.md",
        "for 291 of the n up to 300, in 30 % of all their steps",
        "validation/traps/test_ecdf.py::test_statsmodels_differs_in_the_last_bits_for_nearly_every_n",
    ),
    (
        "docs/r-parity.md",
        "R's `ecdf(x)(v)` is a count divided by n, correctly rounded; so is ours",
        "validation/traps/test_ecdf.py::test_cdfscore_has_rs_steps",
    ),
    (
        "docs/r-parity.md",
        "with the proportion of quantiles that differ from R's in the last bits (by less "
        "than 1e-14 in all), for samples with four decimals",
        "validation/traps/test_quantiles.py::test_numpys_names_of_the_types",
    ),
    (
        "docs/r-parity.md",
        "1.177 times R's where R takes the sd, more where it does not",
        "validation/traps/test_bandwidth.py::test_scipys_silverman_is_another_rule",
    ),
    (
        "docs/r-parity.md",
        "IQR / 1.349: 0.7 % less than R's wherever the IQR decides",
        "validation/traps/test_bandwidth.py::test_statsmodels_divides_the_interquartile_range_by_1_349",
    ),
    (
        "docs/r-parity.md",
        "is within 4 ulp of the true value everywhere, which the tests check against mpmath",
        "tests/numerics/test_normal_cdf.py::test_error_is_at_most_4_ulp_anywhere",
    ),
    (
        "docs/r-parity.md",
        "within 4 ulp for `fdr_bh` (`BH`) and 6 for `fdr_by` (`BY`)",
        "validation/traps/test_adjust.py::test_the_recipe_has_rs_numbers",
    ),
    (
        "docs/r-parity.md",
        "With the same choice, t, degrees of freedom and p agree to 11 digits",
        "validation/traps/test_t_tests.py::test_welch_is_rs_default_and_student_is_scipys",
    ),
    (
        "docs/r-parity.md",
        "SciPy's result is t = 1e16 and p = 1e-48",
        "validation/traps/test_t_tests.py::test_a_constant_difference_in_doubles",
    ),
    (
        "docs/r-parity.md",
        "With 10 topics and a difference of 0.01 sd, the power is 0.0267 with one tail and 0.0501 "
        "with both. With 50 topics and a difference of 0.2 sd, the fourth digit differs; with 0.5 "
        "sd, the eighth",
        "validation/traps/test_power.py::test_at_which_digit_the_tails_differ",
    ),
    (
        "docs/r-parity.md",
        'SciPy\'s `method="auto"` is exact for n ≤ 33 without ties',
        "validation/traps/test_kendall.py::test_scipys_auto_is_exact_up_to_33",
    ),
    (
        "docs/r-parity.md",
        '`method="asymptotic"` agrees with R to 12 digits',
        "validation/traps/test_kendall.py::test_asymptotic_p_agrees_to_12_digits",
    ),
    (
        "docs/r-parity.md",
        "R reads 256 with an error of 1 ulp",
        "validation/traps/test_reading.py::test_r_reads_256_of_all_six_decimal_numbers_one_ulp_off",
    ),
    (
        "docs/r-parity.md",
        "R's `as.numeric` reads all of 100,000 tested doubles correctly",
        "validation/traps/test_reading.py::test_r_reads_17_digits_right",
    ),
    (
        "docs/r-parity.md",
        "reads all 1,000,001 numbers correctly",
        "validation/traps/test_reading.py::test_r_reads_the_same_text_right_from_a_serialization",
    ),
    (
        "docs/reproduction.md",
        "largest mean over smallest | 2.5 (a factor of only 2.5) | 2.6707",
        "validation/papers/test_webber2008.py::test_printed_digits",
    ),
    (
        "docs/reproduction.md",
        "1st percentile over 75th | 6 (almost 6) | 3.243",
        "validation/papers/test_webber2008.py::test_printed_digits",
    ),
    (
        "docs/reproduction.md",
        "runs below 0.2, % | 50 (almost half) | 52.651",
        "validation/papers/test_webber2008.py::test_printed_digits",
    ),
    (
        "docs/reproduction.md",
        "N-std, lowest mean of a topic | 0.45 | 0.43891",
        "validation/papers/test_urbano2019.py::test_n_std_has_no_common_mean_and_sd",
    ),
    (
        "docs/reproduction.md",
        "Results are the same to the last byte in all these cases",
        "tests/experiments/test_trials.py::test_any_executor_and_interruption",
    ),
    (
        "docs/rank_correlation.md",
        "repeats 200 trials of each experiment of Urbano, Lima and Hanjalic (2019), and "
        "reproduces the published coefficients, tau_b and tau_ap_b with six decimals",
        "validation/papers/test_reproduce_urbano2019.py::test_first_published_trials",
    ),
    (
        "docs/rank_correlation.md",
        "here the nearest double is returned",
        "tests/rank_correlation/test_kendall.py::test_many_pairs_give_the_nearest_double",
    ),
    (
        "docs/trial_in_r.md",
        "The R code runs as a test of this page, and its numbers are those of the commands",
        "tests/test_docs_trial_in_r.py::test_r_has_the_numbers_of_the_commands",
    ),
    (
        "docs/reticulate.md",
        "The code of this page runs as a test of it, with what it prints",
        "tests/test_docs_reticulate.py::test_block_prints_what_the_page_says",
    ),
    (
        "docs/scikit_learn.md",
        "It passes all checks that scikit-learn has for estimators",
        "tests/test_sklearn.py::test_checks_of_scikit_learn",
    ),
    (
        "docs/significance.md",
        "For P@10 of the 129 systems of TREC-8, 132 of 8,256 decisions at 0.05 change "
        "with `all_digits`, and 83 after Holm's correction",
        "tests/guards/test_ties.py::test_decisions_that_rounding_made",
    ),
    (
        "docs/significance.md",
        "`compare` and `sensitivity` choose a larger `B` for `permutation`: the next of 20,000, "
        "50,000, 100,000, 200,000, ...",
        "tests/guards/test_tests_that_cannot_reject.py::test_resamples_are_chosen_so_that_the_correction_can_reject",
    ),
    (
        "docs/significance.md",
        "the p value depends only on `seed` and `B`",
        "tests/significance/test_threads.py::test_threads_change_no_number",
    ),
    (
        "docs/significance.md",
        "two systems share a letter if and only if they do not differ significantly at `alpha`",
        "tests/comparison/test_letters.py::test_systems_share_a_letter_if_and_only_if_they_do_not_differ",
    ),
    (
        "docs/significance.md",
        "[Type I error rates](levels.md) shows how often each test rejects a true null hypothesis "
        "at 5 % and at 1 %, with and without ties. The data sets are simulated, with 5, 8, 10, 20 "
        "and 50 topics",
        "python -m validation.significance.levels",
    ),
    (
        "docs/standardize.md",
        "bit for bit, except where R's rounding breaks a tie of scores that are whole "
        "multiples of a resolution",
        "tests/standardization/test_exact_means.py::test_means_that_are_tied_are_the_exact_one",
    ),
    (
        "docs/leave_one_out.md",
        "The numbers equal those of a fit without the system, bit for bit",
        "tests/standardization/test_leave_one_out.py::test_it_is_fitting_without_each_system",
    ),
    (
        "docs/leave_one_out.md",
        "It contains the whole cdf with a probability of at least `conf_level`",
        "tests/schemes/test_empirical.py::test_the_exact_probability_is_never_below_the_level",
    ),
    (
        "docs/factors.md",
        "Numbers have enough digits to be read back as the same double",
        "tests/standardization/formats/test_json_round_trip.py::test_arbitrary_scores",
    ),
    (
        "docs/factors.md",
        "a file with a flipped bit or another digit is refused",
        "tests/standardization/formats/test_json_damaged.py::test_no_flipped_bit_is_read_as_data",
    ),
    (
        "docs/verify_models.md",
        "They agree to 1e-7 of each number",
        "tests/r/test_verify_mixed.py::test_every_number_agrees",
    ),
    (
        "docs/verify.md",
        "with every decimal read to the nearest double",
        "tests/r/test_script.py::test_script_reads_every_decimal_to_the_nearest_double",
    ),
    (
        "docs/compare.md",
        "Letters and diagrams are only for two-sided tests of no difference",
        "tests/comparison/test_compare.py::test_letters_are_of_differences",
    ),
    (
        "docs/components.md",
        "With 50 topics, 70 % of the tests at 5 % find a difference between the groups",
        "tests/guards/test_model_cautions.py::test_without_it_groups_of_equal_quality_differ_in_70_of_100_tests",
    ),
    (
        "docs/topics.md",
        "gt4ireval's topics for a reliability of 0.95 on TREC-3 ad hoc: 29 and 89",
        "tests/models/test_goals.py::test_topics_of_adhoc3_are_those_of_gt4ireval",
    ),
    (
        "docs/topics.md",
        "7 of the 8 others are equal. One (AP, range 0.25) is 27 in the paper and 28 here",
        "tests/models/test_sakai.py::test_numbers_of_topics_of_evia_2014",
    ),
    (
        "docs/topics.md",
        "within 0.004 of the power for 5 to 100 systems, 0.014 for three and 0.032 for two",
        "tests/models/test_sakai.py::test_the_linear_approximation_is_near",
    ),
    (
        "docs/topics.md",
        "R's `power.t.test`, and the formula of `power.anova.test`, to 1e-10 and 1e-9, "
        "and 50 digits where R has fewer",
        "tests/models/test_goals.py::test_the_power_of_f_has_the_digits_of_the_true_value",
    ),
    (
        "docs/leaderboards.md",
        "word error rates of 87 speech recognizers on 8 data sets and of 30 on 13",
        "tests/test_docs_leaderboards.py::test_commands_print_what_is_shown",
    ),
    (
        "docs/leaderboards.md",
        "Of the sum of the variances, AMI has 34 %, Earnings22 23.5 %, and LS Clean 3.4 %",
        "tests/test_docs_leaderboards.py::test_spread_of_the_tasks_and_a_missing_cell",
    ),
    (
        "docs/leaderboards.md",
        "its raw mean would rise from -6.94 to -5.81, and its rank from 26 to 7 of 87",
        "tests/test_docs_leaderboards.py::test_spread_of_the_tasks_and_a_missing_cell",
    ),
    (
        "docs/leaderboards.md",
        "| `paired_t`, Holm | 3741 | 22 | 833 | 485 |",
        "tests/test_docs_leaderboards.py::test_pairs_that_differ_are_counted",
    ),
    (
        "docs/leaderboards.md",
        "The best three models by each",
        "tests/test_docs_leaderboards.py::test_the_best_models_are_those_of_the_schemes_and_of_r",
    ),
    (
        "docs/leaderboards.md",
        "| C4.5+m+cf | 0.8272 | 1.929 | 0.5771 | 0.8214 |",
        "tests/test_docs_leaderboards.py::test_means_of_demsars_table",
    ),
    (
        "docs/leaderboards.md",
        "The rules found no column in more than 20,000 random parts of the public matrices",
        "tests/guards/test_summaries.py::test_no_part_of_a_real_matrix_has_a_column_that_is_no_task",
    ),
    (
        "docs/reference_uncertainty.md",
        "The tests compare all numbers with plain enumeration of the n^n resamples",
        "tests/comparison/test_reference_uncertainty.py::test_all_resamples_are_those_of_plain_enumeration",
    ),
    (
        "docs/reference_uncertainty.md",
        "with a closed form (`centered`)",
        "tests/comparison/test_reference_uncertainty.py::test_centered_has_a_closed_form",
    ),
    (
        "docs/reference_uncertainty.md",
        "with simulations of known variance and coverage, and with R",
        "tests/comparison/test_reference_uncertainty.py::test_intervals_cover_what_all_topics_and_systems_would_give",
    ),
    (
        "docs/reference_uncertainty.md",
        "the caption has the Monte Carlo error, 7 % for 999 resamples of a whole track",
        "tests/comparison/test_reference_uncertainty.py::test_the_error_of_the_resamples_is_that_of_the_fewest_of_a_pair",
    ),
    (
        "docs/runs.md",
        "are pytrec_eval's to the last bit",
        "validation/trec_eval/test_measured_runs.py::test_cranfield_runs_are_those_of_pytrec_eval_to_the_last_bit",
    ),
    (
        "docs/runs.md",
        "Each measure has the same scores beside others as alone",
        "tests/trec/test_programs.py::test_scores_do_not_depend_on_the_order_of_the_measures",
    ),
    (
        "docs/runs.md",
        "Documents are ordered as by trec_eval",
        "tests/trec/test_order.py::test_trec_eval_has_the_same_order",
    ),
    (
        "docs/measures.md",
        "E-std gives the same doubles, unless rounding makes two different scores of a topic equal",
        "validation/trec_eval/test_measured_runs.py::test_standardized_raw_measures_are_standardized_r_normalized_ones",
    ),
    (
        "docs/out_of_core.md",
        "are those of `standardize` without `--stream`, bit for bit",
        "tests/standardization/streaming/test_wide.py::test_a_stream_has_the_bits_of_the_matrix",
    ),
    (
        "docs/out_of_core.md",
        "The new file appears whole or not at all",
        "tests/standardization/streaming/test_bad_files.py::test_a_process_that_is_killed_leaves_no_half_of_a_file",
    ),
    (
        "docs/out_of_core.md",
        "whatever the size of the file and of its row groups",
        "tests/standardization/streaming/test_memory.py::test_memory_does_not_grow_with_the_scores",
    ),
    (
        "docs/merging.md",
        "so that the sum does not depend on the order of the sources",
        "tests/merging/test_merge.py::test_a_sum_of_many_is_added_from_the_highest_whatever_the_order_of_the_sources",
    ),
    (
        "docs/merging.md",
        "`cdfscore verify --merge` repeats the whole merging in R",
        "tests/test_docs_merging.py::test_r_merges_alike",
    ),
    (
        "docs/figures.md",
        "A difference is significant if and only if two intervals do not overlap",
        "tests/plots/test_means.py::test_intervals_overlap_where_systems_do_not_differ",
    ),
    (
        "docs/report.md",
        "Text of your files, such as a system that is named `<script>`, is text on the page",
        "tests/report/page/test_in_a_browser.py::test_names_of_files_stay_text_and_the_browser_says_nothing",
    ),
    (
        "docs/what_to_report.md",
        "Of 2,211 pairs of systems, 1,376 differ significantly both by raw AP and by E-std "
        "(paired t test, Holm, 0.05), 135 only after standardization and 65 only before it; no "
        "pair is reversed",
        "docs/what_to_report.md",
    ),
    (
        "docs/faults.md",
        "nothing corrupt is read as data, except in the text formats that the end of this "
        "page names",
        "make faults",
    ),
    (
        "docs/topics.md",
        "One-way analysis of variance needs the most topics",
        "docs/topics.md",
    ),
    (
        "docs/topics.md",
        "Mean scores gain much more",
        "docs/topics.md",
    ),
    (
        "docs/components.md",
        "F of the stemmer is 9.7 here, and 63.8 above",
        "docs/components.md",
    ),
    (
        "docs/components.md",
        "On raw scores it is 12: a few topics make most of the error",
        "docs/components.md",
    ),
    (
        "docs/components.md",
        "the variance of topics of the standardized scores is estimated as 0",
        "docs/components.md",
    ),
    (
        "docs/merging.md",
        "1/2 for `minmax` and `normal`, 0 for `z`, `sum` and `exponential`, and 1 for `empirical`",
        "tests/merging/test_edges.py::test_constant_lists_have_the_limit_or_a_half",
    ),
    (
        "docs/merging.md",
        "As λ grows, w tends to m",
        "tests/merging/test_cori.py::test_weights_by_definition",
    ),
    (
        "docs/merging.md",
        "reciprocal rank fusion, Σ 1 / (k + rank), with k = 60",
        "tests/merging/test_rank_based.py::test_rrf_is_that_of_the_definition",
    ),
    (
        "docs/merging.md",
        "A list has no fit if it has fewer than 3 pairs, if all pairs have the same rank, or if "
        "the scores would increase with the rank",
        "tests/merging/test_safe.py::test_lists_without_a_line",
    ),
    (
        "docs/verify.md",
        "The exit status is 0 if all numbers are within the [tolerance of the "
        "scheme](parity.md#tolerances), 1 if one is not, 2 for bad input and 3 if R "
        "cannot be started",
        "tests/cli/test_verify.py::test_no_r_is_status_3",
    ),
    (
        "docs/data_frames.md",
        "data frames of modin, which are tested by a stand-in only",
        "tests/io/test_frames.py::test_kind_with_an_index_keeps_it",
    ),
    (
        "docs/standardize.md",
        "so that two systems with equal means are tied, in any order of the topics",
        "tests/standardization/test_exact_means.py::test_systems_of_permuted_ranks_are_tied",
    ),
    (
        "docs/significance.md",
        "Differences of whole numbers tie if and only if the differences of doubles are "
        "equal except for rounding error",
        "tests/guards/test_ties.py::test_every_pair_of_samples_of_four_tenths",
    ),
    (
        "docs/significance.md",
        "an interval of `max_t_baseline` contains 0 if and only if p > 1 - conf_level",
        "tests/significance/test_resampling.py::test_simultaneous_intervals_agree_with_the_p_values",
    ),
    (
        "docs/significance.md",
        "both must count the same number of them: a p value that is off by one draw does not agree",
        "tests/r/test_verify_draws.py::test_other_draws_are_found_out",
    ),
    (
        "docs/significance.md",
        "`randomized_tukey_hsd` controls the familywise error rate if no two systems differ",
        "python -m validation.significance",
    ),
    (
        "docs/reference_uncertainty.md",
        "Up to 7 reference systems",
        "tests/comparison/test_reference_uncertainty.py::test_all_resamples_are_those_of_plain_enumeration",
    ),
    (
        "docs/trial_in_r.md",
        "All five schemes and the trials of the 2019 paper are written in R",
        "validation/papers/test_reproduce_urbano2019.py::test_coefficients_beside_r",
    ),
    (
        "docs/scikit_learn.md",
        "By R squared, raw scores are the best predictor, as expected",
        "docs/scikit_learn.md",
    ),
    (
        "docs/report.md",
        "If R or statsmodels differs by more than the tolerance, or R stops, the page says so "
        "first, and the exit status is 1",
        "tests/cli/test_report.py::test_a_difference_from_r_is_told_everywhere",
    ),
    (
        "docs/report.md",
        "It is smaller than 6 MB for 110 systems on 249 topics",
        "tests/cli/test_report.py::test_a_page_of_110_systems_is_below_6_mb",
    ),
    (
        "docs/significance.md",
        "| `randomized_tukey_hsd` | (s (s - 1))^(1 - n), of s systems, if enumerated | |",
        "tests/guards/test_tests_that_cannot_reject.py::test_least_p_values_of_shuffles_by_enumeration",
    ),
    (
        "docs/significance.md",
        "| random resamples | 1 / (B + 1) | 0.0001 |",
        "tests/guards/test_tests_that_cannot_reject.py::test_random_flips_of_one_sign_have_the_least_p_value",
    ),
    (
        "docs/reproduction.md",
        "row k of a file, from 1, is the trial under `set.seed(500 + k)`",
        "tests/papers/test_urbano2019.py::test_experiments_of_the_paper",
    ),
    (
        "docs/merging.md",
        "Z-Score was the best of the three linear normalizations",
        "python -m validation.merging",
    ),
    (
        "docs/reproduction.md",
        "After Ctrl-C or a crash, the same command with `--resume` continues from them",
        "tests/experiments/test_interrupted.py::test_a_killed_run_is_resumed",
    ),
    (
        "docs/significance.md",
        "checked against mpmath or by enumeration",
        "tests/significance/test_studentized_range.py::test_true_values",
    ),
    (
        "docs/measures.md",
        "In all rows except the last three, the scores are the same except for rounding",
        "python -m validation.trec_eval.measures_compared",
    ),
    (
        "docs/reference_systems.md",
        "With Welch's test, every cdf with two reference systems has more power than raw scores, "
        "on all four matrices",
        "python -m validation.papers.reference_systems",
    ),
    (
        "docs/rounding-noise.md",
        "For the other four schemes, the numbers are the same in both",
        "python -m validation.papers.rounding_noise",
    ),
    (
        "docs/significance-validation.md",
        "a correct test is outside of them once in 100,000 times",
        "python -m validation.significance",
    ),
    (
        "docs/statsmodels.md",
        "In all numbers of the table, cdfscore is accurate",
        "python -m validation.statsmodels_judge",
    ),
    (
        "docs/what_fits.md",
        "**The normal distribution seldom holds.**",
        "python -m validation.diagnosis.real",
    ),
    (
        "docs/parity.md",
        "Every other input is a failure. Number of failures: none",
        "python -m validation.campaign",
    ),
)

#: The pages whose numbers a program writes, or some of them, and the command.
WRITTEN: dict[str, str] = {
    "docs/coverage.md": "python -m validation.coverage",
    "docs/diagnosis-validation.md": "python -m validation.diagnosis",
    "docs/faults.md": "make faults",
    "docs/levels.md": "python -m validation.significance.levels",
    "docs/measures.md": "python -m validation.trec_eval.measures_compared",
    "docs/merging-validation.md": "python -m validation.merging",
    "docs/mutants.md": "make mutants",
    "docs/parity.md": "python -m validation.campaign",
    "docs/reference_systems.md": "python -m validation.papers.reference_systems",
    "docs/reference_uncertainty.md": "python -m validation.papers.reference_uncertainty",
    "docs/reproduction.md": "python -m validation.papers.reproduction",
    "docs/rounding-noise.md": "python -m validation.papers.rounding_noise",
    "docs/significance-validation.md": "python -m validation.significance",
    "docs/speed.md": "python -m validation.benchmarks",
    "docs/statsmodels.md": "python -m validation.statsmodels_judge",
    "docs/urbano2019.md": "python -m validation.papers.reproduction",
    "docs/webber2008.md": "python -m validation.papers.reproduction",
    "docs/what_fits.md": "python -m validation.diagnosis.real",
}
