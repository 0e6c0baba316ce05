"""Encoding of a diagnosis and its sensitivity."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cdfscore._version import __version__
from cdfscore.io.files import check_ending
from cdfscore.io.tables import DELIMITERS, encode_frame
from cdfscore.report.json_values import plain, records

if TYPE_CHECKING:
    from cdfscore.comparison.sensitivity import Sensitivity
    from cdfscore.diagnosis import Diagnosis

#: Endings of files of a diagnosis.
ENDINGS = (*DELIMITERS, ".json")


def encode_diagnosis(diagnosis: Diagnosis, sensitivity: Sensitivity | None, path: Path) -> bytes:
    """Return a diagnosis as the content of a file, in the format of its ending.

    CSV and TSV have one row per topic and scheme, `Diagnosis.fits`; JSON has all results.
    Numbers have all digits; a missing number is NA, or null. Raises `OutputError` for another
    ending.
    """
    ending = check_ending(path, ENDINGS)
    if ending == ".json":
        return _json(diagnosis, sensitivity).encode()
    return encode_frame(diagnosis.fits, DELIMITERS[ending])


def _json(diagnosis: Diagnosis, sensitivity: Sensitivity | None) -> str:
    content = {
        "cdfscore": __version__,
        "topics": diagnosis.topics,
        "systems": diagnosis.systems,
        "schemes": diagnosis.schemes,
        "resolution": asdict(diagnosis.resolution),
        "draws": asdict(diagnosis.draws),
        "alpha": diagnosis.alpha,
        "missing": diagnosis.missing,
        "verdict": diagnosis.verdict,
        "notes": diagnosis.notes,
        "summary": records(diagnosis.summary),
        "fits": records(diagnosis.fits),
        "histogram": records(diagnosis.histogram),
        "sensitivity": None if sensitivity is None else _sensitivity(sensitivity),
    }
    return json.dumps(plain(content), indent=1, allow_nan=False, ensure_ascii=False) + "\n"


def _sensitivity(sensitivity: Sensitivity) -> dict[str, Any]:
    return {
        "test": sensitivity.comparison.test,
        "adjust": sensitivity.comparison.adjust,
        "alpha": sensitivity.comparison.alpha,
        "topics": sensitivity.comparison.topics,
        "verdict": sensitivity.verdict,
        "notes": sensitivity.notes,
        "agreement": records(sensitivity.agreement),
        "conclusions": records(sensitivity.conclusions),
        "moves": records(sensitivity.moves),
        "systems": records(sensitivity.systems),
    }
