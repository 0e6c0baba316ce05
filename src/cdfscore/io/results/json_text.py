"""Text of JSON: parsed with the place of a mistake, each key once, and numbers finite."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NoReturn

from cdfscore.errors import ScoresError

#: What JSON of scores may be, for messages.
FORMS = (
    '{"topic": {"measure": score}}, {"measure": {"topic": score}}, {"system": {"topic": score}}, '
    'or records such as {"query_id": "301", "measure": "AP", "value": 0.25}'
)


def records_of_lines(source: str, lines: Sequence[tuple[int, str]]) -> list[Any]:
    """Return the records of lines, at once if each has one, as lists and dictionaries in a record,
    which might go over several lines, are refused later.
    """
    with suppress(ValueError, RecursionError):
        found: list[Any] = _DECODER.decode(f"[{','.join([line for _, line in lines])}]")
        if len(found) == len(lines):
            return found
    return [parsed(source, line, number - 1) for number, line in lines]


def whole_of_line(line: str) -> dict[str, Any] | None:
    """Return the dictionary of a first line; None if it has none, or only the beginning."""
    try:
        found = _DECODER.decode(line)
    except (ValueError, RecursionError):  # told of where all is parsed
        return None
    return found if isinstance(found, dict) else None


def parsed(source: str, text: str, lines_before: int = 0) -> Any:
    """Return what a text has, after other lines of its file; raises `ScoresError` with the line."""
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise ScoresError(
            f"{source}, line {error.lineno + lines_before}, column {error.colno}: {error.msg}; "
            "expected JSON"
        ) from error
    except RecursionError as error:
        raise ScoresError(f"{source} has too many brackets; expected {FORMS}") from error
    except ValueError as error:  # of the two hooks
        raise ScoresError(f"{source}{_at(lines_before)}: {error}") from error


def _at(lines_before: int) -> str:
    return f", line {lines_before + 1}" if lines_before else ""


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not finite; expected a score such as 0.2731")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        ((key, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"the key {key!r} is there twice in one dictionary; expected once")
    return found


# One for all lines: to make one takes longer than to read a line.
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=_once)
