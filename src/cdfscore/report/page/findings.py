"""The findings in sentences: which systems differ, by how much, and what depends on the scheme."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore.comparison.ranking import tied
from cdfscore.io.text import counted, part_of, written
from cdfscore.report.captioned import NO_NUMBER
from cdfscore.report.number_cells import fixed, interval, shown_p
from cdfscore.report.page.collection_cells import finding_on_collections
from cdfscore.report.page.labels import in_labels
from cdfscore.report.page.tested import differs, intervals, is_difference

if TYPE_CHECKING:
    from cdfscore.comparison.comparison import Comparison
    from cdfscore.report.page.analysis import Analysis

# Systems that a sentence names; more are counted.
_NAMED = 8


def findings(analysis: Analysis) -> list[str]:
    """Return the findings, the most important first."""
    comparison = analysis.comparison
    return [
        *(f"Do not use these numbers: {reason}." for reason in analysis.r.apart),
        _how_many(comparison),
        *_best(comparison),
        *_of_baselines(comparison),
        *_edges(comparison),
        *_of_schemes(analysis),
        *_of_collections(analysis),
        *_of_r(analysis),
    ]


def _how_many(comparison: Comparison) -> str:
    table = comparison.table
    differ = int(differs(comparison).sum())
    after = "" if comparison.adjust == "none" else f" after correction by {comparison.adjust}"
    without = int((table["reason"] != "").sum())
    verb = "has" if without == 1 else "have"
    more = f" {counted(without, 'pair')} {verb} no p value." if without else ""
    return (
        f"{part_of(differ, len(table), 'pair')} of systems {'differs' if differ == 1 else 'differ'}"
        f" significantly by {comparison.test} at level {written(comparison.alpha)}{after}.{more}"
    )


def _best(comparison: Comparison) -> list[str]:
    """Name the systems with the highest mean or mean rank, and those that do not differ."""
    centres = comparison.best_first(comparison.schemes[0]).dropna()
    if centres.empty:
        return []
    of = "mean" if comparison.mean_ranks is None else "mean rank"
    # Equal means are no different for the order of their sums.
    places = tied(np.asarray(centres, dtype=np.float64))
    ordered = [str(name) for name in centres.index]
    best = [name for name, place in zip(ordered, places, strict=True) if place == places[0]]
    alone, top = len(best) == 1, fixed(float(centres.iloc[0]), 4)
    told = f"{_names(best)} {'has' if alone else 'share'} the highest {of}, {top}"
    table, baselines = comparison.table, comparison.family.baselines
    if baselines and not set(best) <= set(baselines):
        which = "It was not" if alone else "Not all of them were"
        return [f"{told}. {which} compared with every other system."]
    found = table[~differs(comparison)]
    first, second = (found[name].astype(str) for name in ("system_a", "system_b"))
    near = {*second[first.isin(best)], *first[second.isin(best)]} - {*best}
    if not near:
        verb = "differs" if alone else "differ"
        others_too = f", and {verb} significantly from every other system"
        return [f"{told}{others_too if ordered[len(best) :] else ''}."]
    others = [name for name in ordered if name in near]
    count, do = counted(len(others), "system"), "does" if len(others) == 1 else "do"
    which = "it" if alone else "one of them"
    return [f"{told}. {count} {do} not differ significantly from {which}: {_names(others)}."]


def _names(systems: list[str]) -> str:
    """Return the first systems by name, and the number of the others."""
    names = ", ".join(systems[:_NAMED])
    return f"{names} and {len(systems) - _NAMED} more" if len(systems) > _NAMED else names


def _of_baselines(comparison: Comparison) -> list[str]:
    """Return for each baseline the systems that differ from it, and in which direction."""
    sentences, table, found = [], comparison.table, differs(comparison)
    for baseline in comparison.family.baselines:
        is_first = (table["system_a"] == baseline).to_numpy()
        own = found & (is_first | (table["system_b"] == baseline).to_numpy())
        other = table["system_b"].where(is_first, table["system_a"])
        above = table["estimate"].to_numpy() * np.where(is_first, -1, 1)
        groups = {"different from": own}
        if is_difference(comparison):
            groups = {"higher than": own & (above > 0), "lower than": own & (above < 0)}
        for way, each in groups.items():
            if number := int(each.sum()):
                are = f"{counted(number, 'system')} {'is' if number == 1 else 'are'}"
                names = _names([*map(str, other[each])])
                sentences.append(f"{are} significantly {way} the baseline {baseline}: {names}.")
        if not own.any():
            sentences.append(f"No system differs significantly from the baseline {baseline}.")
    return sentences


def _edges(comparison: Comparison) -> list[str]:
    """Return the largest and smallest significant difference, and the largest other difference."""
    if not is_difference(comparison):
        return []
    what = comparison.chosen.test.estimates
    table = comparison.table.assign(differs=differs(comparison))
    table = table[(table["reason"] == "") & table["estimate"].notna()]
    rows: list[dict[Hashable, Any]] = table.to_dict("records")
    rows.sort(key=lambda row: abs(row["estimate"]))
    found = [row for row in rows if row["differs"]]
    others = [row for row in rows if not row["differs"]]
    sentences = []
    if len(found) == 1:
        sentences.append(f"The only significant {what}: {_pair(found[0], comparison)}.")
    elif found:
        sentences += [
            f"The largest significant {what}: {_pair(found[-1], comparison)}.",
            f"The smallest significant {what}: {_pair(found[0], comparison)}.",
        ]
    if others:
        told = _pair(others[-1], comparison)
        sentences.append(f"The largest {what} that is not significant: {told}.")
    return [*sentences, *(_of_intervals(comparison) if len(rows) > 1 else [])]


def _of_intervals(comparison: Comparison) -> list[str]:
    """Return what the intervals are valid for, and what a pair selected by its result needs."""
    told = intervals(comparison)
    size = "If you select a difference because it is the largest, the true difference tends to be "
    size += "smaller than its estimate"
    if not told:
        return [f"{size}."]
    if comparison.simultaneous:
        return [
            f"The brackets are {told}. They are valid also for pairs that you select by their "
            f"results. {size}."
        ]
    uncorrected = (
        ""
        if comparison.adjust == "none"
        else " They are not adjusted as p values are, so an interval may exclude 0 although the "
        "adjusted p value is not significant."
    )
    return [
        f"The brackets are {told}. They are valid for a pair that you chose before you saw the "
        f"results.{uncorrected} {size}, and its interval misses the true difference more often "
        "than the confidence level states."
    ]


def _pair(row: dict[Hashable, Any], comparison: Comparison) -> str:
    """Return the systems of a pair, the estimate with its interval, and the p value."""
    bounds = interval(row["conf_low"], row["conf_high"])
    p = shown_p(row["p_adjusted"], 0)
    p = p if p.startswith("<") else f"= {p}"
    corrected = "" if comparison.adjust == "none" else "adjusted "
    estimate = fixed(row["estimate"], 4)
    if bounds != NO_NUMBER:
        estimate += f" {bounds}"
    return f"{row['system_a']} - {row['system_b']}, {estimate}, {corrected}p {p}"


def _of_schemes(analysis: Analysis) -> list[str]:
    """Return what depends on the scheme; nothing if the comparison has baselines.

    The sensitivity then has another family of pairs than the comparison.
    """
    if analysis.sensitivity is None or analysis.comparison.family.baselines:
        return []
    return in_labels(analysis.sensitivity.verdict, analysis.sensitivity.comparison.schemes)


def _of_collections(analysis: Analysis) -> list[str]:
    if analysis.beside is None:
        return []
    alpha = analysis.comparison.alpha
    return [finding_on_collections(analysis.beside, analysis.collections, alpha)]


def _of_r(analysis: Analysis) -> list[str]:
    table = analysis.r.table
    if table is None or analysis.r.apart:
        return []
    count, r = int(table["count"].sum()), table.attrs["r_version"]
    return [f"{r} agrees on all {count:,} numbers (scores, means and tests) within the tolerances."]
