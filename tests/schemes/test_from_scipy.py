"""Maximum likelihood through SciPy: verified, improved, or refused."""

import warnings

import numpy as np
import pytest
from scipy import stats

from cdfscore.datasets import load_cranfield
from cdfscore.errors import FitError, SchemeError
from cdfscore.schemes import FromScipy

AP = load_cranfield("ap").to_numpy()
# Eleven grades as P@10 has them; SciPy's own fit of weibull_min stops far from the maximum.
GRADES = np.repeat(np.arange(11) / 10, [2, 2, 5, 5, 4, 10, 2, 4, 21, 30, 25])


def parameters(scheme: FromScipy, sample: np.ndarray) -> list[float]:
    values = scheme.fit(sample).parameters
    return [float(values[name][0]) for name in scheme.parameter_names()[1:]]


@pytest.mark.clause("from_scipy.3")
def test_weibull_where_scipy_stops_far_from_the_maximum() -> None:
    shape, location, scale = parameters(FromScipy("weibull_min", floc=-0.01), GRADES)
    assert (shape, location, scale) == pytest.approx((3.0507854, -0.01, 0.8325573), abs=1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        by_scipy = stats.weibull_min.fit(GRADES, floc=-0.01)
    loss = stats.weibull_min.nnlf((shape, location, scale), GRADES)
    assert loss < stats.weibull_min.nnlf(by_scipy, GRADES) - 200


@pytest.mark.clause("from_scipy.2", "from_scipy.3")
@pytest.mark.parametrize(
    ("dist", "fixed"),
    [
        ("beta", {"floc": -0.01, "fscale": 1.02}),
        ("weibull_min", {"floc": -0.01}),
        ("gamma", {"floc": -0.01}),
        ("gamma", {"floc": -1.0}),
        ("exponweib", {"floc": -0.01}),
        ("expon", {}),
        ("uniform", {}),
        ("laplace", {}),
    ],
)
def test_no_step_gains_likelihood(dist: str, fixed: dict[str, float]) -> None:
    scheme, law = FromScipy(dist, **fixed), getattr(stats, dist)
    rng = np.random.default_rng(5)
    for row in AP[[0, 12, 60, 150]]:
        found = np.array(parameters(scheme, row))
        free = np.array([name not in fixed for name in scheme._slots()])
        best = -law.nnlf(found, row)
        for length in (1e-6, 1e-4, 1e-2):
            for _ in range(50):
                moved = found * (1 + length * free * rng.normal(size=len(found)))
                with np.errstate(all="ignore"):
                    assert not -law.nnlf(moved, row) > best + 1e-7


@pytest.mark.clause("from_scipy.3")
@pytest.mark.parametrize(
    ("dist", "sample"),
    [
        ("t", [0.0] * 9 + [0.1, 0.5, 0.9]),  # the scale goes to 0 on the ties
        ("gamma", [0.0] * 5 + [0.2, 0.4, 0.5, 0.9]),  # the location goes to the least score
    ],
)
def test_a_likelihood_without_bound_is_refused(dist: str, sample: list[float]) -> None:
    with pytest.raises(
        FitError, match=f"row 0: no maximum of the likelihood of from_scipy:dist={dist}"
    ):
        FromScipy(dist).fit([sample])


def test_the_location_is_found_however_many_scales_away() -> None:
    near, far = (parameters(FromScipy("genextreme"), AP[60, :40] + by) for by in (0.0, 1000.0))
    far[1] -= 1000.0
    assert far == pytest.approx(near, rel=1e-4)


@pytest.mark.clause("from_scipy.1")
@pytest.mark.parametrize("dist", ["norm", "expon", "uniform"])
def test_closed_forms_keep_the_bits_of_scipy(dist: str) -> None:
    for row in AP[:20]:
        assert parameters(FromScipy(dist), row) == [float(v) for v in getattr(stats, dist).fit(row)]


@pytest.mark.clause("from_scipy.2")
@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf")])
def test_a_fixed_scale_is_above_0(value: float) -> None:
    with pytest.raises(SchemeError, match=r"fscale=.* is not accepted; expected a number above 0"):
        FromScipy("gamma", fscale=value)


@pytest.mark.clause("from_scipy.2")
def test_fixed_shapes_lie_in_their_domain() -> None:
    with pytest.raises(SchemeError, match="gamma has no such shapes"):
        FromScipy("gamma", f0=-1.0)


@pytest.mark.clause("from_scipy.2", "from_scipy.4")
def test_a_constant_topic_lies_in_the_support_that_is_fixed() -> None:
    with pytest.raises(
        FitError, match=r"row 1: all reference scores are 0\.5, outside the fixed support"
    ):
        FromScipy("beta", floc=0.0, fscale=0.3).fit([[0.1, 0.2], [0.5, 0.5]])
    for end in (0.25, 0.5):
        fitted = FromScipy("beta", floc=0.25, fscale=0.25).fit([[end, end]])
        assert fitted([[end - 0.1, end, end + 0.1]]).tolist() == [[0.0, 0.5, 1.0]]


@pytest.mark.clause("from_scipy.1")
def test_every_continuous_distribution_can_be_named() -> None:
    names = [name for name in dir(stats) if isinstance(getattr(stats, name), stats.rv_continuous)]
    assert len(names) > 100
    for name in names:
        assert str(FromScipy(name)) == f"from_scipy:dist={name}"
