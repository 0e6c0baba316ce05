"""NIST's certified sets for one-way analysis of variance (StRD), and how many digits are right.

Source: National Institute of Standards and Technology, Statistical Reference Datasets, Analysis of
Variance; SmLs: Simon and Lesage (1989), Computational Statistics & Data Analysis 8. The data are
works of the US government, and in the public domain. Those of Simon and Lesage follow a rule, which
`simon_lesage` has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import statsmodels.formula.api as smf
from mpmath import mp, mpf
from statsmodels.stats.anova import anova_lm
from statsmodels.stats.oneway import anova_oneway

from cdfscore import Standardizer
from cdfscore.models import anova
from cdfscore.r.session import RSession
from cdfscore.stats.numerics.types import Array
from validation.campaign.truth.base import exact
from validation.statsmodels_judge.compared import numbers_in_r
from validation.statsmodels_judge.counterparts.means import moments
from validation.statsmodels_judge.counterparts.ranges import as_frame, in_long_form
from validation.statsmodels_judge.distributions import DIGITS
from validation.statsmodels_judge.nist_observed import ATM_WT_AG, SI_RSTV


@dataclass(frozen=True)
class Certified:
    """A set: scores (replicates, treatments), and what NIST certifies.

    `between` and `within` are the sums of squares, `f` is the statistic; `level` is how difficult
    NIST calls the set.
    """

    scores: Array
    between: str
    within: str
    f: str
    level: str

    @property
    def numbers(self) -> tuple[str, str, str]:
        """The certified numbers."""
        return self.between, self.within, self.f


@dataclass(frozen=True)
class Digits:
    """Right digits of each certified number, by who computes it: the log relative error.

    `limit` is what 50 digits give from the doubles of the scores, which are not the decimals that
    NIST computes with.
    """

    limit: tuple[float, ...]
    ours: tuple[float, ...]
    anova_lm: tuple[float, ...]
    anova_oneway: float
    r: tuple[float, ...]


def simon_lesage(replicates: int, leading: int) -> Array:
    """Return scores of Simon and Lesage (replicates, 9): 0.1 below and above a mean, in turn.

    The means are `leading` and 0.4, 0.3, 0.5, 0.3, 0.5 ...; the first score of each is the mean.
    """
    tenths = np.array([4, 3, 5, 3, 5, 3, 5, 3, 5]) + np.array(
        [0, *(-1 if i % 2 else 1 for i in range(1, replicates))]
    ).reshape(-1, 1)
    # A decimal, read as every program reads it: the nearest double.
    return np.array([[float(f"{leading}.{tenth}") for tenth in row] for row in tenths])


def _simon_lesage(replicates: int, leading: int, level: str) -> Certified:
    between = {21: "1.68", 201: "16.08", 2001: "160.08"}[replicates]
    within = {21: "1.8", 201: "18", 2001: "180"}[replicates]
    return Certified(simon_lesage(replicates, leading), between, within, str(replicates), level)


SETS: Mapping[str, Certified] = {
    "SiRstv": Certified(
        np.array(SI_RSTV).T,
        "5.11462616000000E-02",
        "2.16636560000000E-01",
        "1.18046237440255E+00",
        "lower",
    ),
    "SmLs01": _simon_lesage(21, 1, "lower"),
    "SmLs02": _simon_lesage(201, 1, "lower"),
    "SmLs03": _simon_lesage(2001, 1, "lower"),
    "AtmWtAg": Certified(
        np.array(ATM_WT_AG).T,
        "3.63834187500000E-09",
        "1.04951729166667E-08",
        "1.59467335677930E+01",
        "average",
    ),
    "SmLs04": _simon_lesage(21, 10**6, "average"),
    "SmLs05": _simon_lesage(201, 10**6, "average"),
    "SmLs06": _simon_lesage(2001, 10**6, "average"),
    "SmLs07": _simon_lesage(21, 10**12, "higher"),
    "SmLs08": _simon_lesage(201, 10**12, "higher"),
    "SmLs09": _simon_lesage(2001, 10**12, "higher"),
}


def digits(session: RSession) -> dict[str, Digits]:
    """Return how many digits are right, by set."""
    return {name: _digits_of(each, session) for name, each in SETS.items()}


def _digits_of(certified: Certified, session: RSession) -> Digits:
    scores = certified.scores
    by_r = numbers_in_r(session, "one_way_table", {"scores": scores})
    table = anova_lm(smf.ols("score ~ C(system)", in_long_form(scores)).fit())
    one_way = anova_oneway(list(scores.T), use_var="equal", welch_correction=False)
    return Digits(
        right(by_50_digits(scores), certified),
        right(by_us(scores), certified),
        right((*table["sum_sq"], table["F"].iloc[0]), certified),
        right((np.nan, np.nan, one_way.statistic), certified)[2],
        right([by_r[name].item() for name in ("between", "within", "statistic")], certified),
    )


def by_us(scores: Array) -> tuple[float, ...]:
    """Return our sums of squares and F; the replicates of a treatment are as topics to it."""
    table = anova(as_frame(scores), "score ~ system", schemes=[Standardizer("raw")]).table
    return (*table["sum_of_squares"], table["statistic"].iloc[0])


def by_50_digits(scores: Array) -> tuple[float, ...]:
    """Return the sums of squares and F of the doubles."""
    with mp.workdps(DIGITS):
        each = [moments(exact(column)) for column in scores.T]
        n, k = scores.shape
        mean = mp.fsum(m for m, _ in each) / k
        between = n * mp.fsum((m - mean) ** 2 for m, _ in each)
        within = (n - 1) * mp.fsum(v for _, v in each)
        f = between / (k - 1) / (within / (k * (n - 1)))
        return float(between), float(within), float(f)


def right(found: Sequence[float], certified: Certified) -> tuple[float, ...]:
    """Return the log relative errors; 15, as many as are certified, is the most."""
    return tuple(
        _log_relative_error(float(value), true)
        for value, true in zip(found, certified.numbers, strict=True)
    )


def _log_relative_error(value: float, true: str) -> float:
    if np.isnan(value):
        return np.nan
    error = abs(mpf(value) - mpf(true)) / mpf(true)
    return 15.0 if error == 0 else float(min(15, -mp.log10(error)))
