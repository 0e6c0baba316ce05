"""The laws of the R twin, and the maxima that R's own optimizers find."""

import re
from typing import Any

import numpy as np
import pytest
from scipy import stats

from cdfscore.datasets import load_cranfield
from cdfscore.errors import FitError
from cdfscore.r.session import RSession
from cdfscore.stats.schemes import FromScipy
from cdfscore.stats.schemes.base import parse_scheme
from cdfscore.stats.schemes.from_scipy import LAWS
from tests.schemes.test_from_scipy import AP, BETWEEN, SAMPLE, THREE_PEAKS, needed

QUICK = {"logistic", "rayleigh", "anglit", "cauchy", "fisk", "weibull_min", "invgamma", "beta", "f"}
QUICK |= {name for name, row in LAWS.items() if row.closed or row.whole}


@pytest.fixture(scope="module")
def r() -> RSession:
    return RSession()


def test_r_has_the_same_laws() -> None:
    found = re.findall(r"^  (\w+) = law\(", FromScipy.twin().read_text(), flags=re.MULTILINE)
    assert sorted(found) == sorted(LAWS)


@pytest.mark.clause("from_scipy.1", "from_scipy.2")
@pytest.mark.parametrize("dist", LAWS)
def test_r_has_the_cdf_of_scipy(dist: str, r: RSession) -> None:
    law = getattr(stats, dist)
    shapes = {f"f{i}": 1.3 + 0.5 * i for i in range(law.numargs)}
    x = law.ppf([0.001, 0.1, 0.3, 0.55, 0.8, 0.999], *shapes.values())
    scheme = FromScipy(dist, **shapes, floc=0.0, fscale=1.0)
    by_r = r.standardize(scheme, x[np.newaxis], x[np.newaxis, 1:4])
    np.testing.assert_allclose(scheme.fit(x[1:4])(x), by_r[0], rtol=0, atol=1e-13)


@pytest.mark.clause("from_scipy.1", "from_scipy.3")
@pytest.mark.parametrize(
    "dist", [d if d in QUICK else pytest.param(d, marks=pytest.mark.long) for d in LAWS]
)
def test_r_finds_the_same_maximum(dist: str, r: RSession) -> None:
    for sample in (SAMPLE, AP[30]):
        scheme = FromScipy(dist, **needed(dist, sample))
        try:
            y = scheme.fit(sample)(sample)
        except FitError:
            with pytest.raises(r.error):
                r.standardize(scheme, sample[np.newaxis], sample[np.newaxis])
            continue
        by_r = r.standardize(scheme, sample[np.newaxis], sample[np.newaxis])[0]
        assert scheme.tolerance.distance(y, by_r).max() <= scheme.tolerance.ulp


@pytest.mark.clause("from_scipy.2")
@pytest.mark.parametrize(
    "spelling",
    [
        *("norm,floc=0.5", "norm,fscale=1", "laplace,floc=0.5", "expon,fscale=1.5"),
        *("uniform,fscale=9", "uniform,floc=-1", "halfnorm,fscale=1", "halfnorm,floc=-0.1"),
        *("logistic,floc=1", "logistic,fscale=1", "gumbel_r,floc=1", "rayleigh,floc=-0.1"),
        *("maxwell,fscale=1.5", "semicircular,floc=2", "cosine,fscale=2", "halflogistic,fscale=1"),
        *("lognorm,floc=-0.1,f0=0.7", "fisk,floc=-0.1,fscale=2", "weibull_min,floc=-0.1,f0=1.5"),
        *("gamma,floc=-0.1,f0=2", "gamma,floc=-0.1,fscale=1", "chi2,floc=-0.1,fscale=0.5"),
        *("nakagami,floc=-0.1,fscale=2", "cauchy,floc=1.5", "t,f0=3,floc=1.5", "t,f0=3"),
        *("skewnorm,f0=-2", "loggamma,f0=0.5,fscale=1", "f,f0=4,f1=9,floc=-0.1"),
        *("lognorm,floc=-0.1,fscale=0.3", "loglaplace,floc=-0.1,f0=2"),
    ],
)
def test_r_finds_the_same_maximum_with_more_held(spelling: str, r: RSession) -> None:
    scheme = parse_scheme(f"from_scipy:dist={spelling}")
    by_r = r.standardize(scheme, SAMPLE[np.newaxis], SAMPLE[np.newaxis])[0]
    np.testing.assert_allclose(scheme.fit(SAMPLE)(SAMPLE), by_r, rtol=0, atol=1e-9)


@pytest.mark.clause("from_scipy.2")
def test_r_loses_no_digits_where_the_shape_of_gamma_is_large(r: RSession) -> None:
    scheme, sample = FromScipy("gamma", floc=-30.0), AP[16]
    by_r = r.standardize(scheme, sample[np.newaxis], sample[np.newaxis])[0]
    assert scheme.tolerance.distance(scheme.fit(sample)(sample), by_r).max() <= scheme.tolerance.ulp


@pytest.mark.clause("from_scipy.3")
def test_r_refuses_what_python_refuses(r: RSession) -> None:
    ties = np.array([[0.1, 0.3, 0.7, 0.7]])
    with pytest.raises(r.error, match="too many reference scores are equal"):
        r.standardize(FromScipy("cauchy"), ties, ties)
    outside = np.array([[0.1, 0.3, 0.7]])
    for spelling in ("gamma,floc=0.2", "beta,floc=0,fscale=0.5", "uniform,fscale=0.1"):
        with pytest.raises(r.error, match="outside the support"):
            r.standardize(parse_scheme(f"from_scipy:dist={spelling}"), outside, outside)
    fit = r.function_of(FromScipy.twin(), "standardize")
    for dist, needs in (("gamma", "floc"), ("beta", "floc"), ("f", "f0")):
        with pytest.raises(r.error, match=f"{dist} needs {needs}"):
            fit(0.2, r.vector(outside[0]), dist)


SEVERAL_PEAKS = [
    *(
        (dist, load_cranfield(measure).rename(index=str).loc[topic])
        for dist, measure, topic in BETWEEN
    ),
    *(("skewnorm", np.tile(THREE_PEAKS, times)) for times in (1, 40)),
]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("dist", "scores"), SEVERAL_PEAKS)
def test_r_finds_the_highest_of_several_maxima(r: RSession, dist: str, scores: Any) -> None:
    row = np.asarray(scores)
    in_r = r.function_of(FromScipy.twin(), "standardize")
    y = np.asarray(in_r(r.vector(row), r.vector(row), dist=r.strings([dist])))
    scheme = FromScipy(dist)
    np.testing.assert_allclose(scheme.fit(row)(row), y, rtol=0, atol=scheme.tolerance.ulp * 2**-52)


def test_r_leaves_a_missing_score_missing(r: RSession) -> None:
    row = np.append(SAMPLE, np.nan)[np.newaxis]
    for dist in ("skewnorm", "norm", "gumbel_r"):
        by_r = r.standardize(FromScipy(dist), row, row)[0]
        np.testing.assert_array_equal(np.isnan(by_r), np.isnan(row[0]), err_msg=dist)
