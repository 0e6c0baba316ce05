"""The parametric families beside R and mpmath: the maxima, the cdfs, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from cdfscore.errors import FitError
from cdfscore.r.session import RSession
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes.base import schemes
from validation.campaign.truth import parametric
from validation.campaign.truth.base import DIGITS
from validation.parity.matrices import Matrix
from validation.parity.record import Record
from validation.parity.strategies import KINDS

FAMILIES = [
    "beta",
    "beta:ends=shrink",
    "beta:method=moments",
    "gamma",
    "kumaraswamy",
    "kumaraswamy:ends=shrink",
    "logit_normal",
    "logit_normal:ends=shrink",
    "truncated_normal",
    "truncated_normal:low=-0.5,high=2.0",
]
# Measures, and scores that lie too near together or too far apart for some family.
SAMPLED = ("grid of tenths", "four decimals", "mostly zeros", "all bits", "outlier", "constant")
REFUSED = ("both signs", "huge", "many magnitudes", "tiny relative spread", "tiny")

# On real topics: how far y is from F at the true maximum.
FROM_THE_MAXIMUM = 2e-14


@pytest.mark.parametrize("spelling", FAMILIES)
@settings(
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(kind=st.sampled_from(SAMPLED), n=st.integers(12, 120), seed=st.integers(0, 2**32 - 1))
def test_python_is_as_near_to_r_as_the_table_says(
    spelling: str, kind: str, n: int, seed: int, r: RSession, record: Record
) -> None:
    scheme, rng = schemes.parse(spelling), np.random.default_rng(seed)
    scores = KINDS[kind](rng, n)[np.newaxis]
    x = np.column_stack([scores[:, :8], rng.random((1, 8)), np.array([[-0.1, 0, 1, 1.1, np.nan]])])
    try:
        y = scheme.fit(scores)(x)
    except FitError:
        with pytest.raises(r.error):
            r.standardize(scheme, x, scores)
        return
    tolerance = scheme.tolerance
    distance = tolerance.distance(y, r.standardize(scheme, x, scores)).max()
    record.add("parametric", spelling, distance, tolerance.ulp, f"{kind}, n = {n}, seed {seed}")
    assert distance <= tolerance.ulp


@pytest.mark.parametrize("spelling", FAMILIES)
@pytest.mark.parametrize("kind", REFUSED)
def test_r_refuses_what_python_refuses(spelling: str, kind: str, r: RSession) -> None:
    scheme = schemes.parse(spelling)
    for n in (12, 50):
        scores = KINDS[kind](np.random.default_rng(n), n)[np.newaxis]
        refused = []
        for run in (lambda s: scheme.fit(s)(s), lambda s: r.standardize(scheme, s, s)):
            try:
                run(scores)
                refused.append(False)
            except (FitError, r.error):
                refused.append(True)
        assert refused[0] == refused[1]


@pytest.mark.parametrize("spelling", FAMILIES)
def test_y_is_that_of_the_maximum(spelling: str, matrices: list[Matrix], r: RSession) -> None:
    """mpmath at 50 digits on real topics: ours and R's, at scores within and beside the sample."""
    scheme = schemes.parse(spelling)
    truth = getattr(parametric, type(scheme).__name__)(scheme)
    for sample in real_topics(matrices):
        x = np.array([[np.quantile(sample, 0.02), 0.07, np.median(sample), 0.4, 0.8]])
        with mp.workdps(DIGITS):
            p = truth.parameters([mpf(s) for s in sorted(sample.tolist())])
            true = [float(truth.cdf(mpf(v), p)) for v in x[0].tolist()]
        y = scheme.fit(sample)(x[0])
        np.testing.assert_allclose(y, true, rtol=0, atol=FROM_THE_MAXIMUM)
        by_r = r.standardize(scheme, x, sample[np.newaxis])[0]
        np.testing.assert_allclose(by_r, true, rtol=0, atol=1e-12)


def real_topics(matrices: list[Matrix]) -> list[Array]:
    """Topics of AP and P@10 whose scores lie within (0, 1), or are moved there."""
    chosen = []
    for name, row in [("adhoc/adhoc8_ap.csv", 10), ("robust2004/robust2004_ap.csv", 172)]:
        sample = next(m.scores[row] for m in matrices if m.name == name)
        chosen.append(sample[(sample > 0) & (sample < 1)])
    return chosen


@pytest.mark.parametrize("spelling", FAMILIES)
def test_quantiles_are_those_of_the_true_cdf(spelling: str) -> None:
    scheme = schemes.parse(spelling)
    truth = getattr(parametric, type(scheme).__name__)(scheme)
    fitted = scheme.fit(np.array([0.02, 0.03, 0.05, 0.08, 0.1, 0.1, 0.14, 0.22, 0.35, 0.6]))
    p = np.array([1e-6, 0.01, 0.3, 0.5, 0.9, 0.999])
    with mp.workdps(DIGITS):
        exact = {name: mpf(float(values[0])) for name, values in fitted.parameters.items()}
        again = [float(truth.cdf(mpf(q), exact)) for q in fitted.quantile(p).tolist()]
    np.testing.assert_allclose(again, p, rtol=1e-12, atol=1e-15)
