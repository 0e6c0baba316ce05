"""Bandwidth rules: equivariance, batches, refusals, and numbers that are known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

from cdfscore.errors import FitError
from cdfscore.numerics.types import Array
from cdfscore.schemes.bandwidths import RULES, pair_counts

pytestmark = pytest.mark.one_in(2)

# Velocities of 82 galaxies in km/s; Roeder (1990), with 26960 as Venables and Ripley have it.
GALAXIES = (
    "9172 9350 9483 9558 9775 10227 10406 16084 16170 18419 18552 18600 18927 19052 19070 19330 "
    "19343 19349 19440 19473 19529 19541 19547 19663 19846 19856 19863 19914 19918 19973 19989 "
    "20166 20175 20179 20196 20215 20221 20415 20629 20795 20821 20846 20875 20986 21137 21492 "
    "21701 21814 21921 21960 22185 22209 22242 22249 22314 22374 22495 22746 22747 22888 22914 "
    "23206 23241 23263 23484 23538 23542 23666 23706 23711 24129 24285 24289 24366 24717 24990 "
    "25633 26690 26995 32065 32789 34279"
)
ALWAYS = ("nrd0", "polansky_baker")  # rules that refuse no sample that varies

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


@pytest.mark.long
@given(st.sampled_from(["altman_leger", "bowman_hall_prvan", "polansky_baker"]), seeds, sizes)
def test_bandwidths_for_cdfs_do_not_move_with_the_scores(rule: str, seed: int, n: int) -> None:
    for scores in taken(rule, samples(seed, n)):
        expected = bandwidth(rule, scores).item()
        assert bandwidth(rule, -scores).item() == pytest.approx(expected, 1e-11)
        assert bandwidth(rule, scores + 7).item() == pytest.approx(expected, 1e-9)


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


@pytest.mark.clause("bandwidth.1")
@pytest.mark.parametrize("rule", RULES)
def test_equal_scores_have_the_bandwidth_0(rule: str) -> None:
    scores = np.array([[0.1 + 0.2] * 7, [0.0] * 7, [-1e300] * 7])
    assert bandwidth(rule, scores).tolist() == [[0.0]] * 3
    assert bandwidth(rule, scores[:0]).shape == (0, 1)


@pytest.mark.clause("nrd0.1", "polansky_baker.1")
@given(
    st.sampled_from(ALWAYS),
    st.lists(st.floats(-1e300, 1e300, allow_subnormal=False), min_size=2, max_size=30),
)
def test_rules_that_take_every_sample_that_varies(rule: str, scores: list[float]) -> None:
    sample = np.array(scores)
    if np.ptp(sample / 2) > 1e-290:
        assert 0 < bandwidth(rule, sample).item() < math.inf


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


def test_the_end_is_named_where_the_criterion_is_least() -> None:
    """Of eight scores, by Scott (1992), Eq. 6.67, at both ends of the range that R searches."""
    batch = np.array([np.linspace(0.0, 1.0, 8) ** 2, [0.1, 0.1, 0.1, 0.1, 0.2, 0.3, 0.3, 0.7]])
    for end, row in (("lower", 1), ("upper", 0)):
        squares = np.subtract.outer(batch[row], batch[row])[np.triu_indices(8, 1)] ** 2
        h = np.array([[0.1], [1.0]]) * 1.144 * batch[row].std(ddof=1) * 8**-0.2
        terms = np.exp(-squares / h**2 / 4) - math.sqrt(8) * np.exp(-squares / h**2 / 2)
        at_ends = (0.5 + terms.sum(axis=1) / 8) / (8 * h[:, 0] * math.sqrt(math.pi))
        assert ("lower", "upper")[at_ends.argmin()] == end
        with pytest.raises(FitError, match=f"ucv: the criterion is least at the {end} end") as of:
            bandwidth("ucv", batch[: row + 1])
        assert list(of.value.rows) == [row]


@pytest.mark.clause("nrd0.1", "ucv.1", "sj.1", "sj_dpi.1")
def test_bandwidths_of_galaxies() -> None:
    galaxies = np.array(GALAXIES.split(), dtype=np.float64) / 1000
    # Venables and Ripley (2002), section 5.6: widths, 4 h, of galaxies / 1000.
    widths = {
        "sj_dpi": 3.256151,
        # Theirs is 2.566423 with another tolerance, 0.2 % below R's bw.SJ.
        "sj": 2.572105768,
        "nrd0": 4.00735718010,
        "ucv": 2.50398912610,
    }
    for rule, width in widths.items():
        assert 4 * bandwidth(rule, galaxies).item() == pytest.approx(width, rel=2e-7)


@pytest.mark.clause("bowman_hall_prvan.1")
@given(st.floats(1e-3, 1e3), st.floats(-10, 10))
def test_cross_validation_of_two_scores_has_a_closed_form(distance: float, start: float) -> None:
    scores = np.array([start, start + distance])
    expected = np.ptp(scores) / math.sqrt(math.log(2))
    assert bandwidth("bowman_hall_prvan", scores).item() == pytest.approx(expected, rel=1e-13)


@pytest.mark.clause("bandwidth.2")
@pytest.mark.parametrize("scale", [1e9, -1e9, 1e15])
def test_scores_far_from_0_are_counted_as_from_the_least(scale: float) -> None:
    scores = scale + np.random.default_rng(4).integers(0, 100, 40)
    for rule in ("ucv", "sj", "sj_dpi"):
        assert bandwidth(rule, scores) == bandwidth(rule, scores - scores.min())


def test_scores_are_counted_from_the_least_where_r_s_grid_begins_to_overflow() -> None:
    """A step is 1.01 / 1000 of the range, 92: 2^31 of them are 199544180.

    The first numbers are R's; beyond that R gives 1.6, 1.1 and 4.3, from places that overflow.
    """
    scores = np.random.default_rng(4).integers(0, 100, 40).astype(np.float64)
    near, beyond = (scores - scores.max() + 199_544_180 + away for away in (-1000, 1000))
    in_r = {"ucv": 5.9482118462202784, "sj": 7.6782768983711804, "sj_dpi": 11.493864556893149}
    for rule, h in in_r.items():
        assert bandwidth(rule, near).item() == pytest.approx(h, rel=1e-12)
        for far in (beyond, scores + 380_000_000):
            assert bandwidth(rule, far) == bandwidth(rule, scores - scores.min())


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


@pytest.mark.clause("bowman_hall_prvan.1")
@pytest.mark.parametrize("seed", range(4))
def test_no_bandwidth_cross_validates_better(seed: int) -> None:
    rng = np.random.default_rng(seed)
    # Clusters, so that there is a minimum for the clusters and one within them.
    scores = rng.integers(0, 3, 9) + rng.random(9) / 20
    h = bandwidth("bowman_hall_prvan", scores).item()
    least = cross_validation(scores, h)
    for other in [*np.geomspace(1e-4, 4, 60), h * (1 - 1e-3), h * (1 + 1e-3)]:
        assert cross_validation(scores, other) > least - 1e-13


def test_the_deeper_of_two_minima_may_be_that_of_near_scores() -> None:
    scores = np.array([0.003, 0.033, 0.055, 1.042, 2.041, 2.054, 2.075, 2.083])
    h = bandwidth("bowman_hall_prvan", scores).item()
    assert h < 0.1
    others = [cross_validation(scores, other) for other in np.geomspace(0.01, 4, 40)]
    assert cross_validation(scores, h) < min(others)


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


@pytest.mark.parametrize("rule", ["altman_leger", "bowman_hall_prvan", "polansky_baker"])
def test_rules_for_cdfs_are_of_order_n_to_minus_a_third(rule: str) -> None:
    rng = np.random.default_rng(3)
    few, many = (bandwidth(rule, rng.beta(2, 5, (40, n))).mean() for n in (40, 320))
    # 8^(1/3) is 2, and 8^(1/5), for densities, 1.52.
    assert few / many == pytest.approx(2, rel=0.12)


@pytest.mark.clause("sj.1")
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
