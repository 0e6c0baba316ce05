"""Functions of R on numbers, texts and flags, for what has no twin in the package."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from cdfscore.stats.numerics.types import Array


class RFunctions:
    """R's functions, and those of ``traps.R``, by name; `rinterface` is rpy2's, initialized."""

    def __init__(self, rinterface: Any) -> None:
        self._types = rinterface
        base = rinterface.baseenv
        self._functions = base["new.env"](parent=rinterface.globalenv)
        base["sys.source"](str(Path(__file__).with_name("traps.R")), self._functions)

    def numbers(self, name: str, *arguments: Any, **named: Any) -> Array:
        """Call a function that returns numbers; a dot in an argument's name is ``__``."""
        return np.array(self._call(name, arguments, named), dtype=np.float64)

    def stops_with(self, name: str, *arguments: Any, **named: Any) -> str:
        """Return the message that a function stops with, or "" where it does not."""
        return str(self._call("stops_with", (name, *arguments), named)[0])

    def _call(self, name: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        values = {key.replace("__", "."): self._value(v) for key, v in named.items()}
        return self._functions.find(name)(*map(self._value, arguments), **values)

    def _value(self, value: Any) -> Any:
        first = value[0] if isinstance(value, list) and value else value
        if isinstance(first, str):
            return self._types.StrSexpVector([value] if isinstance(value, str) else value)
        if isinstance(value, bool):
            return self._types.BoolSexpVector([value])
        flat = np.ascontiguousarray(value, dtype=np.float64).ravel()
        return self._types.FloatSexpVector.from_memoryview(flat.data)
