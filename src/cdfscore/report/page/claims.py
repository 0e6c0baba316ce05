"""What the numbers of a page may and may not be used to claim."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdfscore.plots.words import scheme_label

if TYPE_CHECKING:
    from cdfscore.report.page.analysis import Analysis

# Corrections that bound the chance of any false finding; the others bound their proportion.
_FAMILYWISE = ("holm", "hochberg", "hommel", "bonferroni")


def may(analysis: Analysis) -> list[str]:
    """Return what may be claimed."""
    found = analysis.comparison
    what = "mean score" if analysis.is_raw else "mean standardized score"
    claims = [
        f"That two systems differ in {what} on topics like these, where the adjusted p value is at "
        f"most {found.alpha:g}, if scheme, test and correction were fixed before the results were "
        f"seen. {_error(analysis)}",
        "How large a difference may be: the interval, not the p value, says it.",
    ]
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
        "That one pair differs and another does not, so that the first difference is larger.",
        f"Anything about other measures, {further} collections, or topics of another kind.",
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


def _error(analysis: Analysis) -> str:
    """Return which error is bounded, and for how many tests."""
    found = analysis.comparison
    pairs, alpha = len(found.table), f"{found.alpha:g}"
    if found.simultaneous or found.adjust in _FAMILYWISE:
        return (
            f"If the assumptions of {found.test} hold, the chance of one false finding or more "
            f"among {pairs:,} pairs is at most {alpha}."
        )
    if found.adjust == "none":
        return (
            f"Each pair stands alone: of {pairs:,} pairs without a difference about "
            f"{found.alpha * pairs:,.4g} would be found to differ."
        )
    return f"Of the pairs that differ, a proportion of at most {alpha} is expected to be false."
