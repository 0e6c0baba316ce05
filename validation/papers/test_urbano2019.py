"""Facts that Urbano, Lima and Hanjalic (SIGIR 2019) state, on their four score matrices."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from cdfscore import Standardizer
from cdfscore.stats.numerics.multiples import numerators
from validation.papers.matrices import urbano

NAMES = ["robust2004_ap", "robust2004_ndcg", "terabyte2006_ap", "terabyte2006_ndcg"]
A, B = 0.15, 0.5


@pytest.fixture(scope="module")
def matrices(shared_data) -> dict[str, pd.DataFrame]:
    return urbano(shared_data)


@pytest.fixture(params=NAMES)
def scores(matrices, request) -> pd.DataFrame:
    return matrices[request.param]


def standardized(scores: pd.DataFrame, scheme: str) -> np.ndarray:
    return Standardizer(scheme).fit_transform(scores).to_numpy()


def columns(scores: pd.DataFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return scores, and the means and sds of the topics, by pandas and not by cdfscore."""
    return (
        scores.to_numpy(),
        scores.mean(axis=1).to_numpy()[:, np.newaxis],
        scores.std(axis=1).to_numpy()[:, np.newaxis],
    )


def test_the_matrices_are_those_of_section_3(matrices) -> None:
    shapes = {name: matrix.shape for name, matrix in matrices.items()}
    assert shapes == dict(zip(NAMES, [(99, 110)] * 2 + [(149, 61)] * 2, strict=True))


def test_equation_5(scores) -> None:
    """N-std is Phi of the z-score, and the cdf of a normal with the topic's mean and variance."""
    x, mean, sd = columns(scores)
    y = standardized(scores, "normal")
    np.testing.assert_allclose(y, stats.norm.cdf(standardized(scores, "z")), rtol=0, atol=1e-15)
    np.testing.assert_allclose(y, stats.norm.cdf(x, loc=mean, scale=sd), rtol=0, atol=1e-14)


def test_equation_6(scores) -> None:
    """U-std is the censored A z + B, and the cdf of a uniform with the boundaries of Eq. 6."""
    x, mean, sd = columns(scores)
    y = standardized(scores, "uniform")
    z = standardized(scores, "z")
    np.testing.assert_allclose(y, np.maximum(np.minimum(1, A * z + B), 0), rtol=0, atol=1e-15)
    low, high = mean - sd * B / A, mean + sd * (1 - B) / A
    uniform = stats.uniform.cdf(x, loc=low, scale=high - low)
    np.testing.assert_allclose(y, uniform, rtol=0, atol=1e-14)


def test_equation_7(scores) -> None:
    """E-std is the share of the scores that are at most x, and SciPy's empirical cdf."""
    x = scores.to_numpy()
    y = standardized(scores, "empirical")
    assert np.array_equal(y, (x[:, np.newaxis, :] <= x[:, :, np.newaxis]).mean(axis=-1))
    for row, expected in zip(x, y, strict=True):
        cdf = stats.ecdf(row).cdf.evaluate(row)
        np.testing.assert_allclose(cdf, expected, rtol=0, atol=1e-15)


def test_n_std_has_no_common_mean_and_sd(matrices) -> None:
    """Section 2: on Robust AP, means of 0.45 to 0.55 and sds of 0.14 to 0.31.

    Three of the four ends come out. The lowest mean is 0.439, of one topic of the 99; the
    paper's 0.45 is the lowest of the others.
    """
    y = standardized(matrices["robust2004_ap"], "normal")
    mean, sd = y.mean(axis=1), y.std(axis=1, ddof=1)
    assert f"{mean.max():.2f}" == "0.55"
    assert f"{sd.min():.2f}" == "0.14"
    assert f"{sd.max():.2f}" == "0.31"
    assert f"{mean.min():.3f}" == "0.439"
    assert f"{np.sort(mean)[1]:.2f}" == "0.45"


def test_u_std_has_mean_b_and_sd_a_unless_censored(scores) -> None:
    """Section 2: the mean is 0.5 and the sd 0.15, with slight deviations where y is censored."""
    y = standardized(scores, "uniform")
    censored = ((y == 0) | (y == 1)).any(axis=1)
    assert 0 < censored.sum() < len(y)
    mean, sd = y.mean(axis=1), y.std(axis=1, ddof=1)
    np.testing.assert_allclose(mean[~censored], B, rtol=0, atol=1e-14)
    np.testing.assert_allclose(sd[~censored], A, rtol=0, atol=1e-14)
    assert np.abs(mean[censored] - B).max() < 0.01
    assert (sd[censored] < A).all()


def test_e_std_has_the_mean_and_sd_of_a_uniform(matrices) -> None:
    """Section 2: about 0.5 and sqrt(1/12) = 0.2887, nearly constant, on Robust AP."""
    y = standardized(matrices["robust2004_ap"], "empirical")
    assert np.abs(y.mean(axis=1) - 0.5).max() < 0.015
    assert np.abs(y.std(axis=1, ddof=1) - 12**-0.5).max() < 0.01


def test_e_std_covers_the_range_to_its_upper_end(scores) -> None:
    """Section 2: the maximum of a topic becomes 1 and the minimum the share that has it."""
    x, y = scores.to_numpy(), standardized(scores, "empirical")
    assert (y.max(axis=1) == 1).all()
    at_the_minimum = (x == x.min(axis=1, keepdims=True)).sum(axis=1)
    assert np.array_equal(y.min(axis=1), at_the_minimum / x.shape[1])


def test_how_far_ties_lift_the_mean_of_e_std(scores) -> None:
    """Exactly 1/2 + sum(g^2) / (2 n^2) over the groups of g tied systems; 1/2 under mid."""
    fitted = Standardizer("empirical").fit(scores).fitted
    counts = numerators(fitted(scores.to_numpy()), fitted.denominators)
    n = scores.shape[1]
    for row, count in zip(scores.to_numpy(), counts, strict=True):
        groups = np.unique(row, return_counts=True)[1]
        exact = Fraction(1, 2) + Fraction(int((groups**2).sum()), 2 * n * n)
        assert Fraction(int(count.sum()), n * n) == exact
    mid = Standardizer("empirical:convention=mid").fit(scores).fitted
    of_mid = numerators(mid(scores.to_numpy()), mid.denominators)
    assert (2 * of_mid.sum(axis=1) == n * mid.denominators[:, 0]).all()
