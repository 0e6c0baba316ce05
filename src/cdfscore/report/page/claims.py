"""What the results of a page show, and what they do not show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdfscore.io.text import counted, written
from cdfscore.plots.words import scheme_label
from cdfscore.report.page.tested import intervals, is_difference, is_of_means

if TYPE_CHECKING:
    from cdfscore.comparison.comparison import Comparison
    from cdfscore.report.page.analysis import Analysis

# Corrections that bound the familywise error rate, each with its condition on the p values; the
# others bound the false discovery rate.
_NONE = ""
_SIMES = "Simes' inequality holds for the p values"
_FAMILYWISE = {"holm": _NONE, "bonferroni": _NONE, "hochberg": _SIMES, "hommel": _SIMES}
_POSITIVE = "the p values are independent or positively dependent"
_PROPORTION = {"BH": _POSITIVE, "fdr": _POSITIVE, "BY": _NONE}


def may(analysis: Analysis) -> list[str]:
    """Return what the results show, under which conditions."""
    found = analysis.comparison
    p = "p value" if found.adjust == "none" else "adjusted p value"
    claims = [
        f"You can conclude that two systems differ on topics like these if their {p} by "
        f"{found.test} is at most {written(found.alpha)}. This holds only if you fixed "
        "the scheme, the test and the correction before you saw the results."
        f"{_tested(found)} {_error(analysis)}"
    ]
    if intervals(found):
        whose = (
            "any pair" if found.simultaneous else "a pair that you chose before you saw the results"
        )
        claims.append(
            f"For {whose}, the interval (not the p value) shows how large the "
            f"{found.chosen.test.estimates} may be."
        )
    if not analysis.is_raw:
        claims.append(
            "A standardized score shows the position of a score among the scores of the reference "
            "systems on the same topic. The weights of the topics in the means are more equal "
            "than with raw scores."
        )
    return claims


def may_not(analysis: Analysis) -> list[str]:
    """Return what the results do not show."""
    further = "other" if analysis.beside is None else "further"
    claims = [
        "If a difference is not significant, this does not show that the systems are equal. The "
        "equivalence test equivalence_t can show that.",
        *_of_several(analysis.comparison),
        f"The results show nothing about other measures, {further} collections, or topics of "
        "another kind.",
        *_of_what_is_tested(analysis.comparison),
    ]
    if not analysis.is_raw:
        claims += [
            f"Differences by {scheme_label(analysis.scheme)} are not in units of the measure. "
            "Their size depends on the distribution of the scores of the reference systems.",
            "Scores that were standardized with other reference systems, or by another scheme, "
            "cannot be compared with these.",
        ]
    if analysis.sensitivity is not None:
        claims.append(
            "If a pair differs significantly by one scheme only, name the scheme when you report "
            "it. A scheme is not better because more pairs differ significantly."
        )
    if analysis.diagnosis is not None:
        claims.append(
            "A distribution that fits best, or that is not rejected, is not shown to be true."
        )
    return claims


def _of_several(found: Comparison) -> list[str]:
    """Return what a comparison of the pairs with each other does not show, if there are several."""
    if len(found.table) < 2:
        return []
    return [
        "If one pair differs significantly and another does not, this does not show that the first "
        "difference is larger."
    ]


def _tested(found: Comparison) -> str:
    """Return the null hypothesis and the assumptions of the test."""
    test, told = found.chosen.test, ""
    if test.null:
        value = f"{found.chosen.settings.get('null_value', 0):g}"
        told += f" Null hypothesis: {test.null.replace('`null_value`', value)}."
    return f"{told} Assumptions: {test.assumes}." if test.assumes else told


def _of_what_is_tested(found: Comparison) -> list[str]:
    """Return what the test does not show, also for pairs that are selected by their results."""
    claims = []
    if found.table["p_value"].notna().any() and not is_of_means(found):
        name = found.chosen.test.name
        claims.append(f"{name} is not a test of means: it does not show that the means differ.")
    if is_difference(found) and len(found.table) > 1:
        claims.append(
            "If you select a difference because it is the largest, or because it is significant, "
            "its estimate tends to be further from 0 than the true difference."
        )
    if intervals(found) and not found.simultaneous and len(found.table) > 1:
        claims.append(
            "The intervals do not hold simultaneously. Each is for one pair, and among many pairs "
            "some intervals do not contain the true difference."
        )
    return claims


def _error(analysis: Analysis) -> str:
    """Return which error rate is bounded, for how many tests, and on which conditions."""
    found = analysis.comparison
    test, alpha = found.chosen.test, f"{written(found.alpha)}"
    pairs = counted(len(found.family), "pair")
    conditions = [f"the assumptions of {found.test} hold"]
    if test.complete_null:
        conditions.append("no two of all the systems differ")
    if found.simultaneous or found.adjust in _FAMILYWISE:
        told = f"The probability of one or more false rejections among {pairs} is at most {alpha}"
        also = "" if found.simultaneous else _FAMILYWISE[found.adjust]
    elif found.adjust == "none":
        told = (
            "The p values are not corrected for the number of tests. About "
            f"{found.alpha * len(found.family):,.4g} of {pairs} without a true difference are "
            "expected to be significant"
        )
        also = _NONE
    else:
        told = (
            "The expected proportion of false rejections among the significant pairs (the false "
            f"discovery rate) is at most {alpha}"
        )
        also = _PROPORTION[found.adjust]
    told += f" if {' and '.join([*conditions, *([also] if also else [])])}."
    if also:
        told += " This last condition is not proved for pairs that share a system."
    if test.complete_null:
        told += " If some systems differ, the error rate for the pairs of the others is not known."
    return told
