"""Random halves of the topics: against SciPy on each half, R's draws, and bad input."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from cdfscore.errors import ExperimentError, ScoresError, SignificanceError
from cdfscore.experiments.engine.trials import run_trials
from cdfscore.experiments.partitions import Partitions
from cdfscore.significance.student_t import student_t


def matrices(topics: int = 21, systems: int = 6, count: int = 2) -> np.ndarray:
    random = np.random.default_rng(7)
    difficulty = random.beta(1, 2, (1, topics, 1))
    return (difficulty + random.beta(2, 3, (count, topics, systems))) / 2


def expected(matrix: np.ndarray, half: np.ndarray, alpha: float, **test) -> tuple[float, float]:
    """Return dRMSE by the formula of the paper, and the rate by SciPy."""
    inside = np.isin(np.arange(len(matrix)), half)
    c, d = matrix[inside], matrix[~inside]
    mean_c, mean_d = c.mean(axis=0), d.mean(axis=0)
    rmse = np.sqrt(np.mean((mean_c - mean_d) ** 2))
    drmse = 2 * rmse / (np.std(mean_c, ddof=1) + np.std(mean_d, ddof=1))
    return drmse, np.mean(stats.ttest_ind(c, d, **test).pvalue <= alpha)


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
    scores = matrices(topics)
    experiment = Partitions(scores, seed=11, test=test, alpha=alpha)
    found = experiment.run(range(20))
    first, second = experiment.halves(range(20))
    assert first.shape == (20, topics // 2)
    for k in range(20):
        assert sorted([*first[k], *second[k]]) == list(range(topics))
        for m, matrix in enumerate(scores):
            drmse, rate = expected(matrix, first[k], alpha, **settings)
            assert found["drmse"][k, m] == pytest.approx(drmse, rel=1e-12)
            assert found["rate"][k, m] == rate
    assert 0 < found["rate"].mean() < 1


def test_a_p_value_of_alpha_is_significant() -> None:
    (matrix,) = scores = matrices(count=1)
    first, second = (half[0] for half in Partitions(scores, seed=1).halves(range(1)))
    p = student_t(matrix[first].T.copy(), matrix[second].T.copy()).p_value
    for level in p:
        rate = Partitions(scores, seed=1, alpha=float(level)).run(range(1))["rate"]
        rank = sorted(p).index(level) + 1
        assert rate.item() == rank / len(p)


@pytest.mark.clause("partitions.1")
def test_the_first_half_is_what_r_draws(rinterface) -> None:
    experiment = Partitions(matrices(25), seed=501)
    first, _ = experiment.halves(range(3, 9))
    for k, row in zip(range(3, 9), first, strict=True):
        drawn = rinterface.evalr(f"{{ set.seed({501 + k}); sample(1:25, 25 %/% 2) }}")
        assert list(drawn) == (row + 1).tolist()


def test_a_trial_depends_on_its_number_alone() -> None:
    experiment = Partitions(matrices(), seed=1)
    whole = run_trials(experiment, 300)
    for name, values in experiment.run(range(240, 260)).items():
        np.testing.assert_array_equal(values, whole[name][240:260])
    later = Partitions(matrices(), seed=241).run(range(20))
    np.testing.assert_array_equal(later["drmse"], whole["drmse"][240:260])


def test_matrices_are_halved_alike_and_do_not_meet() -> None:
    scores = matrices(count=3)
    together = Partitions(scores, seed=1).run(range(10))
    for m in range(3):
        alone = Partitions(scores[[m]], seed=1).run(range(10))
        for name, values in alone.items():
            np.testing.assert_array_equal(values[:, 0], together[name][:, m])


def test_a_system_without_a_p_value_does_not_count() -> None:
    scores = matrices()
    constant = scores.copy()
    constant[:, :, 0] = 0.25
    with_constant = Partitions(constant, seed=1, alpha=0.3).run(range(50))["rate"]
    without = Partitions(scores[:, :, 1:], seed=1, alpha=0.3).run(range(50))["rate"]
    np.testing.assert_array_equal(with_constant, without)
    assert without.any()


def test_no_rate_where_no_system_has_a_p_value() -> None:
    scores = np.tile([0.25, 0.5], (1, 8, 1))
    found = Partitions(scores, seed=1).run(range(3))
    assert np.isnan(found["rate"]).all()
    assert (found["drmse"] == 0).all()


def test_chunks_are_cached(tmp_path) -> None:
    experiment = Partitions(matrices(), seed=1)
    once = run_trials(experiment, 20, cache=tmp_path)
    again = run_trials(experiment, 20, cache=tmp_path, resume=True)
    np.testing.assert_array_equal(once["rate"], again["rate"])
    assert list(tmp_path.rglob("*.npz"))


def broken(place: tuple[int, int, int], value: float) -> np.ndarray:
    scores = matrices()
    scores[place] = value
    return scores


@pytest.mark.parametrize(
    ("scores", "settings", "error", "fragment"),
    [
        (matrices()[0], {}, ScoresError, "shape (21, 6); expected (matrices, topics, systems)"),
        (matrices(3), {}, ScoresError, "4 topics or more"),
        (matrices(systems=1), {}, ScoresError, "2 systems or more"),
        (matrices(count=0), {}, ScoresError, "shape (0, 21, 6)"),
        (broken((1, 2, 3), np.nan), {}, ScoresError, "scores[1, 2, 3] is nan"),
        (broken((0, 0, 0), np.inf), {}, ScoresError, "scores[0, 0, 0] is inf"),
        (matrices(), {"test": "paired_t"}, SignificanceError, "paired_t does not test two ind"),
        (matrices(), {"test": "t"}, SignificanceError, "there is no significance test 't'"),
        (
            matrices(),
            {"alpha": 0.0},
            ExperimentError,
            "alpha=0.0 is not accepted; expected a number",
        ),
        (matrices(), {"alpha": "0.05"}, ExperimentError, "alpha='0.05' is not accepted"),
        (matrices(), {"seed": 1.5}, ExperimentError, "seed=1.5 is not accepted"),
        (matrices(), {"alpha": np.nan}, ExperimentError, "alpha=nan is not"),
    ],
)
def test_bad_input(scores, settings, error, fragment) -> None:
    with pytest.raises(error) as caught:
        Partitions(scores, **{"seed": 1, **settings})
    assert fragment in str(caught.value)
