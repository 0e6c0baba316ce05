"""Comparison as a table for readers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cdfscore.io.text import printable
from cdfscore.report.captioned import NO_NUMBER, Captioned, Column
from cdfscore.report.comparison_caption import caption

if TYPE_CHECKING:
    from cdfscore.comparison.comparison import Comparison


def captioned(comparison: Comparison) -> Captioned:
    """Return the table with its caption."""
    return Captioned("Comparison of systems", caption(comparison), columns(comparison))


def columns(comparison: Comparison) -> list[Column]:
    """Return the columns with content: one row per test, p values rounded, * if significant."""
    rows: list[Any] = comparison.table.to_dict("records")
    alpha, corrected = comparison.alpha, comparison.adjust != "none"

    def p_value(row: dict[str, Any]) -> str:
        return _p_value(row["p_value"], math.nan if corrected else alpha)

    def p_adjusted(row: dict[str, Any]) -> str:
        return _p_value(row["p_adjusted"], alpha)

    numeric: list[tuple[str, Callable[[dict[str, Any]], str]]] = [
        ("n", lambda row: str(row["n"])),
        ("n of B", lambda row: NO_NUMBER if row["n_b"] == row["n"] else str(row["n_b"])),
        (comparison.chosen.test.estimates, lambda row: _fixed(row["estimate"], 4)),
        ("interval", lambda row: _interval(row["conf_low"], row["conf_high"])),
        ("statistic", lambda row: _fixed(row["statistic"], 3)),
        ("df", lambda row: _fixed(row["parameter"], 0 if _whole(row["parameter"]) else 2)),
        ("p", p_value),
        *([("adjusted p", p_adjusted)] if corrected else []),
        (comparison.effect, lambda row: _fixed(row["effect_size"], 3)),
        (
            f"interval of {comparison.effect}",
            lambda row: _interval(row["effect_low"], row["effect_high"], 3),
        ),
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


def _p_value(p: float, alpha: float) -> str:
    if math.isnan(p):
        return NO_NUMBER
    text = "< 0.001" if p < 0.001 else f"{p:.3f}"
    return f"{text}*" if p <= alpha else text


def _fixed(value: float, digits: int) -> str:
    """Return a number with `digits` decimals, and zero without a sign."""
    return NO_NUMBER if math.isnan(value) else f"{value:z.{digits}f}"


def _interval(low: float, high: float, digits: int = 4) -> str:
    if math.isnan(low) or math.isnan(high):
        return NO_NUMBER
    return f"[{_fixed(low, digits)}, {_fixed(high, digits)}]"


def _whole(value: float) -> bool:
    return float(value).is_integer()
