"""Every significance test of the catalogue keeps the contract."""

import inspect
import pickle
from typing import Any

import numpy as np
import pytest

from cdfscore.errors import SignificanceError
from cdfscore.stats import significance
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance import mann_whitney, student_t
from cdfscore.stats.significance.contract import (
    QUANTITIES,
    AllSystems,
    OneSample,
    PairsTogether,
    SignificanceTest,
    Simultaneous,
    Sizes,
    TestResult,
    TwoSamples,
    parse_test,
    significance_tests,
)
from cdfscore.testing import check_test

TESTS: list[SignificanceTest[Any]] = [
    significance_tests.load(name) for name in significance_tests.names()
]
TWO_SAMPLES = [test for test in TESTS if isinstance(test, TwoSamples)]
MATRICES = [test for test in TESTS if isinstance(test, AllSystems | PairsTogether)]
FEW = {"B": 200}  # resamples


def settings_of(test: SignificanceTest[Any], **wanted: Any) -> dict[str, Any]:
    """Return those of the settings that the test has; few resamples if not said otherwise."""
    given = {**test.example, **FEW, **wanted}
    return {name: value for name, value in given.items() if name in test.setting_names}


def samples(seed: int, *shape: int) -> Array:
    return np.random.default_rng(seed).beta(1, 2, shape)


def run(test: SignificanceTest[Any], *arrays: Array, **settings: Any) -> TestResult:
    call: Any = test
    one_baseline = isinstance(test, PairsTogether) and test.one_baseline
    pairs = [[(0, 3), (1, 3), (2, 3)]] if one_baseline else []
    result: TestResult = call(*arrays, *pairs, **settings_of(test, **settings))
    return result


def arguments(test: SignificanceTest[Any], *leading: int) -> list[Array]:
    """Return samples of the shapes that the test takes."""
    if isinstance(test, AllSystems | PairsTogether):
        return [samples(1, *leading, 12, 4)]
    return [
        samples(seed, *leading, 12) for seed in ((1,) if isinstance(test, OneSample) else (1, 2))
    ]


def numbers(result: TestResult) -> dict[str, Array]:
    return {name: np.asarray(getattr(result, name)) for name in QUANTITIES}


@pytest.mark.parametrize("test", TESTS, ids=lambda t: t.name)
class TestEveryOne:
    def test_is_the_function_of_its_file_with_a_twin_and_an_example(
        self, test: SignificanceTest[Any]
    ) -> None:
        assert getattr(significance, test.name) is test
        assert test.twin().is_file()
        assert "significance_test <- function(" in test.twin().read_text()
        documented = inspect.getdoc(test.function) or ""
        for part in ("Parameters", "Returns", "Raises", "Notes", "Examples", ">>>", "Source"):
            assert part in documented, part
        assert test.source

    def test_names_every_setting_in_its_docstring(self, test: SignificanceTest[Any]) -> None:
        documented = inspect.getdoc(test.function) or ""
        assert [name for name in test.setting_names if name not in documented] == []

    def test_refuses_an_unknown_setting(self, test: SignificanceTest[Any]) -> None:
        with pytest.raises(SignificanceError, match="has no setting 'colour'"):
            test.chosen({"colour": 1})

    def test_refuses_a_setting_without_its_name(self, test: SignificanceTest[Any]) -> None:
        call: Any = test
        given: list[Any] = [*arguments(test), *([None] if isinstance(test, PairsTogether) else [])]
        with pytest.raises(SignificanceError, match="'less' is given without a name; expected"):
            call(*given, "less")

    def test_refuses_an_infinite_score(self, test: SignificanceTest[Any]) -> None:
        given = arguments(test)
        given[0][3, ...] = np.inf
        with pytest.raises(SignificanceError, match="is infinite; expected finite numbers"):
            run(test, *given)

    def test_is_spelled_as_it_is_parsed(self, test: SignificanceTest[Any]) -> None:
        given = settings_of(test, conf_level=0.9)
        assert str(parse_test(str(test.chosen(given)))) == str(test.chosen(given))

    def test_settings_and_results_can_be_pickled(self, test: SignificanceTest[Any]) -> None:
        chosen = test.chosen(settings_of(test, conf_level=0.9))
        assert pickle.loads(pickle.dumps(chosen)) == chosen
        result = run(test, *arguments(test))
        again = pickle.loads(pickle.dumps(result))
        assert type(again) is TestResult
        for name, value in vars(result).items():
            np.testing.assert_array_equal(getattr(again, name), value, err_msg=name)

    def test_names_its_method_and_an_alternative_only_if_it_has_one(
        self, test: SignificanceTest[Any]
    ) -> None:
        result = run(test, *arguments(test))
        assert all(np.atleast_1d(result.method))
        assert (result.alternative == "two-sided") == ("alternative" in test.defaults)
        assert ("alternative" in repr(result)) == (
            "alternative" in test.defaults and not isinstance(test, PairsTogether)
        )


@pytest.mark.parametrize("test", TESTS, ids=lambda t: t.name)
def test_each_says_what_it_assumes_and_when_it_is_the_right_one(
    test: SignificanceTest[Any],
) -> None:
    assert all([test.source, test.null, test.assumes, test.choose_for])


def at_the_margin(rng: np.random.Generator, shape: tuple[int, int, int]) -> Array:
    """Draw scores whose mean differences are the margin, the null hypothesis of `equivalence_t`."""
    scores = rng.normal(0.5, 0.02, shape)
    scores[..., 0] += significance.equivalence_t.example["margin"]
    return scores


UNDER_NULL = {"equivalence_t": at_the_margin}


@pytest.mark.clause("check_test.1", "check_test.2", "test.1", "test.2", "test.3", "test.4")
@pytest.mark.clause("test.5", "test.6", "test.11", "test.13", "test.15")
@pytest.mark.parametrize("test", TESTS, ids=lambda t: t.name)
def test_keeps_the_contract(test: SignificanceTest[Any]) -> None:
    check_test(test, under_null=UNDER_NULL.get(test.name), in_r=False)


@pytest.mark.long
@pytest.mark.clause("check_test.1")
@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize("test", TESTS, ids=lambda t: t.name)
def test_keeps_the_contract_in_r(test: SignificanceTest[Any]) -> None:
    check_test(test, under_null=UNDER_NULL.get(test.name), in_r=True, seed=7)


@pytest.mark.parametrize("test", TWO_SAMPLES, ids=lambda t: t.name)
def test_pairs_do_not_depend_on_what_numpy_raises(test: SignificanceTest[Any]) -> None:
    """Of the smallest doubles, whose products underflow."""
    assert isinstance(test, TwoSamples)
    scores = np.round(1000 * samples(5, 25, 3)) * 2.0**-1070
    settings = settings_of(test)
    pairs = np.array([0, 0]), np.array([1, 2])
    expected = numbers(test.over_pairs(scores, *pairs, **settings))
    with np.errstate(all="raise"):
        found = numbers(test.over_pairs(scores, *pairs, **settings))
    for name, values in found.items():
        np.testing.assert_array_equal(values, expected[name], err_msg=name)


@pytest.mark.clause("test.1", "tukey_hsd.1", "nemenyi.1", "randomized_tukey_hsd.1")
@pytest.mark.parametrize(
    "test",
    [t for t in TESTS if isinstance(t, Simultaneous) and not t.one_baseline],
    ids=lambda t: t.name,
)
def test_p_values_for_all_pairs_are_those_of_each_pair_alone(test: Simultaneous[Any]) -> None:
    """Others depend on the pairs that are asked for, and are smaller for one of them."""
    scores = samples(3, 8, 4)
    first, second = np.triu_indices(4, 1)
    settings = settings_of(test)
    family = test.over_pairs(scores, first, second, **settings).p_value
    alone = np.concatenate(
        [
            test.over_pairs(scores, first[i : i + 1], second[i : i + 1], **settings).p_value
            for i in range(len(first))
        ]
    )
    assert np.array_equal(alone, family) == test.of_all
    assert (alone <= family).all()


@pytest.mark.parametrize("block", [7, 25, 60])  # numbers, of which 25 are one sample
def test_pairs_of_systems_are_the_same_in_blocks(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = samples(5, 25, 6)
    first, second = np.triu_indices(6, 1)
    expected = significance.welch_t.over_pairs(scores, first, second)
    monkeypatch.setattr("cdfscore.stats.significance.contract._BLOCK", block)
    found = significance.welch_t.over_pairs(scores, first, second)
    assert found.n.tolist() == expected.n.tolist()
    for name, values in numbers(found).items():
        assert values.tolist() == numbers(expected)[name].tolist(), name


@pytest.mark.clause("test.10")
@pytest.mark.parametrize("test", [t for t in TESTS if t.draws], ids=lambda t: t.name)
def test_a_seed_repeats_and_another_differs(test: SignificanceTest[Any]) -> None:
    given = [samples(3, 60, 4)] if test in MATRICES else [samples(s, 60) for s in (3, 4)]
    first, again, other = (run(test, *given, seed=seed, B=2000) for seed in (7, 7, 8))
    assert np.array_equal(first.p_value, again.p_value)
    assert not np.array_equal(first.p_value, other.p_value)
    seeds = np.random.default_rng(1), int(np.random.default_rng(1).integers(2**63))
    assert np.array_equal(*(run(test, *given, seed=seed).p_value for seed in seeds))
    certain = np.atleast_1d(first.p_value) == 1
    assert ((np.atleast_1d(first.p_value_stderr) > 0) | certain).all()


BAD = [
    (lambda: significance.paired_t(0.5, [0.1, 0.2]), "x is the single number 0.5"),
    (lambda: significance.paired_t(["a", "b"], [0.1, 0.2]), "x is not an array of numbers"),
    (lambda: significance.paired_t([0.1, 0.2, 0.3], [0.1, 0.2]), "x has 3 scores per sample and y"),
    (
        lambda: significance.paired_t(np.zeros((2, 3)), np.zeros((4, 3))),
        "expected leading dimensions that broadcast",
    ),
    (
        lambda: significance.tukey_hsd(np.zeros((4, 1))),
        r"scores have shape \(4, 1\); expected \(..., topics, systems\)",
    ),
    (lambda: significance.tukey_hsd([[0.1, np.nan], [0.2, 0.3]]), "of topic 0 and system 1 "),
    (lambda: significance.anova_two_way([[0.1, 0.2], [np.nan, 0.3]]), "of topic 1 and system 0 "),
    (
        lambda: significance.tukey_hsd(np.eye(4), [(0, 5)]),
        "expected two different columns per row, whole numbers from 0 to 3",
    ),
    (lambda: significance.tukey_hsd(np.eye(4), [(0, 0)]), "expected two different columns"),
    (lambda: significance.tukey_hsd(np.eye(4), [(0.5, 1)]), "expected two different columns"),
    (
        lambda: significance.tukey_hsd.over_pairs(np.zeros((2, 6, 3)), [0], [1]),
        r"tukey_hsd: scores have shape \(2, 6, 3\); expected \(topics, systems\)",
    ),
    (lambda: parse_test("paired"), "there is no significance test 'paired'"),
    (lambda: parse_test("paired_t:conf_level=high"), "conf_level=high is not accepted"),
    (lambda: parse_test("permutation:B=1.5"), "B=1.5 is not accepted; expected a whole number"),
]


@pytest.mark.clause("test.1", "test.14", "parse_test.1")
@pytest.mark.parametrize(("call", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_input_gets_one_sentence(call: Any, message: str) -> None:
    with pytest.raises(SignificanceError, match=message) as raised:
        call()
    assert "\n" not in str(raised.value)


TRUTH = ([None, 1, "yes"], "True or False$")
# What no test takes for a setting of the name, and what is expected instead.
WRONG: dict[str, tuple[list[Any], str]] = {
    "alternative": (["up", np.array(["less", "greater"])], "'two-sided', 'less', 'greater'"),
    "null_value": ([np.nan, -np.inf, "0.1"], "a finite number"),
    "conf_level": ([0, 1, 95, "0.95", True], "a number between 0 and 1"),
    "exact": ([1, 0.5, "yes"], "True or False, or None for the rule of R"),
    "correct": TRUTH,
    "continuity": TRUTH,
    "conf_int": TRUTH,
    "ties_at": ([-1, 13, 1.5, True, "2"], "from 0 to 12"),
    "margin": ([-0.1, 0, np.inf, "0.1", False], "a finite number above 0"),
    "centre": ([np.nan, np.inf, 1e17], "a finite number, not too large for the margin"),
    "B": ([0, 1.5, 10**9 + 1], "a whole number from 1 to 1000000000"),
    "seed": ([-1, 0.5], "a whole number"),
}


@pytest.mark.clause("test.14", "ties_at.2", "equivalence_t.3")
@pytest.mark.parametrize("test", TESTS, ids=lambda t: t.name)
def test_values_that_a_setting_cannot_have_are_refused(test: SignificanceTest[Any]) -> None:
    for name in test.setting_names:
        values, expected = WRONG[name]
        for value in values:
            told = rf"^{test.name}: {name}=(.|\n)* is not accepted; expected .*{expected}"
            with pytest.raises(SignificanceError, match=told):
                run(test, *arguments(test), **{name: value})


@pytest.mark.clause("test.14")
@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.longdouble])
@pytest.mark.parametrize("name", significance_tests.names())
def test_settings_of_numpy_are_those_of_python(name: str, kind: type[np.floating]) -> None:
    """Every setting of every test, kept and used; files and R take no others."""
    test = significance_tests.load(name)
    given: dict[str, Any] = {}
    for setting, default in {**test.example, **test.defaults}.items():
        if isinstance(default, bool) or setting in ("exact", "correct", "conf_int"):
            given[setting] = np.True_
        elif isinstance(default, float):
            given[setting] = kind(default)
        elif isinstance(default, str):
            given[setting] = np.str_(default)
        else:
            given[setting] = np.int8(3)
    chosen = test.chosen(given)
    for kept in (chosen.given, chosen.settings):
        for setting, value in given.items():
            assert type(kept[setting]) in (bool, int, float, str), setting
            assert kept[setting] == (float(value) if isinstance(value, kind) else value)


def test_terms_of_an_end_are_the_estimate_the_margin_and_the_null_value() -> None:
    """By hand: d = 1, 2, 3; t(2) has the 0.975 quantile 4.302653."""
    result = significance.paired_t([1.0, 2.0, 3.0], [0.0, 0.0, 0.0], null_value=-0.5)
    margin = 4.302653 / np.sqrt(3)
    assert result.terms("estimate") == 2
    assert result.terms("conf_low") == pytest.approx(2 + margin + 0.5)
    assert result.terms("conf_high") == pytest.approx(2 + margin + 0.5)
    without = significance.equivalence_t(
        [1.0, 2.0, 3.0], [0.0, 0.0, 0.0], margin=1, conf_level=0.95
    )
    assert without.terms("conf_low") == pytest.approx(2 + margin)
    one_sided = significance.paired_t([1.0, 2.0, 3.0], [0.0, 0.0, 0.0], alternative="less")
    assert one_sided.terms("conf_low") == 0


def test_terms_of_a_statistic_that_cancels_are_those_that_the_test_gives() -> None:
    """S of three pairs without correlation is (27 - 3) / 6 = 4, of a perfect one 0."""
    result = significance.spearman([[1.0, 2.0, 3.0]] * 2, [[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])
    assert result.statistic.tolist() == [0, 8]
    assert result.terms("statistic").tolist() == [4, 8]
    other = significance.paired_t([1.0, 2.0, 3.0], [0.0, 0.0, 0.0])
    assert other.terms("statistic") == other.statistic
    assert "terms" not in repr(result) + repr(significance.spearman([1.0, 2.0], [1.0, 2.0]))


# ---- the fewest scores from which each test gives a p value, written down apart from the tests


#: A count, or a rank, of a single topic is one; a standard deviation takes two, and Pearson's
#: t has n - 2 degrees of freedom.
ONE = {
    "kolmogorov_smirnov",
    "mann_whitney",
    "permutation",
    "permutation_unpaired",
    "randomized_tukey_hsd",
    "sign",
    "wilcoxon_signed_rank",
}
THREE = {"pearson"}


@pytest.mark.clause("test.5")
@pytest.mark.parametrize(
    "test", [test for test in TESTS if test is not student_t], ids=lambda test: test.name
)
def test_fewer_give_none(test: SignificanceTest[Any]) -> None:
    least = 1 if test.name in ONE else 3 if test.name in THREE else 2
    given = arguments(test)
    result = run(test, *(array[:least] for array in given))
    assert np.isfinite(result.p_value).all()
    fewer = [array[: least - 1] for array in given]
    if isinstance(test, PairsTogether):
        assert np.isnan(run(test, *fewer).p_value).all()
    else:
        with pytest.raises(SignificanceError, match=f"at least {least} (is|are) needed"):
            run(test, *fewer)


@pytest.mark.clause("student_t.1", "student_t.3")
def test_student_s_t_takes_one_score_in_one_of_the_samples() -> None:
    x = samples(1, 3)
    assert student_t(x[:1], x[1:]).parameter == 1
    with pytest.raises(SignificanceError, match="each sample has only one score"):
        student_t(x[:1], x[1:2])
    with pytest.raises(SignificanceError, match="x has 0 scores, but at least 1 is needed"):
        student_t(x[:0], x)


# ---- the smallest p value is that of the scores that attain it


@pytest.mark.clause("test.11")
@pytest.mark.parametrize("correct", [True, False])
@pytest.mark.parametrize(("n", "m"), [(2, 2), (12, 8), (3, 30), (20, 20), (60, 5)])
def test_of_rank_sums_it_is_the_exact_one_or_that_of_two_constants(
    n: int, m: int, correct: bool
) -> None:
    """Of many scores the exact one is the smaller; of 60 there is none."""
    apart = mann_whitney(np.arange(n), n + np.arange(m), correct=correct).p_value
    constant = mann_whitney(np.zeros(n), np.ones(m), correct=correct).p_value
    settings = mann_whitney.settings({"correct": correct})
    least = [mann_whitney.least_p(Sizes(n, m, 0, tied=tied), settings) for tied in (True, False)]
    assert least == pytest.approx([min(apart, constant), apart], rel=1e-12, abs=0)
