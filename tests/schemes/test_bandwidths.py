"""Bandwidth rules: equivariance, batches, refusals, and numbers that are known."""

import math
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

from cdfscore.errors import FitError
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes.bandwidths import RULES, _solve, pair_counts

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(5, 60)
rules = st.sampled_from(list(RULES))


def bandwidth(rule: str, scores: Array) -> Array:
    return RULES[rule](scores, np.sort(scores, axis=-1))


def taken(rule: str, rows: list[Array]) -> list[Array]:
    """Those of some samples that a rule does not refuse."""
    kept = []
    for row in rows:
        try:
            bandwidth(rule, row)
        except FitError:
            continue
        kept.append(row)
    return kept


def samples(seed: int, n: int) -> list[Array]:
    rng = np.random.default_rng(seed)
    skew = rng.beta(1, 3, n)
    return [rng.standard_normal(n), skew, np.round(skew, 2), rng.integers(0, 11, n) / 10]


@pytest.mark.clause("bandwidth.1")
@given(rules, seeds, sizes, st.sampled_from([-900, -200, -40, -1, 3, 40, 200, 900]))
def test_bandwidths_have_the_scale_of_the_scores(rule: str, seed: int, n: int, power: int) -> None:
    for scores in taken(rule, samples(seed, n)):
        scaled = bandwidth(rule, np.ldexp(scores, power)).item()
        assert math.ldexp(scaled, -power) == pytest.approx(bandwidth(rule, scores).item(), 1e-12)


@given(rules, seeds, sizes)
def test_a_row_has_the_same_bits_alone_and_in_a_batch(rule: str, seed: int, n: int) -> None:
    rows = taken(rule, samples(seed, n))
    alone = [bandwidth(rule, row).item() for row in rows]
    rng = np.random.default_rng(seed)
    batch = np.full((len(rows) + 1, n + 5), np.nan)
    batch[-1, :3] = 0.3  # constant
    for i, row in enumerate(rows):
        batch[i, np.sort(rng.permutation(n + 5)[:n])] = row
    h = bandwidth(rule, batch)
    assert h.shape == (len(rows) + 1, 1)
    assert h[:, 0].tolist() == [*alone, 0.0]
    assert bandwidth(rule, batch[np.newaxis]).tolist() == [h.tolist()]


# The rule, a sample that it refuses, and what it says.
FAR = [0.0] * 5 + [1.0] * 5
TIED = [0.0, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.9]
REFUSED = [
    ("nrd", TIED, "interquartile range is 0"),
    ("sj", TIED, "interquartile range is 0"),
    ("sj_dpi", TIED, "interquartile range is 0"),
    ("sj", [0.0, 1e-60, 2e-60, 3e-60, 4e-60, 1.0], "too far below the range"),
    ("sj_dpi", [0.0, 1e-60, 2e-60, 3e-60, 4e-60, 1.0], "too far below the range"),
    ("ucv", [0.1, 0.1, 0.1, 0.1, 0.2, 0.3, 0.3, 0.7], "least at the lower end of the range"),
    ("bcv", [0.0, 1.0], "end of the range that R searches"),
    ("altman_leger", [0.0] * 199 + [1.0], "above the range of the scores"),
    ("bowman_hall_prvan", [k // 8 / 10 for k in range(80)], "best without smoothing"),
    ("bowman_hall_prvan", FAR, "best without smoothing"),
]


@pytest.mark.clause(
    "bandwidth.1",
    "nrd.1",
    "ucv.1",
    "bcv.1",
    "sj.1",
    "sj_dpi.1",
    "altman_leger.1",
    "bowman_hall_prvan.1",
)
@pytest.mark.one_in(2)
@pytest.mark.parametrize(("rule", "scores", "fragment"), REFUSED)
def test_samples_without_a_bandwidth_are_refused(
    rule: str, scores: list[float], fragment: str
) -> None:
    fine = np.linspace(0.0, 1.0, len(scores)) ** 2
    batch = np.array([scores, fine, scores, [0.5] * len(scores)])
    with pytest.raises(FitError, match=fragment) as refusal:
        bandwidth(rule, batch)
    # bcv takes few samples, so that the others may be refused as well.
    assert refusal.value.row == 0
    assert {0, 2} <= refusal.value.rows.keys() <= {0, 1, 2}
    assert all(rule in reason and fragment in reason for reason in refusal.value.rows.values())


NODES, WEIGHTS = np.polynomial.legendre.leggauss(20)


def cross_validation(scores: Array, h: float) -> float:
    """The criterion of Bowman, Hall and Prvan as it is defined, each side of a score apart."""
    ends = np.unique(np.add.outer(scores, h * np.array([-9, -5, -2, 0, 2, 5, 9])))
    half = np.diff(ends)[:, np.newaxis] / 2
    t = (ends[:-1, np.newaxis] + half) + half * NODES
    kernels = ndtr((t[..., np.newaxis] - scores) / h)
    total = 0.0
    for i, own in enumerate(scores):
        estimate = np.delete(kernels, i, axis=-1).mean(axis=-1)
        total += (half * WEIGHTS * ((own <= t) - estimate) ** 2).sum()
    return total / len(scores)


@pytest.mark.long
@pytest.mark.clause("altman_leger.1", "bowman_hall_prvan.1", "polansky_baker.1")
def test_bandwidths_of_large_normal_samples() -> None:
    n = 1000
    scores = np.random.default_rng(11).standard_normal((12, n))
    h = {
        rule: (bandwidth(rule, scores) / scores.std(axis=1, ddof=1)[:, None]).mean()
        for rule in ("polansky_baker", "bowman_hall_prvan", "altman_leger")
    }
    # The minimum of the leading terms: (1 / (sqrt(pi) n R))^(1/3), R = 1 / (4 sqrt(pi)).
    assert h["polansky_baker"] * n ** (1 / 3) == pytest.approx(4 ** (1 / 3), rel=0.01)
    assert h["bowman_hall_prvan"] * n ** (1 / 3) == pytest.approx(4 ** (1 / 3), rel=0.1)
    # D3 converges as n^(-0.1): its expectation, and that of D2, for a pilot a = n^(-0.3).
    a = n**-0.3
    d2 = 1 / math.sqrt(2 * math.pi * (2 + a * a))
    same = 1 / (1 / 2 + 2 / a**2)
    pairs = same * math.sqrt(same / 2) / (2 * math.pi * a**2)
    s = 1 + a * a
    triples = a**4 / s**3 / (2 * math.pi) * (1 / (1 + 2 / s)) ** 1.5
    d3 = ((n - 1) * pairs + (n - 1) * (n - 2) * triples) / (n**2 * a**4)
    expected = (d2 / (math.sqrt(math.pi) * d3 * n)) ** (1 / 3)
    assert h["altman_leger"] == pytest.approx(expected, rel=0.04)  # twice the standard error


@pytest.mark.clause("sj.1")
@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", range(20))
def test_rs_tolerance_is_a_hundredth_of_the_largest_bandwidth(seed: int) -> None:
    n = 110
    scores = np.random.default_rng(seed).beta(2, 5, n)
    distances, counts = pair_counts(np.sort(scores))
    spread = min(scores.std(ddof=1), np.subtract(*np.quantile(scores, [0.75, 0.25])) / 1.349)

    def integral(order: int, hermite: list[float], g: float) -> float:
        """Estimate the integral of f times its derivative of an even order."""
        polynomial = np.polynomial.hermite_e.HermiteE(hermite)
        u = distances / g
        terms = 2 * counts @ (polynomial(u) * np.exp(-(u**2) / 2)) + n * polynomial(0.0)
        return float(terms / (n * (n - 1) * g ** (order + 1) * math.sqrt(2 * math.pi)))

    fourth = [0.0] * 4 + [1.0]
    ratio = integral(4, fourth, 1.24 * spread * n ** (-1 / 7)) / -integral(
        6, [0.0] * 6 + [1.0], 1.23 * spread * n ** (-1 / 9)
    )

    def excess(h: float) -> float:
        """Sheather and Jones's equation: 0 at the exact bandwidth."""
        curvature = integral(4, fourth, 1.357 * ratio ** (1 / 7) * h ** (5 / 7))
        return (1 / (2 * math.sqrt(math.pi) * n * curvature)) ** 0.2 - h

    h, near = bandwidth("sj", scores).item(), 0.01 * 1.144 * spread * n**-0.2
    assert excess(h - near) > 0 > excess(h + near)


# ---- the formulas of the specification, pair by pair and without a grid

SCORES = np.array([0.52, 0.12, 0.3, 0.74, 0.45, 0.31, 0.05, 0.66, 0.34, 0.29])


def spreads(scores: Array, per: float) -> tuple[int, float, float]:
    """Return n, s, and min(s, IQR / per)."""
    sd = float(scores.std(ddof=1))
    return len(scores), sd, min(sd, float(np.subtract(*np.quantile(scores, [0.75, 0.25]))) / per)


def phi(order: int, u: Array | float) -> Array:
    """Return the derivative of this even order of the normal density."""
    hermite = np.polynomial.hermite_e.HermiteE.basis(order)
    return np.asarray(hermite(u) * np.exp(-np.square(u) / 2) / math.sqrt(2 * math.pi))


@pytest.mark.clause("nrd0.1", "nrd.1")
def test_rules_of_thumb_by_hand() -> None:
    n, _, least = spreads(SCORES, 1.34)
    assert bandwidth("nrd0", SCORES).item() == pytest.approx(0.9 * least * n**-0.2, rel=1e-14)
    assert bandwidth("nrd", SCORES).item() == pytest.approx(1.06 * least * n**-0.2, rel=1e-14)
    # R: bw.nrd0(c(0, 0, 0, 0, 0, 1)), whose interquartile range is 0; sd = sqrt(1/6).
    tied = bandwidth("nrd0", np.array([0.0] * 5 + [1.0])).item()
    assert tied == pytest.approx(0.9 * 6**-0.5 * 6**-0.2, rel=1e-14)


@pytest.mark.clause("ucv.1", "bcv.1")
@pytest.mark.parametrize("rule", ["ucv", "bcv"])
def test_cross_validation_is_least_near_the_bandwidth(rule: str) -> None:
    scores = np.append(np.linspace(0, 2, 30) ** 1.5, [10, 18, -8])  # most others have no minimum
    n, sd, _ = spreads(scores, 1.0)
    d = np.abs(np.subtract.outer(scores, scores))[np.triu_indices(n, 1)]
    highest = 1.144 * sd * n**-0.2
    h = np.linspace(0.1, 1, 901)[:, np.newaxis] * highest
    t = np.square(d / h)
    if rule == "ucv":
        terms = np.exp(-t / 4) - math.sqrt(8) * np.exp(-t / 2)
        criterion = (0.5 + terms.sum(axis=1) / n) / (n * h[:, 0])
    else:
        terms = np.exp(-t / 4) * (t**2 - 12 * t + 12)
        criterion = (1 + terms.sum(axis=1) / (32 * n)) / (2 * n * h[:, 0])
    best = h[criterion.argmin(), 0]
    assert bandwidth(rule, scores).item() == pytest.approx(best, abs=0.01 * highest)


@pytest.mark.clause("sj_dpi.1")
def test_the_direct_plug_in_by_hand() -> None:
    n, _, least = spreads(SCORES, 1.349)
    u = np.subtract.outer(SCORES, SCORES)

    def functional(order: int, g: float) -> float:
        sign = (-1) ** (order // 2)
        return sign * float(phi(order, u / g).sum()) / (n * (n - 1) * g ** (order + 1))

    g = (2.394 / (n * functional(6, 1.23 * least * n ** (-1 / 9)))) ** (1 / 7)
    expected = (1 / (2 * math.sqrt(math.pi) * n * functional(4, g))) ** 0.2
    # R rounds distances to 1000 steps over the range.
    assert bandwidth("sj_dpi", SCORES).item() == pytest.approx(expected, rel=2e-3)


@pytest.mark.clause("polansky_baker.1")
def test_two_stages_by_hand() -> None:
    n, sd, _ = spreads(SCORES, 1.0)
    u, psi = np.subtract.outer(SCORES, SCORES), -15 / (16 * math.sqrt(math.pi) * sd**7)
    for order in (4, 2):
        g = float(-2 * phi(order, 0.0) / (psi * n)) ** (1 / (order + 3))
        psi = float(phi(order, u / g).sum()) / (n**2 * g ** (order + 1))
    expected = (-1 / (math.sqrt(math.pi) * psi * n)) ** (1 / 3)
    assert bandwidth("polansky_baker", SCORES).item() == pytest.approx(expected, rel=1e-12)


@pytest.mark.clause("altman_leger.1")
def test_the_plug_in_of_altman_and_leger_by_hand() -> None:
    n, sd, _ = spreads(SCORES, 1.0)
    a = sd * n**-0.3
    u = np.subtract.outer(SCORES, SCORES) / a
    bells = phi(0, u)
    second = (bells.sum() - np.trace(bells)) / (n * (n - 1) * a)
    slopes = (-u * bells).sum(axis=1) / (n * a**2)
    expected = (second / (math.sqrt(math.pi) * np.mean(slopes**2) * n)) ** (1 / 3)
    assert bandwidth("altman_leger", SCORES).item() == pytest.approx(expected, rel=1e-12)


@pytest.mark.clause("bandwidth.2")
def test_distances_are_those_of_the_grid() -> None:
    """Of the scores 0, 0.5 and 1 a step is 0.00101: 495 and 990 of them, toward 0."""
    distances, counts = pair_counts(np.array([0.0, 0.5, 0.5, 1.0]))
    np.testing.assert_allclose(distances, np.array([0, 495, 990]) * 0.00101, rtol=1e-14)
    assert counts.tolist() == [1, 4, 1]


@pytest.mark.clause("bowman_hall_prvan.1")
@pytest.mark.parametrize("h", [0.02, 0.3])
def test_cross_validation_has_its_closed_form(h: float) -> None:
    n = len(SCORES)
    d = np.abs(np.subtract.outer(SCORES, SCORES))[np.triu_indices(n, 1)]

    def excess(sd: float) -> float:
        return float(np.sum(2 * sd * (phi(0, d / sd) - d / sd * ndtr(-d / sd))))

    closed = 2 / (n * (n - 1)) * excess(h) - h / ((n - 1) * math.sqrt(math.pi))
    closed -= (n - 2) / (n * (n - 1) ** 2) * excess(math.sqrt(2) * h)
    tiny = 1e-9
    found = cross_validation(SCORES, h) - cross_validation(SCORES, tiny)
    assert found == pytest.approx(closed, rel=1e-6)


# ---- R's own functions, to the last digits: where their searches stop


@pytest.mark.parametrize(
    ("rule", "by_r"),
    [
        ("ucv", "bw.ucv(x)"),
        ("bcv", "bw.bcv(x)"),
        ("sj", "bw.SJ(x)"),
        ("sj_dpi", "bw.SJ(x, method = 'dpi')"),
    ],
)
@pytest.mark.usefixtures("rinterface")
def test_bandwidths_are_those_of_r(rule: str, by_r: str, rinterface: ModuleType) -> None:
    text = rinterface.StrSexpVector([f"function(x) suppressWarnings({by_r})"])
    function = rinterface.baseenv["eval"](rinterface.baseenv["parse"](text=text))
    compared = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        scores = rng.standard_normal(40) if seed % 2 else rng.beta(1, 3, 60)
        try:
            h = RULES[rule](scores, np.sort(scores)).item()
        except FitError:
            continue  # of an end of the range, where R warns
        expected = function(rinterface.FloatSexpVector(scores.tolist()))[0]
        assert h == pytest.approx(expected, rel=1e-13)
        compared += 1
    assert compared >= 3


def test_the_range_grows_as_often_as_in_r() -> None:
    """By 1.2 at each end in turn: R looks at a hundred ranges and then stops."""
    scores = np.sort(np.random.default_rng(2).standard_normal(40))
    distances, counts = pair_counts(scores - scores[0])
    h = _solve(1.0, 3.0, 40, distances, counts)
    assert _solve(h / 1.2**49.5, 3.0, 40, distances, counts) == pytest.approx(h, rel=0.02)
    assert math.isnan(_solve(h / 1.2**50.5, 3.0, 40, distances, counts))
