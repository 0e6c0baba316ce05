"""The systems of a comparison as a table for readers: mean, interval, letters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdfscore.errors import SignificanceError
from cdfscore.io.text import printable, written
from cdfscore.plots.words import scheme_label
from cdfscore.report.captioned import Captioned, Column
from cdfscore.report.number_cells import fixed, interval

if TYPE_CHECKING:
    from cdfscore.comparison.comparison import Comparison

# Letters of one system that a table has room for.
_MOST_LETTERS = 12


def of_systems(comparison: Comparison, scores: str, *told: str) -> Captioned:
    """Return a row for each scheme and system, best mean first, or best mean rank.

    `scores` says which scores the means are of, and `told` ends the caption.
    """
    ranks, several = comparison.mean_ranks, len(comparison.schemes) > 1
    letters, how = _letters(comparison)
    cells: dict[str, list[str]] = {}
    place = {system: i for i, system in enumerate(comparison.means.index)}
    for scheme in comparison.schemes:
        centres = comparison.means[scheme] if ranks is None else ranks[scheme]
        means = comparison.means[scheme].to_numpy()
        own = comparison.mean_intervals[scheme].to_numpy()
        for system in centres.sort_values(ascending=False, kind="stable").index:
            n, low, high = own[place[system]]
            row = {
                **({"scheme": scheme_label(scheme)} if several else {}),
                "system": printable(system),
                "n": fixed(n, 0),
                "mean": fixed(means[place[system]], 4),
                "interval": interval(low, high),
                **({} if ranks is None else {"mean rank": fixed(centres[system], 2)}),
                **({"letters": letters[scheme][system]} if letters else {}),
            }
            for header, text in row.items():
                cells.setdefault(header, []).append(text)
    words = ("scheme", "system", "letters")
    columns = [Column(header, header not in words, texts) for header, texts in cells.items()]
    if len(set(cells["n"])) == 1:  # the caption has it
        columns = [column for column in columns if column.header != "n"]
    level = f"{100 * comparison.chosen.conf_level:.12g} %"
    sentences = [
        f"Means of systems {scores}",
        f"Intervals: {level}, by t, for each mean separately, not for differences",
        *how,
        *told,
    ]
    return Captioned("", "", columns).with_caption("Systems", *sentences)


def _letters(comparison: Comparison) -> tuple[dict[str, dict[str, str]], list[str]]:
    """Return the letters by scheme and system, if there are any, and the sentence on them."""
    try:
        found = {scheme: comparison.letters(scheme) for scheme in comparison.schemes}
    except SignificanceError:  # not of all pairs, or not two-sided: there are none
        return {}, []
    # More than 26 letters in all are separated by spaces.
    every = [own for names in found.values() for own in names.values()]
    most = max(len(own.split()) if " " in own else len(own) for own in every)
    if most > _MOST_LETTERS:
        return {}, [f"Letters of groups are omitted, because one system has {most} letters"]
    corrected = "" if comparison.adjust == "none" else f" after {comparison.adjust}"
    return found, [
        f"Systems that share a letter do not differ significantly by {comparison.test} at level "
        f"{written(comparison.alpha)}{corrected}"
    ]
