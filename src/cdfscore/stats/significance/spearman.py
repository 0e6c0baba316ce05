"""Test of Spearman's rank correlation."""

from functools import lru_cache
from itertools import accumulate
from math import gcd, prod

import numpy as np
from scipy import special

from cdfscore.stats.numerics import student_t
from cdfscore.stats.numerics.ranks import midranks
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array, IntArray
from cdfscore.stats.significance.contract import Alternative, Rows, paired
from cdfscore.stats.significance.rank_tests import check_exact, pairings, patterns, tails

#: The most pairs of an exact distribution.
_MOST = 10
#: R enumerates up to so many pairs, and takes the series up to the other number.
_MOST_IN_R = 9
_MOST_IN_SERIES = 1290
# The coefficients of the series of Best and Roberts (1975): the power of x^2 is the row, that of
# 1 / n the column, both from 0.
_SERIES = (
    (0.2274, 0.2531, 0.1745),
    (-0.0758, 0.1033, 0.3932),
    (0.0, -0.0879, -0.0151),
    (0.0, 0.0072, -0.0831),
    (0.0, 0.0, 0.0131),
    (0.0, 0.0, -0.00046),
)


@paired(
    ranks="topics",
    source="Spearman (1904), Best and Roberts (1975); R: cor.test(x, y, method = 'spearman')",
    label="test of Spearman's correlation",
    effect="",
    estimates="correlation",
    shows="correlation",
    tolerances={
        "statistic": Tolerance(450, "R computes S from a rounded rho: (1 - rho) (n^3 - n) / 6"),
        "p_value": Tolerance(
            450_000, "for rho near 1 or -1, R's 1 - rho^2 has rounding error", floor=1e-12
        ),
    },
    shifts="systems",
    null="the two systems rank the topics independently (rho = 0)",
    assumes="no particular distribution",
    choose_for="whether two systems rank the topics alike",
)
def spearman(
    x: Array,
    y: Array,
    *,
    alternative: Alternative = "two-sided",
    exact: bool | None = None,
    continuity: bool = False,
) -> Rows:
    """Test whether paired scores are uncorrelated, by Spearman's rho.

    rho is Pearson's correlation of the midranks. The statistic is S = (n^3 - n) (1 - rho) / 6,
    without ties the sum of the squared differences of the ranks.

    Specified in spearman.1 to spearman.5.

    Parameters
    ----------
    x, y, alternative
        As for `pearson`.
    exact
        True: the distribution over all pairings of the midranks, for up to 10 pairs. False:
        t = rho sqrt((n - 2) / (1 - rho^2)) on n - 2 degrees of freedom. None: as R, without ties
        the exact one for up to 9 pairs and the Edgeworth series AS 89 for up to 1290, otherwise t.
        `method` names the one used.
    continuity
        Whether this t uses 1 - S / ((n^3 - n) / 6 + 1) instead of rho.

    Returns
    -------
    TestResult
        A value for each sample: statistic S, estimate rho. `method` names the distribution.

    Raises
    ------
    SignificanceError
        If there are fewer than 2 pairs, if one sample is constant (R gives NA), or if there are
        2 pairs and p is by the t approximation (R gives NaN). In a batch such a row has a p
        value of NaN, and `reason` explains why. Also for ``exact=True`` with more than 10 pairs.

    Notes
    -----
    Source: Best and Roberts (1975); choices of ``exact=None`` as R's ``cor.test``, which calls the
    series exact, and has t with ties even if ``exact = TRUE``. In the series, for 10 pairs a tail
    is off by up to 0.0006, for more pairs by less. For a small p this error is relatively large,
    and in the far tail p is 0, as in R. `kendall` is exact for fewer than 50 pairs. `continuity`
    increases rho whatever its sign, as in R. Therefore p is smaller for a positive correlation than
    for the same negative one. `scipy.stats.spearmanr` has only the t approximation.

    Examples
    --------
    >>> from cdfscore.stats.significance import spearman
    >>> result = spearman([0.5, 0.3, 0.8, 0.4, 0.6], [0.4, 0.3, 0.5, 0.2, 0.6])
    >>> result
    statistic   4
    p_value     0.133333
    estimate    0.8
    method      Spearman's rank correlation, exact
    n           5
    alternative two-sided
    """
    n = x.shape[1]
    middle = (n**3 - n) / 6  # S of no correlation; R's rounding errors of S are in its ulp
    # Twice the distance of each rank from their mean is whole, and so are the sums.
    (u, ties_x), (v, ties_y) = midranks(x), midranks(y)
    u, v = 2 * u - (n + 1), 2 * v - (n + 1)
    uu, vv, uv = np.vecdot(u, u), np.vecdot(v, v), np.vecdot(u, v)
    constant = (uu == 0) | (vv == 0)
    root = np.where(constant, np.nan, np.sqrt(uu * vv))
    # root -/+ uv is half of uu + vv -/+ 2 uv, exact, less (sqrt(uu) - sqrt(vv))^2.
    unequal = ((uu - vv) / (np.sqrt(uu) + np.sqrt(vv))) ** 2
    scale = middle / (2 * root)
    statistic = (uu + vv - 2 * uv - unequal) * scale
    opposite = (uu + vv + 2 * uv - unequal) * scale  # S of x and -y

    untied = (ties_x == 0) & (ties_y == 0)
    by_count = untied & (n <= _MOST_IN_R) if exact is None else ~constant & exact
    check_exact("spearman", "pairs", by_count * n, _MOST)
    in_series = untied & ~by_count & (exact is None and n <= _MOST_IN_SERIES)
    p_value = _by_t(statistic, opposite, n, alternative, float(continuity))
    p_value[in_series] = _by_series(statistic[in_series], opposite[in_series], n, alternative)
    for in_x, in_y, rows in patterns(x[by_count], y[by_count]):
        rows = np.flatnonzero(by_count)[rows]
        p_value[rows] = _by_count(in_x, in_y, uv[rows], alternative)
    return Rows(
        statistic=statistic,
        p_value=p_value,
        estimate=uv / root,
        method=np.select(
            [by_count, in_series],
            [
                "Spearman's rank correlation, exact",
                "Spearman's rank correlation, Edgeworth series (AS 89)",
            ],
            "Spearman's rank correlation, t approximation"
            + (" with continuity correction" if continuity else ""),
        ),
        reason=np.select(
            [constant, np.isnan(p_value)],
            [
                "the scores of one sample are all equal",
                f"{n} pairs are too few for the t approximation",
            ],
            "",
        ),
        statistic_terms=middle,
    )


def _by_count(in_x: tuple[int, ...], in_y: tuple[int, ...], uv: Array, alternative: str) -> Array:
    (u, step_u), (v, step_v) = _distances(in_x), _distances(in_y)
    n, step = sum(in_x), step_u * step_v
    # The sum of (u - least)(v - least) in steps, and its mean.
    mean = n * u[0] * v[0]
    place = (uv.astype(np.int64) + mean) // step
    return tails(_pairings(in_x, in_y), 2 * mean, alternative, step)[place]


@lru_cache(maxsize=1024)
def _pairings(in_x: tuple[int, ...], in_y: tuple[int, ...]) -> IntArray:
    """Return how many pairings of tied scores have each sum of products, in steps from 0 on."""
    if prod(t + 1 for t in in_x) < prod(t + 1 for t in in_y):
        in_x, in_y = in_y, in_x
    (u, step_u), (v, step_v) = _distances(in_x), _distances(in_y)
    return pairings(in_x, in_y, lambda i, j, _: (u[i] - u[0]) // step_u * ((v[j] - v[0]) // step_v))


def _distances(sizes: tuple[int, ...]) -> tuple[list[int], int]:
    """Return twice the distance of each tie's rank from the mean, and their common step."""
    ends = list(accumulate(sizes))
    found = [2 * end - size - ends[-1] for size, end in zip(sizes, ends, strict=True)]
    return found, gcd(*(each - found[0] for each in found))


def _by_series(statistic: Array, opposite: Array, n: int, alternative: str) -> Array:
    """Return the p value by the series; the lower tail is the upper one of -y."""
    s = {"less": statistic, "greater": opposite}.get(alternative, np.maximum(statistic, opposite))
    tail = _upper_tail_in_series(s, n)
    return np.minimum(1.0, 2 * tail) if alternative == "two-sided" else tail


def _upper_tail_in_series(s: Array, n: int) -> Array:
    """Return P(S >= s) by the series, of even s: Phi(-x) + x g(x^2, 1 / n) exp(-x^2 / 2) / n."""
    cube = n**3 - n
    x = (6 * (s - 1) - cube) / cube * np.sqrt(n - 1)
    square = x * x
    g = np.zeros_like(x)
    for coefficients in reversed(_SERIES):
        g = g * square + sum(c / n**k for k, c in enumerate(coefficients))
    tail = special.ndtr(-x) + x * g * np.exp(-square / 2) / n
    return np.where(s == 0, 1.0, np.clip(tail, 0.0, 1.0))


def _by_t(statistic: Array, opposite: Array, n: int, alternative: str, raised: float) -> Array:
    """Return the p value of t; `raised` is added to the S of no correlation, 0 or 1."""
    if n == 2:
        return np.full(len(statistic), np.nan)
    # S / middle is 1 - rho, and that of -y is 1 + rho.
    against = opposite + 2 * raised
    t = (against - statistic) / 2 * np.sqrt((n - 2) / (statistic * against))
    p_value = student_t.p_value(t, n - 2, alternative)
    if alternative == "two-sided":
        # R doubles the tail on the side of rho: t may be on the other where it is raised.
        p_value[(statistic > opposite) & (t > 0)] = 1.0
    return p_value
