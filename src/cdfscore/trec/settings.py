"""Settings of measures of ir_measures: what is accepted.

ir_measures checks types only, and takes True for 1; the programs then fail, or measure something
else under the name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from cdfscore.errors import MeasureError
from cdfscore.trec.qrels import LARGEST
from cdfscore.trec.sums import LARGEST_CUTOFF


class _Rule(NamedTuple):
    """Condition on a setting beside its type, and its words in a message."""

    holds: Callable[[Any], bool]
    expected: str


def _whole(least: int, most: int) -> _Rule:
    return _Rule(lambda value: least <= value <= most, f"a whole number from {least} to {most:,}")


_POSITIVE = _Rule(lambda value: 0 < value < math.inf, "a number above 0")
_PROPORTION = _Rule(lambda value: 0 <= value <= 1, "a number from 0.0 to 1.0")
_PERSISTENCE = _Rule(lambda value: 0 < value < 1, "a number between 0.0 and 1.0")
_RULES = {
    "cutoff": _whole(1, LARGEST_CUTOFF),
    "rel": _whole(1, LARGEST),
    "min_rel": _whole(0, LARGEST),
    "max_rel": _whole(1, LARGEST),
    "alpha": _PROPORTION,
    "p": _PERSISTENCE,
    "T": _POSITIVE,
    # trec_eval is given the recall with two decimals, and measures the rounded one.
    "recall": _Rule(
        lambda value: 0 <= value <= 1 and round(value, 2) == value,
        "a number from 0.0 to 1.0 with at most 2 decimals",
    ),
    # trec_eval is given the digits, and takes 1 where they have an exponent.
    "beta": _Rule(
        lambda value: repr(value).replace(".", "", 1).isdigit(),
        "a number such as 0.5 or 2.0, without an exponent",
    ),
    "gains": _Rule(
        lambda value: (
            all(map(_is_whole, [*value, *value.values()]))
            and all(0 <= gain <= LARGEST for gain in value.values())
        ),
        f"whole numbers by relevance, from 0 to {LARGEST:,}, such as {{1: 1, 2: 3}}",
    ),
}


def check_settings(text: str, supported: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    """Raise `MeasureError` for a setting of another type, or out of its range.

    `text` is the name of the measure as given, and `supported` has its settings in ir_measures.
    """
    for name, value in settings.items():
        info = supported[name]
        rule = _RULES.get(name)
        fits = info.validate(value) and isinstance(value, bool) == (info.dtype is bool)
        if not fits or (rule is not None and not rule.holds(value)):
            expected = _of_type(info) if rule is None else rule.expected
            raise MeasureError(f"measure {text!r}: {name} is {value!r}; expected {expected}")


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _of_type(info: Any) -> str:
    """Return what a setting of a measure of ir_measures accepts."""
    if isinstance(info.choices, Sequence):
        return " or ".join(map(repr, info.choices))
    kinds = {int: "a whole number", float: "a number with a decimal point", bool: "True or False"}
    return kinds.get(info.dtype, getattr(info.dtype, "__name__", "another value"))
