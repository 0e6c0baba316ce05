"""What scores that are apart pass on to a test: bounds, on real and on perturbed scores."""

from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cdfscore import Standardizer
from cdfscore.comparison import comparison
from cdfscore.comparison.in_r import passed_on
from cdfscore.comparison.pairs import chosen_test
from cdfscore.r.analysis import error_of_scores, terms_of_bound
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.significance.contract import QUANTITIES
from tests.verified import verify

PAIR = ("ibm-granite/granite-4.0-1b-speech", "elevenlabs/scribe_v2")
#: A test, and the effect size of its samples.
TESTS = [
    ("paired_t", "d_z"),
    ("paired_t", "d_av"),
    ("equivalence_t:margin=0.05,centre=0.02", "d_z"),
    ("welch_t", "hedges_g"),
    ("student_t", "d_av"),
    ("tukey_hsd", ""),
    ("dunnett", ""),
]


@pytest.fixture(scope="module")
def error_rates(shared_data: Path) -> pd.DataFrame:
    """Word error rates in percent: 8 data sets and 87 recognizers."""
    table = pd.read_csv(shared_data / "leaderboards" / "asr_english.csv", index_col="model")
    columns = [name for name in table if name.endswith(" WER") and name != "Avg. WER"]
    return table[columns].T


@pytest.mark.usefixtures("rinterface")
def test_a_t_near_0_of_standardized_scores_agrees(error_rates: pd.DataFrame) -> None:
    """It was 2,950 to 3,761 ulp from R's, and 1,550 are allowed."""
    some = [*PAIR, *error_rates.columns.drop(list(PAIR))[::4]]
    table = verify(error_rates[some], "normal", test="paired_t", reference=error_rates)
    table = table.set_index("quantity")
    assert table["agrees"].all(), table.to_string()
    assert table["allowed_ulp"]["statistic"] == 1550
    assert table["max_ulp"]["statistic"] < 200  # not by a looser tolerance of all others


def test_that_t_is_right_for_its_scores_and_no_score_is_far_off(error_rates: pd.DataFrame) -> None:
    """The judge, at 50 digits: the last digits of eight scores are 1,404 ulp of their t."""
    scores = Standardizer("normal").standardize(error_rates).scores[list(PAIR)]
    found = chosen_test("paired_t").test(*scores.to_numpy().T).statistic
    with mpmath.workdps(50):

        def t_of(x: list[Any], y: list[Any]) -> Any:
            d = [mpmath.mpf(a) - mpmath.mpf(b) for a, b in zip(x, y, strict=True)]
            mean = mpmath.fsum(d) / len(d)
            squares = mpmath.fsum((each - mean) ** 2 for each in d)
            return mean / mpmath.sqrt(squares / (len(d) - 1) / len(d))

        def true_scores(system: str) -> list[Any]:
            rows = [[mpmath.mpf(v) for v in row] for row in error_rates.to_numpy().tolist()]
            column = error_rates.columns.get_loc(system)
            means = [mpmath.fsum(row) / len(row) for row in rows]
            return [
                mpmath.ncdf(
                    (row[column] - m)
                    / mpmath.sqrt(mpmath.fsum((v - m) ** 2 for v in row) / (len(row) - 1))
                )
                for row, m in zip(rows, means, strict=True)
            ]

        true = [true_scores(system) for system in PAIR]
        for system, column in zip(PAIR, true, strict=True):
            for ours, exact in zip(scores[system].tolist(), column, strict=True):
                assert abs(ours - exact) <= 4 * np.spacing(ours)
        of_ours = t_of(*(scores[system].tolist() for system in PAIR))
        assert abs(found - of_ours) <= 2 * np.spacing(found)
        assert 1_000 * np.spacing(found) < abs(found - t_of(*true)) < 2_000 * np.spacing(found)


def results_of(matrix: Any, test: str, effect: str) -> comparison.Differences:
    frame = pd.DataFrame(matrix, columns=list("abcd"))
    baselines = ("a",) if test == "dunnett" else ()
    raw = Standardizer("raw").standardize(frame)
    return comparison.Tested.of(raw, chosen_test(test), baselines, "none", effect, 0.05).found


@pytest.mark.long
@pytest.mark.clause("verify.3")
@given(
    st.sampled_from(TESTS),
    st.integers(2, 40),
    st.floats(1e-7, 0.3),
    st.integers(0, 2**32 - 1),
    st.booleans(),
)
@settings(max_examples=50, deadline=None)
def test_no_number_moves_by_more_than_its_bound(
    chosen: tuple[str, str], n: int, spread: float, seed: int, shift: bool
) -> None:
    test, effect = chosen
    rng = np.random.default_rng(seed)
    scores = 0.5 * rng.random((n, 1)) + 0.2 + spread * rng.normal(size=(n, 4)) / 5
    scores[:, 0] += scores[:, 1].mean() - scores[:, 0].mean()  # a t of nearly 0
    error = 1e-11 * spread
    moves = rng.choice([-1.0, 1.0], size=(n, 4))
    if shift:  # the worst for the means: one system up and another one down
        moves = np.broadcast_to([1.0, -1.0, 1.0, -1.0], (n, 4))
    one, other = (results_of(matrix, test, effect) for matrix in (scores, scores + error * moves))
    bounds = passed_on(chosen_test(test), one.result, one.effects, error * (1 + 1e-3) + 2e-16)
    unbounded = {"parameter"}
    if test == "welch_t":  # whose degrees of freedom move
        unbounded |= {"p_value", "conf_low", "conf_high"}
    for name in {*QUANTITIES, "effect_size"} - unbounded:
        here, there = (
            found.effects[name] if name == "effect_size" else getattr(found.result, name)
            for found in (one, other)
        )
        rounding = 2e-13 * np.abs(here) + 4e-16
        if name in ("statistic", "effect_size"):
            rounding = rounding + 4e-16 / spread
        far = np.abs(here - there) > bounds[name] * 1.01 + rounding
        assert not far.any(), (name, here[far], there[far], bounds[name][far])


def test_a_bound_allows_what_is_within_it_and_little_more() -> None:
    allowed = Tolerance(1550, "a test", floor=2**-10)
    for size in (1e-9, 1e-6, 1e-3, 0.9, 40.0):
        for bound in (1e-13, 1e-11, 1e-9):
            terms = terms_of_bound(np.array([bound]), allowed)
            value = np.array([size])
            assert allowed.distance(value, value + 0.999 * bound, terms) <= allowed.ulp
            usual = allowed.ulp * max(np.spacing(size), np.spacing(2**-10))
            beyond = 4.1 * bound + 2.1 * usual
            assert allowed.distance(value, value + beyond, terms) > allowed.ulp
    assert terms_of_bound(np.array([1e-9]), Tolerance(0, "counts")) == 0


def test_the_error_of_scores_is_in_their_ulp_or_that_of_the_floor() -> None:
    scores = np.array([[0.3, np.nan], [-0.7, 0.1]])
    assert error_of_scores(Tolerance(0, "the same"), scores) == 0
    assert error_of_scores(Tolerance(11, "a last digit"), scores) == 11 * 2.0**-53
    assert error_of_scores(Tolerance(11, "a last digit", floor=1.0), scores) == 11 * 2.0**-52


def test_without_an_effect_size_it_has_no_bound() -> None:
    found = results_of(np.random.default_rng(2).random((9, 4)), "paired_t", "d_z")
    expected = passed_on(chosen_test("paired_t"), found.result, found.effects, 1e-12)
    bounds = passed_on(chosen_test("paired_t"), found.result, {}, 1e-12)
    assert (expected["effect_size"] > 0).all()
    assert bounds.keys() == {name for name in expected if not name.startswith("effect")}
    for name, bound in bounds.items():
        np.testing.assert_array_equal(bound, expected[name])
