"""What the numbers of a page may and may not be used to claim."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdfscore.io.text import counted
from cdfscore.plots.words import scheme_label
from cdfscore.report.page.tested import intervals, is_difference, is_of_means

if TYPE_CHECKING:
    from cdfscore.comparison.comparison import Comparison
    from cdfscore.report.page.analysis import Analysis

# Corrections that bound the chance of any false finding, by what they need of the p values; the
# others bound the proportion of false findings.
_NONE = ""
_SIMES = (
    "and if Simes' inequality holds for their p values, which is not shown for pairs that have "
    "systems in common"
)
_FAMILYWISE = {"holm": _NONE, "bonferroni": _NONE, "hochberg": _SIMES, "hommel": _SIMES}
_POSITIVE = (
    "and if the p values are independent or positively dependent, which is not shown for pairs that"
    " have systems in common"
)
_PROPORTION = {"BH": _POSITIVE, "fdr": _POSITIVE, "BY": _NONE}


def may(analysis: Analysis) -> list[str]:
    """Return what may be claimed."""
    found = analysis.comparison
    p = "p value" if found.adjust == "none" else "adjusted p value"
    claims = [
        f"That two systems differ on topics like these, by {found.test}, where the {p} is at most "
        f"{found.alpha:g}, if scheme, test and correction were fixed before the results were seen."
        f"{_tested(found)} {_error(analysis)}"
    ]
    if intervals(found):
        whose = "any pair" if found.simultaneous else "a pair that was chosen before"
        claims.append(
            f"How large the {found.chosen.test.estimates} of {whose} may be: the interval, not the "
            "p value, says it."
        )
    if not analysis.is_raw:
        claims.append(
            "Where a score lies among those of the reference systems on its topic; topics count "
            "about equally in such means."
        )
    return claims


def may_not(analysis: Analysis) -> list[str]:
    """Return what may not be claimed."""
    further = "other" if analysis.beside is None else "further"
    claims = [
        "That systems are equal because no difference was found; a test of equivalence, "
        "equivalence_t, can show that.",
        *_of_several(analysis.comparison),
        f"Anything about other measures, {further} collections, or topics of another kind.",
        *_of_what_is_tested(analysis.comparison),
    ]
    if not analysis.is_raw:
        claims += [
            f"A difference in units of the measure: differences by {scheme_label(analysis.scheme)} "
            "are in units of the distribution of the reference systems.",
            "A comparison with numbers that were standardized by other reference systems or another"
            " scheme.",
        ]
    if analysis.sensitivity is not None:
        claims.append(
            "That a pair differs, without naming the scheme, where one scheme alone finds it; and "
            "that the scheme with the most findings is the better one."
        )
    if analysis.diagnosis is not None:
        claims.append("That a distribution is true because it fits best, or was not rejected.")
    return claims


def _of_several(found: Comparison) -> list[str]:
    """Return what a comparison of the pairs with each other does not tell, if there are several."""
    if len(found.table) < 2:
        return []
    return ["That one pair differs and another does not, so that the first difference is larger."]


def _tested(found: Comparison) -> str:
    """Return the null hypothesis that is rejected, and what the test assumes."""
    test, told = found.chosen.test, ""
    if test.null:
        value = f"{found.chosen.settings.get('null_value', 0):g}"
        told += f" The null hypothesis: {test.null.replace('`null_value`', value)}."
    return f"{told} The test assumes: {test.assumes}." if test.assumes else told


def _of_what_is_tested(found: Comparison) -> list[str]:
    """Return what the test does not tell, and what a choice among its pairs does not."""
    claims = []
    if found.table["p_value"].notna().any() and not is_of_means(found):
        claims.append(f"That means differ: {found.chosen.test.name} is no test of means.")
    if is_difference(found) and len(found.table) > 1:
        claims.append(
            "The size of a difference that was picked for being the largest, or for being found: "
            "such an estimate tends to be further from 0 than the true difference."
        )
    if intervals(found) and not found.simultaneous and len(found.table) > 1:
        claims.append(
            "That all intervals hold together: each is for one pair by itself, and among many "
            "pairs some miss."
        )
    return claims


def _error(analysis: Analysis) -> str:
    """Return which error is bounded, for how many tests, and on which conditions."""
    found = analysis.comparison
    test, alpha = found.chosen.test, f"{found.alpha:g}"
    pairs = counted(len(found.family), "pair")
    holds = f"if the assumptions of {found.test} hold"
    if test.complete_null:
        holds += " and no two of all the systems differ"
    if found.simultaneous or found.adjust in _FAMILYWISE:
        also = "" if found.simultaneous else _FAMILYWISE[found.adjust]
        told = (
            f"The chance of one false finding or more among {pairs} is at most {alpha}, "
            f"{f'{holds}, {also}' if also else holds}."
        )
    elif found.adjust == "none":
        told = (
            f"Each pair stands alone: {holds}, of {pairs} without a difference about "
            f"{found.alpha * len(found.family):,.4g} would be found to differ."
        )
    else:
        also = _PROPORTION[found.adjust]
        told = (
            f"Of the pairs that differ, a proportion of at most {alpha} is expected to be false, "
            f"{f'{holds}, {also}' if also else holds}."
        )
    if test.complete_null:
        told += " Where some systems differ, this is not known for the pairs of the others."
    return told
