"""What a reader should know of resampled reference systems."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cdfscore.io.text import listed, part_of
from cdfscore.numerics.types import Array
from cdfscore.schemes.base import Scheme
from cdfscore.standardization.policies import constant as constant_topics
from cdfscore.standardization.policies.constant import ConstantPolicy


def caution_on_extremes(scheme: Scheme) -> list[str]:
    """Say of a scheme that rests on an extreme score that its bootstrap is mostly too small."""
    if not scheme.rests_on_extremes:
        return []
    return [
        f"{scheme.name} depends on the lowest or the highest reference score, and most resamples "
        "have the same one, so that the standard error from the reference systems is usually too "
        "small"
    ]


def on_the_reference(members: int, systems: int) -> list[str]:
    """Say what is resampled where compared systems are reference systems themselves."""
    if not members:
        return []
    which = "the compared systems" if members == systems else part_of(members, systems, "system")
    are = "is a reference system itself" if members == 1 else "are reference systems themselves"
    return [
        f"{which} {are}: for each mean or difference, its own systems stay in the reference, and "
        "the other systems are resampled"
    ]


def cautions_on_names(namesakes: Sequence[str], renamed: Sequence[str], systems: int) -> list[str]:
    """Say which compared systems may be reference systems, and are not taken as such.

    >>> print(*cautions_on_names(["bm25"], [], 3))
    the scores of bm25 differ from those of the reference system with the same name, so that 1 of \
3 systems is treated as not in the reference; expected the same digits in both, if it is the same \
system
    """
    found = []
    for names, apart, needed in (
        (namesakes, "differ from those of the reference system with the same name", "digits"),
        (renamed, "are those of a reference system with another name", "names"),
    ):
        if names:
            is_taken = "is treated as" if len(names) == 1 else "are treated as"
            same = "it is the same system" if len(names) == 1 else "they are the same systems"
            found.append(
                f"the scores of {listed(names)} {apart}, so that "
                f"{part_of(len(names), systems, 'system')} {is_taken} not in the reference; "
                f"expected the same {needed} in both, if {same}"
            )
    return found


def on_policies(
    scheme: Scheme, policy: ConstantPolicy, constant: Array, unfitted: Array, weights: Array
) -> list[str]:
    """Say what became of topics that are constant, or cannot be fitted, in a resample.

    `constant` and `unfitted` are numbers of topics, beyond those of all reference systems, and
    `weights` those of the resamples.
    """
    found = []
    if constant.any():
        found.append(
            f"{_met(constant, weights)} constant only in the resampled reference"
            f"{constant_topics.used(policy, scheme)}"
        )
    if unfitted.any():
        found.append(
            f"{_met(unfitted, weights)} unfitted only in the resampled reference, and left out of "
            "the means of that resample"
        )
    return found


def on_resamples_left_out(share: float) -> list[str]:
    """Say that some resamples leave too few topics for a mean with a standard error."""
    if not share:
        return []
    return [
        f"{100 * share:.3g} % of the resamples leave fewer than 2 topics with a score, and are "
        "left out"
    ]


def of_differences(apart: int, still: int, differences: int, conf_level: float) -> list[str]:
    """Say how many differences are apart from 0 by the topics, and also by topics and reference.

    >>> print(*of_differences(5, 3, 6, 0.95))
    the interval of 95 % excludes 0: from the topics for 5 of 6 differences, and from topics and \
reference systems for 3 of these
    """
    return [
        f"the interval of {100 * conf_level:.12g} % excludes 0: from the topics for "
        f"{part_of(apart, differences, 'difference')}"
        + f", and from topics and reference systems for {still:,} of these"
        * bool(apart)
    ]


def monte_carlo(resamples: float) -> str:
    """Return the relative Monte Carlo error of a standard error, 1 / sqrt(2 (B - 1)).

    That is of replicates with a normal distribution; Efron and Tibshirani (1993), section 6.4.

    >>> monte_carlo(1001)
    'Monte Carlo error of a standard error up to about 2.2 %'
    """
    error = 100 / np.sqrt(2 * (resamples - 1))
    return f"Monte Carlo error of a standard error up to about {error:.2g} %"


def _met(topics: Array, weights: Array) -> str:
    """Say in how many resamples there are such topics, and how many on average.

    >>> _met(np.array([0, 3, 1, 0]), np.ones(4))
    'in 50 % of the resamples, topics (1 on average over all resamples, 3 at most) are'
    """
    share = 100 * weights[topics > 0].sum() / weights.sum()
    average = (topics * weights).sum() / weights.sum()
    return (
        f"in {share:.3g} % of the resamples, topics ({average:.3g} on average over all resamples, "
        f"{int(topics.max())} at most) are"
    )
