"""Tables with a row a score, under a header: CSV, TSV, Parquet and data frames."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cdfscore.errors import ScoresError
from cdfscore.io.results.names import chosen_measure
from cdfscore.io.results.results import OF_RECORDS, Coded, Results
from cdfscore.io.scores.cells import MISSING, is_of_words
from cdfscore.io.scores.delimited import (
    decoded,
    parsed_quickly,
    refuse_ragged,
    rows_of,
    separator_of,
)
from cdfscore.io.scores.how import How
from cdfscore.io.scores.labels import (
    HEADERS,
    check_labels,
    is_nameless,
    role_of,
    roles_of,
    texts,
)
from cdfscore.io.tables import unguarded
from cdfscore.io.text import listed, number
from cdfscore.spelling import argument, option

if TYPE_CHECKING:
    import pandas as pd

#: A header of systems in such tables alone, as pyterrier writes it.
_NAME = "name"
_REPLICATE = "replicate"
#: Returns the cells of the column at a position.
Cells = Callable[[int], Sequence[str]]


class Columns(NamedTuple):
    """Positions of the columns; None for one that is not there.

    `scores` are several, by the headers that name their measures, if the table has no column of
    measures and none that is headed score.
    """

    topic: int
    scores: dict[str | None, int]
    system: int | None
    measure: int | None
    replicate: int | None = None
    #: Headers of columns that are not read, where the user names those that are.
    ignored: tuple[str, ...] = ()

    def score(self, source: str, how: How) -> tuple[int, str | None]:
        """Return the column of scores to read, and its measure if its header names it.

        Raises `ScoresError` where there are several and none is asked for.
        """
        names = [name for name in self.scores if name is not None]
        if not names:
            return self.scores[None], None
        every = Coded(names, np.arange(len(names)))
        measure = chosen_measure(source, every, np.zeros(len(names), np.bool_), how.measure)
        return self.scores[measure], measure

    def labels(self) -> dict[str, int]:
        """Return the columns of labels, by what they hold."""
        found = {
            "topic": self.topic,
            "system": self.system,
            "measure": self.measure,
            "replicate": self.replicate,
        }
        return {role: place for role, place in found.items() if place is not None}

    def notes(self, source: str) -> list[str]:
        """Return the note on columns that are not read, if there are any."""
        one = len(self.ignored) == 1
        names = listed([repr(name) for name in self.ignored])
        which = f"the column {names} is" if one else f"{len(self.ignored)} columns ({names}) are"
        return [f"{source}: {which} not read"] if self.ignored else []


def long_columns(source: str, header: Sequence[str], how: How, cells: Cells) -> Columns | None:
    """Return the columns of a table with a row a score, None if `header` is of another table.

    It has a topic and a score and, if there are more columns, a system or a measure; or a topic, a
    system in words, and scores under the names of measures. `cells` are those of a column. Raises
    `ScoresError` for two columns of one kind or one measure, and for one of no kind.
    """
    if how.topic_column is False or (how.systems_as_rows is not None and not how.header_first):
        return None
    names = [name.strip() for name in header]
    places: dict[str, list[int]] = {role: [] for role in (*HEADERS, _REPLICATE)}
    for place, role in enumerate(_roles(names, how)):
        if role is not None:
            places[role].append(place)
    topics, systems, measures = places["topic"], places["system"], places["measure"]
    named = how.system_column is not None or how.score_column is not None
    if not (topics or named):
        return None
    own = [i for i, name in enumerate(names) if not is_nameless(name)]
    others = sorted(set(own).difference(*places.values()))
    if named and not topics:
        labels = [] if how.score_column is not None else cells(systems[0])
        if len(set(labels)) == len(labels) and how.score_column is None:
            return None  # a row for each system
        raise ScoresError(
            f"{source} has a row for each score, and no column that is known as one of topics; "
            f"name it by {option('topic_column')}: {listed([repr(names[i]) for i in others])}"
        )
    if topics and systems and others and not (places["score"] or measures):
        words = cells(systems[0])
        leads = systems[0] < topics[0] and how.label_header is None
        if not (named or is_of_words(words)) or (leads and len(set(words)) == len(words)):
            # Scores of a system that is called so; or a leaderboard, by its first column.
            _refuse_whole(source, names[systems[0]], words, cells(topics[0]))
            return None
        _refuse_second(source, names, places)
        ignored = [i for i in others if named and is_of_words(cells(i))]
        own = [i for i in others if i not in ignored]
        check_labels(source, "measure", [names[i] for i in own], (f"column {i + 1}" for i in own))
        scores: dict[str | None, int] = {names[i]: i for i in own}
    elif topics and places["score"] and (systems or measures or len(own) == 2 or named):
        _refuse_second(source, names, places)
        if others and not named:
            raise _further(source, [names[i] for i in others], names[places["score"][0]], how)
        ignored = others
        header_of_score = names[places["score"][0]]
        is_measure = role_of(header_of_score) != "score" and not measures
        scores = {header_of_score if is_measure else None: places["score"][0]}
    else:
        return None
    first = {role: found[0] if found else None for role, found in places.items()}
    return Columns(
        topics[0],
        scores,
        first["system"],
        first["measure"],
        first[_REPLICATE],
        tuple(names[i] for i in ignored),
    )


def _further(source: str, others: list[str], score: str, how: How) -> ScoresError:
    known = [] if how.replicate is None else str(how.replicate).split(",")
    one = "another column tells" if known else "a column tells several"
    return ScoresError(
        f"{source} has a row for each score, and also the column{'s'[len(others) == 1 :]} "
        f"{listed(list(map(repr, others)))}; expected only columns of topic, system, score"
        f"{', replicate' if known else ''} and measure; if {one} scores of a system on a topic "
        f"apart, such as a fold or a seed, say {argument('replicate', [*known, others[0]])}, and "
        "the mean of them is read (a mixed model, as of 'cdfscore mixed-model --replicate', has "
        f"them all); {argument('score_column', score)} leaves all other columns out"
    )


def _refuse_whole(source: str, system: str, cells: Sequence[str], topics: Sequence[str]) -> None:
    """Raise `ScoresError` for whole numbers under a header of systems where topics repeat."""
    numbers = [number(cell.strip()) for cell in cells]
    whole = all(value is not None and value.is_integer() for value in numbers)
    if whole and len(set(topics)) < len(topics) and len(set(cells)) < len(cells):
        raise ScoresError(
            f"{source} has the column {system!r} of whole numbers, which are labels of systems in "
            "a table with a row for each score; expected names with a letter beside columns of "
            "measures, or columns headed topic, system, measure and score"
        )


def _refuse_second(source: str, names: Sequence[str], places: dict[str, list[int]]) -> None:
    for role, found in places.items():
        if len(found) > 1:
            raise ScoresError(
                f"{source} has a row for each score and {len(found)} columns of {role}s, "
                f"{listed([repr(names[i]) for i in found])}; expected one"
                + (f", or its name as {option('topic_column')}" if role == "topic" else "")
                + (f", or {option('replicate')} for a number of runs" if role == "system" else "")
            )


def _roles(names: Sequence[str], how: How) -> list[str | None]:
    """Return what columns hold by their headers, and by those that are given."""
    named = {
        "topic": how.label_header,
        "system": how.system_column,
        "score": how.score_column,
        _REPLICATE: how.replicate,
    }
    given = {own: role for role, own in reversed(named.items()) if own is not None}
    known = [
        "system" if name.lower() == _NAME else role
        for name, role in zip(names, roles_of(tuple(names)), strict=True)
    ]
    if not given:
        return known
    free = [None if role in given.values() else role for role in known]
    return [given.get(name, role) for name, role in zip(names, free, strict=True)]


def read_table(source: str, content: bytes, how: How, stem: str | None) -> Results:
    """Read CSV or TSV; `stem` names the system if there is no column of systems.

    An empty score, NA or NaN is missing, as in files with a column a system.
    """
    text = decoded(source, content)
    separator = separator_of(text)
    columns = columns_of_text(source, content, how)
    assert columns is not None  # as the content was recognized by it
    score, measure = columns.score(source, how)
    own = {**columns.labels(), "score": score}
    quick = _quickly(source, content, separator, len(_header(text, separator)), own)
    rows = quick or _exactly(source, text, separator, own)
    return rows.results(source, columns, measure, stem)


def columns_of_text(source: str, content: bytes, how: How) -> Columns | None:
    """Return the columns of CSV or TSV with a row a score, None if its header is of another."""
    lines = re.split(rb"\r\n?|\n", content, maxsplit=2)[:2]
    first = b"\n".join(lines).decode(errors="replace")
    separator = separator_of(first)
    header = _header(first, separator)

    def cells(place: int) -> list[str]:
        quick = _quickly(source, content, separator, len(header), {"score": place})
        if quick is not None:
            return list(quick.scores.to_pylist())
        _, *rows = rows_of(source, decoded(source, content), separator)
        return [row[place] for _, row in rows if place < len(row)]

    return long_columns(source, header, how, cells)


def _header(text: str, separator: str) -> list[str]:
    line = re.split(r"[\r\n]", text, maxsplit=1)[0]
    try:
        return unguarded(next(csv.reader([line], delimiter=separator, strict=True), []))
    except csv.Error:
        return []


def columns_of_frame(source: str, frame: pd.DataFrame, how: How) -> Columns | None:
    """Return the columns of a data frame with a row a score, None if it has another form."""
    # A quick look: topics x systems, as of a frame that was checked before.
    if frame.index.name == "topic" and set(frame.dtypes.tolist()) == {np.dtype(np.float64)}:
        return None
    levels = list(frame.index.names) if _has_names(frame) else []

    def cells(place: int) -> list[str]:
        if place < len(levels):
            return texts(frame.index.get_level_values(place).tolist())
        return texts(frame.iloc[:, place - len(levels)].tolist())

    return long_columns(source, texts([*levels, *frame.columns.tolist()]), how, cells)


def results_of_frame(
    source: str,
    frame: pd.DataFrame,
    columns: Columns,
    how: How,
    stem: str | None,
    place: Callable[[int], str] | None = None,
) -> Results:
    """Return the scores of a data frame with these columns; see `read_table`.

    `place` names that of a row in a file.
    """
    import pandas as pd

    frame = flat(frame)
    score, measure = columns.score(source, how)
    labels = {}
    for role, at in columns.labels().items():
        codes, names = pd.factorize(frame.iloc[:, at], use_na_sentinel=False)
        labels[role] = Coded.of(texts(list(names)), codes.astype(np.intp))
    column = frame.iloc[:, score]
    scores: Any
    if pd.api.types.is_numeric_dtype(column.dtype) and column.dtype.kind not in "bc":
        scores = column.to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        import pyarrow as pa

        scores = pa.array(texts(column.tolist()), pa.string())
    rows = _Rows(labels, scores, place or (lambda row: f"{source}, row {row + 1}"))
    return rows.results(source, columns, measure, stem)


def flat(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with an index that has a name as columns."""
    return frame.reset_index(allow_duplicates=True) if _has_names(frame) else frame


def _has_names(frame: pd.DataFrame) -> bool:
    return any(name is not None for name in frame.index.names)


class _Rows(NamedTuple):
    """Labels by what they are, text of scores or numbers, and the place of a row."""

    labels: dict[str, Coded]
    scores: Any
    place: Callable[[int], str]

    def results(
        self, source: str, columns: Columns, measure: str | None, stem: str | None
    ) -> Results:
        """Return the scores, of a measure if the table has no column of measures."""
        labels = self.labels
        return Results(
            source,
            labels["topic"],
            labels.get("system"),
            labels.get("measure") or Coded.all_of(measure, len(self.scores)),
            self.scores,
            self.place,
            stem,
            missing=MISSING,
            uses=OF_RECORDS,
            replicates=labels.get("replicate"),
            notes=tuple(columns.notes(source)),
        )


def _quickly(
    source: str, content: bytes, separator: str, width: int, columns: dict[str, int]
) -> _Rows | None:
    """Parse by pyarrow; None where a line has other fields, is blank, or a field has a break."""
    import pyarrow as pa

    coded = pa.dictionary(pa.int32(), pa.string())
    types = {at: pa.string() if role == "score" else coded for role, at in columns.items()}
    table = parsed_quickly(content, separator, width, types, skipped=1)
    # A field with a line break has more lines than rows, and so has a blank line.
    lines = content.count(b"\n") + (not content.endswith(b"\n"))
    broken = content.count(b"\r") != content.count(b"\r\n")
    if table is None or len(table) != lines - 1 or broken:
        return None
    found = {role: table[str(place)] for role, place in columns.items()}
    scores = pa.concat_arrays(found.pop("score").chunks or [pa.array([], pa.string())])
    labels = {role: _unguarded(Coded.of_arrow(own)) for role, own in found.items()}
    return _Rows(labels, scores, lambda row: f"{source}, line {row + 2}")


def _exactly(source: str, text: str, separator: str, columns: dict[str, int]) -> _Rows:
    """Parse line by line; blank lines at the end are left out."""
    import pyarrow as pa

    (_, header), *rows = rows_of(source, text, separator)
    refuse_ragged(source, header, rows)
    labels = {
        role: _unguarded(Coded.of_list([row[place] for _, row in rows]))
        for role, place in columns.items()
        if role != "score"
    }
    scores = pa.array([row[columns["score"]] for _, row in rows], pa.string())
    lines = np.array([line for line, _ in rows])
    return _Rows(labels, scores, lambda row: f"{source}, line {lines[row]}")


def _unguarded(labels: Coded) -> Coded:
    return Coded.of(unguarded(labels.names), labels.codes)
