"""Encoding of a plan, in the format of the ending of the file."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from cdfscore.report.plan_cells import of_plan
from cdfscore.report.table_export import encode_table

if TYPE_CHECKING:
    from cdfscore.models.planning import Plan


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
