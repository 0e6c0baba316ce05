"""Test of Spearman's rank correlation."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics import student_t
from cdfscore.numerics.ranks import midranks
from cdfscore.numerics.tolerance import Tolerance
from cdfscore.numerics.types import Array
from cdfscore.significance._rank_settings import check_truth_values
from cdfscore.significance.contract import Alternative, Rows, paired
from cdfscore.significance.null import spearman as spearman_exact
from cdfscore.significance.null import spearman_edgeworth

#: R enumerates up to so many pairs, and takes the series up to the other number.
_MOST_ENUMERATED = 9
_MOST_IN_SERIES = 1290


@paired(
    source="Spearman (1904), Best and Roberts (1975); R: cor.test(x, y, method = 'spearman')",
    effect="",
    estimates="correlation",
    shows="correlation",
    tolerances={
        "statistic": Tolerance(450, "R computes S from a rounded rho: (1 - rho) (n^3 - n) / 6"),
        "p_value": Tolerance(
            450_000, "for rho near 1 or -1, R's 1 - rho^2 has rounding error", floor=1e-12
        ),
    },
    null="no correlation of ranks",
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

    Parameters
    ----------
    x, y
        Scores of shape (..., n), a pair in each place; a pair with a NaN is omitted.
    alternative
        "two-sided", "less" (a negative correlation) or "greater".
    exact
        True or None: without ties, the distribution over all permutations for up to 9 pairs,
        and the Edgeworth series AS 89 for up to 1290. With ties, for more pairs, or if False:
        t = rho sqrt((n - 2) / (1 - rho^2)) on n - 2 degrees of freedom.
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
        value of NaN, and `reason` explains why.

    Notes
    -----
    Source: Best and Roberts (1975); choices as R's ``cor.test``, which calls the series
    exact. For 10 pairs a tail is off by up to 0.0006, for more pairs by less. For a small p this
    error is relatively large. In the far tail the series is negative and p is 0, as in R (for 10
    to 13 pairs, if the true tail is below about 1e-4). With ``exact=False``, p is 0 only for rho =
    1 or -1; R can have a rounding error instead (4e-24). `kendall` is exact for fewer than 50
    pairs. `continuity` increases rho whatever its sign, as in R. Therefore p is smaller for a
    positive correlation than for the same negative one.

    S, 1 - rho and 1 + rho are computed from whole numbers without cancellation. R computes S from
    rho, and 1 - rho^2 from S; for many pairs near a perfect correlation it loses digits.
    `scipy.stats.spearmanr` has only the t approximation.

    Examples
    --------
    >>> from cdfscore.significance import spearman
    >>> result = spearman([0.5, 0.3, 0.8, 0.4, 0.6], [0.4, 0.3, 0.5, 0.2, 0.6])
    >>> result
    statistic   4
    p_value     0.133333
    estimate    0.8
    method      Spearman's rank correlation, exact
    n           5
    alternative two-sided
    """
    check_truth_values("spearman", exact=exact, continuity=continuity)
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
    by_order = untied & (exact is not False and n <= _MOST_IN_SERIES)
    p_value = _by_t(statistic, opposite, n, alternative, float(continuity))
    p_value[by_order] = _by_order(statistic[by_order], opposite[by_order], n, alternative)
    return Rows(
        statistic=statistic,
        p_value=p_value,
        estimate=uv / root,
        method=np.where(
            by_order,
            "Spearman's rank correlation, "
            + ("exact" if n <= _MOST_ENUMERATED else "Edgeworth series (AS 89)"),
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


def _by_order(statistic: Array, opposite: Array, n: int, alternative: str) -> Array:
    """Return the p value over permutations; the lower tail is the upper one of -y."""
    s = {"less": statistic, "greater": opposite}.get(alternative, np.maximum(statistic, opposite))
    if n <= _MOST_ENUMERATED:
        tail = spearman_exact.upper_tail(n)[s.astype(np.int64) // 2]
    else:
        tail = spearman_edgeworth.upper_tail(s, n)
    return np.minimum(1.0, 2 * tail) if alternative == "two-sided" else tail


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
