"""Within and Between: each trial against SciPy on the topics drawn, and bad input."""

from collections.abc import Sequence
from itertools import combinations, permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from cdfscore import Standardizer
from cdfscore.errors import (
    CdfscoreError,
    ExperimentError,
    MissingScoreError,
    SchemeError,
    ScoresError,
)
from cdfscore.experiments import Between, Within, run_trials, standardized
from cdfscore.stats.r_random import samples
from cdfscore.stats.rank_correlation import tau_ap_b
from tests import a_tenth
from tests.numerics.eighty_bits.hard_cases import needs_long_doubles

SCHEMES = {"raw": "raw", "N": "normal", "E": "empirical", "mid": "empirical:convention=mid"}
LEVELS = (0.0011, 0.013, 0.047, 0.11, 0.31, 0.77)
TRIALS = range(3, 5)

pytestmark = [
    needs_long_doubles,
    # SciPy warns where samples are constant except for rounding.
    pytest.mark.filterwarnings("ignore:Precision loss", "ignore:.*onstant:RuntimeWarning"),
]


@st.composite
def matrices(draw: st.DrawFn) -> pd.DataFrame:
    """Return P@10, or scores in quarters, of systems that may be alike or constant."""
    topics = draw(st.integers(4, 9))
    score = st.integers(0, draw(st.sampled_from([1, 4, 10])))
    column = st.lists(score, min_size=topics, max_size=topics) | score.map(lambda s: [s] * topics)
    pool = draw(st.lists(column, min_size=1, max_size=6))
    columns = draw(st.lists(st.sampled_from(pool), min_size=2, max_size=6))
    return pd.DataFrame(np.array(columns).T / draw(st.sampled_from([4, 10])))


def r_means(values: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Add up in 80 bits, row after row, as R's ``colMeans``."""
    total = np.zeros(values.shape[1], dtype=np.longdouble)
    for row in rows:
        total += values[row]
    return (total / len(rows)).astype(np.float64)


def ranked_by(
    scores: pd.DataFrame, values: np.ndarray, label: str, rows: np.ndarray, ties: str
) -> np.ndarray:
    """Return what systems are ranked by: means, or sums of whole numbers where ties are exact."""
    x = scores.to_numpy()
    at_most = (x[:, np.newaxis, :] <= x[:, :, np.newaxis]).sum(axis=2)
    below = (x[:, np.newaxis, :] < x[:, :, np.newaxis]).sum(axis=2)
    if ties == "exact" and label in ("E", "mid"):
        return (at_most if label == "E" else at_most + below)[rows].sum(axis=0).astype(float)
    return r_means(values, rows)


def one_by_one(scores: pd.DataFrame) -> dict[str, np.ndarray]:
    return {
        label: Standardizer(spelling).fit_transform(scores).to_numpy()
        for label, spelling in SCHEMES.items()
    }


def coefficients(x: np.ndarray, y: np.ndarray) -> tuple[float, float, float]:
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return (np.nan,) * 3
    assume(min(np.ptp(x), np.ptp(y)) > 1e-9)  # r of rounding errors is any number
    return stats.kendalltau(x, y).statistic, tau_ap_b(x, y), stats.pearsonr(x, y).statistic


def distances(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Return dRMSE by its formula, and the proportion of swapped pairs, one by one."""
    pairs = list(combinations(range(len(x)), 2))
    swapped = [(x[a] > x[b] and y[a] < y[b]) or (x[a] < x[b] and y[a] > y[b]) for a, b in pairs]
    spread = np.std(x, ddof=1) + np.std(y, ddof=1)
    constant = np.ptp(x) == 0 and np.ptp(y) == 0
    drmse = np.nan if constant else 2 * np.sqrt(np.mean((x - y) ** 2)) / spread
    return drmse, float(np.mean(swapped))


Pairs = Sequence[tuple[int, int]]


def paired_p(x: np.ndarray, pairs: Pairs) -> np.ndarray:
    """Return SciPy's p values; NaN for constant differences, where R's ``t.test`` stops."""
    first, second = x[[a for a, _ in pairs]], x[[b for _, b in pairs]]
    p = stats.ttest_rel(first, second, axis=1).pvalue
    return np.where(np.ptp(first - second, axis=1) < 1e-12, np.nan, p)


def welch_p(x: np.ndarray, y: np.ndarray, pairs: Pairs) -> np.ndarray:
    """Return SciPy's p values; NaN where both samples are constant, except for rounding."""
    first, second = x[[a for a, _ in pairs]], y[[b for _, b in pairs]]
    p = stats.ttest_ind(first, second, axis=1, equal_var=False).pvalue
    constant = (np.ptp(first, axis=1) < 1e-12) & (np.ptp(second, axis=1) < 1e-12)
    return np.where(constant, np.nan, p)


def counted(p: np.ndarray, alphas: tuple[float, ...]) -> tuple[list[int], int]:
    p = p[~np.isnan(p)]
    assume(not np.isclose(p[:, np.newaxis], alphas, rtol=1e-9).any())
    return [int((p <= alpha).sum()) for alpha in alphas], len(p)


def levels() -> st.SearchStrategy[tuple[float, ...]]:
    return st.sets(st.sampled_from(LEVELS), min_size=1).map(lambda some: tuple(sorted(some)))


@pytest.mark.clause("within.1", "scheme_matrices.1")
@a_tenth
@given(matrices(), st.sampled_from(["exact", "rounded"]), levels(), st.data())
def test_within_is_scipy_on_the_topics_drawn(scores, ties, alphas, data) -> None:
    size = data.draw(st.integers(2, len(scores)))
    seed = data.draw(st.integers(-5, 1000))
    experiment = Within(standardized(scores, SCHEMES, ties=ties), size, alphas, seed)
    found = experiment.run(TRIALS)
    columns = one_by_one(scores)
    for row, trial in enumerate(TRIALS):
        drawn = samples([seed + trial], len(scores), size)[0] - 1
        raw = r_means(scores.to_numpy(), drawn)
        for j, (label, values) in enumerate(columns.items()):
            other = ranked_by(scores, values, label, drawn, ties)
            expected = coefficients(raw, other)
            got = [found[name][row, j] for name in ("tau", "tauAP", "r")]
            assert_allclose(got, expected, rtol=0, atol=1e-7)
            x = values[drawn].T
            p = paired_p(x, list(combinations(range(len(x)), 2)))
            rejected, tests = counted(p, alphas)
            assert found["rejected"][row, j].tolist() == rejected
            assert found["tests"][row, j] == tests


@pytest.mark.clause("between.1")
@a_tenth
@given(matrices(), st.sampled_from(["exact", "rounded"]), levels(), st.data())
def test_between_is_scipy_on_both_samples(scores, ties, alphas, data) -> None:
    size = data.draw(st.integers(2, len(scores) // 2))
    seed = data.draw(st.integers(-5, 1000))
    experiment = Between(standardized(scores, SCHEMES, ties=ties), size, alphas, seed)
    found = experiment.run(TRIALS)
    columns = one_by_one(scores)
    for row, trial in enumerate(TRIALS):
        drawn = samples([seed + trial], len(scores), 2 * size)[0] - 1
        first, second = drawn[:size], drawn[size:]
        for j, (label, values) in enumerate(columns.items()):
            means = [ranked_by(scores, values, label, half, ties) for half in (first, second)]
            got = [found[name][row, j] for name in ("tau", "tauAP", "r")]
            assert_allclose(got, coefficients(*means), rtol=0, atol=1e-7)
            got = [found[name][row, j] for name in ("drmse", "swap_rate")]
            assert_allclose(got, distances(*means), rtol=0, atol=1e-7)
            x, y = (values[half].T for half in (first, second))
            systems = range(len(x))
            for names, pairs in (
                (("false", "own"), [(i, i) for i in systems]),
                (("rejected", "tests"), list(permutations(systems, 2))),
            ):
                rejected, tests = counted(welch_p(x, y, pairs), alphas)
                assert found[names[0]][row, j].tolist() == rejected
                assert found[names[1]][row, j] == tests


def random_scores(topics: int = 12, systems: int = 6, seed: int = 2) -> pd.DataFrame:
    """Return scores of which a system has a copy, and another is constant."""
    values = np.random.default_rng(seed).integers(0, 11, (topics, systems)) / 10
    values[:, 1] = values[:, 0]
    values[:, 2] = 0.5
    return pd.DataFrame(values, columns=[f"s{i}" for i in range(systems)])


@pytest.mark.clause("trial_rates.1")
@pytest.mark.parametrize(("kind", "size"), [(Within, 5), (Between, 6)])
def test_rates_are_means_of_the_shares_of_each_trial(kind, size) -> None:
    experiment = kind(standardized(random_scores(), SCHEMES), size, (0.01, 0.05), 1)
    results = run_trials(experiment, 30)
    tables = experiment.tables(results)
    power = tables["power"]
    assert list(power) == ["alpha", *SCHEMES]
    assert power["alpha"].tolist() == [0.01, 0.05]
    for j, label in enumerate(SCHEMES):
        shares = [r / t for r, t in zip(results["rejected"], results["tests"], strict=True)
                  for r, t in [(r[j], t[j])]]  # fmt: skip
        assert_allclose(power[label], np.mean(shares, axis=0), rtol=1e-14)
    for name in set(tables) - {"power", "type1"}:
        assert list(tables[name]) == list(SCHEMES)
    assert_array_equal(tables["tauAP"], results["tauAP"])


@pytest.mark.clause("within.1", "trial_rates.1")
def test_a_pair_of_equal_systems_has_no_test() -> None:
    scores = pd.DataFrame({"a": [0.1, 0.4, 0.2, 0.9], "b": [0.1, 0.4, 0.2, 0.9]})
    matrices = standardized(scores, {"raw": "raw"})
    within = Within(matrices, 3, (0.05,))
    results = run_trials(within, 5)
    assert results["tests"].tolist() == [[0]] * 5
    assert within.tables(results)["power"]["raw"].isna().all()
    assert within.tables(results)["tau"]["raw"].isna().all()  # all means are equal


@pytest.mark.clause("run_trials.1")
def test_trials_depend_on_their_seed_alone() -> None:
    matrices = standardized(random_scores(), SCHEMES)
    for kind in (Within, Between):
        one = kind(matrices, 5, seed=10).run(range(2, 6))
        other = kind(matrices, 5, seed=12).run(range(4))
        for name, array in one.items():
            assert_array_equal(array, other[name])


@pytest.mark.clause("scheme_matrices.2")
def test_exact_ties_are_those_of_whole_numbers() -> None:
    scores = random_scores(20, 7)
    exact, rounded = (
        standardized(scores, {"E": "empirical"}, ties=ties) for ties in ("exact", "rounded")
    )
    assert_array_equal(exact.averaged[0], np.rint(exact.scores[0] * 7))
    assert_array_equal(rounded.averaged, rounded.scores)
    assert_array_equal(exact.scores, rounded.scores)


@pytest.mark.parametrize("kind", [Within, Between])
@pytest.mark.parametrize(
    ("settings", "fragments"),
    [
        ({"size": 1}, ("size=1 is not accepted", "from 2 to")),
        ({"size": 13}, ("size=13", "from 2 to")),
        ({"size": 5.0}, ("size=5.0", "whole number")),
        ({"alphas": ()}, ("alphas=()", "1 to")),
        ({"alphas": (0.01, float("nan"))}, ("nan", "rising levels")),
        ({"alphas": (0.0, 0.1)}, ("alphas=(0.0, 0.1)", "from 1e-12 to 0.99")),
        ({"alphas": (0.1, 1.0)}, ("from 1e-12 to 0.99",)),
        ({"alphas": (0.1, 0.05)}, ("rising",)),
        ({"alphas": (0.05, 0.05)}, ("rising",)),
        ({"alphas": tuple(k / 1000 for k in range(1, 400))}, ("1 to",)),
        *(
            ({"seed": seed}, ("expected a whole number from -2147483647",))
            for seed in (2**31, -(2**31), 10**30, 1.5, True)
        ),
    ],
)
def test_settings_are_refused(kind, settings, fragments) -> None:
    matrices = standardized(random_scores(), {"E": "empirical"})
    with pytest.raises(ExperimentError) as caught:
        kind(**{"matrices": matrices, "size": 4, **settings})
    for fragment in fragments:
        assert fragment in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "topics", "message"),
    [
        (Within, 1, "there is 1 topic; expected 2 or more"),
        (Between, 3, "there are 3 topics; expected 4 or more, 2 in each of the two samples"),
        (Between, 1, "there is 1 topic; expected 4 or more"),
    ],
)
@pytest.mark.parametrize("size", [None, 2])
def test_too_few_topics_for_any_sample_are_refused(
    kind, topics: int, message: str, size: int | None
) -> None:
    matrices = standardized(random_scores(topics), {"E": "empirical"})
    with pytest.raises(ScoresError, match=message):
        kind(matrices, size)


def test_seeds_beyond_those_of_r_are_refused() -> None:
    experiment = Within(standardized(random_scores(), {"E": "empirical"}), 4, seed=2**31 - 2)
    with pytest.raises(CdfscoreError, match="2147483647"):
        experiment.run(range(3))


def _with(place: tuple[int, int], value: float) -> pd.DataFrame:
    scores = random_scores()
    scores.iloc[place] = value
    return scores


@pytest.mark.clause("scheme_matrices.1")
@pytest.mark.parametrize(
    ("scores", "settings", "error", "fragments"),
    [
        (random_scores(), {"ties": "none"}, ExperimentError, ("ties='none'", "one of exact")),
        (random_scores(), {"schemes": {}}, ExperimentError, ("no scheme",)),
        (random_scores(), {"schemes": {"a": "gumbel"}}, SchemeError, ("no scheme 'gumbel'",)),
        (random_scores(), {"constant": "foo"}, SchemeError, ("constant='foo'",)),
        (random_scores(), {"missing": "foo"}, SchemeError, ("missing='foo'",)),
        (_with((3, 4), np.nan), {}, MissingScoreError, ("topic '4'", "system 's4'")),
        (_with((3, 4), np.nan), {"missing": "omit"}, ScoresError, ("nan", "'4'", "'s4'")),
        (random_scores().iloc[:, :1], {}, ScoresError, ("1 system", "2 or more")),
    ],
)
def test_matrices_are_refused(scores, settings, error, fragments) -> None:
    with pytest.raises(error) as caught:
        standardized(scores, **{"schemes": {"E": "empirical"}, **settings})
    for fragment in fragments:
        assert fragment in str(caught.value)


@pytest.mark.clause("scheme_matrices.1")
def test_an_infinite_standardized_score_is_refused() -> None:
    scores = random_scores()
    reference = scores.copy()
    reference.iloc[2] = 0.5
    with pytest.raises(ScoresError, match=r"scheme mine: -?inf at topic '3', system 's"):
        standardized(scores, {"mine": "z"}, reference=reference)


def test_missing_scores_that_are_zero_are_zero_in_all_schemes() -> None:
    found = standardized(_with((3, 4), np.nan), SCHEMES, missing="zero")
    expected = standardized(_with((3, 4), 0.0), SCHEMES)
    for name in ("raw", "scores", "averaged"):
        assert_array_equal(getattr(found, name), getattr(expected, name))


def test_topics_that_are_dropped_are_drawn_by_no_trial() -> None:
    found = standardized(_with((3, 4), np.nan), SCHEMES, missing="drop_topic")
    assert found.topics == len(random_scores()) - 1
    Within(found, found.topics).run(range(2))


@pytest.mark.parametrize("scale", [2.0**-560, 2.0**-200, 2.0**200, 2.0**520, 2.0**900])
def test_no_number_depends_on_the_scale_of_the_scores(scale: float) -> None:
    """A power of two changes no mantissa: the same trials, tests and correlations."""
    scores = random_scores()
    for kind in (Within, Between):
        one, other = (
            kind(standardized(each, {"raw": "raw"}), 4, LEVELS, seed=3).run(range(5))
            for each in (scores, scores * scale)
        )
        for name, values in one.items():
            np.testing.assert_allclose(other[name], values, rtol=1e-12, err_msg=name)


def test_sizes_that_are_not_given() -> None:
    many = pd.concat([random_scores()] * 11, ignore_index=True)
    for scores, within, between in ((random_scores(), 12, 6), (many, 50, 50)):
        matrices = standardized(scores, {"raw": "raw"})
        assert Within(matrices).size == within
        assert Between(matrices).size == between
