"""Sentences about conclusions that change with the scheme: their meaning, and what to report."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

Row = dict[Hashable, Any]


def meaning_of(conclusions: pd.DataFrame, *, by_order: bool = False) -> list[str]:
    """Return sentences on the counts of `Sensitivity.conclusions`, and on what to report.

    Each scheme is compared with raw. Without raw, each scheme is compared with each other scheme. A
    test `by_order` uses only which of two systems has the higher score on a topic.

    Examples
    --------
    >>> import pandas as pd
    >>> row = {"scheme_a": "raw", "scheme_b": "normal", "pairs": 66, "kept": 40}
    >>> found = meaning_of(pd.DataFrame([{**row, "gained": 5, "lost": 2, "reversed": 0}]))
    >>> print(found[0])
    raw and normal: 40 of 66 pairs of systems differ by both, 5 only after standardization by \
normal (gained) and 2 only before it (lost).
    """
    rows = conclusions.to_dict("records")
    with_raw = [row for row in rows if "raw" in (row["scheme_a"], row["scheme_b"])]
    others = [row for row in rows if row not in with_raw]
    sentences = [_changed(row) for row in (with_raw or rows)]
    if with_raw and others:
        sentences.append(_among(others))
    return [*sentences, _to_report(rows, by_order=by_order)]


def _changed(row: Row) -> str:
    a, b = row["scheme_a"], row["scheme_b"]
    only_b, only_a = f"only by {b} (gained)", f"only by {a} (lost)"
    if a == "raw":
        only_b = f"only after standardization by {b} (gained)"
        only_a = "only before it (lost)"
    elif b == "raw":
        only_b = "only before standardization (gained)"
        only_a = f"only after it, by {a} (lost)"
    reversed_pairs = f", {row['reversed']} by both in opposite directions" * bool(row["reversed"])
    return (
        f"{a} and {b}: {row['kept']} of {row['pairs']} pairs of systems differ by both"
        f"{reversed_pairs}, {row['gained']} {only_b} and {row['lost']} {only_a}."
    )


def _among(rows: list[Row]) -> str:
    counts = [_otherwise(row) for row in rows]
    span = f"{min(counts)} to {max(counts)}" if min(counts) < max(counts) else f"{counts[0]}"
    return f"Any two of the other schemes disagree on {span} of {rows[0]['pairs']} pairs."


def _otherwise(row: Row) -> int:
    return int(row["gained"] + row["lost"] + row["reversed"])


def _to_report(rows: list[Row], *, by_order: bool) -> str:
    changed = any(map(_otherwise, rows))
    if by_order and not changed:
        return (
            "To report: name the scheme that you fixed. The other schemes give the same "
            "conclusions, but this agreement is no evidence: the test uses only the order of "
            "systems within each topic, and a scheme keeps this order unless it makes ties."
        )
    if not changed:
        return (
            "To report: name the scheme that you fixed, and state that the other schemes give the "
            "same conclusions."
        )
    return (
        "To report: fix the scheme before you look at the results. Report the results by raw "
        "scores as well. If a pair differs by one scheme only, report it for that scheme; it does "
        "not show that the scheme is better. Raw and standardized means answer different questions."
    )
