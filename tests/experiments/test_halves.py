"""Random halves of the topics: against SciPy on each half, all halves of a few, R's draws."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from cdfscore.errors import CdfscoreError, ExperimentError, ScoresError, SignificanceError
from cdfscore.experiments import Halves, SchemeMatrices, pooled, run_trials, standardized
from cdfscore.experiments.rates import LIMITS
from cdfscore.stats.significance.student_t import student_t
from tests.numerics.eighty_bits.hard_cases import needs_long_doubles

SCHEMES = {"raw": "raw", "N": "normal", "E": "empirical"}


def scores(topics: int = 21, systems: int = 6, seed: int = 7) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    difficulty = random.beta(1, 2, (topics, 1))
    values = (difficulty + random.beta(2, 3, (topics, systems))) / 2
    return pd.DataFrame(values, columns=[f"s{i}" for i in range(systems)])


def given(*matrices: np.ndarray, collections: tuple[int, ...] = ()) -> SchemeMatrices:
    """Return matrices as they are, in place of standardized ones."""
    together = np.array(matrices, dtype=np.float64)
    labels = tuple(f"m{i}" for i in range(len(matrices)))
    return SchemeMatrices(labels, together[0], together, together, collections=collections)


def expected(c: np.ndarray, d: np.ndarray, alpha: float = 0.05, **test) -> dict[str, float]:
    """Return dRMSE by the formula of the paper, pairs one by one, and the others by SciPy."""
    x, y = c.mean(axis=0), d.mean(axis=0)
    rmse = np.sqrt(np.mean((x - y) ** 2))
    pairs = list(combinations(range(len(x)), 2))
    ranked = x.round(12), y.round(12)  # rounding breaks ties of E-std
    return {
        "drmse": 2 * rmse / (np.std(x, ddof=1) + np.std(y, ddof=1)),
        "false_positives": float(np.mean(stats.ttest_ind(c, d, **test).pvalue <= alpha)),
        "tau": stats.kendalltau(*ranked).statistic,
        "r": stats.pearsonr(x, y).statistic,
        "swap_rate": np.mean([np.prod([z[a] - z[b] for z in ranked]) < 0 for a, b in pairs]),
    }


def assert_is(found: dict[str, np.ndarray], at: tuple[int, int], values: dict[str, float]) -> None:
    for name, value in values.items():
        assert found[name][at] == pytest.approx(value, rel=1e-12), name


@needs_long_doubles
@pytest.mark.clause("partitions.1")
@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("test", "settings"),
    [
        ("student_t", {}),
        ("welch_t", {"equal_var": False}),
        ("student_t:alternative=greater", {"alternative": "greater"}),
    ],
)
@pytest.mark.parametrize("topics", [20, 21])
@pytest.mark.parametrize("alpha", [0.05, 0.5])
def test_scipy_gives_the_same_on_each_half(test, settings, topics, alpha) -> None:
    matrices = standardized(scores(topics), SCHEMES)
    experiment = Halves(matrices, test, alpha, seed=11)
    found = experiment.run(range(20))
    first, second = experiment.halves(range(20))
    assert first.shape == (20, topics // 2)
    assert found.keys() == LIMITS.keys()
    for k in range(20):
        assert sorted([*first[k], *second[k]]) == list(range(topics))
        for m, matrix in enumerate(matrices.scores):
            assert_is(
                found, (k, m), expected(matrix[first[k]], matrix[second[k]], alpha, **settings)
            )
    assert 0 < found["false_positives"].mean() < 1


@pytest.mark.clause("partitions.1")
def test_all_halves_of_four_topics() -> None:
    """By hand: means of two systems on the first half and the second, in thirds."""
    matrix = np.array([[0, 3], [3, 6], [9, 3], [6, 9]]) / 3
    by_hand = {  # sums of both systems on the first half, and on the second
        (0, 1): ((3, 9), (15, 12)),
        (0, 2): ((9, 6), (9, 15)),
        (0, 3): ((6, 12), (12, 9)),
    }
    rest = {(2, 3): (0, 1), (1, 3): (0, 2), (1, 2): (0, 3)}
    by_hand |= {half: by_hand[other][::-1] for half, other in rest.items()}
    experiment = Halves(given(matrix), seed=3)
    found, (first, _) = experiment.run(range(60)), experiment.halves(range(60))
    seen = set()
    for k, half in enumerate(map(tuple, np.sort(first, axis=1))):
        seen.add(half)
        x, y = (np.array(each) / 6 for each in by_hand[half])
        swapped = (x[0] < x[1]) != (y[0] < y[1])
        assert found["swap_rate"][k, 0] == swapped
        assert found["tau"][k, 0] == (-1 if swapped else 1)
        rmse = (((x - y) ** 2).sum() / 2) ** 0.5
        of_two = abs(x[0] - x[1]) + abs(y[0] - y[1])  # sd of two values: their distance / sqrt(2)
        assert found["drmse"][k, 0] == pytest.approx(2 * rmse * 2**0.5 / of_two, rel=1e-14)
    assert len(seen) == 6


@pytest.mark.clause("compare.7")
def test_rounding_breaks_no_tie() -> None:
    two = scores(systems=2, topics=12) * 10.0 ** np.arange(-4, 8)[:, np.newaxis]
    two.index = pd.Index([f"t{i}" for i in range(12)], name="topic")
    higher = two.rank(axis=1) - 1
    by_normal, by_order = (
        Halves(standardized(each, {"": scheme}), test="mann_whitney", alpha=0.2, seed=1).run(
            range(50)
        )["false_positives"]
        for each, scheme in ((two, "normal"), (higher, "raw"))
    )
    assert by_order.any()
    np.testing.assert_array_equal(by_normal, by_order)
    parts = [standardized(each, {"": "normal"}) for each in (two.iloc[:6], two.iloc[6:])]
    of_both = Halves(pooled(*parts), test="mann_whitney", alpha=0.2, seed=1).run(range(50))
    np.testing.assert_array_equal(of_both["false_positives"], by_order)


def test_a_p_value_of_alpha_is_significant() -> None:
    matrix = scores().to_numpy()
    matrices = given(matrix)
    first, second = (half[0] for half in Halves(matrices, seed=1).halves(range(1)))
    p = student_t(matrix[first].T.copy(), matrix[second].T.copy()).p_value
    for level in p:
        rate = Halves(matrices, alpha=float(level), seed=1).run(range(1))["false_positives"]
        assert rate.item() == (sorted(p).index(level) + 1) / len(p)


@pytest.mark.clause("partitions.1")
def test_the_first_half_is_what_r_draws(rinterface) -> None:
    matrix = scores(25).to_numpy()
    for collections, size in (((), "25 %/% 2"), ((7, 18), "7"), ((18, 7), "18")):
        experiment = Halves(given(matrix, collections=collections), seed=501)
        first, second = experiment.halves(range(3, 9))
        assert first.shape[1] + second.shape[1] == 25
        for k, row in zip(range(3, 9), first, strict=True):
            drawn = rinterface.evalr(f"{{ set.seed({501 + k}); sample(1:25, {size}) }}")
            assert list(drawn) == (row + 1).tolist()


@pytest.mark.clause("partitions.2")
def test_statistics_that_are_not_defined_have_no_summary() -> None:
    """Constant systems: equal means on all halves, and no p value."""
    experiment = Halves(given(np.tile([0.25, 0.5], (8, 1)), np.full((8, 2), 0.5)), seed=1)
    results = experiment.run(range(3))
    assert np.isnan(results["false_positives"]).all()
    assert (results["drmse"][:, 0] == 0).all()
    summary = experiment.tables(results)["summary"].set_index(["statistic", "scheme"])
    assert summary.loc[("drmse", "m0"), ["trials", "mean"]].tolist() == [3, 0]
    for at in (("drmse", "m1"), ("tau", "m1"), ("false_positives", "m0")):
        line = summary.loc[at]
        assert line["trials"] == 0
        assert line.drop("trials").isna().all()


@pytest.mark.clause("partitions.2")
def test_the_summary_is_of_the_trials() -> None:
    experiment = Halves(standardized(scores(), SCHEMES), seed=5)
    tables = experiment.tables(run_trials(experiment, 400))
    assert tables.keys() == {*LIMITS, "summary"}
    summary = tables["summary"].set_index(["statistic", "scheme"])
    for name in LIMITS:
        for label in SCHEMES:
            line, trials = summary.loc[(name, label)], tables[name][label]
            assert line["trials"] == len(trials) == 400
            assert line["mean"] == pytest.approx(trials.mean(), rel=1e-12)
            assert line["standard_error"] == pytest.approx(stats.sem(trials), rel=1e-12)
            for percent in (2.5, 50, 97.5):
                expected_one = np.percentile(trials, percent)
                assert line[f"percentile_{percent}"] == pytest.approx(expected_one, rel=1e-12)
            low, high = line[["percentile_97.5_low", "percentile_97.5_high"]]
            assert low <= line["percentile_97.5"] <= high


def two(topics: tuple[int, int] = (8, 11), systems: int = 6) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return two collections, the second with its systems in another order, and more difficult."""
    first, second = (scores(n, systems, seed) for n, seed in zip(topics, (1, 2), strict=True))
    return first, (second**2)[second.columns[::-1]].rename(index="d{}".format)


@pytest.mark.clause("scheme_matrices.3", "partitions.2")
def test_two_collections_are_standardized_by_themselves() -> None:
    first, second = two()
    reference = scores(11, 9, 5).rename(index="d{}".format)
    parts = standardized(first, SCHEMES), standardized(second, SCHEMES, reference=reference)
    matrices = pooled(*parts)
    assert (matrices.topics, matrices.systems, matrices.collections) == (19, 6, (8, 11))
    order = [list(second.columns).index(name) for name in first.columns]
    assert_array_equal(matrices.raw, np.concatenate([first, second.to_numpy()[:, order]]))
    assert_array_equal(matrices.scores[:, 8:], parts[1].scores[:, :, order])
    # Numerators of k/6 and k/9, over 18.
    assert matrices.denominators == (1, 1, 18)
    assert_allclose(matrices.averaged[2] / 18, matrices.scores[2], rtol=1e-15)
    experiment = Halves(matrices, seed=2)
    tables = experiment.tables(run_trials(experiment, 60))
    beside = tables["collections"].set_index(["statistic", "scheme"])
    for j, label in enumerate(SCHEMES):
        whole = expected(matrices.scores[j, :8], matrices.scores[j, 8:])
        for name, value in whole.items():
            line = beside.loc[(name, label)]
            assert line["observed"] == pytest.approx(value, rel=1e-12)
            assert line["mean_of_partitions"] == pytest.approx(tables[name][label].mean())
            assert line["smaller_percent"] == pytest.approx(
                100 * (tables[name][label] < line["observed"]).mean()
            )


@pytest.mark.clause("scheme_matrices.3")
def test_equal_means_over_two_collections_are_tied() -> None:
    """E-std scores of 1/3 + 1/2 and 2/3 + 1/6, in doubles not equal as sums."""
    first = pd.DataFrame([[0.1, 0.2, 0.3]] * 2, columns=list("abc"))
    second = pd.DataFrame([[0.3, 0.1, 0.2]] * 2, columns=list("abc"), index=["x", "y"])
    reference = pd.DataFrame([[0.0, 0.1, 0.2, 0.25, 0.27, 0.3]] * 2, index=["x", "y"])
    matrices = pooled(
        standardized(first, {"E": "empirical"}),
        standardized(second, {"E": "empirical"}, reference=reference),
    )
    sums = matrices.averaged[0].sum(axis=0)
    assert sums.tolist() == [2 * (2 + 6), 2 * (4 + 2), 2 * (6 + 3)]


@pytest.mark.parametrize(
    ("change", "error", "fragment"),
    [
        (lambda c: c.drop(columns="s3"), ScoresError, "the second collection has no system 's3'"),
        (lambda c: c.assign(new=0.5), ScoresError, "the first collection has no system 'new'"),
        (lambda c: c.rename(columns={"s0": "x"}), ScoresError, "has no system 's0'"),
        (lambda c: c.rename(index={"d2": "2"}), ScoresError, "topic 2 is in both collections"),
        (lambda c: c.reset_index(drop=True), ScoresError, "8 topics .* are in both .* numbers its"),
    ],
)
def test_two_collections_have_the_same_systems(change, error, fragment) -> None:
    first, second = two()
    with pytest.raises(error, match=fragment):
        pooled(standardized(first, SCHEMES), standardized(change(second), SCHEMES))


def test_two_collections_have_the_same_schemes() -> None:
    first, second = two()
    with pytest.raises(ExperimentError, match="schemes raw and N; expected the same schemes"):
        pooled(standardized(first, {"raw": "raw"}), standardized(second, {"N": "normal"}))


def test_exact_means_need_a_common_denominator() -> None:
    """Of 23 numbers of reference systems, each another prime or so."""
    first, second = two()
    parts = standardized(first, {"E": "empirical"}), standardized(second, {"E": "empirical"})
    many = SchemeMatrices(**{**vars(parts[1]), "denominators": (2**50 + 1,)})
    with pytest.raises(CdfscoreError, match=r"ties='rounded'"):
        pooled(parts[0], many)


def test_an_interrupted_run_goes_on(tmp_path: Path) -> None:
    experiment = Halves(standardized(scores(), SCHEMES), seed=1)
    run_trials(experiment, 250, cache=tmp_path)
    resumed = run_trials(experiment, 400, cache=tmp_path, resume=True)
    for name, values in run_trials(experiment, 400).items():
        assert_array_equal(values, resumed[name])


@pytest.mark.parametrize(
    ("settings", "error", "fragment"),
    [
        (
            {"matrices": given(scores(3).to_numpy())},
            ScoresError,
            "there are 3 topics; expected 4 or more, 2 in each of the two samples",
        ),
        (
            {"matrices": given(scores(9).to_numpy(), collections=(8, 1))},
            ScoresError,
            "there is 1 topic in the second collection; expected 2 or more",
        ),
        ({"test": "paired_t"}, SignificanceError, "paired_t does not test two independent"),
        ({"test": "t"}, SignificanceError, "there is no significance test 't'"),
        ({"alpha": 0.0}, ExperimentError, "alpha=0.0 is not accepted; expected a number"),
        ({"alpha": "0.05"}, ExperimentError, "alpha='0.05' is not accepted"),
        ({"alpha": np.nan}, ExperimentError, "alpha=nan is not"),
        ({"seed": 1.5}, ExperimentError, "seed=1.5 is not accepted"),
        ({"seed": 2**31}, ExperimentError, "expected a whole number from -2147483647"),
    ],
)
def test_bad_input(settings, error, fragment) -> None:
    with pytest.raises(error) as caught:
        Halves(**{"matrices": given(scores().to_numpy()), **settings})
    assert fragment in str(caught.value)


@pytest.mark.one_in(2)
@pytest.mark.clause("partitions.2")
def test_tables_3_and_5_of_webber2008(shared_data: Path) -> None:
    """T7.adh and T8.adh by their original systems; the numbers printed in the paper."""
    robust = pd.read_csv(shared_data / "robust2004" / "robust2004_ap.csv", index_col="topic")
    parts = []
    for year, first in ((7, 351), (8, 401)):
        reference = pd.read_csv(shared_data / "adhoc" / f"adhoc{year}_ap.csv")
        reference.index = robust.loc[first : first + 49].index
        own = robust.loc[first : first + 49]
        parts.append(standardized(own, {"AP": "raw", "sAP": "normal"}, reference=reference))
    experiment = Halves(pooled(*parts), seed=1)
    beside = experiment.tables(experiment.run(range(2)))["collections"]
    observed = beside.set_index(["statistic", "scheme"])["observed"]
    assert [f"{observed['drmse', label]:.3f}" for label in ("AP", "sAP")] == ["0.627", "0.320"]
