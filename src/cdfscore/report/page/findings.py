"""What was found, in sentences: which systems differ, by how much, what depends on the scheme."""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from cdfscore.io.text import counted, part_of
from cdfscore.plots.words import scheme_label
from cdfscore.report.captioned import NO_NUMBER
from cdfscore.report.number_cells import fixed, interval, shown_p
from cdfscore.report.page.collection_cells import finding_on_collections

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
        *_edges(comparison),
        *_of_schemes(analysis),
        *_of_collections(analysis),
        *_of_r(analysis),
    ]


def _how_many(comparison: Comparison) -> str:
    table = comparison.table
    differ = int((table["p_adjusted"] <= comparison.alpha).sum())
    after = "" if comparison.adjust == "none" else f" after correction by {comparison.adjust}"
    without = int((table["reason"] != "").sum())
    more = f"; {counted(without, 'pair')} without a p value" if without else ""
    return (
        f"{part_of(differ, len(table), 'pair')} of systems {'differs' if differ == 1 else 'differ'}"
        f" by {comparison.test} at {comparison.alpha:g}{after}{more}."
    )


def _best(comparison: Comparison) -> list[str]:
    """Name the system of the highest mean, and those that do not differ from it."""
    means = comparison.means.iloc[:, 0]
    if means.isna().all():
        return []
    best, top = str(means.idxmax()), float(means.max())
    told = f"{best} has the highest mean, {fixed(top, 4)}"
    table = comparison.table
    with_best = table[(table["system_a"] == best) | (table["system_b"] == best)]
    near = with_best[~(with_best["p_adjusted"] <= comparison.alpha)]
    if len(with_best) + 1 < len(means):
        return [f"{told}; it was not compared with every system."]
    if near.empty:
        return [f"{told}, and differs from every other system."]
    others = [str(b if a == best else a) for a, b in near[["system_a", "system_b"]].to_numpy()]
    others.sort(key=lambda name: -float(means[name]))
    names = ", ".join(others[:_NAMED])
    if len(others) > _NAMED:
        names += f" and {len(others) - _NAMED} more"
    return [
        f"{told}; no difference from it was found for {counted(len(others), 'system')}: {names}."
    ]


def _edges(comparison: Comparison) -> list[str]:
    """Return the largest difference, the smallest that was found, and the largest that was not."""
    what, table = comparison.chosen.test.estimates, comparison.table
    if not what.startswith("difference"):  # such as a proportion, of which 0 is not the least
        return []
    rows: list[dict[Hashable, Any]] = table[table["reason"] == ""].to_dict("records")
    rows.sort(key=lambda row: abs(row["estimate"]))
    found = [row for row in rows if row["p_adjusted"] <= comparison.alpha]
    others = [row for row in rows if not row["p_adjusted"] <= comparison.alpha]
    sentences = []
    if found:
        sentences += [
            f"The largest {what}: {_pair(found[-1], comparison)}.",
            f"The smallest {what} of a pair that differs: {_pair(found[0], comparison)}.",
        ]
    if others:
        told = _pair(others[-1], comparison)
        sentences.append(f"The largest {what} of a pair that was not found to differ: {told}.")
    return sentences


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
    """Return what depends on the scheme, with the names that papers have for schemes."""
    if analysis.sensitivity is None:
        return []
    sentences = analysis.sensitivity.verdict
    schemes = (scheme for scheme in analysis.sensitivity.comparison.schemes if scheme != "raw")
    for scheme in sorted(schemes, key=len, reverse=True):  # no name within another first
        whole = rf"(?<!\w){re.escape(scheme)}(?!\w)"
        label = scheme_label(scheme).replace("\\", r"\\")  # else a group of the pattern
        sentences = [re.sub(whole, label, each) for each in sentences]
    return sentences


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
    return [
        f"{r} agrees on all {count:,} numbers of scores, means and tests, within the tolerances."
    ]
