"""Encoding of a plan, in the format of the ending of the file."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from cdfscore._version import __version__
from cdfscore.io.files import check_ending
from cdfscore.io.tables import DELIMITERS, encode_frame
from cdfscore.report.comparison_export import ENDINGS, FORMATS
from cdfscore.report.json_values import plain, records
from cdfscore.report.plan_cells import of_plan

if TYPE_CHECKING:
    from cdfscore.models.planning import Plan


def encode_plan(found: Plan, path: Path) -> bytes:
    """Return the curve of a plan as the content of a file, in the format of its ending.

    CSV, TSV and JSON have all numbers with all digits; LaTeX, Markdown and HTML are for readers,
    with the answer as the caption. Raises `OutputError` for another ending.
    """
    ending = check_ending(path, ENDINGS)
    if ending in DELIMITERS:
        return encode_frame(found.curve, DELIMITERS[ending])
    if ending == ".json":
        return _json(found).encode()
    return FORMATS[ending]([of_plan(found)]).encode()


def _json(found: Plan) -> str:
    pilot = found.pilot
    content = {
        "cdfscore": __version__,
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
        "rows": records(found.curve),
    }
    return json.dumps(plain(content), indent=1, allow_nan=False, ensure_ascii=False) + "\n"
