"""Corrections for many tests."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from mpmath import mp, mpf
from statsmodels.stats.multitest import multipletests

from cdfscore.stats.adjustment import adjust
from cdfscore.stats.numerics.types import Array
from validation.campaign.truth.base import exact
from validation.statsmodels_judge.counterpart import Counterpart, Given, Numbers
from validation.statsmodels_judge.data import Source

#: The names of statsmodels, by those of R.
METHODS = {
    "holm": "holm",
    "hochberg": "simes-hochberg",
    "hommel": "hommel",
    "bonferroni": "bonferroni",
    "BH": "fdr_bh",
    "BY": "fdr_by",
}


def _families(source: Source) -> Iterator[tuple[str, Given]]:
    rng = np.random.default_rng(source.seed)
    for number in range(source.count):
        p = rng.random(int(rng.integers(2, 40))) ** rng.choice([1, 3, 30])
        if number % 3 == 0:
            p = p.round(2)
        yield "p values", {"p": p}


def _by_us(p: Array) -> Numbers:
    return {method: adjust(p, method) for method in METHODS}


def _by_statsmodels(p: Array) -> Numbers:
    return {method: multipletests(p, method=name)[1] for method, name in METHODS.items()}


def _truth(p: Array) -> Numbers:
    return {method: adjusted_truth(p, method) for method in METHODS}


def adjusted_truth(p: Array, method: str) -> list[mpf]:
    """Return the adjusted p values, by the definitions."""
    order = np.argsort(p, kind="stable")
    ordered = exact(p[order])
    m = len(ordered)
    found = [min(mpf(1), each) for each in _ordered(ordered, m, method)]
    return [found[place] for place in np.argsort(order, kind="stable")]


def _ordered(p: list[mpf], m: int, method: str) -> list[mpf]:
    places = range(m)
    if method == "bonferroni":
        return [m * each for each in p]
    if method == "holm":
        return [max((m - j) * p[j] for j in range(i + 1)) for i in places]
    if method == "hochberg":
        return [min((m - j) * p[j] for j in range(i, m)) for i in places]
    if method == "hommel":
        return [max(_simes_of_size(p, i, size) for size in range(1, m + 1)) for i in places]
    times = mp.fsum(mpf(1) / k for k in range(1, m + 1)) if method == "BY" else mpf(1)
    return [min(times * m * p[j] / (j + 1) for j in range(i, m)) for i in places]


def _simes_of_size(p: list[mpf], i: int, size: int) -> mpf:
    """Return Simes' p of the hypothesis with the largest others, its closed family's worst."""
    others = [each for j, each in enumerate(p) if j != i]
    family = sorted([p[i], *others[len(others) - size + 1 :]])
    return min(size * each / (k + 1) for k, each in enumerate(family))


COUNTERPARTS = (
    Counterpart(
        "adjust",
        "multipletests",
        _families,
        _by_us,
        _by_statsmodels,
        "adjusted",
        _truth,
        slow=3,
    ),
)
