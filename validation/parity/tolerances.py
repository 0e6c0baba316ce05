"""How far a scheme may be from its R twin: the one table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cdfscore.catalogue import schemes
from cdfscore.numerics.types import Array
from cdfscore.numerics.ulp import ulp_distance


@dataclass(frozen=True)
class Tolerance:
    """The largest distance in ulp, and why it is not 0.

    A y below `floor` is compared in the ulp of `floor`: with 1, in units of 2^-52.
    """

    ulp: float
    reason: str
    floor: float = 0.0
    #: The same for the real matrices, where it is less than on any input.
    real: float | None = None

    def distance(self, y: Array, r: Array) -> Array:
        """Return the distance of each y from R's in ulp."""
        distance = ulp_distance(y, r)
        small = np.fmax(np.abs(y), np.abs(r)) <= self.floor  # not where both are NaN
        distance[small] = np.abs(y[small] - r[small]) / np.spacing(self.floor)
        return distance


_SAME = "the same operations, adding in the same order and precision"
_PNORM = "two algorithms for the normal cdf: R's is within 8 ulp of the true value, ours 3"
_MEAN = "a mean of such values, added in another order"
# Parameters that differ in the last digits move small y by many ulp, and y itself hardly.
_ADDED = "SciPy adds pairwise, R in order and in long double, so that parameters differ"
_SOLVED = "two solvers; ours may stop 1e-13 in log-likelihood short, up to 2e-8 in y"

TOLERANCES = {
    "raw": Tolerance(0, "nothing is computed"),
    "empirical": Tolerance(0, "a count over n"),
    "empirical:convention=strict": Tolerance(0, "a count over n"),
    "empirical:convention=mid": Tolerance(0, "a count over 2n"),
    "minmax": Tolerance(0, _SAME),
    "sum": Tolerance(0, _SAME),
    "z": Tolerance(0, _SAME),
    "uniform": Tolerance(0, _SAME),
    "uniform:A=0.3,B=0.4": Tolerance(0, _SAME),
    "exponential": Tolerance(4, "pexp takes a rate, the reciprocal of the scale"),
    "normal": Tolerance(11, _PNORM, real=8),
    # R's pnorm is 0 left of -37.52, where Phi is 4.6e-308, 3 ulp of 1e-292.
    "kernel": Tolerance(13, f"{_PNORM}; {_MEAN}", floor=1e-292),
    "kernel:bandwidth=0.1": Tolerance(13, f"{_PNORM}; {_MEAN}", floor=1e-292),
    "from_scipy": Tolerance(8, _ADDED, floor=1.0),
    "from_scipy:dist=uniform": Tolerance(0, _SAME),
    "from_scipy:dist=expon": Tolerance(8, _ADDED, floor=1.0),
    "from_scipy:dist=lognorm,floc=-0.01": Tolerance(32, f"{_ADDED}; of logarithms", floor=1.0),
    "from_scipy:dist=gamma,floc=-0.01": Tolerance(128, f"{_ADDED}; two solvers", floor=1.0),
    "from_scipy:dist=logistic": Tolerance(2e7, _SOLVED, floor=1.0),  # 4.4e-9
    "from_scipy:dist=beta,floc=-0.01,fscale=1.02": Tolerance(2e7, _SOLVED, floor=1.0),
    "from_scipy:dist=weibull_min,floc=-0.01": Tolerance(1e8, _SOLVED, floor=1.0),
}
DEFAULT = Tolerance(8, "the tolerance of a scheme without a line in the table")


def variants() -> list[str]:
    """Spell every member of the catalogue, by default and with the settings of the table."""
    return [*schemes.names(), *(spelling for spelling in TOLERANCES if ":" in spelling)]
