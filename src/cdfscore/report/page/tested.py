"""The results of the tests of a page: estimates, intervals, and which pairs differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdfscore.numerics.types import BoolArray
from cdfscore.significance.contract.base import MEAN_RANKS

if TYPE_CHECKING:
    from cdfscore.comparison.comparison import Comparison


def differs(comparison: Comparison) -> BoolArray:
    """Return for each pair whether it differs significantly, by all digits of its p value."""
    decided: BoolArray = (comparison.table["p_adjusted"] <= comparison.alpha).to_numpy()
    return decided


def is_difference(comparison: Comparison) -> bool:
    """Return whether pairs have an estimate that is a difference, which is 0 for equal systems.

    Some tests have no estimate, or only if a setting asks for it, such as `wilcoxon_signed_rank`.
    """
    named = comparison.chosen.test.estimates.startswith("difference")
    return named and bool(comparison.table["estimate"].notna().any())


def is_of_means(comparison: Comparison) -> bool:
    """Return whether the estimates are differences of means, not of ranks or of centers."""
    test = comparison.chosen.test
    of_ranks = test.estimates == MEAN_RANKS or test.effect.startswith("rank_")
    return is_difference(comparison) and not of_ranks


def intervals(comparison: Comparison) -> str:
    """Return the level and kind of the intervals of pairs; "" if there are none."""
    if not comparison.table["conf_low"].notna().any():
        return ""
    level = f"{100 * comparison.chosen.conf_level:.12g} %"
    if comparison.simultaneous:
        return f"{level} simultaneous confidence intervals, for all pairs together"
    return f"{level} confidence intervals, each for one pair"
