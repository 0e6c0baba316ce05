"""What the other pages claim."""

from __future__ import annotations

import math
from types import ModuleType

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.special import ndtr

from cdfscore import compare, datasets
from cdfscore.models import d_study, g_study, plan
from cdfscore.retrieval.merging import merge
from cdfscore.stats.significance import paired_t
from tests.claims import claim
from tests.uncertain import reference_uncertainty


def ulp_off(y: float, true: mpf) -> float:
    return float(abs(mpf(y) - true) / mpf(float(np.spacing(y))))


@claim("docs/r-parity.md", "SciPy's `ndtr` is off by 9 ulp near z = -2, 568 near -20")
def test_ndtr_of_scipy() -> None:
    with mp.workdps(50):
        for low, high, least in ((-2.1, -1.9, 6), (-20.1, -19.9, 400)):
            z = np.linspace(low, high, 400)
            worst = max(ulp_off(float(ndtr(each)), mp.ncdf(mpf(float(each)))) for each in z)
            assert worst > least


@claim("docs/r-parity.md", "up to 8 ulp (at z = -4.36048493578452) and is 0 below -37.52")
def test_pnorm_of_r(rinterface: ModuleType) -> None:
    pnorm = rinterface.baseenv["get"]("pnorm")
    z = -4.36048493578452
    with mp.workdps(50):
        off = ulp_off(pnorm(rinterface.FloatSexpVector([z]))[0], mp.ncdf(mpf(z)))
    assert 7 < off < 9
    assert pnorm(rinterface.FloatSexpVector([-37.51]))[0] > 0
    assert pnorm(rinterface.FloatSexpVector([-37.52]))[0] == 0


@claim(
    "docs/significance.md",
    "If x has 4 scores, y has 30, and each score is 0 with probability 0.85 and otherwise untied, "
    "R's test at the level 5 % rejects a true null hypothesis in 29 % of the cases",
)
def test_level_of_rs_one_sided_kolmogorov_smirnov(rinterface: ModuleType) -> None:
    rate = rinterface.evalr(
        """{
        set.seed(1)
        drawn <- function(n) ifelse(runif(n) < 0.85, 0, runif(n))
        mean(replicate(1000, suppressWarnings(
          ks.test(drawn(4), drawn(30), alternative = "less"))$p.value) <= 0.05)
        }"""
    )[0]
    assert rate == pytest.approx(0.29, abs=3 * math.sqrt(0.29 * 0.71 / 1000))


@claim("docs/merging.md", "`z`, `normal` and `uniform` give the same order")
@claim("docs/merging.md", "`uniform` with its A = 0.15 is 1 from z = 3.3 on")
@claim("docs/merging.md", "in which Φ(z) is 1 from z = 5.4 on")
def test_order_by_functions_of_z() -> None:
    rng = np.random.default_rng(5)
    lists = {
        source: {"1": {f"{source}{i}": float(s) for i, s in enumerate(rng.normal(size=9))}}
        for source in "abc"
    }
    orders = [
        merge(lists, name).frame()["document"].tolist() for name in ("z", "normal", "uniform")
    ]
    assert orders[0] == orders[1] == orders[2]
    assert 0.15 * 3.3 + 0.5 < 1 <= 0.15 * 3.34 + 0.5
    assert np.float32(ndtr(5.3)) < 1 == np.float32(ndtr(5.42))


@claim("docs/topics.md", "The formula is accurate here, but not always")
def test_formula_of_the_power_in_resamples() -> None:
    ap = datasets.load_cranfield("ap")
    check = plan(ap, "paired_t:difference=0.05", check=1000).check
    assert check is not None
    assert abs(check.value - check.formula) < 3 * check.stderr


@claim(
    "docs/components.md",
    "E rho^2, is the reliability of the order of systems. The absolute coefficient, Phi, is the "
    "reliability of their scores",
)
def test_reliability_of_orders_and_of_scores() -> None:
    """Topics add to all systems alike, so that they have a part in Phi alone."""
    scores = datasets.load_cranfield("ap").iloc[:60, :9]
    harder = scores.add(np.linspace(0, 1, 60), axis=0)
    one, other = (
        d_study(g_study(each), topics=[50]).reliability.loc[0] for each in (scores, harder)
    )
    assert one["relative"] == pytest.approx(other["relative"])
    assert other["absolute"] < one["absolute"]


@claim(
    "docs/what_to_report.md",
    "`nemenyi`, `conover` and `sign` use the order of systems within each topic",
)
def test_tests_of_the_order_within_topics() -> None:
    scores = datasets.load_cranfield("ap").iloc[:30, :5]
    for name in ("nemenyi", "conover", "sign"):
        found = compare(scores, name, scheme=["raw", "normal", "empirical"]).table
        by_scheme = [own["p_value"].tolist() for _, own in found.groupby("scheme", sort=False)]
        assert by_scheme[0] == by_scheme[1] == by_scheme[2]


@claim(
    "docs/reference_uncertainty.md",
    "without a part from the reference systems it is the interval of the paired t test",
)
def test_interval_without_a_reference_part() -> None:
    ap = datasets.load_cranfield("ap").iloc[:30]
    new, others = ap.iloc[:, :2], ap.iloc[:, 20:26]
    row = reference_uncertainty(new, ["raw", "normal"], reference=others, resamples=200).pairs.iloc[
        0
    ]
    test = paired_t(new.iloc[:, 0], new.iloc[:, 1])
    assert row["stderr_reference"] == 0
    ends = (row["both_low"], row["both_high"])
    assert ends == pytest.approx((float(test.conf_low), float(test.conf_high)))
