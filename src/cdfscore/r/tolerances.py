"""How far a scheme may be from its R twin: the one table."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from cdfscore.numerics.types import Array
from cdfscore.numerics.ulp import ulp_distance
from cdfscore.schemes.base import Scheme


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

    def distance(self, y: Array, r: Array, terms: Array | None = None) -> Array:
        """Return the distance of each y from R's in ulp.

        `terms` is the mean size of the terms that each y is the mean of: where terms of both
        signs cancel, their ulp is what counts.
        """
        distance = ulp_distance(y, r)
        floor = np.full_like(distance, self.floor)
        if terms is not None:
            cancelled = np.maximum(np.abs(y), np.abs(r)) < terms / 2
            floor[cancelled] = np.maximum(floor, terms)[cancelled]
        small = np.maximum(np.abs(y), np.abs(r)) <= floor  # not where one is NaN
        distance[small] = np.abs(y[small] - r[small]) / np.spacing(floor[small])
        return distance

    def of_means(self, *, counted: bool) -> Tolerance:
        """Return the tolerance of a mean of such y; `counted` where it is an exact fraction.

        y that agree to a relative error have means that do; the same error is twice as many
        ulp just above a power of 2.
        """
        if counted:
            return Tolerance(2, "R adds rounded counts / n, ours is exact and rounded once")
        ulp = 2 * self.ulp + 1 if self.ulp else 0.0
        return Tolerance(ulp, self.reason, floor=self.floor)


#: How far y may be from the true value of F at its argument, in ulp; see docs/parity.md.
LIMIT = 4.0

_SAME = "the same operations, adding in the same order and precision"
_PNORM = "two algorithms for the normal cdf: R's is within 8 ulp of the true value, ours 3"
_MEAN = "a mean of such values, added in another order"
_SUMMED = "sums over all pairs in another order, so that bandwidths differ"
_INCOMPLETE_BETA = "R's pbeta is up to 6e-13 off for narrow kernels, ours 1e-15"
_SUBTRACTED = "a difference of numbers of the size of 1, added in another order"
_COMPACT = "pbeta, or 1 + u + sin(pi u) / pi, which cancels; sums by windows"
# Parameters that differ in the last digits move small y by many ulp, and y itself hardly.
_ADDED = "SciPy adds pairwise, R in order and in long double, so that parameters differ"
_SOLVED = "two solvers; ours may stop 1e-13 in log-likelihood short, up to 2e-8 in y"
_MAXIMA = "two solvers, both to the last digits of the likelihood equations"

# By the name of a scheme, for all its settings or for those that are given.
TOLERANCES = {
    "raw": Tolerance(0, "nothing is computed"),
    "empirical": Tolerance(0, "a count over n or 2n; ppoints and approx, operation by operation"),
    "minmax": Tolerance(0, _SAME),
    "sum": Tolerance(0, _SAME),
    "z": Tolerance(0, _SAME),
    "uniform": Tolerance(0, _SAME),
    "exponential": Tolerance(4, "pexp takes a rate, the reciprocal of the scale"),
    # R's pnorm is 0 left of -37.52, where Phi is 4.6e-308, 3 ulp of 1e-292.
    "normal": Tolerance(11, _PNORM, floor=1e-292, real=8),
    # Of a compact kernel; of many scores, `window_sums` is off in the tails.
    "kernel": Tolerance(8, _COMPACT, floor=1.0),
    "kernel:bandwidth=altman_leger": Tolerance(64, _SUMMED, floor=1.0),
    "kernel:bandwidth=bowman_hall_prvan": Tolerance(1000, _SUMMED, floor=1.0),
    "kernel:bandwidth=polansky_baker": Tolerance(64, _SUMMED, floor=1.0),
    "kernel:boundary=beta": Tolerance(9000, _INCOMPLETE_BETA, floor=1.0),  # 2e-12
    "kernel:boundary=reflection": Tolerance(16, _SUBTRACTED, floor=1.0),
    "kernel:boundary=truncation": Tolerance(16, _SUBTRACTED, floor=1.0),
    "kernel:kernel=gaussian": Tolerance(13, f"{_PNORM}; {_MEAN}", floor=1e-292),
    "kernel:kernel=logistic": Tolerance(8, _MEAN, floor=1e-292),
    "beta_binomial": Tolerance(64, "two solvers, and R adds probabilities in double", floor=1.0),
    "johnson_su": Tolerance(4500, "two solvers and two formulas for z", floor=1.0),  # 1e-12
    "mixture": Tolerance(256, "two solvers of the same likelihood from the same starts", floor=1.0),
    "from_scipy": Tolerance(8, _ADDED, floor=1.0),
    "from_scipy:dist=uniform": Tolerance(0, _SAME),
    "from_scipy:dist=lognorm": Tolerance(32, f"{_ADDED}; of logarithms", floor=1.0),
    "from_scipy:dist=gamma": Tolerance(128, f"{_ADDED}; two solvers", floor=1.0),
    "from_scipy:dist=logistic": Tolerance(2e7, _SOLVED, floor=1.0),  # 4.4e-9
    "from_scipy:dist=beta": Tolerance(2e7, _SOLVED, floor=1.0),
    "from_scipy:dist=weibull_min": Tolerance(1e8, _SOLVED, floor=1.0),
    "beta": Tolerance(4500, f"{_MAXIMA}, which R takes from differences", floor=1.0),  # 1e-12
    "gamma": Tolerance(128, _MAXIMA, floor=1.0),
    "kumaraswamy": Tolerance(128, _MAXIMA, floor=1.0),
    "logit_normal": Tolerance(16, "two logits, whose last digits the moments pass on", floor=1.0),
    "truncated_normal": Tolerance(128, _MAXIMA, floor=1.0),
    "logspline": Tolerance(9000, f"{_MAXIMA}, few where scores crowd", floor=1.0),  # 2e-12
}
DEFAULT = Tolerance(8, "the tolerance of a scheme without a line in the table")


def tolerance_of(scheme: Scheme) -> Tolerance:
    """Return the line of the table that says most about a scheme and its settings.

    Examples
    --------
    >>> from cdfscore.distributions import Uniform
    >>> tolerance_of(Uniform(A=0.3)).ulp
    0
    """
    if scheme.component is not None:
        # A mean of its y and of counts: no relative error grows, and three are rounded.
        of = tolerance_of(scheme.component)
        return replace(of, ulp=of.ulp + 3, real=None if of.real is None else of.real + 3)
    given = {f"{name}={value}" for name, value in scheme.settings().items()}
    found = {0: DEFAULT}
    for key, tolerance in TOLERANCES.items():
        name, _, rest = key.partition(":")
        settings = set(rest.split(",")) if rest else set()
        if name == scheme.name and settings <= given:
            # Of two settings, each with its line, the one that is farther from R decides.
            other = found.get(len(settings) + 1, tolerance)
            found[len(settings) + 1] = max(tolerance, other, key=lambda t: (t.floor, t.ulp))
    return found[max(found)]


_RELATIVE = "two algorithms; 1e-13 of the number"
_TAIL = "two algorithms for the tail; 1e-10 of the number, down to 1e-300"
_NONCENTRAL = "the ends are solved for, in R from a sum with 1e-13 of error"
_FLIPPED = "the quantile may be a t of nearly equal differences, which has few digits"
# A number of a significance test by its name, or that of one test, test.name. What is
# small only because its terms cancel is compared in the ulp of the floor.
TEST_TOLERANCES = {
    "estimate": Tolerance(450, _RELATIVE, floor=2**-10),
    "stderr": Tolerance(450, _RELATIVE),
    "conf_low": Tolerance(450_000, _TAIL, floor=2**-10),
    "conf_high": Tolerance(450_000, _TAIL, floor=2**-10),
    "statistic": Tolerance(450, _RELATIVE, floor=2**-10),
    "parameter": Tolerance(450, _RELATIVE),
    # 1e-307 near the smallest double, where numbers have fewer and fewer bits.
    "p_value": Tolerance(450_000, _TAIL, floor=1e-297),
    "p_adjusted": Tolerance(450_000, _TAIL, floor=1e-297),
    "effect_size": Tolerance(4500, "a ratio of two numbers that are 1e-13 apart"),
    "effect_low": Tolerance(450_000, _NONCENTRAL),
    "effect_high": Tolerance(450_000, _NONCENTRAL),
    "tukey_hsd.statistic": Tolerance(4500, "the residuals are aov's, which solves by rotations"),
    "tukey_hsd.stderr": Tolerance(4500, "the residuals are aov's, which solves by rotations"),
    # What R takes from 1 - p has the digits of 1: below, 1e-10 of 2^-10 is 1e-13.
    "anova_two_way.statistic": Tolerance(
        4500, "aov solves by rotations, ours is a closed form", floor=2**-10
    ),
    "dunnett.conf_low": Tolerance(2e7, _FLIPPED),
    "dunnett.conf_high": Tolerance(2e7, _FLIPPED),
    "kendall.p_value": Tolerance(450_000, "R takes an upper tail from 1 - p", floor=2**-10),
    "kendall.statistic": Tolerance(450, "R rounds C - D, which may be 0", floor=2**-6),
    "kolmogorov_smirnov.p_value": Tolerance(450_000, "R takes p from 1 - p", floor=2**-10),
    "kolmogorov_smirnov.statistic": Tolerance(450, _RELATIVE, floor=1.0),
    "pearson.statistic": Tolerance(450, "r is a sum of terms of both signs", floor=2**-4),
    "spearman.statistic": Tolerance(450, "R takes S from rho, times (n^3 - n) / 6", floor=2.0**16),
    "spearman.p_value": Tolerance(450_000, "R's 1 - rho^2 is rounding at rho 1", floor=1e-12),
}


def tolerance_of_test(test: str, quantity: str, scheme: Scheme | None = None) -> Tolerance:
    """Return how far a number of a test may be from R's, on scores standardized by `scheme`.

    Scores that are a few ulp apart already, as two algorithms for a cdf leave them, make
    statistics that are up to some 100 times as many ulp apart, and p values 1000 times.
    """
    found = TEST_TOLERANCES.get(f"{test}.{quantity}", TEST_TOLERANCES[quantity])
    apart = 0.0 if scheme is None else tolerance_of(scheme).ulp
    if not apart:
        return found
    passed_on = 1000 if quantity in ("p_value", "p_adjusted") else 100
    return Tolerance(found.ulp + passed_on * apart, found.reason, floor=found.floor)
