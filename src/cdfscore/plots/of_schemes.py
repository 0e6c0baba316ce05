"""Common parts of figures: the drawn scheme, its pairs, its title; labels and order of scores."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.comparison.choices import check_letters, check_symmetric
from cdfscore.errors import PlotError, SchemeError
from cdfscore.io.scores.memory import measure_of, units_of
from cdfscore.io.text import counted, part_of, written
from cdfscore.numerics.types import Array, IntArray
from cdfscore.plots.canvas import wrapped
from cdfscore.plots.words import correction_label, label_of_test, score_label
from cdfscore.schemes.base import parse_scheme

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.comparison.comparison import Comparison
    from cdfscore.standardization.standardized import Factors, Standardized

#: Width of a title, in inches.
WIDTH = 3.06


def chosen_scheme(schemes: Sequence[str], scheme: str | None, what: str) -> str:
    """Return the scheme that is named, in any spelling, or the only one; `what` has the schemes.

    Raises `PlotError` for a scheme that is not there, and for none of several.

    Examples
    --------
    >>> chosen_scheme(["raw", "empirical:convention=weak"], "empirical", "the diagnosis")
    'empirical:convention=weak'
    """
    if scheme is None:
        if len(schemes) == 1:
            return schemes[0]
        asked = "has several schemes"
    else:
        for spelling in (scheme, _spelled(scheme)):
            if spelling in schemes:
                return spelling
        asked = f"is not by {scheme!r}"
    raise PlotError(f"{what} {asked}; expected one of {', '.join(schemes)}")


def _spelled(scheme: str) -> str:
    try:
        return str(parse_scheme(scheme))
    except SchemeError:
        return scheme


def scheme_of(result: Comparison, scheme: str | None) -> str:
    """Return the scheme to draw: the given one, or the only one.

    Raises `PlotError` for a scheme that the comparison does not have, and for none of several.
    """
    return chosen_scheme(result.schemes, scheme, "the comparison")


def rows_of(result: Comparison, scheme: str | None) -> pd.DataFrame:
    """Return the pairs of a scheme that have a p value, one or more.

    Raises `PlotError` as `scheme_of` does, for a test of all systems at once, and if no pair has a
    p value; `SignificanceError` unless the test is a two-sided one of no difference.
    """
    own = scheme_of(result, scheme)
    if (result.table["system_b"] == "").all():
        raise PlotError(
            f"{result.test} compares all systems at once, and this figure shows pairs; expected "
            "a test of pairs, such as nemenyi or tukey_hsd"
        )
    check_symmetric(result.chosen, "figures of pairs")
    rows = result.table[result.table["scheme"] == own]
    found = rows[rows["p_adjusted"].notna()]
    if found.empty:
        raise PlotError(
            f"no pair of systems has a p value by {result.test}: {rows['reason'].iloc[0]}; "
            "expected scores that the test is defined for"
        )
    return found


def pairs_that_differ(result: Comparison, scheme: str | None, rows: pd.DataFrame) -> str:
    """Return the numbers of significant pairs and of pairs without a p value; `rows` have one."""
    differ = int((rows["p_adjusted"] <= result.alpha).sum())
    pairs = int((result.table["scheme"] == scheme_of(result, scheme)).sum())
    without = pairs - len(rows)
    told = f", {without:,} without a p value" if without else ""
    if not differ:
        return f"no significant difference found in {counted(pairs, 'pair')}{told}"
    verb = "differs" if pairs == 1 else "differ"
    return f"{part_of(differ, pairs, 'pair')} {verb} significantly{told}"


def best_first(result: Comparison, scheme: str | None) -> pd.Series[float]:
    """Return the means of the systems by a scheme, or mean ranks of a test of ranks, best first.

    Raises `PlotError` as `scheme_of` does, and `SignificanceError` unless all pairs were compared
    by a two-sided test of no difference, and `PlotError` if no pair has a p value.
    """
    own = scheme_of(result, scheme)
    check_letters(result.chosen, result.family.baselines)
    rows_of(result, scheme)
    return result.best_first(own)


def toward_best(result: Comparison) -> int:
    """Return 1 if larger numbers of `best_first` are better, and -1 for ranks, of which 1 is."""
    return 1 if result.mean_ranks is None else -1


def in_units(result: Comparison | Factors | Standardized, text: str) -> str:
    """Return a text of systems and topics in the words of the scores, such as models and tasks."""
    from cdfscore.comparison.comparison import Comparison
    from cdfscore.standardization.standardized import Standardized

    units = ("system", "topic")
    if isinstance(result, Comparison):
        units = result.units
    elif isinstance(result, Standardized):
        units = units_of(result.given.frame)
    for word, unit in zip(("system", "topic"), units, strict=True):
        text = re.sub(rf"(?<!\w){word}(s?)(?!\w)", rf"{unit}\1", text)
    return text


def mean_label(result: Comparison, scheme: str | None) -> str:
    """Return the label of an axis of `best_first`, with the reversal of the scores."""
    ranks = result.mean_ranks is not None
    label = "Mean rank within topics (1 is the best)" if ranks else "Mean score"
    reversal = result.reversals.get(scheme_of(result, scheme))
    return in_units(result, f"{label}, {reversal}" if reversal else label)


def p_label(result: Comparison) -> str:
    """Return the label of an axis of p values, with the correction if there is one."""
    label = correction_label(result.adjust)
    return f"p value after {label}" if label else "p value"


def title_of(result: Comparison, scheme: str | None, finding: str) -> str:
    """Return a title: the scores, the finding, the test with alpha, and the number of topics."""
    own = scheme_of(result, scheme)
    topics = result.topics_by_scheme.get(own, result.topics)
    test = f"{label_of_test(result.test)}, alpha {written(result.alpha)}, {topics:,} topics"
    scores = score_label(own, result.measure, mean=result.mean_ranks is None)
    if reversal := result.reversals.get(own):
        scores += f", {reversal}"
    return wrapped(in_units(result, f"{scores}\n{finding}\n{test}"), WIDTH)


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
    from cdfscore.standardization.standardized import Factors

    return result if isinstance(result, Factors) else result.factors


def _measure(result: Factors | Standardized) -> str | None:
    from cdfscore.standardization.standardized import Standardized

    if not isinstance(result, Standardized):
        return result.measure
    return measure_of(result.given.frame) or result.factors.measure
