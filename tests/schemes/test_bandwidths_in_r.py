"""Bandwidths of R's own functions, to the last digits: where their searches stop."""

import math
from types import ModuleType

import numpy as np
import pytest

from cdfscore.errors import FitError
from cdfscore.stats.schemes.bandwidths import RULES, _solve, pair_counts


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
