"""Rules for the bandwidth of a Gaussian kernel.

R's rules `nrd0`, `nrd`, `ucv`, `bcv`, `sj` and `sj_dpi` were made for densities, for which the best
bandwidth is of order n^(-1/5). `altman_leger`, `bowman_hall_prvan` and `polansky_baker` were made
for distribution functions, for which it is of order n^(-1/3). A rule that has no bandwidth for a
row raises `FitError`, and does not substitute another bandwidth.

Examples
--------
>>> import numpy as np
>>> scores = np.array([[0.52, 0.12, 0.3, 0.74, 0.45, 0.31]])
>>> for rule in ("nrd0", "sj", "polansky_baker"):
...     print(rule, RULES[rule](scores, np.sort(scores)).round(4).item())
nrd0 0.0939
sj 0.1603
polansky_baker 0.2231
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cdfscore.numerics.tolerance import Tolerance
from cdfscore.numerics.types import Array
from cdfscore.schemes.kernel.bandwidths.altman_leger import altman_leger
from cdfscore.schemes.kernel.bandwidths.bowman_hall_prvan import bowman_hall_prvan
from cdfscore.schemes.kernel.bandwidths.cross_validation import bcv, ucv
from cdfscore.schemes.kernel.bandwidths.normal_reference import nrd, nrd0
from cdfscore.schemes.kernel.bandwidths.polansky_baker import polansky_baker
from cdfscore.schemes.kernel.bandwidths.sheather_jones import sj, sj_dpi

_SUMMED = (
    "sums over pairs of scores have another order, so that bandwidths differ in the last digits"
)


@dataclass(frozen=True)
class Rule:
    """Bandwidth rule, and the tolerance of y against R's if the bandwidths differ."""

    choose: Callable[[Array, Array], Array]
    tolerance: Tolerance | None = None

    def __call__(self, scores: Array, ordered: Array) -> Array:
        """Return the bandwidth of each row."""
        return self.choose(scores, ordered)


#: Every rule by its name. A rule takes scores (..., n) in their own order, NaN where missing,
#: at least two per row, and the same sorted, NaN last; it returns h (..., 1), 0 for equal scores.
RULES: dict[str, Rule] = {
    "nrd0": Rule(nrd0),
    "nrd": Rule(nrd),
    "ucv": Rule(ucv),
    "bcv": Rule(bcv),
    "sj": Rule(sj),
    "sj_dpi": Rule(sj_dpi),
    "altman_leger": Rule(altman_leger, Tolerance(64, _SUMMED, floor=1.0)),
    "bowman_hall_prvan": Rule(bowman_hall_prvan, Tolerance(1000, _SUMMED, floor=1.0)),
    "polansky_baker": Rule(polansky_baker, Tolerance(64, _SUMMED, floor=1.0)),
}
