"""Effect sizes of the difference of two systems, and the decorator that makes one of a function."""

import functools
import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from cdfscore.common.catalogue import FunctionCatalogue, distribution, of_author
from cdfscore.errors import SignificanceError
from cdfscore.stats.numerics.moments import mean, mean_and_sd
from cdfscore.stats.numerics.multiples import shifted_differences, with_ties
from cdfscore.stats.numerics.numbers import between_0_and_1, shown
from cdfscore.stats.numerics.offset import without_common_offset, without_offset
from cdfscore.stats.numerics.ranks import sorted_midranks
from cdfscore.stats.numerics.student_t import is_constant, noncentrality_interval, tail_of
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance import contract

# --- Base of effect sizes, and the decorator that makes one of a function of complete rows ---

#: Estimate, lower and upper end of the interval, each (rows,), of x (rows, n) and y (rows, m).
Formula = Callable[[Array, Array, float], tuple[Array, Array, Array]]

_NONCENTRAL = "the ends solve equations; the sums in R have a relative error of 1e-13"
#: How far the numbers may be from R's; an effect size states those that differ.
USUAL = {
    "estimate": Tolerance(4500, "the ratio of two numbers, each within 1e-13 of R's"),
    "conf_low": Tolerance(450_000, _NONCENTRAL),
    "conf_high": Tolerance(450_000, _NONCENTRAL),
}


@dataclass(frozen=True, eq=False)
class EffectSize:
    """Effect size with its confidence interval: one value per pair of samples, shape (...).

    `estimate`, `conf_low` and `conf_high` are NaN if they are undefined. `method` names the method
    of the interval.

    Specified in effect_size.1.

    Examples
    --------
    >>> from cdfscore.stats.effect_size import d_z
    >>> found = d_z([0.5, 0.3, 0.8, 0.4], [0.4, 0.3, 0.5, 0.2])
    >>> type(found).__name__, found.method, round(float(found.estimate), 3)
    ('EffectSize', 'noncentral t', 1.162)
    """

    estimate: Array
    conf_low: Array
    conf_high: Array
    method: str


@dataclass(eq=False, repr=False)
class Effect:
    """Effect size of x against y: positive if x is larger."""

    function: Formula
    _: KW_ONLY
    paired: bool
    method: str
    #: The fewest scores of each sample, or pairs of them, that give a number.
    minimum: int = 2
    #: What people call the effect size, and the paper to cite for it.
    label: str = ""
    source: str = ""
    #: Whether the numbers change with the unit of the scores, which are then never scaled.
    in_unit: bool = True
    #: What is ranked over topics.
    ranks: contract.Ranks = ""
    tolerances: Mapping[str, Tolerance] = field(default_factory=dict)
    name: str = field(init=False)

    def __post_init__(self) -> None:
        self.name = self.function.__name__
        self.label = self.label or self.name
        contract.check_ranks(self.ranks)
        self.tolerances = contract.with_usual(self.name, USUAL, self.tolerances)
        contract.as_function(self, self.function)
        self.function = of_author(self.function, f"effect size {self.name}")

    def twin(self) -> Path:
        """Return the path of the R twin, beside the file of the effect size."""
        return Path(inspect.getfile(inspect.unwrap(self.function))).with_name(f"{self.name}.R")

    def __reduce__(self) -> str:
        return self.name  # by name, as a function is pickled

    def __repr__(self) -> str:
        return f"<effect size {self.name}>"

    def __call__(self, x: ArrayLike, y: ArrayLike, *, conf_level: float = 0.95) -> EffectSize:
        """Return the effect size of samples of shape (..., n) and (..., m); NaN is omitted."""
        level = between_0_and_1(f"{self.name}: conf_level", conf_level, SignificanceError)
        samples = contract.as_samples(self.name, "x", x), contract.as_samples(self.name, "y", y)
        shape, (n, _), groups = contract.laid_out(self.name, *samples, paired=self.paired)
        numbers = np.full((3, len(n)), np.nan)
        for index, (x_rows, y_rows) in groups:
            if min(x_rows.shape[1], y_rows.shape[1]) < self.minimum:
                continue
            if not self.in_unit:
                exponent = contract.exponents((x_rows, y_rows))[:, np.newaxis]
                if exponent.any():  # else in their unit, without a copy
                    x_rows, y_rows = np.ldexp(x_rows, -exponent), np.ldexp(y_rows, -exponent)
            with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
                found = self.function(x_rows, y_rows, level)
            try:
                numbers[:, index] = [*found]
            except (TypeError, ValueError) as error:
                raise SignificanceError(
                    f"effect size {self.name} of {distribution(self.function.__module__)}: the "
                    f"function returned {shown(found)}; expected an estimate and two ends, each of "
                    f"shape ({len(x_rows)},)"
                ) from error
        estimate, low, high = numbers.reshape(3, *shape)
        return EffectSize(estimate, low, high, self.method)


def effect(
    *,
    paired: bool,
    method: str,
    minimum: int = 2,
    label: str = "",
    source: str = "",
    in_unit: bool = True,
    ranks: contract.Ranks = "",
    tolerances: Mapping[str, Tolerance] | None = None,
) -> Callable[[Formula], Effect]:
    """Make an effect size from a function of x (rows, n), y (rows, m) and conf_level.

    The function gets float64 rows without NaN, and returns the estimate and the lower and upper end
    of the interval, each of shape (rows,). The effect size takes x of shape (..., n) and y of
    shape (..., m), omits NaN, and returns an `EffectSize`.

    Specified in effect_size.2.

    Parameters
    ----------
    paired
        Whether x and y are scores on the same topics.
    method
        Name of the method of the interval.
    minimum
        The smallest number of scores in each sample, or of pairs, for which it is defined.
    label
        What people call the effect size; the name of the function if not given.
    source
        The paper to cite for it, such as "Cohen (1988)".
    in_unit
        Whether the numbers change with the unit of the scores. If they do not, scores far from 1
        are scaled by a power of 2.
    ranks
        "topics" if scores of different topics are ranked together, "differences" if differences
        are. `compare` then ties standardized scores that differ by rounding errors.
    tolerances
        Tolerances against R that differ from the usual ones.

    Raises
    ------
    SignificanceError
        When the decorator is applied: for a tolerance of an unknown number or without a reason.

    Examples
    --------
    >>> import numpy as np
    >>> from cdfscore.stats.effect_size import effect
    >>> @effect(paired=True, method="none")
    ... def mean_difference(x, y, conf_level):
    ...     none = np.full(len(x), np.nan)
    ...     return (x - y).mean(axis=1), none, none
    >>> float(mean_difference([0.5, 1.0], [0.25, 0.5]).estimate)
    0.375
    """
    return functools.partial(
        Effect,
        paired=paired,
        minimum=minimum,
        method=method,
        label=label,
        source=source,
        in_unit=in_unit,
        ranks=ranks,
        tolerances=tolerances or {},
    )


# --- Effect sizes by name: those of this package, and those that other packages add ---

effect_sizes = FunctionCatalogue("cdfscore.stats.effect_size", "effect size", SignificanceError)


# --- Standardized mean difference of paired scores, d_z ---


@effect(paired=True, method="noncentral t", source="Cohen (1988)", in_unit=False)
def d_z(x: Array, y: Array, conf_level: float) -> tuple[Array, Array, Array]:
    """Return the mean difference of paired scores in standard deviations of the differences.

    d_z = mean(d) / sd(d) with d = x - y.

    Specified in d_z.1, d_z.2 and effect_size.3.

    Parameters
    ----------
    x, y
        Scores of shape (..., n), a pair in each place; a pair with a NaN is omitted.
    conf_level
        The level of the confidence interval.

    Returns
    -------
    EffectSize
        A value for each pair of samples; NaN with fewer than 2 pairs, or if all differences are
        equal except for rounding error, by the rule of R's ``t.test``.

    Raises
    ------
    SignificanceError
        For samples that are not pairs, or a level that is not between 0 and 1.

    Notes
    -----
    Source: Cohen (1988), Statistical power analysis for the behavioral sciences, section 2.3.5.
    The interval is exact for normal differences: sqrt(n) d_z has the noncentral t distribution
    on n - 1 degrees of freedom (Steiger and Fouladi, 1997). The ends of the interval are the
    noncentralities for which the observed t is the lower or the upper quantile, over sqrt(n).

    Examples
    --------
    >>> from cdfscore.stats.effect_size import d_z
    >>> found = d_z([0.5, 0.3, 0.8, 0.4], [0.4, 0.3, 0.5, 0.2])
    >>> print(f"{found.estimate:.3f} in {found.conf_low:.3f}, {found.conf_high:.3f}")
    1.162 in -0.201, 2.438
    """
    n = x.shape[1]
    mean, sd = (column[:, 0] for column in mean_and_sd(x - y))
    constant = is_constant(sd / np.sqrt(n), np.abs(mean))
    estimate = np.where(constant, np.nan, mean / sd)
    low, high = noncentrality_interval(estimate * np.sqrt(n), float(n - 1), conf_level)
    return estimate, low / np.sqrt(n), high / np.sqrt(n)


# --- Standardized mean difference of paired scores by their average variance, d_av ---


@effect(
    paired=True, method="normal approximation (Bonett 2008)", source="Bonett (2008)", in_unit=False
)
def d_av(x: Array, y: Array, conf_level: float) -> tuple[Array, Array, Array]:
    """Return the mean difference of paired scores in standard deviations of the scores.

    d_av = mean(x - y) / s with s^2 = (var(x) + var(y)) / 2.

    Specified in d_av.1, d_av.2 and effect_size.3.

    Arguments and errors are those of `d_z`. The result is NaN with fewer than 2 pairs, or if both
    samples are constant except for rounding error, by the rule of R's ``t.test``.

    Notes
    -----
    Source of the interval: Bonett (2008), Confidence intervals for standardized linear contrasts
    of means. It is d_av -+ z e, with e^2 = d_av^2 (var(x)^2 + var(y)^2 + 2 cov(x, y)^2) /
    (8 (n - 1) s^4) + var(x - y) / ((n - 1) s^2).

    Examples
    --------
    >>> from cdfscore.stats.effect_size import d_av
    >>> found = d_av([0.5, 0.3, 0.8, 0.4], [0.4, 0.3, 0.5, 0.2])
    >>> print(f"{found.estimate:.3f} in {found.conf_low:.3f}, {found.conf_high:.3f}")
    0.843 in -0.194, 1.880
    """
    mean_of_d, sd_of_d = (column[:, 0] for column in mean_and_sd(x - y))
    largest = np.maximum(np.abs(mean(x)), np.abs(mean(y)))[:, 0]
    x, y = without_offset(x), without_offset(y)
    mean_x, sd_x = mean_and_sd(x)
    mean_y, sd_y = mean_and_sd(y)
    df = x.shape[1] - 1
    s = np.hypot(sd_x, sd_y)[:, 0] / np.sqrt(2)
    constant = is_constant(s * np.sqrt(2 / x.shape[1]), largest)
    estimate = np.where(constant, np.nan, mean_of_d / s)
    # in units of s, so that no fourth power underflows
    a, b = (x - mean_x) / s[:, np.newaxis], (y - mean_y) / s[:, np.newaxis]
    covariance = np.vecdot(a, b) / df
    fourth = (sd_x[:, 0] / s) ** 4 + (sd_y[:, 0] / s) ** 4 + 2 * covariance**2
    stderr = np.sqrt(estimate**2 * fourth / (8 * df) + (sd_of_d / s) ** 2 / df)
    margin = -special.ndtri(tail_of(conf_level, "two-sided")) * stderr
    return estimate, estimate - margin, estimate + margin


# --- Hedges' g of two independent samples ---


#: Of the series of gamma(z + 1/2) / gamma(z) / sqrt(z) in 1 / z.
_SERIES = (1, -1 / 8, 1 / 128, 5 / 1024, -21 / 32768, -399 / 262144)
#: From here on the gamma function overflows and the series is exact to the last digit.
_LARGE = 160.0


@effect(
    paired=False, method="noncentral t", label="Hedges' g", source="Hedges (1981)", in_unit=False
)
def hedges_g(x: Array, y: Array, conf_level: float) -> tuple[Array, Array, Array]:
    """Return the bias-corrected difference of two means in pooled standard deviations.

    g = J (mean(x) - mean(y)) / s with s^2 = ((n-1) var(x) + (m-1) var(y)) / k, k = n + m - 2,
    and J = gamma(k / 2) / (sqrt(k / 2) gamma((k - 1) / 2)).

    Specified in hedges_g.1, hedges_g.2 and effect_size.3.

    The samples are independent, of shape (..., n) and (..., m); NaN is omitted, and other arguments
    are those of `d_z`. The result is NaN with fewer than 2 scores in one sample, or if both are
    constant except for rounding error, by the rule of R's ``t.test``.

    Notes
    -----
    Source: Hedges (1981), Distribution theory for Glass's estimator of effect size and related
    estimators, with the exact J and not its approximation 1 - 3 / (4 k - 1). The interval is the
    exact one of the true difference in standard deviations, without J: sqrt(nm / (n + m)) d has the
    noncentral t distribution on k degrees of freedom, where d is g / J. Some programs multiply the
    ends by J; their 95 % interval of 5 and 5 scores covers a true difference of 2 in 93.3 % of
    samples.

    Examples
    --------
    >>> from cdfscore.stats.effect_size import hedges_g
    >>> found = hedges_g([0.5, 0.3, 0.8, 0.4], [0.4, 0.3, 0.5, 0.2])
    >>> print(f"{found.estimate:.3f} in {found.conf_low:.3f}, {found.conf_high:.3f}")
    0.732 in -0.650, 2.275
    """
    n, m = x.shape[1], y.shape[1]
    x, y, offset = without_common_offset(x, y)
    k = n + m - 2
    mean_x, sd_x = (column[:, 0] for column in mean_and_sd(x))
    mean_y, sd_y = (column[:, 0] for column in mean_and_sd(y))
    s = np.hypot(sd_x * np.sqrt((n - 1) / k), sd_y * np.sqrt((m - 1) / k))
    root = np.sqrt(n * m / (n + m))
    largest_mean = np.maximum(np.abs(mean_x + offset), np.abs(mean_y + offset))
    constant = is_constant(s / root, largest_mean)
    d = np.where(constant, np.nan, (mean_x - mean_y) / s)
    low, high = noncentrality_interval(d * root, float(k), conf_level)
    return _correction(k) * d, low / root, high / root


def _correction(k: int) -> float:
    """Return gamma(k / 2) / (sqrt(k / 2) gamma((k - 1) / 2))."""
    z = (k - 1) / 2
    if z < _LARGE:
        return math.gamma(z + 0.5) / math.gamma(z) / math.sqrt(k / 2)
    return math.sqrt(z / (z + 0.5)) * sum(c / z**i for i, c in enumerate(_SERIES))


# --- Matched-pairs rank-biserial correlation ---


#: Of the interval of `fisher_interval`.
METHOD = "Fisher z, {}'s standard error; exact bound for r of -1 or 1"


@effect(
    paired=True,
    minimum=1,
    method=METHOD.format("Hoeffding"),
    label="matched-pairs rank-biserial correlation",
    source="Kerby (2014)",
    ranks="differences",
    in_unit=False,
)
def rank_biserial_paired(x: Array, y: Array, conf_level: float) -> tuple[Array, Array, Array]:
    """Return the matched-pairs rank-biserial correlation of paired scores.

    ``r = (T+ - T-) / (T+ + T-)``, where T+ and T- are the sums of the ranks of ``|x - y|`` over
    the positive and the negative differences x - y. Differences of 0 are removed. Ties share the
    mean of their ranks.

    Specified in rank_biserial_paired.1 and rank_biserial_paired.2.

    Arguments and errors are those of `d_z`. The result is from -1 to 1, and NaN if all differences
    are 0. The interval is NaN if the standard error is 0 and r is not -1 or 1.

    Notes
    -----
    Source: Kerby (2014), The simple difference formula: an approach to teaching nonparametric
    correlation. For the k differences d other than 0, r is the mean of sign(d_i + d_j) over
    i <= j (Tukey), a U-statistic except for i = j. With a_i the sum of sign(d_i + d_j) over all j,
    the projection of Hoeffding (1948), A class of statistics with asymptotically normal
    distribution, has the terms 2 a_i / (k + 1), so that r has the standard error
    e^2 = 4 var(a) / (k (k + 1)^2). The interval is tanh(atanh(r) -+ z e / (1 - r^2)).

    If all differences are positive, r = 1, and Fisher's z is infinite. Then the low end is
    2 (alpha / 2)^(2 / k) - 1, for every distribution: with p = P(d > 0), all are positive with the
    probability p^k, and the true value is 2 p^2 - 1 or more, because d_i + d_j is positive if both
    are.

    Coverage was simulated for normal and exponential differences, and for differences like those of
    P@10, with r of 0, 0.3, 0.6 and 0.8. For the level 90 % (95 %) it is 86.8 to 90.6 % (92.9 to
    95.7 %) for n = 20, 88.5 to 90.4 % (93.6 to 95.4 %) for n = 60, and 89.3 to 90.7 % (94.5 to
    95.4 %) for n = 250. For n = 20 and 60 it is lowest at r = 0.8. Samples with r = 1 were not
    counted; they are at most 5.4 %. At the level 90 % and r = 0.8, two other intervals cover less:
    r -+ z e covers 82 to 85 % for n = 20, and Fisher's z with the standard error under the null
    hypothesis covers 72 to 77 % for each n.

    If the scores have a resolution, differences are compared in whole multiples of it, so that
    0.3 - 0.2 and 0.2 - 0.1 tie. Other differences tie if they are equal to 12 digits. This is also
    the default of `cdfscore.stats.significance.wilcoxon_signed_rank`.

    Examples
    --------
    >>> from cdfscore.stats.effect_size import rank_biserial_paired
    >>> found = rank_biserial_paired([0.5, 0.3, 0.8, 0.4, 0.1], [0.4, 0.35, 0.5, 0.2, 0.1])
    >>> print(f"{found.estimate:.3f} in {found.conf_low:.3f}, {found.conf_high:.3f}")
    0.800 in 0.010, 0.975
    """
    difference = with_ties(*shifted_differences(x, y, 0.0))
    size = np.abs(difference)
    order = np.argsort(size, axis=1)
    sign = np.sign(np.take_along_axis(difference, order, axis=1))
    number, signs = below(np.take_along_axis(size, order, axis=1), sign)
    other = np.abs(sign)
    k = other.sum(axis=1)
    # the zeros come first; without them all others have as many fewer below
    number -= (x.shape[1] - k)[:, np.newaxis]
    total = sign.sum(axis=1)
    estimate = (2 * np.vecdot(number, sign) + total) / (k * (k + 1))
    # sign(d_i + d_j) is the sign of the larger of the two, or the mean of theirs
    sums = number * sign + total[:, np.newaxis] - signs
    mean = np.vecdot(sums, other) / k
    deviation = (sums - mean[:, np.newaxis]) * other
    variance = np.vecdot(deviation, deviation) / (k - 1)
    stderr = 2 * np.sqrt(variance / k) / (k + 1)
    return estimate, *fisher_interval(estimate, stderr, conf_level, k / 2)


def fisher_interval(
    r: Array, stderr: Array, conf_level: float, independent: Array | float
) -> tuple[Array, Array]:
    """Return tanh(atanh(r) -+ z stderr / (1 - r^2)), NaN where stderr is 0.

    Where r is 1, it is 2 (alpha / 2)^(1 / `independent`) - 1 to 1, and where r is -1 the reverse:
    all of so many `independent` comparisons have the same outcome.
    """
    tail = tail_of(conf_level, "two-sided")
    center = np.where(stderr > 0, np.arctanh(r), np.nan)
    margin = -special.ndtri(tail) * stderr / ((1 - r) * (1 + r))
    bound = 2 * tail ** (1 / independent) - 1
    low = np.where(r == 1, bound, np.where(r == -1, -1.0, np.tanh(center - margin)))
    return low, np.where(r == -1, -bound, np.where(r == 1, 1.0, np.tanh(center + margin)))


def below(ordered: Array, weights: Array) -> tuple[Array, Array]:
    """Return the number of smaller values, and the sum of their weights; ties count one half.

    Both of shape (rows, n), of rows in ascending order and the weights of their values. A value
    is tied with itself, and so counts itself one half; the number is its midrank - 1/2.

    >>> number, sums = below(np.array([[0.1, 0.4, 0.4, 0.9]]), np.array([[1.0, 1.0, 0.0, 1.0]]))
    >>> print(number, sums)
    [[0.5 2.  2.  3.5]] [[0.5 1.5 1.5 2.5]]
    """
    ranks, ties = sorted_midranks(ordered)
    number = ranks - 0.5
    through = np.cumsum(weights, axis=1)
    if ties.max(initial=1.0) == 1:
        return number, through - 0.5 * weights
    # The sums of weights before the tie of a value and up to its end.
    sums = np.zeros((len(ordered), ordered.shape[1] + 1))
    sums[:, 1:] = through
    start = (number - 0.5 * ties).astype(np.intp)
    end = start + ties.astype(np.intp)
    both = np.take_along_axis(sums, start, axis=1) + np.take_along_axis(sums, end, axis=1)
    return number, 0.5 * both


# --- Rank-biserial correlation of two independent samples ---


@effect(
    paired=False,
    minimum=1,
    method=METHOD.format("DeLong"),
    label="rank-biserial correlation",
    source="Kerby (2014)",
    ranks="topics",
)
def rank_biserial(x: Array, y: Array, conf_level: float) -> tuple[Array, Array, Array]:
    """Return the rank-biserial correlation (Cliff's delta), P(x > y) - P(x < y).

    r = 2 U / (n m) - 1, where U is the number of pairs of a score of x and a score of y in which
    the score of x is larger; a tie counts 1/2.

    Specified in rank_biserial.1 and rank_biserial.2.

    Arguments and errors are those of `hedges_g`. The result is from -1 to 1, and NaN if a sample is
    empty. If r is not -1 or 1, the interval is NaN if all scores are equal, and if a sample has
    only one score.

    Notes
    -----
    Source: Kerby (2014), The simple difference formula: an approach to teaching nonparametric
    correlation. The standard error is that of DeLong, DeLong and Clarke-Pearson (1988), Comparing
    the areas under two or more correlated receiver operating characteristic curves, for
    r = 2 AUC - 1, after Sen (1960): e^2 = var(a) / n + var(b) / m, with a_i the mean of
    sign(x_i - y_j) over j, and b_j the mean over i. The interval is
    tanh(atanh(r) -+ z e / (1 - r^2)).

    If all scores of x are above those of y, r = 1, and Fisher's z is infinite. Pohar Perme and
    Manevski (2019), Confidence intervals for the Mann-Whitney test, show that this needs a
    correction. Here the low end is 2 (alpha / 2)^(1 / min(n, m)) - 1, for every distribution:
    min(n, m) pairs of scores have no score in common, so that r = 1 has a probability of at most
    P(x > y)^min(n, m).

    Coverage was simulated for normal scores, for normal scores with twice the sd in x, and for
    scores like P@10, with r of 0, 0.3, 0.6 and 0.8. For the level 90 % (95 %) it is 88.3 to 91.4 %
    (93.9 to 96.1 %) for n = m = 20, 89.8 to 90.6 % (94.8 to 95.5 %) for 60, and 89.6 to 90.3 %
    (94.8 to 95.3 %) for 250. The lowest coverage is 86 % (91 %), for n = 20 with twice the sd,
    m = 60 and r = 0.8. Samples with r = 1 were not counted; they are at most 0.4 %.

    Examples
    --------
    >>> from cdfscore.stats.effect_size import rank_biserial
    >>> found = rank_biserial([0.5, 0.3, 0.8, 0.4], [0.4, 0.2, 0.1])
    >>> print(f"{found.estimate:.3f} in {found.conf_low:.3f}, {found.conf_high:.3f}")
    0.750 in -0.341, 0.980
    """
    n, m = x.shape[1], y.shape[1]
    scores = np.concatenate([x, y], axis=1)
    order = np.argsort(scores, axis=1)
    in_x = (order < n).astype(np.float64)
    number, of_x = below(np.take_along_axis(scores, order, axis=1), in_x)
    of_y = number - of_x
    u = np.vecdot(of_y, in_x)
    estimate = (2 * u - n * m) / (n * m)
    # how far the scores of y below each of x are from their mean u / n, and the reverse
    a = (of_y - (u / n)[:, np.newaxis]) * in_x
    b = (of_x - ((n * m - u) / m)[:, np.newaxis]) * (1 - in_x)
    # sign(x_i - y_j) is twice its count as below, less 1
    of_a = np.vecdot(a, a) / np.float64(n - 1) / (n * m**2)
    of_b = np.vecdot(b, b) / np.float64(m - 1) / (m * n**2)
    return estimate, *fisher_interval(estimate, 2 * np.sqrt(of_a + of_b), conf_level, min(n, m))
