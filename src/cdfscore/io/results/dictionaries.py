"""JSON: dictionaries of scores as of pytrec_eval and ranx, and records with names of columns."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NoReturn

import numpy as np

from cdfscore.errors import ScoresError
from cdfscore.io.decimals import number
from cdfscore.io.results.coded import Coded
from cdfscore.io.results.columns import long_columns
from cdfscore.io.results.names import is_measure
from cdfscore.io.results.results import Results
from cdfscore.io.scores.delimited import decoded
from cdfscore.io.scores.how import How
from cdfscore.spelling import alternatives, argument, option

_FORMS = (
    '{"topic": {"measure": score}}, {"measure": {"topic": score}}, {"system": {"topic": score}}, '
    'or records such as {"query_id": "301", "measure": "AP", "value": 0.25}'
)


def read_json(source: str, content: bytes, how: How, stem: str | None) -> Results:
    """Read JSON; `stem` names the system if the records do not.

    The names of measures say whether a dictionary is by topic and measure or the reverse; that it
    is by system and topic, or the reverse, is said by `How.systems_as_rows`.
    """
    text = decoded(source, content)
    records, place = _records(source, text)
    if records is not None:
        return _of_records(source, records, place, how, stem)
    return _of_dictionary(source, _parsed(source, text, 0), how, stem)


def _records(source: str, text: str) -> tuple[list[Any] | None, Callable[[int], str]]:
    """Return the records of a list, or of lines; None for a dictionary."""
    lines = [(i, line) for i, line in enumerate(text.splitlines(), start=1) if line.strip()]
    if text.lstrip().startswith("["):
        return list(_parsed(source, text, 0)), lambda row: f"{source}, record {row + 1}"
    first = lines[0][1].strip()
    if not first.endswith("}") or (len(lines) == 1 and '":' in first and first.count("{") > 1):
        return None, str
    try:
        alone = json.loads(first)
    except ValueError:
        return None, str
    if any(isinstance(value, dict) for value in alone.values()):
        return None, str
    found = [_parsed(source, line, number - 1) for number, line in lines]
    return found, lambda row: f"{source}, line {lines[row][0]}"


def _of_records(
    source: str, records: Sequence[Any], place: Callable[[int], str], how: How, stem: str | None
) -> Results:
    header = list(records[0]) if records and isinstance(records[0], dict) else []
    for row, record in enumerate(records):
        if not isinstance(record, dict) or list(record) != header:
            raise ScoresError(f"{place(row)} is not like the first record; expected {_FORMS}")
    columns = long_columns(
        source, header, how, lambda at: [str(record[header[at]]) for record in records]
    )
    if columns is None:
        raise ScoresError(f"{source} has JSON of another form; expected {_FORMS}")
    chosen, measure = columns.score(source, how)
    labels = {
        role: Coded.of_list(
            [_label(place(row), role, record[header[at]]) for row, record in enumerate(records)]
        )
        for role, at in columns.labels().items()
    }
    key = header[chosen]
    scores = np.array([_score(place(row), record[key]) for row, record in enumerate(records)])
    return Results(
        source,
        labels["topic"],
        labels.get("system"),
        labels.get("measure") or Coded.all_of(measure, len(records)),
        scores,
        place,
        stem,
    )


def _of_dictionary(source: str, found: Any, how: How, stem: str | None) -> Results:
    if (
        not isinstance(found, dict)
        or not found
        or not all(isinstance(inner, dict) for inner in found.values())
    ):
        raise ScoresError(f"{source} has JSON of another form; expected {_FORMS}")
    outer = list(found)
    inner = list(dict.fromkeys(key for own in found.values() for key in own))
    cells = [(a, b, value) for a, own in found.items() for b, value in own.items()]
    if not cells:
        raise ScoresError(f"{source} has no scores; expected {_FORMS}")
    measures_are = _measures(source, outer, inner, how)

    def place(row: int) -> str:
        return source

    scores = np.array([_score(f"{source}, {a!r}, {b!r}", value) for a, b, value in cells])
    first, second = (Coded.of_list([cell[i] for cell in cells]) for i in (0, 1))
    if measures_are == "absent":
        systems, topics = (first, second) if how.systems_as_rows else (second, first)
        return Results(source, topics, systems, None, scores, place)
    topics, measures = (second, first) if measures_are == "outside" else (first, second)
    return Results(source, topics, None, measures, scores, place, stem)


def _measures(
    source: str, outer: list[str], inner: list[str], how: How
) -> Literal["outside", "inside", "absent"]:
    """Return which keys are measures, by their names or that of the asked measure.

    They are absent where the user says that rows, the outer keys, are systems or are topics.
    """
    outside, inside = (all(map(is_measure, keys)) for keys in (outer, inner))
    if how.systems_as_rows is not None:
        if how.systems_as_rows and outside != inside:
            which, key = ("outer", outer[0]) if outside else ("inner", inner[0])
            raise ScoresError(
                f"{source} has measures such as {key!r} as {which} keys, of one system; expected "
                f'{option("systems_as_rows")} only for {{"system": {{"topic": score}}}}'
            )
        if outside == inside:
            return "absent"
    if outside == inside and how.measure is not None:
        outside, inside = how.measure in outer, how.measure in inner
    if outside == inside:
        raise ScoresError(
            f"{source} does not say what {outer[0]!r} and {inner[0]!r} are, as no name of a "
            f"measure or every name is known; say {alternatives(_readings(outer[0], inner[0]))}"
        )
    return "outside" if outside else "inside"


def _readings(outer: str, inner: str) -> list[str]:
    """Return how to say what the keys are, for each thing that they may be; numbers name topics."""
    found = []
    if number(outer) is None or number(inner) is not None:
        found.append(f"{argument('systems_as_rows', True)} if they are a system and a topic")
    if number(inner) is None or number(outer) is not None:
        found.append(f"{argument('systems_as_rows', False)} if they are a topic and a system")
    if number(outer) is None:
        found.append(f"{argument('measure', outer)} if they are a measure and a topic")
    if number(inner) is None:
        found.append(f"{argument('measure', inner)} if they are a topic and a measure")
    return found


def _parsed(source: str, text: str, lines_before: int) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise ScoresError(
            f"{source}, line {error.lineno + lines_before}, column {error.colno}: {error.msg}; "
            "expected JSON"
        ) from error
    except RecursionError as error:
        raise ScoresError(f"{source} has too many brackets; expected {_FORMS}") from error
    except ValueError as error:  # of the two hooks
        raise ScoresError(f"{source}{_at(lines_before)}: {error}") from error


def _at(lines_before: int) -> str:
    return f", line {lines_before + 1}" if lines_before else ""


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not finite; expected a score such as 0.2731")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = _repeated([key for key, _ in pairs])
        raise ValueError(f"the key {next(keys)!r} is there twice in one dictionary; expected once")
    return found


def _repeated(keys: list[str]) -> Iterator[str]:
    seen: set[str] = set()
    for key in keys:
        if key in seen:
            yield key
        seen.add(key)


def _label(place: str, role: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ScoresError(
            f"{place}: the {role} is {json.dumps(value)[:60]}; expected text or a whole number"
        )
    return str(value)


def _score(place: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ScoresError(
            f"{place}: {json.dumps(value)[:60]} is not a number; expected a score such as 0.2731"
        )
    try:
        return float(value)
    except OverflowError:  # of a whole number; it is refused as infinite later
        return math.inf
