"""Bandwidth rules beside R's functions, the twin of the kernel family, and mpmath."""

from __future__ import annotations

import numpy as np
import pytest
from mpmath import mp, mpf

from cdfscore.r.session import RSession
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes.bandwidths import RULES
from cdfscore.stats.schemes.kernel import Kernel
from validation.bandwidths import truth
from validation.bandwidths.__main__ import PAGE, SAMPLES
from validation.bandwidths.compare import IN_BASE_R, bandwidth, compare, in_r
from validation.bandwidths.samples import KINDS, sample

FOR_CDFS = ("altman_leger", "bowman_hall_prvan", "polansky_baker")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("rule", IN_BASE_R)
def test_rules_of_r_have_rs_bits(rule: str, r: RSession) -> None:
    tally = compare(r, rule, ((k, sample(16, k)[1]) for k in range(300)))
    assert tally.apart == []
    assert tally.same_bits == tally.compared >= 290


def test_the_campaign_found_every_bit_equal() -> None:
    rows = [line.split(" | ") for line in PAGE.read_text(encoding="utf-8").splitlines()]
    found = {cells[0].strip("| "): cells for cells in rows if len(cells) == 9}
    for rule in IN_BASE_R:
        _, _, samples, compared, same_bits, largest, _, apart, _ = found[rule]
        assert int(samples) == SAMPLES
        assert (int(apart), same_bits, float(largest)) == (0, compared, 0.0)


def test_polansky_baker_is_hpi_kcde_of_ks(r: RSession) -> None:
    if not r.rinterface.baseenv["requireNamespace"]("ks", quietly=True)[0]:
        pytest.fail("the R package ks is not installed; Debian: apt-get install r-cran-ks")
    tally = compare(r, "polansky_baker", ((k, sample(17, k, 60)[1]) for k in range(60)))
    assert tally.apart == []
    assert tally.compared == 60
    assert tally.largest < 1e-13


@pytest.mark.parametrize("rule", RULES)
def test_the_twin_chooses_the_same_bandwidth(rule: str, r: RSession) -> None:
    function = r.function_of(Kernel.twin(), "bandwidth_of")
    refused = 0
    for k in range(60):
        scores = sample(18, k, 60)[1]
        ours, taken = bandwidth(rule, scores)
        arguments = r.strings([rule]), r.vector(scores)
        if taken:
            assert float(function(*arguments)[0]) == pytest.approx(ours, rel=1e-12)
        else:
            refused += 1
            with pytest.raises(r.rinterface.embedded.RRuntimeError):
                function(*arguments)
    assert refused < 60


@pytest.mark.parametrize("rule", FOR_CDFS)
def test_bandwidths_for_cdfs_at_50_digits(rule: str) -> None:
    compared = 0
    with mp.workdps(truth.DIGITS):
        for k in range(len(KINDS)):
            scores = sample(19, k, 14)[1]
            ours, taken = bandwidth(rule, scores)
            if taken:
                near = {"near": ours} if rule == "bowman_hall_prvan" else {}
                exact = getattr(truth, rule)(scores.tolist(), **near)
                assert float(abs(ours / exact - 1)) < 1e-13
                compared += 1
    assert compared >= 8


def test_the_slope_of_cross_validation_is_that_of_its_definition() -> None:
    scores, h = [0.1, 0.25, 0.7], mpf(1) / 5
    with mp.workdps(16):
        step = mpf(1) / 256
        a, b, c, d = (truth.criterion(scores, h + k * step) for k in (-2, -1, 1, 2))
        by_differences = (8 * (c - b) - (d - a)) / (12 * step)
        assert float(by_differences) == pytest.approx(float(truth.slope(scores, h)), rel=1e-6)


@pytest.mark.parametrize("offset", [1e9, 1e12])
def test_rs_grid_overflows_far_from_0(offset: float, r: RSession) -> None:
    centred = np.round(np.random.default_rng(1).standard_normal(60), 3)
    scores: Array = centred + offset
    expected = bandwidth("sj", centred)[0]
    assert bandwidth("sj", scores)[0] == pytest.approx(expected, rel=0.01)  # another grid
    # All pairs fall in one cell of R's grid: all bw.SJ has to go by is n.
    assert abs(in_r(r, "sj", scores)[0] / expected - 1) > 0.1
