"""Uncertainty from the reference systems as tables for readers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cdfscore.io.text import printable
from cdfscore.report.captioned import Captioned, Column, as_sentence
from cdfscore.report.number_cells import fixed, interval

if TYPE_CHECKING:
    from cdfscore.comparison.reference_uncertainty import ReferenceUncertainty

Row = dict[str, Any]
# What the table of pairs is called.
_PAIRS = "Uncertainty from the reference systems"
#: The columns of the parts of the uncertainty.
PARTS: tuple[tuple[str, Callable[[Row], str]], ...] = (
    ("se, topics", lambda row: fixed(row["stderr_topics"], 4)),
    ("se, reference", lambda row: fixed(row["stderr_reference"], 4)),
    ("se, both", lambda row: fixed(row["stderr_both"], 4)),
    ("share of reference", lambda row: fixed(row["reference_share"], 3)),
    ("interval, both", lambda row: interval(row["both_low"], row["both_high"])),
)


def tables(found: ReferenceUncertainty) -> list[Captioned]:
    """Return the table of pairs, with the caption, and that of systems."""
    told = [as_sentence(note, found.schemes) for note in found.notes]
    pairs = of_pairs(found).with_caption(_PAIRS, found.sentence, *told)
    return [pairs, of_means(found)]


def of_pairs(found: ReferenceUncertainty) -> Captioned:
    """Return the table of pairs."""
    rows: list[Any] = found.pairs.to_dict("records")
    columns = [
        Column("A", False, [printable(row["system_a"]) for row in rows]),
        Column("B", False, [printable(row["system_b"]) for row in rows]),
        *_numbers(rows, "difference"),
    ]
    return Captioned("", "", _with_schemes(found, rows, columns)).with_caption(
        _PAIRS,
        "Differences of means, A minus B, with their standard errors from the topics, from the "
        "reference systems, and from both",
    )


def of_means(found: ReferenceUncertainty) -> Captioned:
    """Return the table of systems."""
    rows: list[Any] = found.means.to_dict("records")
    columns = [
        Column("system", False, [printable(row["system"]) for row in rows]),
        *_numbers(rows, "mean"),
    ]
    return Captioned("", "", _with_schemes(found, rows, columns)).with_caption(
        "Means of systems",
        "Means of systems, with their standard errors from the topics, from the reference systems, "
        "and from both",
    )


def _numbers(rows: list[Row], estimate: str) -> list[Column]:
    return [
        Column("n", True, [str(row["n"]) for row in rows]),
        Column(estimate, True, [fixed(row[estimate], 4) for row in rows]),
        *(Column(header, True, [cell(row) for row in rows]) for header, cell in PARTS),
    ]


def _with_schemes(
    found: ReferenceUncertainty, rows: list[Row], columns: list[Column]
) -> list[Column]:
    if len(found.schemes) == 1:
        return columns
    return [Column("scheme", False, [printable(row["scheme"]) for row in rows]), *columns]
