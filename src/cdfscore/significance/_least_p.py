"""Smallest p values that tests can have, whatever the scores: those of ranks and of resamples.

Each function is of the sizes of the samples and the settings of a test, which declares it as its
`least_p`. It is a lower bound over all scores, ties and zeros included, and is attained unless the
docstring says otherwise. For a test without such a function the bound is 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import special

from cdfscore.significance.contract.base import Sizes
from cdfscore.significance.resampling import bootstrap, shuffles, sign_flips
from cdfscore.significance.resampling.common import least_p_value

Settings = Mapping[str, Any]


def of_signs(sizes: Sizes, settings: Settings) -> float:
    """Return the p value of a sign test where all differences other than 0 have one sign."""
    return _both_tails(0.5**sizes.nonzero, settings)


def of_signed_ranks(sizes: Sizes, settings: Settings) -> float:
    """Return the p value of a signed rank test where all differences have one sign.

    The exact one, or that of the normal approximation where all sizes tie, if that is smaller and
    sizes may tie.
    """
    from cdfscore.significance.wilcoxon_signed_rank import is_exact

    n = sizes.nonzero
    if n == 0:
        return 1.0
    exact, plain = settings["exact"], n == sizes.n
    by_count = is_exact(sizes.n, exact, np.array([plain]))[0]
    if exact or (by_count and (n == 1 or not sizes.tied)):
        return of_signs(sizes, settings)
    ties = (n**3 - n) / 48 if sizes.tied else 0.0
    variance = n * (n + 1) * (2 * n + 1) / 24 - ties
    z = (n * (n + 1) / 4 - 0.5 * settings["correct"]) / math.sqrt(variance)
    p = _both_tails(float(special.ndtr(-z)), settings)
    if by_count:
        p = min(p, of_signs(sizes, settings))
    return p


def of_rank_sums(sizes: Sizes, settings: Settings) -> float:
    """Return the p value of a rank sum test of two samples that do not overlap.

    The exact one, or that of the normal approximation where each sample is constant, if that
    is smaller and scores may tie. With ``exact=True`` the opposite division is as extreme only
    of samples of equal size, and where no scores tie.
    """
    from cdfscore.significance.mann_whitney import is_exact

    n, m = sizes.n, sizes.m
    total = n + m
    by_count = is_exact(n, m, settings["exact"], np.array([True]))[0]
    one = 1 / math.comb(total, n)
    if settings["exact"] and sizes.tied and n != m:
        return one
    exact = _both_tails(one, settings)
    if settings["exact"] or (by_count and not sizes.tied):
        return exact
    tied = (n**3 - n + m**3 - m) / (total * (total - 1)) if sizes.tied else 0.0
    variance = n * m / 12 * (total + 1 - tied)
    z = (n * m / 2 - 0.5 * settings["correct"]) / math.sqrt(variance)
    p = _both_tails(float(special.ndtr(-z)), settings)
    return min(p, exact) if by_count else p


def of_mean_ranks(sizes: Sizes, settings: Settings) -> float:
    """Return the p value of Nemenyi's test of two systems that are first and last on each topic."""
    from cdfscore.significance.null import studentized_range

    k = sizes.systems
    q = math.sqrt(2) * (k - 1) / math.sqrt(k * (k + 1) / (6 * sizes.n))
    return float(studentized_range.upper_tail(np.array([q]), k, np.inf)[0])


def of_distances(sizes: Sizes, settings: Settings) -> float:
    """Return the p value of a test by the distance of two cdfs that do not overlap.

    Of all divisions only the observed one has distance 1 where each sample is constant and they
    are of two sizes; in a two-sided test, the opposite one has too of samples of equal size, and
    where no scores tie.
    """
    from cdfscore.significance.kolmogorov_smirnov import is_exact

    n, m = sizes.n, sizes.m
    two_sided = settings["alternative"] == "two-sided"
    if is_exact(n, m, settings["exact"]):
        return (2 if two_sided and (n == m or not sizes.tied) else 1) / math.comb(n + m, n)
    scale = n * m / (n + m)
    return float(special.kolmogorov(math.sqrt(scale)) if two_sided else math.exp(-2 * scale))


def of_divisions(sizes: Sizes, settings: Settings) -> float:
    """Return the p value of a test by divisions, of two samples that do not overlap.

    Of all divisions only the observed one reaches the statistic and, of samples of equal size in
    a two-sided test, the one opposite to it.
    """
    n, m = sizes.n, sizes.m
    if not shuffles.enumerable(n, m):
        return least_p_value(settings["B"])
    one = 1 / math.comb(n + m, n)
    return _both_tails(one, settings) if n == m else one


def of_sign_flips(sizes: Sizes, settings: Settings) -> float:
    """Return the p value of a test by sign flips where all differences have one sign.

    Of random flips it is attained if none reaches the statistic.
    """
    if not sign_flips.enumerable(sizes.n):
        return least_p_value(settings["B"])
    return of_signs(sizes, settings)


def of_resamples(sizes: Sizes, settings: Settings) -> float:
    """Return the p value of a shift bootstrap that no resample reaches: 0 of all of them."""
    return 0.0 if bootstrap.enumerable(sizes.n) else least_p_value(settings["B"])


def of_studentized_resamples(sizes: Sizes, settings: Settings) -> float:
    """Return the p value of a studentized bootstrap that only infinite statistics reach.

    Those of n times the same topic: at least one topic is above the mean, and one below.
    """
    n = sizes.n
    if not bootstrap.enumerable(n):
        return least_p_value(settings["B"])
    return _both_tails(float(n) ** -n, settings)


def of_topic_shuffles(sizes: Sizes, settings: Settings) -> float:
    """Return the p value of a test by shuffles within topics, of the first and the last system.

    Their difference is the largest range where the same two systems are at the ends of every
    topic: they may be any two of the systems, and then stand so in all topics. Of one topic, each
    shuffle has this range.
    """
    if sizes.n == 1:
        return 1.0
    from cdfscore.significance.resampling import topic_shuffles  # compiles at its import

    systems = sizes.systems
    if not topic_shuffles.enumerable(sizes.n, systems):
        return least_p_value(settings["B"])
    return float(systems * (systems - 1)) ** (1 - sizes.n)


def _both_tails(tail: float, settings: Settings) -> float:
    two_sided = settings.get("alternative", "two-sided") == "two-sided"
    return min(1.0, 2 * tail) if two_sided else tail
