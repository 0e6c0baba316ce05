"""Curve of a plan as a table for readers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdfscore.report.captioned import Captioned, Column, as_sentence
from cdfscore.report.number_cells import fixed

if TYPE_CHECKING:
    from cdfscore.models.planning import Plan


def of_plan(found: Plan) -> Captioned:
    """Return the curve of a plan, with its answer as the caption."""
    quantity = found.goal.quantity
    columns = [
        Column("topics", True, [f"{n:,}" for n in found.curve["topics"]]),
        Column(quantity, True, [fixed(value, 4) for value in found.curve[quantity]]),
    ]
    notes = [as_sentence(note, [found.scheme]) for note in found.notes]
    return Captioned("", "", columns).with_caption("Number of topics", found.answer, *notes)
