"""Residuals of a linear model, and checks of the assumptions on its errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from cdfscore.models.crossed import Factor
from cdfscore.models.design import Design
from cdfscore.models.formula import TOPIC
from cdfscore.numerics.types import Array, IntArray
from cdfscore.significance.null.f_distribution import upper_tail


@dataclass(frozen=True)
class Check:
    """A check of the errors: its name, its size, and its F test, if it has one."""

    name: str
    size: float
    statistic: float = np.nan
    df: int | None = None
    df_residual: int | None = None
    p_value: float = np.nan


def residuals_of(design: Design) -> Array:
    """Return the residuals of the scores that are present, topic by topic."""
    left = _residuals(design)
    return design.parts.numbers(left[design.parts.present])


def _residuals(design: Design) -> Array:
    """Return the residuals (topics, systems) in the unit of the parts, 0 where missing."""
    return design.absorbed(design.terms).residuals(design.columns_of(design.terms))[0]


def checks_of(design: Design, factors: Mapping[str, Factor]) -> list[Check]:
    """Return the checks of the errors: shape, additivity, and equal variances.

    - Skewness and excess kurtosis of the residuals: 0 for normal errors. They have no test, because
      with 10,000 scores a harmless deviation is significant.
    - Additivity: F of the square of the fitted scores, added to the model (Tukey, 1949; Milliken
      and Graybill, 1970). Its size is its proportion of the residual sum of squares.
    - Equal variances over topics, and over the levels of each factor: F of the distances of
      residuals from the median of their group (Brown and Forsythe, 1974). Its size is the ratio of
      the largest standard deviation of a group to the smallest.
    """
    residuals, present = _residuals(design), design.parts.present
    own = residuals[present]
    unit = own / np.abs(own).max()  # so that fourth powers of small units are not 0
    second = np.mean(unit**2)
    skewness = np.mean(unit**3) / second**1.5
    kurtosis = np.mean(unit**4) / second**2 - 3
    found = [Check("skewness", float(skewness)), Check("excess kurtosis", float(kurtosis))]
    found += _additivity(design, residuals)
    rows, columns = np.nonzero(present)
    for name in dict.fromkeys(name for term in design.terms for name in term):
        groups = rows if name == TOPIC else factors[name].codes[columns]
        found += _equal_variances(name, own, groups)
    return found


def _additivity(design: Design, residuals: Array) -> Iterator[Check]:
    """Yield the test of the square of the fitted scores, if the model leaves a part of it."""
    parts = design.parts
    fitted, of_topics = parts.within - residuals, parts.of_topics[:, np.newaxis]
    # (a + f)^2 has the test of (2 a + f) f where the model has a number a^2 for each topic.
    squared = (2 * of_topics + fitted) * fitted
    if () not in design.inside(design.terms):
        squared = (of_topics + fitted) ** 2
    squared = np.where(parts.present, squared / (np.abs(squared).max() or 1.0), np.nan)
    of_squared = replace(design, scores=squared).absorbed(design.terms)
    left, df = of_squared.residuals(design.columns_of(design.terms))
    length = np.sum(left**2)
    if length <= 1e-20 * np.sum(of_squared.values**2) or df < 2:  # rounding: all cells have a mean
        return
    explained = np.sum(left * residuals) ** 2 / length
    of_all = np.sum(residuals**2)
    f = explained / ((of_all - explained) / (df - 1))
    p = upper_tail(np.array(f), 1, df - 1).item()
    yield Check("additivity", float(explained / of_all), float(f), 1, df - 1, p)


def _equal_variances(name: str, residuals: Array, groups: IntArray) -> Iterator[Check]:
    """Yield the test of Brown and Forsythe, unless a group has one residual only.

    There is no test either if all residuals of a group have the same distance from its median, such
    as two residuals.
    """
    _, groups, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    k, n = len(sizes), len(residuals)
    if k < 2 or sizes.min() < 2:
        return
    order = np.lexsort((residuals, groups))
    ordered, first = residuals[order], np.cumsum(sizes) - sizes
    medians = (ordered[first + (sizes - 1) // 2] + ordered[first + sizes // 2]) / 2
    distances = np.abs(residuals - medians[groups])
    means = np.bincount(groups, distances) / sizes
    between = sizes @ (means - distances.mean()) ** 2 / (k - 1)
    inside = np.sum((distances - means[groups]) ** 2) / (n - k)
    centred = residuals - (np.bincount(groups, residuals) / sizes)[groups]
    sds = np.sqrt(np.bincount(groups, centred**2) / (sizes - 1))
    if inside * (n - k) <= 1e-20 * np.sum(distances**2):  # rounding
        return
    f = between / inside
    p = upper_tail(np.array(f), k - 1, n - k).item()
    ratio = sds.max() / sds.min() if sds.min() > 0 else np.inf
    yield Check(f"equal variances over {name}", float(ratio), float(f), k - 1, n - k, p)
