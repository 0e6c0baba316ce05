"""Reliability of topics: against R and by hand, with missing scores, and in a diagnosis."""

from fractions import Fraction
from types import ModuleType

import mpmath
import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from cdfscore import diagnose
from cdfscore.diagnosis import topic_reliability
from cdfscore.errors import ScoresError
from cdfscore.r.session import RSession


def scores(topics: int = 9, systems: int = 7, seed: int = 1) -> np.ndarray:
    random = np.random.default_rng(seed)
    return random.beta(1, 2, (topics, 1)) + 0.2 * random.random((topics, systems))


@pytest.mark.clause("topic_reliability.1")
def test_r_gives_the_same(rinterface: ModuleType) -> None:
    in_r = rinterface.evalr(
        "function(x, n) { X <- matrix(x, n)\n"
        "sapply(1:n, function(t) cor(X[t, ], colMeans(X[-t, , drop = FALSE], na.rm = TRUE),"
        ' use = "complete.obs")) }'
    )
    session = RSession()
    for seed, holes in ((1, 0), (2, 4), (3, 9)):
        matrix = scores(seed=seed)
        matrix.ravel()[np.random.default_rng(seed).permutation(matrix.size)[:holes]] = np.nan
        given = session.vector(matrix.ravel(order="F")), rinterface.IntSexpVector([len(matrix)])
        assert_allclose(topic_reliability(matrix), np.array(in_r(*given)), rtol=1e-12)


@pytest.mark.clause("topic_reliability.1")
def test_by_hand() -> None:
    """The second and the third topic agree; the first has their mean upside down."""
    matrix = [[3, 2, 1], [1, 2, 3], [1, 2, 3]]
    assert topic_reliability(matrix).tolist() == pytest.approx([-1, np.nan, np.nan], nan_ok=True)
    two = topic_reliability([[1, 2, 4], [2, 1, 5]])
    assert two == pytest.approx([stats.pearsonr([1, 2, 4], [2, 1, 5]).statistic] * 2)


def exact(matrix: np.ndarray, topic: int) -> float:
    """Return the reliability of a topic from exact sums; NaN where a side is constant."""
    rows = [list(map(Fraction, row)) for row in matrix.tolist()]
    own = rows.pop(topic)
    others = [sum(column, Fraction(0)) for column in zip(*rows, strict=True)]
    u, v = ([x - sum(each, Fraction(0)) / len(each) for x in each] for each in (own, others))
    xy, xx, yy = (
        sum(a * b for a, b in zip(*each, strict=True)) for each in ((u, v), (u, u), (v, v))
    )
    square = mpmath.mpf(xy.numerator) / xy.denominator if xx and yy else mpmath.nan
    size = mpmath.mpf((xx * yy).numerator) / (xx * yy).denominator
    return float(square / mpmath.sqrt(size)) if xx and yy else np.nan


DECIMALS = st.integers(1, 99).map(lambda k: k / 100)


@pytest.mark.clause("topic_reliability.1")
@given(
    st.lists(st.lists(DECIMALS, min_size=4, max_size=4), min_size=3, max_size=6),
    st.integers(-900, 1022),
)
def test_the_size_of_a_topic_leaves_no_trace(rows: list[list[float]], power: int) -> None:
    """The topic is not in the means of the others, and Pearson's r has no unit."""
    matrix = np.array(rows)
    scaled = matrix.copy()
    scaled[0] = np.ldexp(scaled[0], power)
    with mpmath.workdps(60):
        expected = exact(matrix, 0)
    spread = np.ptp(matrix[1:].mean(axis=0))
    if 0 < spread < 1e-6:  # equal decimals
        expected = np.nan
    assert_allclose(topic_reliability(scaled)[0], expected, rtol=1e-12, atol=1e-13)


@pytest.mark.clause("topic_reliability.1")
@given(st.lists(st.integers(-(2**50), 2**50), min_size=12, max_size=12), st.integers(53, 120))
@example([0, 0, 0, 1, 2398027, 0, 0, 0, 0, 0, 0, 185406], 53)
def test_large_scores_that_cancel(numbers: list[int], power: int) -> None:
    """Two topics are opposites, so that the means of the others are those of the rest."""
    matrix = np.array(numbers, dtype=np.float64).reshape(3, 4)
    large = np.ldexp(matrix[2], power)
    found = topic_reliability([matrix[0], matrix[1], large, -large])
    for topic, other in enumerate((matrix[1], matrix[0])):
        sizes = np.abs(other) + 2 * np.abs(large)
        with mpmath.workdps(60):
            constant = np.ptp(other) <= 2.0**-50 * sizes.max()
            expected = np.nan if constant else exact(matrix[:2], topic)
        assert np.isnan(found[topic]) == np.isnan(expected)
        assert_allclose(found[topic], expected, rtol=1e-12, atol=1e-13)


@pytest.mark.clause("topic_reliability.1")
def test_the_largest_and_the_smallest_scores() -> None:
    assert topic_reliability([[1e308, 1e308, 3], [1e308, 1e308, 2], [1, 2, 3]]) == pytest.approx(
        [1, 1, -np.sqrt(0.75)]
    )
    tiny = 5e-324 * np.array([[3, 1, 2], [1, 2, 4], [2, 5, 1]])
    assert topic_reliability(tiny) == pytest.approx([exact(tiny, i) for i in range(3)])
    with pytest.raises(ScoresError, match="a score is infinite; expected finite scores"):
        topic_reliability([[1.0, np.inf], [1.0, 2.0]])


def test_undefined_reliabilities() -> None:
    assert np.isnan(topic_reliability(scores(1))).all()  # no other topic
    assert np.isnan(topic_reliability(scores(4, 1))).all()  # one system
    constant = scores(3)
    constant[1] = 0.5
    assert np.isnan(topic_reliability(constant)).tolist() == [False, True, False]
    absent = scores(3)
    absent[0, 1:] = np.nan
    assert np.isnan(topic_reliability(absent)).tolist() == [True, False, False]
    for bad in ([0.1, 0.2], np.zeros((2, 2, 2))):
        with pytest.raises(ScoresError, match=r"expected \(topics, systems\)"):
            topic_reliability(bad)


@pytest.mark.clause("topic_reliability.1", "censored.1")
def test_a_diagnosis_has_reliabilities_and_censored_scores() -> None:
    matrix = pd.DataFrame(scores(6, 30), index=[f"t{i}" for i in range(6)])
    matrix.iloc[2, 3] = 9.0
    matrix.iloc[4] = 0.5
    found = diagnose(matrix, ["uniform", "normal"], bootstrap=0).fits.set_index(["scheme", "topic"])
    for scheme in ("uniform:A=0.15,B=0.5", "normal"):
        own = found.loc[scheme]
        assert_allclose(own["reliability"], topic_reliability(matrix))
        z = (matrix.sub(matrix.mean(axis=1), axis=0)).div(matrix.std(axis=1), axis=0)
        above = (0.15 * z + 0.5 > 1).sum(axis=1) if scheme != "normal" else 0 * z.sum(axis=1)
        assert own["censored_at_1"].tolist() == [*above[:4], 0, above.iloc[5]]
        assert own["censored_at_0"].sum() == 0
    assert found.loc[("uniform:A=0.15,B=0.5", "t2"), "censored_at_1"] == 1


@pytest.mark.clause("verdict.1", "censored.1", "topic_reliability.1")
def test_the_verdict_has_reliabilities_and_censored_scores() -> None:
    matrix = pd.DataFrame(scores(6, 30), index=[f"t{i}" for i in range(6)])
    matrix.iloc[4] = 0.5
    found = diagnose(matrix, ["normal", "uniform:A=0.5"], bootstrap=0)
    values = topic_reliability(matrix)
    lowest = int(np.nanargmin(values))
    assert found.verdict[0].endswith(
        f"has the median {np.nanmedian(values):.3f} and is lowest on t{lowest} "
        f"({values[lowest]:.3f})."
    )
    own = found.fits[found.fits["scheme"] == "uniform:A=0.5,B=0.5"]
    low, high = own["censored_at_0"].sum(), own["censored_at_1"].sum()
    assert low > 0 < high
    said = f"censors {low} of 180 scores at 0 and {high} at 1, beyond its ends, in 5 topics"
    assert [said in sentence for sentence in found.verdict[1:3]] == [False, True]
    one = diagnose(matrix.iloc[:1], ["normal"], bootstrap=0)
    assert "reliability" not in " ".join(one.verdict)
