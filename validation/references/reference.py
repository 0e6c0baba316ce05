"""One file of recorded outputs: strict JSON, a case a line, doubles exact."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cdfscore.standardization.policies import digest_of_scores
from cdfscore.stats.numerics.types import Array

RECORDED = Path(__file__).with_name("recorded")
RENEW = "run `python -m validation.references` (it needs R) and look at the difference"


@dataclass(frozen=True)
class Case:
    """Inputs and R's outputs, each a one-dimensional array with a name."""

    label: str
    inputs: dict[str, Array]
    outputs: dict[str, Array]


@dataclass(frozen=True)
class Reference:
    """What R made of each case, by which call, and which R it was."""

    name: str
    call: dict[str, Any]
    cases: list[Case]
    digest: str
    made_by: dict[str, str]


def digest_of_inputs(inputs: dict[str, dict[str, Array]]) -> str:
    """Return ``sha256:...`` of inputs by label, as `digest_of_scores` defines it.

    In the place of topics stand the pairs of label and name as ``label: name``, labels in
    their order and names sorted; in the place of systems the sizes as text. The doubles are
    those of all arrays in this order.
    """
    arrays = {
        f"{label}: {name}": v for label, each in inputs.items() for name, v in sorted(each.items())
    }
    sizes = [str(len(values)) for values in arrays.values()]
    return digest_of_scores(list(arrays), sizes, np.concatenate(list(arrays.values())))


def path_of(name: str, folder: Path = RECORDED) -> Path:
    """Return the path of a reference; no file name may have a colon everywhere."""
    return folder / f"{name.replace(':', ',')}.json"


def encode(reference: Reference) -> bytes:
    """Return the content of the file."""
    head = {"call": reference.call, "digest": reference.digest, "made_by": reference.made_by}
    lines = [f'"{key}": {_dump(value)},' for key, value in head.items()]
    cases = ",\n".join(_dump(_case(case)) for case in reference.cases)
    return "\n".join(
        ["{", *lines, f'"name": {_dump(reference.name)},', '"cases": [', cases, "]", "}", ""]
    ).encode()


def read(name: str, folder: Path = RECORDED) -> Reference:
    """Read a reference; raises `FileNotFoundError`, which says what to do, and `ValueError`."""
    path = path_of(name, folder)
    if not path.exists():
        raise FileNotFoundError(f"there is no {path.name}; {RENEW}")
    entry = json.loads(path.read_text(encoding="utf-8"), parse_constant=_refuse)
    cases = [
        Case(case["label"], _arrays(case["inputs"]), _arrays(case["outputs"]))
        for case in entry.pop("cases")
    ]
    return Reference(cases=cases, **entry)


def _case(case: Case) -> dict[str, Any]:
    inputs, outputs = (
        {name: [_written(v) for v in values.tolist()] for name, values in arrays.items()}
        for arrays in (case.inputs, case.outputs)
    )
    return {"label": case.label, "inputs": inputs, "outputs": outputs}


def _arrays(entry: dict[str, list[float | str]]) -> dict[str, Array]:
    return {name: np.array([float(v) for v in values]) for name, values in entry.items()}


def _dump(value: Any) -> str:
    return json.dumps(value, allow_nan=False, sort_keys=True)


def _written(value: float) -> float | str:
    """Spell what is no number of JSON as the text that Python's and R's readers know."""
    return value if math.isfinite(value) else json.dumps(value)


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} stands outside quotes, which is no JSON")
