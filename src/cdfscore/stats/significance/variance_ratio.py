"""F test of two variances."""

import numpy as np
from scipy import special

from cdfscore.errors import SignificanceError
from cdfscore.stats.numerics.moments import mean_and_sd
from cdfscore.stats.numerics.offset import without_offset
from cdfscore.stats.numerics.student_t import tail_of
from cdfscore.stats.numerics.tails import upper_tail
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance.contract import Alternative, Rows, unpaired


@unpaired(
    source="Fisher (1924); R: var.test(x, y)",
    label="F test of two variances",
    effect="",
    estimates="ratio of variances",
    shows="difference of variances",
    in_unit=(),
    shifts="systems",
    null="the variances have the ratio `null_value`",
    assumes="normal scores; outliers make it reject too often",
    choose_for="whether the variances differ; it is not a test of means",
)
def variance_ratio(
    x: Array,
    y: Array,
    *,
    alternative: Alternative = "two-sided",
    null_value: float = 1.0,
    conf_level: float = 0.95,
) -> Rows:
    """Test whether the ratio of the variances of two independent samples is `null_value`.

    F = var(x) / var(y) / null_value on n - 1 and m - 1 degrees of freedom; the two-sided p
    value is twice the smaller tail.

    Specified in variance_ratio.1 to variance_ratio.3.

    Parameters
    ----------
    x, y
        Scores of shape (..., n) and (..., m); NaN is omitted.
    alternative
        "two-sided", "less" (the ratio is below null_value) or "greater".
    null_value
        The ratio under the null hypothesis, above 0.
    conf_level
        The level of the confidence interval of the ratio.

    Returns
    -------
    TestResult
        A value for each pair of samples: statistic F, estimate var(x) / var(y). There are two
        degrees of freedom, `n` - 1 and `n_y` - 1, and so `parameter` is NaN.

    Raises
    ------
    SignificanceError
        If `null_value` is not above 0, and for a single pair of samples with fewer than 2
        scores in one of them or with both constant, where R's ``var.test`` gives NaN. In a
        batch such a row is NaN, and `reason` explains why. With one constant sample the ratio is
        0 or infinite, and p is 0 if the alternative holds, as in R.

    Notes
    -----
    Source: Fisher (1924), On a distribution yielding the error functions of several well known
    statistics. SciPy does not have the test. In statsmodels it is ``het_goldfeldquandt`` of a
    constant; its one-sided p values have swapped degrees of freedom. R's ``var.test`` computes the
    upper tail as 1 - p and loses digits. Here, and in the R twin, each tail is computed separately.

    Examples
    --------
    >>> from cdfscore.stats.significance import variance_ratio
    >>> result = variance_ratio([0.5, 0.3, 0.8, 0.4], [0.4, 0.2, 0.1])
    >>> print(f"F = {result.statistic:.4f}, p = {result.p_value:.4f}")
    F = 2.0000, p = 0.7010
    >>> print(f"{result.estimate:.3f} in {result.conf_low:.3f}, {result.conf_high:.3f}")
    2.000 in 0.051, 32.088
    """
    if not null_value > 0:
        raise SignificanceError(
            f"variance_ratio: null_value={null_value!r} is not accepted; expected a ratio of "
            "variances, a number above 0"
        )
    n, m = x.shape[1] - 1, y.shape[1] - 1
    sd_x, sd_y = (mean_and_sd(without_offset(sample))[1][:, 0] for sample in (x, y))
    ratio = (sd_x / sd_y) ** 2
    f = ratio / null_value
    lower, upper = upper_tail(1 / f, m, n), upper_tail(f, n, m)
    both = np.minimum(2 * np.minimum(lower, upper), 1.0)  # each is 0.5 by rounding at the median
    p = {"less": lower, "greater": upper, "two-sided": both}[alternative]
    tail = tail_of(conf_level, alternative)
    # The upper quantile of F(n, m) is one over the lower one of F(m, n), where the tail,
    # however small, keeps its digits.
    low = 0.0 if alternative == "less" else ratio * special.fdtri(m, n, tail)
    high = np.inf if alternative == "greater" else ratio / special.fdtri(n, m, tail)
    none = np.isnan(ratio)
    return Rows(
        statistic=f,
        p_value=np.where(none, np.nan, p),
        estimate=ratio,
        conf_low=np.where(none, np.nan, low),
        conf_high=np.where(none, np.nan, high),
        method="F test of two variances",
        reason=np.where(none, "both samples are constant", ""),
    )
