"""What the other pages claim."""

from __future__ import annotations

import importlib
import itertools
import json
import math
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.special import ndtr

from cdfscore import Standardizer, compare, datasets, leave_one_out, parse_scheme
from cdfscore.cli.measure import _BYTES_OF_A_PROCESS
from cdfscore.comparison import reference_uncertainty
from cdfscore.comparison.in_r import _A_MINUTE, _MOST
from cdfscore.comparison.reference_uncertainty import FEWEST_RESAMPLES
from cdfscore.diagnosis.criteria import normal_end
from cdfscore.merging import merge
from cdfscore.models import d_study, g_study, plan
from cdfscore.numerics.compiled import MANY
from cdfscore.power import power_t
from cdfscore.significance import paired_t, permutation
from cdfscore.significance.contract import significance_tests
from cdfscore.standardization.streaming import BLOCK
from tests.claims import claim
from tests.claims.pages import number, section

RESULTS = Path(__file__).parents[2] / "validation" / "results"


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


@claim(
    "docs/leave_one_out.md",
    "the best of n systems pulls the mean toward it, and the worst has E-std 1/n, because it "
    "reaches its own score",
)
def test_a_system_among_its_own_reference() -> None:
    scores = datasets.load_cranfield("ap").iloc[:5, :12]
    own = Standardizer("empirical").fit_transform(scores)
    others = leave_one_out(scores, "empirical")
    for topic in scores.index:
        row = scores.loc[topic]
        if row.nunique() == 12:
            assert own.loc[topic, row.idxmin()] == 1 / 12
            assert others.loc[topic, row.idxmin()] == 0
            assert own.loc[topic, row.idxmax()] == others.loc[topic, row.idxmax()] == 1


@claim(
    "docs/verify_tests.md",
    "`randomized_tukey_hsd` takes a byte for each score, 274 MB for 249 topics",
)
@claim("docs/verify_tests.md", "check.draws has the random draws of the test, 290,000 bytes")
def test_sizes_of_draws() -> None:
    assert math.ceil(225 / 8) * 10_000 == 290_000
    assert round(249 * 110 * 10_000 / 1e6) == 274


@claim(
    "docs/verify_tests.md",
    "If the draws of all pairs have more than 3 × 10^10 numbers, R tests a sample",
)
@claim("docs/verify_tests.md", "What would take R longer than about two minutes is refused")
@claim("docs/reference_uncertainty.md", "says how many resamples it accepts, if 200 or more are")
def test_limits_of_what_r_does() -> None:
    assert _A_MINUTE == 3e10
    assert _MOST == 120
    assert FEWEST_RESAMPLES == 200


@claim("docs/diagnose.md", "(`cdfscore.diagnosis.criteria.normal_end`: by 14 % with 20 systems)")
def test_ends_of_the_histogram() -> None:
    assert round(normal_end(20, 10) - 1, 2) == 0.14


@claim(
    "docs/standardize.md",
    "with 2, `normal`, `uniform`, `empirical`, `minmax`, `z` and `kernel` give them the same two "
    "scores on each topic",
)
def test_two_reference_systems() -> None:
    """Whatever the scores of two systems are."""
    rows = np.array([[0.1, 0.2], [0.3, 0.9], [0.55, 0.56]])
    for name in ("normal", "uniform", "empirical", "minmax", "z", "kernel"):
        y = np.array([parse_scheme(name).fit(row)(row) for row in rows])
        np.testing.assert_allclose(y, np.broadcast_to(y[0], y.shape), rtol=1e-9, err_msg=name)


@claim("docs/out_of_core.md", "in blocks of about a million scores")
@claim(
    "docs/own_scheme.md",
    "If there are more than half a million scores, `evaluate` gets some rows at a time",
)
@claim("docs/runs.md", "in as many processes as have 50 MB of files each")
def test_sizes_of_blocks() -> None:
    assert pytest.approx(1e6, rel=0.05) == BLOCK
    assert pytest.approx(5e5, rel=0.05) == MANY
    assert _BYTES_OF_A_PROCESS == 50_000_000


@claim(
    "docs/reference_uncertainty.md",
    "rest on the resamples that have them once, 37 % for a mean and 14 % for a difference",
)
def test_resamples_that_have_a_system_once() -> None:
    n = 110
    once = n * (1 / n) * (1 - 1 / n) ** (n - 1)
    both = n * (n - 1) * (1 / n) ** 2 * (1 - 2 / n) ** (n - 2)
    assert (round(once, 2), round(both, 2)) == (0.37, 0.14)


@claim(
    "docs/reference_uncertainty.md",
    "With 5 reference systems 0.89 is expected, the root of (n - 1) / n. With 10 or more, the "
    "standard errors of N-std, U-std, E-std and `kernel` are within 12 % of the true ones. For "
    "schemes that use the lowest or highest score, they are too small by up to a quarter",
)
def test_standard_errors_beside_the_true_ones() -> None:
    assert round(math.sqrt(4 / 5), 2) == 0.89
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in section("reference_uncertainty.md", "Validation").splitlines()
        if line.startswith(("| Robust", "| Terabyte"))
    ]
    assert len(rows) == 24
    ratios = {(row[2], size): [] for row in rows for size in (10, 20, 40)}
    for row in rows:
        for size, cell in zip((10, 20, 40), row[4:], strict=True):
            ratios[row[2], size].append(number(cell))
    usual = [r for (scheme, _), own in ratios.items() if scheme not in EXTREMES for r in own]
    extremes = [r for (scheme, _), own in ratios.items() if scheme in EXTREMES for r in own]
    assert round(max(abs(r - 1) for r in usual), 9) <= 0.12
    assert 0.75 <= min(extremes) < 0.78


EXTREMES = ("minmax", "exponential")


@claim(
    "docs/reference_uncertainty.md",
    "with 61 systems it has two thirds of the variance of a mean, or more",
)
def test_share_of_the_reference_systems() -> None:
    shares = [
        number(line.split("|")[3])
        for line in section("reference_uncertainty.md", "Results for whole tracks").splitlines()
        if line.startswith("| Terabyte")
    ]
    assert len(shares) == 6
    assert min(shares) >= 66


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
    "docs/significance.md", "A two-sided test counts only the tail of delta unless `strict=True`"
)
def test_other_tail() -> None:
    strict, usual = (
        power_t(n=10, delta=0.01, type="paired", strict=s).power for s in (True, False)
    )
    assert (round(strict, 4), round(usual, 4)) == (0.0501, 0.0267)


@claim(
    "docs/significance.md",
    "It is never 0, and the type I error of a permutation test at level alpha is at most alpha",
)
def test_level_of_sign_flips() -> None:
    """Of all signs of seven differences at most 5 in 100 are rejected at 5 %, and so at others."""
    sizes = np.array([0.02, 0.11, 0.19, 0.32, 0.41, 0.57, 0.73])
    signs = np.array(list(itertools.product([-1, 1], repeat=7)))
    p = permutation(sizes * signs, np.zeros(signs.shape)).p_value
    for alpha in (0.01, 0.02, 0.05, 0.1, 0.25):
        assert (p <= alpha).mean() <= alpha
    few = permutation(np.arange(1.0, 31.0), np.zeros(30), B=99, seed=1)
    assert few.p_value == 1 / 100


@claim(
    "docs/significance.md",
    "A significance test is a function in `cdfscore.significance`, with an R twin",
)
def test_every_test_has_a_twin() -> None:
    folder = Path(importlib.import_module("cdfscore.significance").__file__ or "").parent
    names = significance_tests.names()
    assert all(list(folder.rglob(f"{name}.R")) for name in names)


@claim("docs/leaderboards.md", "The signs of 8 differences have only 256 outcomes")
@claim("docs/leaderboards.md", "86 hypotheses, not 3,741")
def test_hypotheses_of_87_models() -> None:
    assert 2**8 == 256
    assert (87 - 1, math.comb(87, 2)) == (86, 3741)


@claim("docs/components.md", "72 systems on the Cranfield collection")
def test_size_of_the_grid() -> None:
    grid, parts = datasets.load_cranfield_grid("ap"), datasets.load_cranfield_components()
    assert grid.shape == (225, 72)
    assert 3 * 3 * 8 == 72 == len(parts.drop_duplicates(["stemmer", "stoplist", "model"]))
    assert grid.size == 16_200


@claim("docs/r-parity.md", "The largest distance in the [campaign](parity.md) is below 2 ulp")
def test_normal_cdf_in_the_campaign() -> None:
    found = json.loads((RESULTS / "normal.json").read_text(encoding="utf-8"))
    assert found["worst"]["ours, argument"]["ulp"] < 2


@claim("docs/r-parity.md", "the sd is too small by the factor √((n − 1) / n), 5 % for 10 systems")
def test_sd_that_divides_by_n() -> None:
    x = np.random.default_rng(2).normal(size=10)
    assert np.std(x) / np.std(x, ddof=1) == pytest.approx(math.sqrt(9 / 10))
    assert round(100 * (1 - math.sqrt(9 / 10))) == 5


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


@claim("docs/figures.md", "the least difference whose p value is at most alpha")
def test_critical_difference_of_tukey() -> None:
    found = compare(datasets.load_cranfield("ap").iloc[:40, :8], "tukey_hsd")
    (least,) = found.critical_differences.values()
    differ = found.table["p_adjusted" if "p_adjusted" in found.table else "p_value"] <= 0.05
    assert (differ == (found.table["estimate"].abs() >= least)).all()
    assert 0 < differ.sum() < len(differ)


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
