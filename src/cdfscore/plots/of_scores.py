"""Common parts of figures of scores: the scheme, the measure, and the order by mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cdfscore.io.scores.memory import measure_of
from cdfscore.numerics.types import Array, IntArray
from cdfscore.plots.words import score_label

if TYPE_CHECKING:
    from cdfscore.standardization.factors import Factors
    from cdfscore.standardization.standardized import Standardized


def raw_label(result: Factors | Standardized) -> str:
    """Return the label of an axis of raw scores, such as "Average precision"."""
    return score_label("raw", _measure(result))


def label_of(result: Factors | Standardized) -> str:
    """Return the label of an axis of standardized scores; see `score_label`.

    If raw scores are reversed because lower is better, the label states it.
    """
    label, scheme = score_label(spelling_of(result), _measure(result)), spelling_of(result)
    reversal = _factors(result).reversal
    return f"{label}, {reversal}" if reversal and scheme == "raw" else label


def spelling_of(result: Factors | Standardized) -> str:
    """Return the spelling of the scheme."""
    return str(_factors(result).fitted.scheme)


def by_mean(scores: Array) -> IntArray:
    """Return the rows, ordered by their means of finite scores; rows without one come first."""
    means = np.ma.masked_invalid(scores).mean(axis=1).filled(-np.inf)
    return np.argsort(means, kind="stable")


def _factors(result: Factors | Standardized) -> Factors:
    from cdfscore.standardization.factors import Factors

    return result if isinstance(result, Factors) else result.factors


def _measure(result: Factors | Standardized) -> str | None:
    from cdfscore.standardization.standardized import Standardized

    if not isinstance(result, Standardized):
        return result.measure
    return measure_of(result.given.frame) or result.factors.measure
