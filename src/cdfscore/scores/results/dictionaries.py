"""JSON: dictionaries of scores as of pytrec_eval and ranx, and records with names of columns."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Literal, NoReturn

import numpy as np
import pandas as pd

from cdfscore.common.files import with_one_line_end
from cdfscore.common.text import listed, number
from cdfscore.errors import ScoresError, alternatives
from cdfscore.scores.delimited import decoded
from cdfscore.scores.frame import part_of_any
from cdfscore.scores.how import How, Part
from cdfscore.scores.results.names import is_measure
from cdfscore.scores.results.results import Coded, Results
from cdfscore.stats.numerics.types import Array

#: What JSON of scores may be, for messages.
FORMS = (
    '{"topic": {"measure": score}}, {"measure": {"topic": score}}, {"system": {"topic": score}}, '
    'or records such as {"query_id": "301", "measure": "AP", "value": 0.25} or {"topic": "301", '
    '"bm25": 0.25, "lsa": 0.5}'
)


def parsed(source: str, text: str, lines_before: int = 0) -> Any:
    """Return what a text has, after other lines of its file; raises `ScoresError` with the line."""
    try:
        return DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise ScoresError(
            f"{source}, line {error.lineno + lines_before}, column {error.colno}: {error.msg}; "
            "expected JSON"
        ) from error
    except RecursionError as error:
        raise ScoresError(f"{source} has too many brackets; expected {FORMS}") from error
    except ValueError as error:  # of the two hooks
        at = f", line {lines_before + 1}" if lines_before else ""
        raise ScoresError(f"{source}{at}: {error}") from error


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not finite; expected a number such as 0.2731")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        ((key, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"the key {key!r} is there twice in one dictionary; expected once")
    return found


#: One for all lines: to make one takes longer than to read a line.
DECODER = json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=_once)

# A missing score, as in tables: pandas writes it where a matrix has a hole.
_NULL = frozenset({"null"})
# Keys of the results of MTEB, and of lm-evaluation-harness and lighteval beside "results".
_MTEB = frozenset({"mteb_version", "mteb_dataset_name"})
_HARNESS = frozenset({"lm_eval_version", "config", "configs", "config_general", "versions"})
# What a file of factors says under "format".
_FACTORS = "cdfscore factors"


def read_json(source: str, content: bytes, how: How, stem: str | None) -> Part:
    """Read JSON; `stem` names the system if the content does not."""
    found = _parts(source, content)
    if isinstance(found, tuple):  # as a data frame
        return part_of_any(_frame(*found), how, source, stem, found[1])
    return _of_dictionary(source, found, how, stem).part(how)


def _frame(values: dict[str, list[Any]], place: Callable[[int], str]) -> pd.DataFrame:
    """Return a data frame; raises `ScoresError` for what is no text, number or null."""
    kinds = {str, int, float, type(None)}
    for name, own in values.items():
        if not kinds.issuperset(map(type, own)):
            row, value = next((i, v) for i, v in enumerate(own) if type(v) not in kinds)
            raise ScoresError(
                f"{place(row)}: {name!r} is {json.dumps(value)[:60]}; expected text, a "
                "number such as 0.2731, or null where it is missing"
            )
    return pd.DataFrame(values)


def _parts(source: str, content: bytes) -> Any:
    """Return values of records by the names of columns, and the place of each; or other JSON."""
    text = decoded(source, with_one_line_end(content))
    lines = [(i, line) for i, line in enumerate(text.split("\n"), 1) if line.strip()]
    if text.lstrip().startswith("["):
        records = list(parsed(source, text))

        def place(row: int) -> str:
            return f"{source}, record {row + 1}"
    else:
        first = None  # if the first line has only the beginning of a dictionary
        with suppress(ValueError, RecursionError):  # told of where all is parsed
            first = DECODER.decode(lines[0][1])
        if not isinstance(first, dict) or any(isinstance(own, dict) for own in first.values()):
            return first if isinstance(first, dict) and len(lines) == 1 else parsed(source, text)
        records = []
        # At once, if each line has a record: lists in one, which might go over several lines, are
        # refused later.
        with suppress(ValueError, RecursionError):
            records = DECODER.decode(f"[{','.join([line for _, line in lines])}]")
        if len(records) != len(lines):
            records = [parsed(source, line, number - 1) for number, line in lines]

        def place(row: int) -> str:
            return f"{source}, line {lines[row][0]}"

    if not records or not isinstance(records[0], dict) or len(records[0]) < 2:
        raise ScoresError(f"{source} has JSON of another form; expected {FORMS}")
    for row, record in enumerate(records):
        if not isinstance(record, dict) or record.keys() != records[0].keys():
            raise ScoresError(f"{place(row)} is not like the first record; expected {FORMS}")
    return {name: [each[name] for each in records] for name in records[0]}, place


def frame_of_json(source: str, content: bytes) -> pd.DataFrame:
    """Return records with names of columns as a frame; raises `ScoresError` for other JSON."""
    found = _parts(source, content)
    if isinstance(found, tuple):
        return _frame(*found)
    raise ScoresError(
        f"{source} has JSON of another form; expected records with names of columns, such as "
        '{"topic": "301", "system": "bm25", "fold": 1, "score": 0.25}'
    )


def _of_harness(source: str, found: dict[str, Any], stem: str | None) -> Results:
    """Return the scores of one model in results of lm-evaluation-harness, without its groups."""
    tasks: dict[str, Any] = found["results"]
    parts = found.get("group_subtasks")
    groups = [task for task, own in (parts if isinstance(parts, dict) else {}).items() if own]
    groups = [task for task in tasks if task in groups]
    filtered = any("," in key for own in tasks.values() for key in own)
    cells = [
        (task, key.removesuffix(",none"), value)
        for task, own in tasks.items()
        if task not in groups
        for key, value in own.items()
        if "_stderr" not in key and type(value) in (int, float) and (("," in key) == filtered)
    ]
    if not cells:
        raise ScoresError(f"{source} has no scores of tasks; expected {FORMS}")
    general = found.get("config_general")
    names = [each.get("model_name") for each in (found, general) if isinstance(each, dict)]
    name = next((each for each in names if isinstance(each, str)), None)
    left = f"{source}: groups, which sum up other tasks, are left out: {listed(groups)}"
    of_name = {} if name is None else {"system": Coded.of_list([name] * len(cells))}
    topics, measures = (Coded.of_list([cell[i] for cell in cells]) for i in (0, 1))
    return Results(
        source,
        {"topic": topics, **of_name, "measure": measures},
        np.array([_double(cell[2]) for cell in cells]),
        lambda row: f"{source}, {cells[row][0]!r}, {cells[row][1]!r}",
        stem,
        notes=(left,) if groups else (),
    )


def _of_dictionary(source: str, found: Any, how: How, stem: str | None) -> Results:
    if isinstance(found, dict) and found.get("format") == _FACTORS:
        raise ScoresError(f"{source} is a file of factors; expected scores")
    if isinstance(found, dict) and not _MTEB.isdisjoint(found):
        raise ScoresError(
            f"{source} is the result of MTEB for one task and one model; expected a table with a "
            "row for each task, a column for each model, and main_score in its cells"
        )
    if isinstance(found, dict) and not _HARNESS.isdisjoint(found):
        own = found.get("results")
        if isinstance(own, dict) and own and all(isinstance(each, dict) for each in own.values()):
            return _of_harness(source, found, stem)
    if (
        not isinstance(found, dict)
        or not found
        or not all(isinstance(inner, dict) for inner in found.values())
    ):
        raise ScoresError(f"{source} has JSON of another form; expected {FORMS}")
    outer = list(found)
    inner = list(dict.fromkeys(key for own in found.values() for key in own))
    cells = [(a, b, value) for a, own in found.items() for b, value in own.items()]
    if not cells:
        raise ScoresError(f"{source} has no scores; expected {FORMS}")
    if deep := next((cell for cell in cells if isinstance(cell[2], dict)), None):
        raise ScoresError(
            f"{source} has dictionaries in three levels, as at {deep[0]!r} and {deep[1]!r}; "
            f"expected two, for one system or one measure: {FORMS}"
        )
    measures_are = _measures(source, outer, inner, how)

    def place(row: int) -> str:
        return source

    scores = _scores(
        lambda row: f"{source}, {cells[row][0]!r}, {cells[row][1]!r}",
        [how.cells.value(cell[2]) for cell in cells],
    )
    first, second = (Coded.of_list([cell[i] for cell in cells]) for i in (0, 1))
    if measures_are == "absent":
        systems, topics = (first, second) if how.systems_as_rows else (second, first)
        labels, uses = {"topic": topics, "system": systems}, frozenset({"systems_as_rows"})
        return Results(source, labels, scores, place, missing=_NULL, uses=uses)
    topics, measures = (second, first) if measures_are == "outside" else (first, second)
    labels = {"topic": topics, "measure": measures}
    return Results(source, labels, scores, place, stem, missing=_NULL)


def _measures(
    source: str, outer: list[str], inner: list[str], how: How
) -> Literal["outside", "inside", "absent"]:
    outside, inside = (all(map(is_measure, keys)) for keys in (outer, inner))
    if how.systems_as_rows is not None:
        if how.systems_as_rows and outside != inside:
            which, key = ("outer", outer[0]) if outside else ("inner", inner[0])
            raise ScoresError(
                f"{source} has measures such as {key!r} as {which} keys, of one system; expected "
                f'systems_as_rows=... only for {{"system": {{"topic": score}}}}'
            )
        if outside == inside:
            return "absent"
    if outside == inside and how.measure is not None:
        outside, inside = how.measure in outer, how.measure in inner
    if outside == inside:
        raise ScoresError(
            f"{source} does not say what {outer[0]!r} and {inner[0]!r} are: no name is known as a "
            f"measure, or every name is; say {alternatives(_readings(outer[0], inner[0]))}"
        )
    return "outside" if outside else "inside"


def _readings(outer: str, inner: str) -> list[str]:
    found = []
    if number(outer) is None or number(inner) is not None:
        found.append("systems_as_rows=True if they are a system and a topic")
    if number(inner) is None or number(outer) is not None:
        found.append("systems_as_rows=False if they are a topic and a system")
    if number(outer) is None:
        found.append(f"measure={outer!r} if they are a measure and a topic")
    if number(inner) is None:
        found.append(f"measure={inner!r} if they are a topic and a measure")
    return found


def _scores(place: Callable[[int], str], values: Sequence[Any]) -> Array:
    kinds = {float, int, type(None)}
    if not kinds.issuperset(map(type, values)):
        row, value = next((i, v) for i, v in enumerate(values) if type(v) not in kinds)
        raise ScoresError(
            f"{place(row)}: {json.dumps(value)[:60]} is not a number; expected a score such as "
            "0.2731, or null where it is missing"
        )
    return np.array([np.nan if value is None else _double(value) for value in values])


def _double(value: float) -> float:
    try:
        return float(value)
    except OverflowError:  # of a whole number; it is refused as infinite later
        return math.inf
