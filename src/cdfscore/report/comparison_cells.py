"""Comparison as a table for readers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore.errors import SignificanceError
from cdfscore.io.text import printable, written
from cdfscore.plots.words import correction_label, effect_label, scheme_label, the_test
from cdfscore.report import uncertainty_cells
from cdfscore.report.captioned import NO_NUMBER, Captioned, Column
from cdfscore.report.comparison_caption import caption, scores_of
from cdfscore.report.number_cells import fixed, interval, shown_p

if TYPE_CHECKING:
    from cdfscore.comparison.comparison import Comparison

#: The most pairs that a table for a paper lists, enough for 32 systems.
MOST_PAIRS = 500
# Letters of one system that a table has room for.
_MOST_LETTERS = 12


def tables(comparison: Comparison) -> list[Captioned]:
    """Return the table of pairs, and the table of means if they have an uncertainty."""
    own = Captioned("Comparison of systems", caption(comparison), columns(comparison))
    if comparison.uncertainty is None:
        return [own]
    return [own, uncertainty_cells.of_means(comparison.uncertainty)]


def for_terminal(comparison: Comparison) -> list[Captioned]:
    """Return the tables of `tables`, with the smallest p value first and columns to leave out."""
    by = "p_value" if comparison.adjust == "none" else "p_adjusted"
    ranked = comparison.table.sort_values([by, "p_value"], kind="stable")
    own, *others = tables(replace(comparison, table=ranked))
    levels = {column.header: 0 for column in _narrow(comparison, own.columns)}
    levels |= {effect_label(comparison.effect): 1, "interval": 1}
    shown = [replace(column, minor=levels.get(column.header, 2)) for column in own.columns]
    return [replace(own, columns=shown), *others]


def for_paper(comparison: Comparison) -> list[Captioned]:
    """Return the table of systems, then those of `tables`, with columns for the width of a page.

    If there are more than `MOST_PAIRS` pairs, they are not listed, and the table of systems has the
    caption; of two collections, the pairs of a system with itself are.
    """
    own, *others = tables(comparison)
    own = replace(own, columns=_narrow(comparison, own.columns))
    scores = scores_of(comparison)
    if lists_pairs(comparison):
        if comparison.uncertainty is not None:
            pairs = uncertainty_cells.of_pairs(comparison.uncertainty)
            # The share is in the standard errors.
            of_pairs = _without({"share of reference"}, pairs.columns)
            others.insert(0, replace(pairs, columns=of_pairs))
        return [of_systems(comparison, scores), own, *others]
    count, which = len(comparison.table), "pairs"
    same = comparison.table["system_a"] == comparison.table["system_b"]
    if comparison.family.split and 0 < same.sum() <= MOST_PAIRS:
        count, which = int((~same).sum()), "pairs of different systems"
        rows = columns(replace(comparison, table=comparison.table[same]))
        title = "Systems with themselves"
        told = f"{title}, in the first collection (A) and in the second (B)"
        others.insert(0, Captioned(title, told, _narrow(comparison, rows)))
    left_out = f"The {count:,} {which} are not listed here; a .csv or .json file has them"
    return [of_systems(comparison, scores, own.caption, left_out), *others]


def lists_pairs(comparison: Comparison) -> bool:
    """Tell whether `for_paper` lists the pairs of a comparison, which are not too many."""
    return len(comparison.table) <= MOST_PAIRS


def _narrow(comparison: Comparison, columns: list[Column]) -> list[Column]:
    """Return the columns that a paper has: estimate, interval, the p value that decides, effect.

    The other columns, and n if it is the same for all, are in the caption and in a .csv file. The
    uncertainty from the reference systems has its own table.
    """
    if comparison.family.at_once:
        return columns
    left_out = {"statistic", "df", f"interval of {effect_label(comparison.effect)}"}
    left_out |= {header for header, _ in _of_reference(comparison)}
    if any(column.header == "adjusted p" for column in columns):
        left_out.add("p")
    labels = {scheme: scheme_label(scheme) for scheme in comparison.schemes}
    return [
        replace(column, cells=[labels.get(cell, cell) for cell in column.cells])
        if column.header == "scheme"
        else column
        for column in _without(left_out, columns)
    ]


def _without(headers: set[str], columns: list[Column]) -> list[Column]:
    """Return the columns without these headers, and without n if it is the same for all."""
    return [
        column
        for column in columns
        if column.header not in headers and (column.header != "n" or len(set(column.cells)) > 1)
    ]


def columns(comparison: Comparison) -> list[Column]:
    """Return the columns with content: one row per test, p values rounded, * if significant."""
    rows: list[Any] = comparison.table.to_dict("records")
    alpha, corrected = comparison.alpha, comparison.adjust != "none"

    def p_value(row: dict[str, Any]) -> str:
        return shown_p(row["p_value"], math.nan if corrected else alpha)

    def p_adjusted(row: dict[str, Any]) -> str:
        return shown_p(row["p_adjusted"], alpha)

    numeric: list[tuple[str, Callable[[dict[str, Any]], str]]] = [
        ("n", lambda row: str(row["n"])),
        ("n of B", lambda row: NO_NUMBER if row["n_b"] == row["n"] else str(row["n_b"])),
        (comparison.chosen.test.estimates, lambda row: fixed(row["estimate"], 4)),
        ("interval", lambda row: interval(row["conf_low"], row["conf_high"])),
        ("statistic", lambda row: fixed(row["statistic"], 3)),
        (
            "df",
            lambda row: fixed(row["parameter"], 0 if float(row["parameter"]).is_integer() else 2),
        ),
        ("p", p_value),
        *([("adjusted p", p_adjusted)] if corrected else []),
        (effect_label(comparison.effect), lambda row: fixed(row["effect_size"], 3)),
        (
            f"interval of {effect_label(comparison.effect)}",
            lambda row: interval(row["effect_low"], row["effect_high"], 3),
        ),
        *_of_reference(comparison),
    ]
    if comparison.family.at_once:
        systems = [Column("systems", False, [f"all {len(comparison.systems)}"] * len(rows))]
    else:
        systems = [
            Column("A", False, [printable(row["system_a"]) for row in rows]),
            Column("B", False, [printable(row["system_b"]) for row in rows]),
        ]
    found = [
        *systems,
        *(Column(header, True, [cell(row) for row in rows]) for header, cell in numeric),
        Column("no number because", False, [printable(row["reason"]) for row in rows]),
    ]
    if len(comparison.schemes) > 1:
        found.insert(0, Column("scheme", False, [printable(row["scheme"]) for row in rows]))
    always = ("scheme", "systems", "A", "B", "n", "p")
    return [c for c in found if c.header in always or set(c.cells) - {NO_NUMBER, ""}]


def _of_reference(comparison: Comparison) -> list[tuple[str, Callable[[dict[str, Any]], str]]]:
    """Return the columns of the uncertainty from the reference systems, if it was asked for."""
    if comparison.uncertainty is None:
        return []
    found = list(uncertainty_cells.PARTS)
    # The interval is for the difference of means, not for a median as of wilcoxon_signed_rank.
    estimate, difference = (comparison.table[name] for name in ("estimate", "difference"))
    if not np.allclose(estimate, difference, rtol=1e-9, atol=1e-12 * difference.abs().max()):
        found.insert(0, ("difference of means", lambda row: fixed(row["difference"], 4)))
    return found


def of_systems(comparison: Comparison, scores: str, *told: str) -> Captioned:
    """Return a row for each scheme and system, best mean first, or best mean rank.

    `scores` says which scores the means are of, and `told` ends the caption.
    """
    ranks, several = comparison.mean_ranks, len(comparison.schemes) > 1
    letters, how = _letters(comparison)
    cells: dict[str, list[str]] = {}
    place = {system: i for i, system in enumerate(comparison.means.index)}
    for scheme in comparison.schemes:
        means = comparison.means[scheme].to_numpy()
        own = comparison.mean_intervals[scheme].to_numpy()
        for name, centre in comparison.best_first(scheme).items():
            system = str(name)
            n, low, high = own[place[system]]
            row = {
                **({"scheme": scheme_label(scheme)} if several else {}),
                "system": printable(system),
                "n": fixed(n, 0),
                "mean": fixed(means[place[system]], 4),
                "interval": interval(low, high),
                **({} if ranks is None else {"mean rank": fixed(centre, 2)}),
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
        *(["Mean ranks are within topics, 1 is the best"] if ranks is not None else []),
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
    label = correction_label(comparison.adjust)
    corrected = f" after {label}" if label else ""
    return found, [
        f"Systems that share a letter do not differ significantly by {the_test(comparison.test)} "
        f"at level {written(comparison.alpha)}{corrected}"
    ]
