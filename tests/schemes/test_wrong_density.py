"""A fit through SciPy is refused where SciPy's density is not that of its cdf."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from cdfscore.errors import FitError
from cdfscore.schemes import FromScipy
from cdfscore.schemes.from_scipy import wrong_density

SCORES = np.round(np.sqrt(np.random.default_rng(0).random(40)) * 0.8, 4)
SCORES[0] = 0.0
# First shape, second shape, location, scale: where SciPy's likelihood is highest for such scores.
FALSE_MAXIMUM = (0.0114, 168.97, -0.01, 0.811)


def test_the_density_of_exponweib_is_wrong_where_a_power_underflows() -> None:
    from mpmath import mp, mpf

    a, c, location, scale = map(mpf, FALSE_MAXIMUM)
    with mp.workdps(50):
        z = -location / scale
        rest = (a - 1) * mp.log(-mp.expm1(-(z**c))) - z**c + (c - 1) * mp.log(z)
        true = float(mp.log(a * c / scale) + rest)
    by_scipy = stats.exponweib.logpdf(0.0, *FALSE_MAXIMUM)
    assert abs(by_scipy - true) > 0.01
    place = wrong_density(stats.exponweib, SCORES, np.array(FALSE_MAXIMUM))
    assert place == pytest.approx(0.0, abs=1e-5)


@pytest.mark.clause("from_scipy.3")
def test_a_false_maximum_is_refused() -> None:
    with pytest.raises(FitError, match=r"may not be the likelihood: at -"):
        FromScipy("exponweib", floc=-0.01).fit([SCORES])


@pytest.mark.parametrize(
    ("dist", "parameters"),
    [
        ("norm", (0.4, 0.2)),
        ("laplace", (0.41, 0.2)),
        ("uniform", (0.0, 0.8)),
        ("expon", (0.0, 0.3)),
        ("triang", (0.33, -0.1, 1.2)),
        ("beta", (0.5, 0.4, -1e-5, 0.9)),
        ("gamma", (0.05, -1e-3, 0.3)),
        ("exponweib", (0.028, 65.6, -0.01, 0.804)),
        ("gausshyper", (2.0, 3.0, 1.5, 0.5, -0.01, 1.0)),
        # The support ends beside a score, or the location is many scales away.
        ("beta", (0.5, 0.4, -1e-13, 0.9)),
        ("triang", (3e-14, -9e-14, 0.9)),
        ("powerlaw", (0.9, -1e-9, 0.8)),
        ("pareto", (6e7, -(2.0**23), 2.0**23)),
        ("pareto", (6e7, -(2.0**23) - 1e-9, 2.0**23)),
        ("pareto", (1e9, -(2.0**28), 2.0**28)),
        ("genpareto", (-0.7, -1e-13, 0.6)),
    ],
)
def test_kinks_steps_and_poles_are_no_error(dist: str, parameters: tuple[float, ...]) -> None:
    assert wrong_density(getattr(stats, dist), SCORES, np.array(parameters)) is None


def test_a_pareto_that_is_nearly_exponential_is_fitted() -> None:
    scores = np.round(np.random.default_rng(3).exponential(0.1, 60), 4)
    fitted = FromScipy("pareto").fit(scores)
    assert fitted.parameters["b"][0] > 1e5
    np.testing.assert_allclose(fitted(scores), FromScipy("expon").fit(scores)(scores), atol=1e-5)


def test_a_density_that_is_off_by_a_little_is_told() -> None:
    class Off(stats.rv_continuous):
        def _cdf(self, x: float) -> float:
            return x

        def _pdf(self, x: float) -> float:
            return 1.0 + 1e-4 * (x > 0.5)

    assert wrong_density(Off(a=0, b=1), SCORES, np.array([0.0, 1.0])) is not None


def test_a_low_density_is_told_that_is_off_by_a_percent() -> None:
    """Less than 1e-8 of the probability is there, but the likelihood is wrong by 1%."""

    class Off(stats.rv_continuous):
        def _cdf(self, x: float) -> float:
            return x**4

        def _pdf(self, x: float) -> float:
            return 4 * x**3 * np.where(x < 0.03, 1.01, 1.0)

    scores = np.r_[0.02, SCORES[SCORES > 0.1]]
    place = wrong_density(Off(a=0, b=1), scores, np.array([0.0, 1.0]))
    assert place == pytest.approx(0.02, abs=1e-4)
