"""Curve of a plan as a table for readers and in files."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.report.captioned import Captioned, Column, as_sentence
from cdfscore.report.number_cells import fixed
from cdfscore.report.table_export import encode_table

if TYPE_CHECKING:
    from cdfscore.models.planning import Plan


def of_plan(found: Plan, rows: int | None = None) -> Captioned:
    """Return the curve of a plan, with its answer as the caption.

    Of a curve of more `rows`, these are so many evenly spaced ones, and those next to the answer.
    """
    quantity, curve = found.goal.quantity, found.curve
    notes = [as_sentence(note, [found.scheme]) for note in found.notes]
    if rows is not None and len(curve) > rows:
        shown = np.abs(curve["topics"].to_numpy() - found.topics) <= 1
        shown[np.linspace(0, len(curve) - 1, rows).round().astype(int)] = True
        curve = curve[shown]
        notes.append(f"{len(curve)} of the {len(found.curve)} numbers of topics are shown")
    columns = [
        Column("topics", True, [f"{n:,}" for n in curve["topics"]]),
        Column(quantity, True, [fixed(value, 4) for value in curve[quantity]]),
    ]
    return Captioned("", "", columns).with_caption("Number of topics", found.answer, *notes)


def encode_plan(found: Plan, path: Path) -> bytes:
    """Return the curve of a plan as the content of a file; see `encode_table`.

    The answer is the caption.
    """
    pilot = found.pilot
    details = {
        "answer": found.answer,
        "goal": {"name": found.goal.name, **found.goal.settings()},
        "scheme": found.scheme,
        "pilots": [
            {"systems": values.shape[1], "topics": len(values)} for values in pilot.matrices
        ],
        "variances": {
            "scores": pilot.scores,
            "residual": pilot.residual,
            "differences": pilot.differences,
        },
        "topics": found.topics,
        found.goal.quantity: found.value,
        "check": None if found.check is None else asdict(found.check),
        "notes": found.notes,
    }
    return encode_table(path, found.curve, [of_plan(found)], details)
