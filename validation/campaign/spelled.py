"""An input as a line to type into R, and one into Python, from the folder of the repository."""

from __future__ import annotations

import math
from pathlib import Path

from cdfscore.stats.schemes.base import Scheme

_ROOT = Path(__file__).resolve().parents[2]


def in_r(scheme: Scheme, x: list[float], sample: list[float]) -> str:
    """Spell doubles in hexadecimal, because R does not read every decimal to the last bit."""
    settings = "".join(
        f", {name} = {value!r}" if isinstance(value, str) else f", {name} = {_hex(value)}"
        for name, value in scheme.settings().items()
    )
    twin = scheme.twin().relative_to(_ROOT).as_posix()
    return f'source("{twin}"); standardize({_vector(x)}, {_vector(sample)}{settings})'


def in_python(scheme: Scheme, x: list[float], sample: list[float]) -> str:
    return f'parse_scheme("{scheme}").fit({_list(sample)})({_list(x)})'


def _vector(values: list[float]) -> str:
    return f"c({', '.join(map(_hex, values))})"


def _hex(value: float) -> str:
    return "NA" if math.isnan(value) else float(value).hex()


def _list(values: list[float]) -> str:
    return "[" + ", ".join("nan" if math.isnan(v) else repr(v) for v in values) + "]"
