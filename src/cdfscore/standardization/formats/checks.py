"""Checks of a JSON document of factors; errors name the place."""

from __future__ import annotations

import sys
from itertools import count
from typing import Any

import numpy as np

from cdfscore.errors import FactorsError
from cdfscore.io.sizes import too_sparse
from cdfscore.schemes.base import Fitted, Parameters, Scheme
from cdfscore.standardization.scale import Scale

# The entries of the document, and the types that they may have.
_ENTRIES: dict[str, tuple[type, ...]] = {
    "scheme": (str,),
    "settings": (dict,),
    "constant": (str,),
    "missing": (str,),
    "fitted_missing": (str, type(None)),
    "unfitted": (str,),
    "measure": (str, type(None)),
    "systems": (list, type(None)),
    "digest": (str, type(None)),
    "scale": (dict, type(None)),
    "positions": (int, type(None)),
    "dropped": (list,),
    "unfitted_topics": (dict,),
    "topics": (dict,),
}
_WORDS = {str: "text", dict: "an object", list: "a list of text", int: "a whole number"}


def check_entries(document: dict[str, Any]) -> None:
    """Raise `FactorsError` unless every entry is present and has its type."""
    for name, types in _ENTRIES.items():
        if name not in document:
            raise FactorsError(f"there is no {name!r}; expected it next to 'format' and 'version'")
        value = document[name]
        texts = type(value) is not list or all(type(item) is str for item in value)
        if type(value) not in types or not texts:
            expected = " or ".join(_WORDS.get(t, "null") for t in types)
            raise FactorsError(f"{name!r} is {_shown(value)}; expected {expected}")
    _check_direction(document)
    for name, value in document["settings"].items():
        if type(value) not in (str, int, float):
            raise FactorsError(f"setting {name!r} is {_shown(value)}; expected a number or text")
    topics, positions = document["topics"], document["positions"]
    left_out = len(document["dropped"]) + len(document["unfitted_topics"])
    for topic, reason in document["unfitted_topics"].items():
        if type(reason) is not str:
            raise FactorsError(
                f"unfitted topic {topic!r} has the reason {_shown(reason)}; expected text"
            )
        if topic in topics:
            raise FactorsError(f"topic {topic!r} is fitted and unfitted; expected one of the two")
    if not topics:
        raise FactorsError("'topics' is empty; expected at least one topic")
    for topic, entry in topics.items():
        if type(entry) is not dict:
            raise FactorsError(f"topic {topic!r} is {_shown(entry)}; expected an object")
    if positions not in (None, len(topics) + left_out):
        raise FactorsError(
            f"'positions' is {positions}, and there are {len(topics)} topics and {left_out} "
            "that were dropped or unfitted; expected the sum, or null"
        )


def scale_of(entry: Any) -> Scale | None:
    """Return the range and the grid of the reference scores, if they are known."""
    if entry is None:
        return None
    low, high, grid = (entry.get(name) for name in ("low", "high", "grid"))
    if not (type(low) in (int, float) and type(high) in (int, float) and low <= high):
        raise FactorsError(
            f"'scale' is {_shown(entry)}; expected 'low' and 'high', numbers in rising order"
        )
    if grid is not None and (type(grid) is not int or grid < 1):
        raise FactorsError(f"'scale' has the grid {_shown(grid)}; expected a whole number, or null")
    # The first files with a scale have no more than these.
    middle, coarse = entry.get("middle"), entry.get("coarse")
    if middle is not None and not (type(middle) in (int, float) and low <= middle <= high):
        raise FactorsError(
            f"'scale' has the middle {_shown(middle)}; expected a number from 'low' to 'high', or "
            "null"
        )
    if coarse is not None and not (type(coarse) in (int, float) and 0 < coarse <= 1):
        raise FactorsError(
            f"'scale' has the proportion 'coarse' {_shown(coarse)}; expected a number above 0 and "
            "up to 1, or null"
        )
    known = [None if number is None else float(number) for number in (middle, coarse)]
    return Scale(float(low), float(high), grid, *known)


def counts_of(topics: dict[str, dict[str, Any]]) -> list[int] | None:
    """Return the number of reference scores of each topic, or None if no topic has one."""
    if not any("n" in entry for entry in topics.values()):
        return None
    for topic, entry in topics.items():
        n = entry.get("n")
        if type(n) is not int or not 0 < n < 2**63:
            raise FactorsError(
                f"topic {topic!r} has n {_shown(n)}; expected a whole number above 0"
            )
    return [entry["n"] for entry in topics.values()]


def parameters_of(scheme: Scheme, topics: dict[str, dict[str, Any]]) -> Parameters:
    """Gather each parameter over all topics: shape (topics, k), NaN where k differs."""
    parameters = {}
    for name in scheme.parameter_names():
        rows = [_numbers(topic, name, entry) for topic, entry in topics.items()]
        longest, given = max(map(len, rows)), sum(map(len, rows))
        if too_sparse(len(rows), longest, given):
            raise FactorsError(
                f"{name!r} has {longest:,} numbers on one topic, and {given:,} on all "
                f"{len(rows):,}; expected lists of similar length"
            )
        table = np.full((len(rows), longest), np.nan)
        for row, values in zip(table, rows, strict=True):
            row[: len(values)] = values
        parameters[name] = table
    return parameters


def check_fitted(fitted: Fitted, topics: dict[str, dict[str, Any]]) -> None:
    """Raise `FactorsError` unless y does not decrease as x increases, as for every scheme.

    It decreases for a negative sd or scale, or a min above the max, which no fit gives.
    """
    if not fitted.parameters:
        return
    widths = {values.shape[-1] for values in fitted.parameters.values()}
    m = next(
        m for m in count(2) if m not in widths
    )  # so that no list is taken for one number per score
    stacked = np.concatenate(list(fitted.parameters.values()), axis=-1)
    low, high = np.nanmin(stacked, axis=-1), np.nanmax(stacked, axis=-1)
    try:
        with np.errstate(all="ignore"):
            y = fitted(np.stack([low - 1] + [high + 1] * (m - 1), axis=-1))
            rises = np.broadcast_to((y[:, 1:] >= y[:, :-1]).all(axis=-1), len(topics))
    except ValueError as error:
        raise FactorsError("a parameter is a list where a number is expected") from error
    for (topic, entry), fine in zip(topics.items(), rises, strict=True):
        if not fine:
            values = ", ".join(f"{name} {_shown(entry[name])}" for name in fitted.parameters)
            raise FactorsError(
                f"topic {topic!r}: {values} are not parameters of {fitted.scheme.name}, as y "
                "would decrease; expected parameters that a fit can give"
            )


def _check_direction(document: dict[str, Any]) -> None:
    """Check the entries that only a file with topics on which lower is better has."""
    names = [name for name in ("lower_is_better", "reflect_at") if name in document]
    if len(names) == 1:
        raise FactorsError(
            f"there is {names[0]!r} alone; expected 'lower_is_better' and 'reflect_at', or neither"
        )
    if not names:
        return
    lower, at = document["lower_is_better"], document["reflect_at"]
    texts = type(lower) is list and bool(lower) and all(type(item) is str for item in lower)
    if lower is not True and not texts:
        raise FactorsError(
            f"'lower_is_better' is {_shown(lower)}; expected a list of topics, or true"
        )
    if not _is_number(at):
        raise FactorsError(f"'reflect_at' is {_shown(at)}; expected a number")


def _numbers(topic: str, name: str, entry: dict[str, Any]) -> list[float]:
    value = entry.get(name)
    row: list[Any] = value if isinstance(value, list) else [value]
    if not row or not all(map(_is_number, row)):
        raise FactorsError(
            f"topic {topic!r} has {name} {_shown(value)}; expected a number or numbers"
        )
    if name == "sample" and (row != sorted(row) or entry.get("n", len(row)) != len(row)):
        raise FactorsError(
            f"topic {topic!r} has sample {_shown(value)} and n {entry.get('n')}; expected n "
            "numbers in ascending order"
        )
    return row


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) <= sys.float_info.max


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
