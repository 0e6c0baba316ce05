"""Runs and qrels: what they are, read from files and from memory, ranked, and written."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from numbers import Real
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeGuard

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pandas.api.types import is_integer_dtype

from cdfscore.common.files import lines_in, source_name
from cdfscore.common.text import a_type, counted, listed, part_of
from cdfscore.common.text import number as number_of
from cdfscore.common.threads import in_threads
from cdfscore.errors import OutputError, RunError
from cdfscore.scores.cells import shown as of_cell
from cdfscore.scores.dataframes import IntoFrame, taken
from cdfscore.scores.delimited import parsed_quickly, text_table
from cdfscore.scores.labels import DOCUMENTS, HEADERS, role_of, texts
from cdfscore.scores.reading import stem_of
from cdfscore.scores.tables import spelled
from cdfscore.stats.numerics.numbers import shown
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray

# --- Runs: the documents that a system returned for each topic, with their scores ---


# Pairs of a topic and a document are ticked off if there can be so few, 16 MiB; sorting them takes
# five times as long.
_TICKS = 1 << 24


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """Run: the documents that a system returned for each topic, with their scores.

    Documents are in the order of the file.

    Attributes
    ----------
    system
        Name of the system: the run id of the file, unless another name was given.
    source
        Name of the file, for messages.
    topics
        Labels of the topics, in the order of the file.
    starts
        Index of the first document of each topic, and the number of all documents, (topics + 1,).
    documents
        Their ids, a pyarrow array of strings that is coded as a dictionary.
    scores
        Their scores, float64.
    ranks
        Their ranks in the file, NaN without ranks. No measure uses them.
    notes
        Sentences on how the file was read: lines that were left out, and what stands for scores.
    """

    system: str
    source: str
    topics: tuple[str, ...]
    starts: IntArray
    documents: Any
    scores: Array
    ranks: Array
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        topics, documents = len(self.topics), len(self.scores)
        size = f"{counted(topics, 'topic')}, {counted(documents, 'document')}"
        return f"<Run {self.system!r}: {size}>"

    def named(self, system: str) -> Run:
        """Return the run under another name of the system."""
        return replace(self, system=system)


def named_once(runs: Iterable[Any], kind: str, has: str) -> Iterator[Any]:
    """Yield runs; raises `RunError` for the second of a name of this `kind`, which `has` it too."""
    sources: dict[str, str] = {}
    for run in runs:
        if (before := sources.get(run.system)) is not None:
            where = f"{before} and {run.source} have {has}"
            if before == run.source:
                where = f"{before} is given twice, both times as the run"
            raise RunError(
                f"{where} of the {kind} {run.system!r}; expected a different name for each, as in "
                "NAME=FILE on the command line or {'NAME': FILE} in Python"
            )
        sources[run.system] = run.source
        yield run


def coded(column: Any) -> tuple[list[str], IntArray]:
    """Return the different words of a column, first come first, and the number of each cell's."""
    chunked = column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])
    if not pa.types.is_dictionary(chunked.type):
        chunked = chunked.dictionary_encode()
    chunks = chunked.unify_dictionaries().chunks
    codes = np.concatenate([chunk.indices.to_numpy() for chunk in chunks])
    return chunks[-1].dictionary.to_pylist(), codes.astype(np.int64)


def within_runs(codes: IntArray) -> IntArray:
    """Return the number of each element among equal ones, one after another, from 0."""
    new = np.append(True, codes[1:] != codes[:-1])
    (starts,) = np.nonzero(new)
    return np.asarray(np.arange(len(codes)) - starts[np.cumsum(new) - 1])


def has_duplicates(topics: IntArray, documents: Any) -> bool:
    """Tell whether a topic has a document twice; documents are coded as a dictionary."""
    pairs = topics * len(documents.dictionary) + documents.indices.to_numpy()
    most = int(pairs.max(initial=-1)) + 1
    if most <= _TICKS:
        ticked = np.zeros(most, np.bool_)
        ticked[pairs] = True
        return int(np.count_nonzero(ticked)) < len(pairs)
    pairs.sort()
    return bool((pairs[1:] == pairs[:-1]).any())


# --- Lines of columns, as in runs and qrels: each line is one record, with all its columns ---

_SPACE, _TAB = b" ", b"\t"
# What separates columns as well, and pyarrow does not know.
_OTHER_SPACES = (b"\v", b"\f")
_SPACES = (_SPACE, _TAB, *_OTHER_SPACES)
_AS_SPACE = bytes.maketrans(b"\t\v\f", b"   ")
# So many bytes have the first that is no space.
_BEGINNING = 64
# The first line that may be a record, without spaces at its ends.
_FIRST = re.compile(rb"(?m)^[ \t\v\f]*([^#\s][^\n]*?)[ \t\v\f]*$")
# Headers that a reader can do without, first those that files lack most often.
_NOT_NEEDED = ("q0", "iteration", "run", "rank")
_TWO = " (two records in one line?)"


class LineColumns(NamedTuple):
    """Columns of a kind of file, in their order."""

    #: What such a file is, with its article, and what a line of it is like.
    kind: str
    example: str
    #: Names of the columns, for messages.
    names: tuple[str, ...]
    #: Another kind, with a verb, and the number of its columns.
    other: str
    others: int
    #: Place of the number of a record, and whether a text is one.
    number: int
    is_number: Callable[[str], bool]
    #: Headers of the columns, in a file whose first line names them.
    headers: tuple[str, ...]


def first_line(content: bytes) -> bytes:
    """Return the first line that is neither empty nor begins with #, b"" without one."""
    found = _FIRST.search(content)
    return b"" if found is None else found[1]


def without_comments(source: str, content: bytes, columns: LineColumns) -> tuple[bytes, list[str]]:
    """Return content with empty lines in place of comments, and the note that counts them.

    A line that begins with # is a record if it has all columns, a number in its place, and more
    than # for a topic. Where there is such a record, only # with a space begins a comment: another
    line may be a record that is damaged.
    """
    begins = content[:_BEGINNING].lstrip().startswith(b"#")
    if not begins and not any(space + b"#" in content for space in (b"\n", *_SPACES)):
        return content, []
    lines = content.split(b"\n")
    marked = [i for i, line in enumerate(lines) if line.lstrip().startswith(b"#")]
    topics = any(_is_record(lines[i], columns) for i in marked)
    comments = [i for i in marked if not topics or lines[i].split()[0] == b"#"]
    if not comments:
        return content, []
    for i in comments:
        lines[i] = b""
    many = len(comments) > 1
    which = f"{len(comments):,} lines that begin" if many else "1 line that begins"
    return b"\n".join(lines), [
        f"{source}: {which} with # {'are' if many else 'is'} left out as no record"
        f"{'s, first' if many else ','} line {comments[0] + 1}"
    ]


def _is_record(line: bytes, columns: LineColumns) -> bool:
    words = _split(line, columns) or line.split()
    return (
        len(words) == len(columns.names)
        and words[0] != b"#"
        and columns.is_number(words[columns.number].decode(errors="replace"))
    )


def _split(line: bytes, columns: LineColumns) -> list[bytes]:
    fields = [field.strip() for field in line.split(_TAB)]
    return fields if len(fields) == len(columns.names) else []


def _tidy(content: bytes, columns: LineColumns) -> Any | None:
    """Read the columns as text by pyarrow; None if a line is not as expected."""
    if _split(first_line(content), columns):
        edges = (_SPACE + _TAB, _TAB + _SPACE, _SPACE + b"\n", b"\n" + _SPACE)
        at_ends = _SPACE in (content[:1], content[-1:])
        if at_ends or any(space in content for space in (*edges, *_OTHER_SPACES)):
            return None
        table = _parsed(content, columns, _TAB)
        ends = [] if table is None else [table[columns.names[0]], table[columns.names[-1]]]
        words = [word for end in ends for word in coded(end)[0]]
        return None if any(_has_record(word, columns) for word in words) else table
    if not any(space in content for space in (_TAB, *_OTHER_SPACES)):
        found = _parsed(content, columns, _SPACE)
        if found is not None:
            return found
    tidy = content.translate(_AS_SPACE)
    while b"  " in tidy:  # a regular expression takes five times as long
        tidy = tidy.replace(b"  ", _SPACE)
    tidy = tidy.replace(b" \n", b"\n").replace(b"\n ", b"\n")
    return _parsed(tidy.strip(), columns, _SPACE)


def _parsed(content: bytes, columns: LineColumns, separator: bytes) -> Any | None:
    if not content or b"\0" in content:
        return None
    names = columns.names
    types = dict.fromkeys(range(len(names)), pa.string())
    table = parsed_quickly(content, separator.decode(), len(names), types, quotes=False)
    if table is None or any(pc.min(pc.binary_length(each)).as_py() == 0 for each in table.columns):
        return None
    return table.rename_columns(list(names))


def fields_of_lines(
    source: str, content: bytes, columns: LineColumns
) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the columns of each line, without empty lines.

    White space separates columns, but tabs alone where each line has all of them, so that spaces
    are part of a column.
    """
    if content[:_BEGINNING].lstrip()[:1] in (b"{", b"["):
        raise RunError(
            f"{source} is JSON; expected lines of {columns.kind}, such as {columns.example!r}; in "
            "Python, the dictionary of the JSON is accepted"
        )
    expected = len(columns.names)
    lines = [(i, line) for i, line in enumerate(content.split(b"\n"), 1) if line.strip()]
    tabs = all(_split(line, columns) for _, line in lines)
    for line, text in lines:
        fields = [field for field in _split(text, columns) if field] if tabs else text.split()
        try:
            words = [field.decode() for field in fields]
        except UnicodeDecodeError as error:
            raise RunError(
                f"{source}, line {line}: byte {error.object[error.start]:#04x} is not UTF-8; "
                "expected text in UTF-8"
            ) from error
        if b"\0" in text:
            raise RunError(f"{source}, line {line} has a NUL character; expected text in UTF-8")
        if len(words) != expected:
            sign = _separator(line_of := text.decode())
            advice = under_names(columns, line_of.split(sign), " " if sign is None else sign)
            raise RunError(
                f"{source}, line {line} has {counted(len(words), 'column')}"
                f"{_reason(words, columns)}; expected {expected} in a line of "
                f"{columns.kind}: {', '.join(columns.names)}{advice}"
            )
        if tabs and (bad := next((word for word in words if _has_record(word, columns)), None)):
            raise RunError(
                f"{source}, line {line} has the column {of_cell(bad)}{_TWO}; expected no columns "
                "of another record in it"
            )
        yield line, words


def _has_record(field: str, columns: LineColumns) -> bool:
    """Tell whether a field between tabs has the columns of another record, apart by spaces."""
    words, others = field.split(), len(columns.names) - 1
    return len(words) > others and not {"0", "Q0"}.isdisjoint((words[1], words[-others]))


def _reason(words: Sequence[str], columns: LineColumns) -> str:
    count = len(words)
    if _separator(words[0]) is not None and count == 1:
        return ", with commas or semicolons in it"
    if count == columns.others:
        return f", as {columns.other}"
    if count >= 2 * len(columns.names) - 1:  # one less without a space between them
        return _TWO
    if count > len(columns.names):
        return " (spaces within a column? Tabs between all columns keep them)"
    return ""


def columns_of_lines(
    source: str, content: bytes, columns: LineColumns
) -> tuple[list[Any], Sequence[int]]:
    """Return the columns as text of pyarrow, and the number of the line of each record."""
    table = _tidy(content, columns)
    if table is not None and len(table):
        if len(table) == content.count(b"\n") + (not content.endswith(b"\n")):
            return table.columns, range(1, len(table) + 1)
        filled = (i for i, line in enumerate(content.split(b"\n"), 1) if line.strip())
        return table.columns, list(filled)
    rows = list(fields_of_lines(source, content, columns))
    if not rows:
        raise RunError(
            f"{source} is empty; expected lines of {columns.kind}, such as {columns.example!r}"
        )
    lines, fields = zip(*rows, strict=True)
    return [pa.chunked_array([each], pa.string()) for each in zip(*fields, strict=True)], lines


def _separator(text: str) -> str | None:
    return next((sign for sign in "\t,;" if sign in text), None)


def under_names(columns: LineColumns, words: Sequence[str], sign: str) -> str:
    """Return the advice to name the columns in a first line, if these are all that are needed."""
    if len(words) == columns.others and words[1] in ("0", "Q0"):  # of the other kind
        return ""
    there, second = list(columns.headers), columns.headers[1]
    has_second = words[1:2] in (["0"], ["Q0"])
    for name in _NOT_NEEDED:
        if len(there) > len(words) and name in there and not (has_second and name == second):
            there.remove(name)
    number = columns.headers[columns.number]
    if len(there) != len(words) or not columns.is_number(words[there.index(number)].strip()):
        return ""
    return f"; or the names of its columns in a first line, such as {sign.join(there)!r}"


# --- Runs and qrels of other programs: a number for each document of a topic ---
#
# They are dictionaries of pytrec_eval, objects of ranx, records of ir_measures and ir_datasets,
# data frames, and files that name their columns. None of these programs is imported: what they have
# is known by its attributes.


class OfRanx(Protocol):
    """A ``Run`` or ``Qrels`` of ranx."""

    name: str | None

    def to_dict(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the numbers by topic and document."""

    def get_doc_ids_and_scores(self) -> Any:
        """Return the documents of each topic."""


class NumberKind(NamedTuple):
    """What a document has a number for, for messages and the names of columns."""

    name: str
    #: Headers of its column, in lower case: those that are looked for first, and others.
    headers: tuple[frozenset[str], ...]
    #: A record that has it.
    record: str
    #: Returns the number of a text, None for another text.
    of_text: Callable[[str], float | None]
    #: Tells which numbers are accepted, and what is said of others, with what was expected.
    accepted: Callable[[Array], BoolArray]
    refused: str


#: The time of trec_eval's nDCG grows with the square of the highest level: 0.03 s a topic for this
#: one, and minutes for 1,000,000.
LARGEST = 10_000
_WHOLE = re.compile(r"[-+]?[0-9]{1,20}")
SCORE = NumberKind(
    "score",
    (HEADERS["score"],),
    "ScoredDoc",
    number_of,
    np.isfinite,
    "the score {} is not a finite number; expected one such as 12.5",
)
RELEVANCE = NumberKind(
    "relevance",
    (frozenset({"relevance", "rel", "label", "judgment", "judgement", "grade"}), HEADERS["score"]),
    "Qrel",
    lambda text: float(text) if _WHOLE.fullmatch(text) else None,
    lambda levels: (levels == np.rint(levels)) & (np.abs(levels) <= LARGEST),  # not NaN
    f"the relevance is {{}}; expected a whole number such as 0 or 1, at most {LARGEST:,}",
)
_RANK = "rank"
#: Columns that data frames of pyterrier have beside that of the ids: the text of a topic, and the
#: number of a document in the index.
_QUERY, _DOCID, _DOCNO = "query", "docid", "docno"


class DocumentNumbers(NamedTuple):
    """Labels of topics and documents, the number of each, and perhaps its rank."""

    topics: Any
    documents: Any
    numbers: Any
    ranks: Array | None = None
    #: The line of each in a file, whose numbers are text.
    lines: Sequence[int] | None = None


def is_one(given: object) -> bool:
    """Tell whether something is one run or qrels in memory, rather than several or a file."""
    if isinstance(given, Mapping):
        return any(map(_has_numbers, given.values()))
    return _is_of_ranx(given) or is_frame(given)


def is_frame(given: object) -> TypeGuard[IntoFrame]:
    """Tell whether something is a data frame of any library."""
    return hasattr(type(given), "columns")  # a lazy frame would look for its own, with a warning


def records_of(source: str, given: object, number: NumberKind) -> dict[str | None, DocumentNumbers]:
    """Return the records of an object, by system if it is a data frame with a column of systems."""
    if is_frame(given):
        return records_of_frame(source, given, number)
    if _is_of_ranx(given):
        expected = "Run" if number is SCORE else "Qrels"
        if type(given).__name__ != expected:
            raise RunError(f"{source}: {a_type(given)} of ranx is given; expected a {expected}")
        given = given.to_dict()
    if isinstance(given, Mapping):
        return {None: _of_dictionary(source, given, number)}
    if isinstance(given, Iterable) and not isinstance(given, str | bytes | np.ndarray):
        return {None: _of_list(source, list(given), number)}
    are, of_ranx = ("is", "Run") if number is SCORE else ("are", "Qrels")
    raise RunError(
        f"{source} {are} {a_type(given)}; expected a file, {{topic: {{document: {number.name}}}}}, "
        f"a {of_ranx} of ranx, records such as {number.record} of ir_measures, or a data frame of "
        f"query_id, doc_id and {number.name}"
    )


def records_of_frame(
    source: str,
    given: IntoFrame,
    number: NumberKind,
    *,
    of_one: bool = False,
    lines: Sequence[int] | None = None,
) -> dict[str | None, DocumentNumbers]:
    """Return the columns of a data frame, by system if it has a column of systems."""
    frame, _ = taken(given, source)
    if any(name is not None for name in frame.index.names):
        frame = frame.reset_index(allow_duplicates=True)
    names = texts(frame.columns.tolist())
    lower = [name.lower() for name in names]
    numbers = next(
        (found for each in number.headers if (found := _places(lower, each))), list[int]()
    )
    topics = [i for i, name in enumerate(names) if _heads_topics(name)]
    places = {
        "topic": _ids(lower, topics, _QUERY),
        "document": _documents(frame, lower),
        number.name: numbers,
    }
    for role, found in places.items():
        if len(found) > 1:
            raise RunError(
                f"{source} has {len(found)} columns of {role}s, "
                f"{listed([repr(names[i]) for i in found])}; expected one, so drop the others"
            )
        if not found:
            raise RunError(
                f"{source} has no column of {role}s among {listed(names)}; expected one each of "
                f"query_id, doc_id and {number.name}"
            )
    ids, documents = (_texts(frame, places[role][0]) for role in ("topic", "document"))
    column = frame.iloc[:, places[number.name][0]].tolist()
    ranks = None
    if _RANK in lower:
        given_ranks = pd.to_numeric(frame.iloc[:, lower.index(_RANK)], errors="coerce")
        ranks = given_ranks.to_numpy(dtype=np.float64, na_value=np.nan)
    every = DocumentNumbers(ids, documents, column, ranks, lines)
    systems = [i for i, name in enumerate(names) if role_of(name) == "system"]
    if number is not SCORE or not systems or of_one:
        return {None: every}
    if len(systems) > 1:
        raise RunError(
            f"{source} has the columns {listed([repr(names[i]) for i in systems])}; expected one "
            "of the systems, or none"
        )
    return _by_system(every, _texts(frame, systems[0]))


def records_of_table(
    source: str, content: bytes, number: NumberKind, *, of_one: bool = False
) -> dict[str | None, DocumentNumbers]:
    """Return the records of a file whose first line names the columns by system, {} for another."""
    first = first_line(content)
    separator = next((each for each in (b"\t", b",", b";") if each in first), None)
    names = [name.strip(b' "').decode(errors="replace") for name in first.split(separator)]
    lower = [name.lower() for name in names]
    if not (
        content.startswith(first)
        and any(map(_heads_topics, names))
        and not DOCUMENTS.isdisjoint(lower)
        and not frozenset().union(*number.headers).isdisjoint(lower)
        and all(number_of(name) is None for name in names)
    ):
        return {}
    if number is SCORE and lower == ["query-id", "corpus-id", "score"]:
        raise RunError(
            f"{source} has the columns of qrels of BEIR, {', '.join(names)}; expected a run"
        )
    if separator is None:
        content = re.sub(rb" *\n *", b"\n", re.sub(rb"[ \v\f]+", b" ", content)).replace(
            b" ", b"\t"
        )
    frame = text_table(source, content, f"lines of {', '.join(names)}", RunError)
    lines = frame.index.tolist()
    frame = frame.reset_index(drop=True)
    return records_of_frame(source, frame, number, of_one=of_one, lines=lines)


def checked(
    source: str, records: DocumentNumbers, number: NumberKind
) -> tuple[list[str], IntArray, Any, Array]:
    """Return topics, the number of that of each record, documents and numbers."""

    def place(row: int) -> str:
        if records.lines is not None:
            return f"{source}, line {records.lines[row]}"
        return f"{source}, topic {records.topics[row]!r}, document {records.documents[row]!r}"

    if not len(records.topics):
        raise RunError(
            f"there is no document in {source}; expected documents by topic, each with its "
            f"{number.name}"
        )
    columns = list(map(_column, records[:2]))
    for kind, column in zip(("topic", "document"), columns, strict=True):
        if (row := pc.index(column, "").as_py()) >= 0:
            raise RunError(f"{place(row)}: the {kind} has no name; expected one")
    topics, codes = coded(columns[0])
    documents = columns[1].combine_chunks().dictionary_encode()
    if has_duplicates(codes, documents):
        first: dict[tuple[int, int], int] = {}
        pairs = list(zip(codes.tolist(), documents.indices.to_pylist(), strict=True))
        row = next(i for i, pair in enumerate(pairs) if first.setdefault(pair, i) != i)
        what = "the topic has the document already"
        if records.lines is not None:
            topic, document = of_cell(topics[codes[row]]), of_cell(documents[row].as_py())
            line = records.lines[first[pairs[row]]]
            what = f"topic {topic} has document {document} already in line {line}"
        raise RunError(f"{place(row)}: {what}; expected each document once")
    values = _doubles(records, number)
    if not (good := number.accepted(values)).all():
        row = int(good.argmin())
        cell = records.numbers[row]
        given = shown(cell) if records.lines is None else of_cell(str(cell))
        raise RunError(f"{place(row)}: {number.refused.format(given)}")
    return topics, codes, documents, values


def _column(labels: Any) -> Any:
    return (
        labels if isinstance(labels, pa.ChunkedArray) else pa.chunked_array([labels], pa.string())
    )


def _doubles(records: DocumentNumbers, number: NumberKind) -> Array:
    numbers = records.numbers
    if records.lines is not None:  # of a file, whose numbers are text
        column = _column(numbers)
        if number is SCORE:  # at once, as there may be millions
            with suppress(pa.ArrowException):
                return np.asarray(pc.cast(column, pa.float64()).to_numpy())
        words, codes = coded(column)
        return np.array([number.of_text(word) for word in words], np.float64)[codes]
    try:
        values = np.asarray(numbers)
    except ValueError:  # some are lists
        values = np.array([])
    if values.shape == (len(numbers),) and values.dtype.kind in "biuf":
        return values.astype(np.float64)
    return np.array([_double(each) for each in numbers])


def _double(number: Any) -> float:
    try:
        return float(number) if isinstance(number, Real | Decimal) else np.nan
    except OverflowError:  # of a whole number
        return np.inf
    except ValueError:  # of a signaling NaN of Decimal
        return np.nan


def _by_system(records: DocumentNumbers, systems: list[str]) -> dict[str | None, DocumentNumbers]:
    rows: dict[str | None, list[int]] = {}
    for row, system in enumerate(systems):
        rows.setdefault(system, []).append(row)
    if len(rows) == 1:
        return dict.fromkeys(rows, records)
    return {
        system: DocumentNumbers._make(
            each[own] if isinstance(each, np.ndarray) else each and [each[row] for row in own]
            for each in records
        )
        for system, own in rows.items()
    }


def _of_dictionary(source: str, given: Mapping[Any, Any], number: NumberKind) -> DocumentNumbers:
    topics, documents, numbers = list[str](), list[Any](), list[Any]()
    labels = texts(list(given))
    if len(set(labels)) < len(labels):  # as of 301 and "301"
        twice = next(label for i, label in enumerate(labels) if label in labels[:i])
        raise RunError(f"{source} has the topic {twice!r} twice; expected each once")
    for topic, label in zip(given, labels, strict=True):
        own = given[topic]
        if not isinstance(own, Mapping):
            raise RunError(
                f"{source}, topic {label!r} has {a_type(own)}; expected the {number.name} by "
                "document"
            )
        topics += [label] * len(own)
        documents += own
        numbers += own.values()
    return DocumentNumbers(topics, texts(documents), numbers)


def _of_list(source: str, given: list[Any], number: NumberKind) -> DocumentNumbers:
    try:
        numbers = [getattr(each, number.name) for each in given]
        topics, documents = [each.query_id for each in given], [each.doc_id for each in given]
    except AttributeError:
        fields = ("query_id", "doc_id", number.name)
        place = next(i for i, each in enumerate(given) if not all(hasattr(each, f) for f in fields))
        raise RunError(
            f"{source}, record {place + 1} is {a_type(given[place])}; expected records with "
            f"{', '.join(fields)}, such as {number.record} of ir_measures"
        ) from None
    return DocumentNumbers(texts(topics), texts(documents), numbers)


def _is_of_ranx(given: object) -> TypeGuard[OfRanx]:
    return hasattr(given, "get_doc_ids_and_scores") and hasattr(given, "to_dict")


def _has_numbers(own: object) -> bool:
    if not isinstance(own, Mapping) or not own:
        return False
    first = next(iter(own.values()))
    return isinstance(first, str) or not isinstance(first, Iterable)


def _places(names: Sequence[str], headers: frozenset[str]) -> list[int]:
    return [i for i, name in enumerate(names) if name in headers]


def _heads_topics(name: str) -> bool:
    return role_of(name) == "topic" and name.lower() not in DOCUMENTS


def _ids(names: Sequence[str], found: list[int], other: str) -> list[int]:
    ids = [i for i in found if names[i] != other]
    return ids if len(found) > 1 and ids else found


def _documents(frame: pd.DataFrame, names: Sequence[str]) -> list[int]:
    found = _places(names, DOCUMENTS)
    numbered = any(
        names[i] == _DOCID and is_integer_dtype(frame.iloc[:, i].infer_objects()) for i in found
    )
    there = numbered and any(names[i] == _DOCNO for i in found)
    return _ids(names, found, _DOCID) if there else found


def _texts(frame: pd.DataFrame, place: int) -> list[str]:
    return texts(frame.iloc[:, place].tolist())


# --- Qrels: the judged documents of each topic, with their relevance ---


QRELS_COLUMNS = LineColumns(
    kind="qrels",
    example="301 0 FR940202-2-00150 1",
    names=("topic", "iteration", "document", "relevance"),
    other="a run has",
    others=6,
    number=3,
    is_number=lambda text: RELEVANCE.of_text(text) is not None,
    headers=("query_id", "iteration", "doc_id", "relevance"),
)


@dataclass(frozen=True, eq=False, repr=False)
class Qrels:
    """Relevance judgments: the judged documents of each topic, and their relevance.

    Attributes
    ----------
    source
        Name of the file, for messages.
    topics
        Labels of the topics, in the order of the file.
    codes
        Number of the topic of each judgment, from 0.
    documents
        Id of each document, a pyarrow array of strings that is coded as a dictionary.
    relevance
        Relevance of each document, int64; below 0 if trec_eval takes it as not judged.
    notes
        Sentences on lines that were left out.
    """

    source: str
    topics: tuple[str, ...]
    codes: IntArray
    documents: Any
    relevance: IntArray
    notes: tuple[str, ...] = ()
    #: Tells these judgments from others, also in another process.
    digest: str = field(init=False)

    def __post_init__(self) -> None:
        found = hashlib.blake2b(digest_size=16)
        for text in (self.topics, self.documents.to_pylist()):
            found.update("\n".join(text).encode())
        for numbers in (self.codes, self.relevance):
            found.update(np.ascontiguousarray(numbers, "<i8").data)
        object.__setattr__(self, "digest", found.hexdigest())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Qrels) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        topics, judgments = len(self.topics), len(self.relevance)
        return f"<Qrels: {counted(topics, 'topic')}, {counted(judgments, 'judgment')}>"

    def relevant(self, level: int = 1) -> IntArray:
        """Count the documents of each topic whose relevance is `level` or more, (topics,)."""
        return self._counted(self.relevance >= level)

    def gaining(self, gains: Mapping[int, int]) -> IntArray:
        """Count the documents of each topic with a gain above 0, (topics,).

        `gains` has the gain of levels of relevance; the gain of others is the relevance.
        """
        levels, of_documents = np.unique(self.relevance, return_inverse=True)
        gaining = np.array([gains.get(level, level) > 0 for level in levels.tolist()])
        return self._counted(gaining[of_documents])

    def _counted(self, flags: BoolArray) -> IntArray:
        found = self.codes[flags]
        return np.bincount(found, minlength=len(self.topics)).astype(np.int64)

    @cached_property
    def judged(self) -> tuple[str, ...]:
        """Topics with a judged document; the others have negative relevance only."""
        counts = self.relevant(0)
        return tuple(t for t, n in zip(self.topics, counts.tolist(), strict=True) if n)

    @cached_property
    def index(self) -> tuple[Any, IntArray, IntArray]:
        """The documents, sorted keys of topic and document, and the judgment of each key."""
        ids = self.documents
        keys = self.codes * len(ids.dictionary) + ids.indices.to_numpy()
        order = np.argsort(keys)
        return ids.dictionary, keys[order], order

    def as_dict(self) -> dict[str, dict[str, int]]:
        """Return {topic: {document: relevance}}, as ir_measures and pytrec_eval take it.

        Topics without a judged document are left out: pytrec_eval would take the levels of
        another topic for theirs.
        """
        rows: dict[str, dict[str, int]] = {topic: {} for topic in self.topics}
        of_topics = [rows[topic] for topic in self.topics]
        for code, document, relevance in zip(
            self.codes.tolist(), self.documents.to_pylist(), self.relevance.tolist(), strict=True
        ):
            of_topics[code][document] = relevance
        return {topic: rows[topic] for topic in self.judged}


def read_qrels(path: str | Path) -> Qrels:
    """Read qrels from a file, plain or compressed by gzip or zstd.

    A line has four columns, separated by white space or by tabs: topic, iteration, document and
    relevance (a whole number). The iteration is not used. Or the first line names the columns, as
    in BEIR: query-id, corpus-id, score. Empty lines are omitted, and so are lines that begin with #
    and are no record, which `Qrels.notes` counts. A document with negative relevance is not judged
    for trec_eval.

    Parameters
    ----------
    path
        The file; ``-`` is standard input. Compression is recognized by the first bytes.

    Raises
    ------
    RunError
        With file and line: for another number of columns, for relevance that is not a whole number
        or is above 10,000, and for the same document twice in a topic. Also for text that is not
        UTF-8, and for an empty or damaged file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "qrels.txt"
    >>> _ = path.write_text("301 0 d2 1\\n301 0 d5 0\\n302 0 d2 2\\n")
    >>> read_qrels(path)
    <Qrels: 2 topics, 3 judgments>
    """
    source = source_name(path)
    content, notes = lines_in(path, RunError, "a run or qrels")
    for records in records_of_table(source, content, RELEVANCE).values():
        return _qrels(source, records, notes)
    content, comments = without_comments(source, content, QRELS_COLUMNS)
    (topics, _, documents, levels), lines = columns_of_lines(source, content, QRELS_COLUMNS)
    records = DocumentNumbers(topics, documents, levels, lines=lines)
    return _qrels(source, records, [*notes, *comments])


def _qrels(source: str, records: DocumentNumbers, notes: Sequence[str] = ()) -> Qrels:
    topics, codes, documents, levels = checked(source, records, RELEVANCE)
    return Qrels(source, tuple(topics), codes, documents, levels.astype(np.int64), tuple(notes))


# --- Files of runs: read by pyarrow if they are tidy, else line by line; and written ---


RUN_COLUMNS = LineColumns(
    kind="a run",
    example="301 Q0 FR940202-2-00150 1 2.129 bm25",
    names=("topic", "Q0", "document", "rank", "score", "run id"),
    other="qrels have",
    others=4,
    number=4,
    is_number=lambda text: number_of(text) is not None,
    headers=("query_id", "q0", "doc_id", "rank", "score", "run"),
)
# As the runs of MS MARCO: topic, document and rank, and perhaps the score.
_THREE = rb"(?m)^[ \t]*(\S+)[ \t]+(\S+)[ \t]+([1-9][0-9]*)"
_RANKED = re.compile(_THREE + rb"[ \t]*$")
_SCORED = re.compile(_THREE + rb"[ \t]+(-?[\d.]\S*)[ \t]*$")
# What separates columns for trec_eval and for `read_run`.
_WHITE = re.compile(r"[ \t\n\r\v\f]")
# The mark of UTF-8, which readers leave out.
_MARK = "\ufeff"
# Number of lines that are made at a time; bounds the memory.
_BLOCK = 1 << 15


def read_run(path: str | Path, system: str | None = None) -> Run:
    """Read a run from a file, plain or compressed by gzip or zstd.

    A line has six columns, separated by white space or by tabs: topic, Q0, document, rank, score
    and run id. As in trec_eval, documents are ordered by their scores, and the ranks are not used.
    Or the first line names the columns, such as query_id, doc_id and score; or each line has topic,
    document and rank, as of MS MARCO, and the score is minus the rank. Empty lines are omitted, and
    so are lines that begin with # and are no record. `Run.notes` tells of all this.

    Parameters
    ----------
    path
        The file; ``-`` is standard input. Compression is recognized by the first bytes.
    system
        The name of the system. If it is None, the run id is the name, or the name of a file without
        run ids. Then all lines must have the same run id, or run ids with the same first word,
        which is the name if they differ after it.

    Returns
    -------
    Run
        Topics in the order of their first lines.

    Raises
    ------
    RunError
        With file and line: for another number of columns, for a score that is not a finite number,
        for the same document twice in a topic, and for different run ids. Also for text that is not
        UTF-8, and for an empty or damaged file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "bm25.run"
    >>> _ = path.write_text("301 Q0 d7 1 2.5 bm25\\n301 Q0 d2 2 1.5 bm25\\n302 Q0 d2 1 9 bm25\\n")
    >>> read_run(path)
    <Run 'bm25': 2 topics, 3 documents>
    """
    source, name = source_name(path), system
    content, notes = lines_in(path, RunError, "a run or qrels")
    if by_system := records_of_table(source, content, SCORE, of_one=system is not None):
        if len(by_system) > 1:
            names = " and ".join(of_cell(str(each)) for each in [*by_system][:2])
            raise RunError(
                f"{source} has the run ids {names}; expected the same in all lines, or a file for "
                "each run"
            )
        ((own, records),) = by_system.items()
        if name is None and own is None:
            name = _named_as_file(source, path, notes)
        return _run(name or own or "", source, records, notes)
    ranked, width, first = 0, 3, first_line(content)  # records of three columns, or of four
    scored = _SCORED.fullmatch(first)
    if _RANKED.fullmatch(first) or (scored and scored[2] not in (b"0", b"Q0")):  # as of qrels
        if name is None:
            name = _named_as_file(source, path, notes)
        has = "document and rank, as of MS MARCO, and no score: it is minus the rank"
        if scored:
            has, width = "document, rank and score, and neither Q0 nor a run id", 4
            content, ranked = _SCORED.subn(rb"\1 Q0 \2 \3 \4 x", content)
        else:
            content, ranked = _RANKED.subn(rb"\1 Q0 \2 \3 -\3 x", content)
        notes.append(f"{source}: lines have topic, {has}")
    content, comments = without_comments(source, content, RUN_COLUMNS)
    columns, lines = columns_of_lines(source, content, RUN_COLUMNS)
    topics, _, documents, ranks, scores, ids = columns
    found, codes = coded(ids)
    first_words = {each.partition(" ")[0] for each in found}
    if name is None and len(first_words) == 1 < len(found):
        (name,) = first_words
        notes.append(f"{source}: text after the run id {of_cell(name)} is not read")
    if name is None and len(found) > 1:
        row = int(np.argmax(codes != 0))
        raise RunError(
            f"{source} has the run ids {of_cell(found[0])} in line {lines[0]} and "
            f"{of_cell(found[1])} in line {lines[row]}; expected the same in all lines, or a file "
            "for each run"
        )
    given_ranks = np.full(len(ranks), np.nan)
    with suppress(pa.ArrowException):
        given_ranks = np.asarray(pc.cast(ranks, pa.float64()).to_numpy())
    records = DocumentNumbers(topics, documents, scores, given_ranks, lines)
    run = _run(found[0] if name is None else name, source, records, [*notes, *comments])
    if ranked:
        _refuse_other_ranks(run, ranked, width)
    return run


def _named_as_file(source: str, path: str | Path, notes: list[str]) -> str:
    name = stem_of(path)
    if name is None:
        raise RunError(f"{source} does not name its system; expected a name, as in NAME=-")
    notes.append(f"{source}: no system is named, and its name is taken from the file: {name}")
    return name


def _refuse_other_ranks(run: Run, ranked: int, width: int) -> None:
    if ranked != len(run.ranks):
        raise RunError(
            f"{run.source} has lines of {width} and of {len(RUN_COLUMNS.names)} columns; expected "
            "the same in every line"
        )
    begins = np.zeros(len(run.ranks), np.bool_)
    begins[run.starts[:-1]] = True
    steps = np.diff(run.ranks, prepend=0)
    bad = np.where(begins, run.ranks != 1, steps <= 0)
    if bad.any():
        topic = run.topics[int(np.searchsorted(run.starts, bad.argmax(), side="right")) - 1]
        raise RunError(
            f"{run.source} has lines of {width} columns, and the third is no rank on topic "
            f"{topic!r}: it does not begin with 1 and ascend; expected topic, document and rank, "
            f"as of MS MARCO, or {len(RUN_COLUMNS.names)} columns: {', '.join(RUN_COLUMNS.names)}"
            + under_names(RUN_COLUMNS, ["1"] * width, " ")
        )


def _run(system: str, source: str, records: DocumentNumbers, notes: Sequence[str] = ()) -> Run:
    topics, codes, documents, scores = checked(source, records, SCORE)
    ranks = records.ranks
    if ranks is None or np.isnan(ranks).any():
        ranks = np.full(len(scores), np.nan)
    if (np.diff(codes) < 0).any():  # the documents of each topic one after another
        order = np.argsort(codes, kind="stable")
        documents, scores, ranks = documents.take(order), scores[order], ranks[order]
    sizes = np.bincount(codes, minlength=len(topics))
    starts = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
    return Run(system, source, tuple(topics), starts, documents, scores, ranks, tuple(notes))


def encode_run(run: Run) -> Iterator[bytes]:
    """Return the lines of a run as bytes, in blocks.

    Documents are in the order of the run, with ranks from 1. Scores have enough digits to be read
    back as the same double.

    Raises
    ------
    OutputError
        For a label that is empty or has a space, because a space ends a column; and for a topic
        that is # (a comment) or begins with a byte order mark.

    Examples
    --------
    >>> from cdfscore.retrieval.merging import merge
    >>> merged = merge({"a": {"301": {"d1": 3.0, "d2": 1.0}}, "b": {"301": {"d7": 0.5, "d9": 0.0}}})
    >>> print(b"".join(encode_run(merged.run)).decode(), end="")
    301 Q0 d7 1 1.0 merged
    301 Q0 d1 2 1.0 merged
    301 Q0 d9 3 0.0 merged
    301 Q0 d2 4 0.0 merged
    """
    check_labels(run.system, run.topics, run.documents.dictionary)
    return lines_of(run)


def check_labels(system: str, topics: Iterable[str], ids: Any) -> None:
    """Raise `OutputError` for a label that `encode_run` refuses."""
    for kind, labels in (("run id", [system]), ("topic", topics)):
        for label in labels:
            if not label or _WHITE.search(label):
                raise _refused(kind, label)
    for label in topics:
        if label == "#" or label.startswith(_MARK):  # a comment
            raise OutputError(
                f"the topic {label!r} begins with {label[0]!r}, so that a reader would not find "
                "this label; expected another name"
            )
    bad = ids.filter(pc.match_substring_regex(ids, f"{_WHITE.pattern}|^$"))
    if len(bad):
        raise _refused("document", bad[0].as_py())


def lines_of(run: Run) -> Iterator[bytes]:
    """Yield the lines of a run whose labels have been checked."""
    topics = pa.array([f"{topic} Q0" for topic in run.topics], pa.string())

    def lines_from(start: int) -> bytes:
        end = min(start + _BLOCK, len(run.scores))
        topic = np.searchsorted(run.starts, np.arange(start, end), side="right") - 1
        columns = [
            topics.take(pa.array(topic)),
            run.documents[start:end].dictionary_decode(),
            pc.cast(pa.array(np.arange(start, end) - run.starts[topic] + 1), pa.string()),
            spelled(run.scores[start:end], ""),
        ]
        rows = pc.binary_join_element_wise(*columns, f"{run.system}\n", " ")
        content: bytes = pa.concat_arrays([rows]).buffers()[2].to_pybytes()
        return content

    yield from in_threads(lines_from, range(0, len(run.scores), _BLOCK))


def _refused(kind: str, label: str) -> OutputError:
    return OutputError(
        f"the {kind} {label!r} is empty or has a space, which ends a column of a run; expected a "
        "word"
    )


# --- Order of the documents of a run, as trec_eval has it, and what the ranks in its file say ---


@dataclass(frozen=True, eq=False)
class Ranking:
    """Documents of a run by topic, score and document id, the last two descending.

    Scores are compared in single precision, as trec_eval 9 keeps them; ids by their bytes. `order`
    has their places in the run, and `tied` those whose score is that of the document before.
    """

    run: Run
    order: IntArray
    topic: IntArray
    tied: BoolArray

    @classmethod
    def of(cls, run: Run) -> Ranking:
        """Order the documents of each topic."""
        topic = np.repeat(np.arange(len(run.topics)), np.diff(run.starts))
        with np.errstate(over="ignore"):  # a larger score is infinite for trec_eval, too
            key = run.scores.astype(np.float32)
        new = topic[1:] != topic[:-1]
        if ((key[1:] <= key[:-1]) | new).all():
            order = np.arange(len(key))
        else:
            order = np.lexsort((-key, topic))
        sorted_key = key[order]
        tied = np.concatenate([[False], (sorted_key[1:] == sorted_key[:-1]) & ~new])
        if tied.any():
            member = tied | np.concatenate([tied[1:], [False]])
            places = order[member]
            ids = run.documents.take(places).dictionary_decode()
            table = pa.table({"group": np.cumsum(~tied)[member], "document": ids})
            keys = [("group", "ascending"), ("document", "descending")]
            order[member] = places[pc.sort_indices(table, sort_keys=keys).to_numpy()]
        return cls(run, order, topic, tied)

    @property
    def rank(self) -> IntArray:
        """Rank of each document in its topic, from 1."""
        return np.arange(len(self.order)) - self.run.starts[self.topic] + 1

    def top(self, depth: int | None = None) -> Run:
        """Return the run in this order without ranks, of each topic the first `depth` documents."""
        run, order = self.run, self.order
        starts, scores, documents = run.starts, run.scores, run.documents
        if depth is not None and (np.diff(starts) > depth).any():
            order = order[self.rank <= depth]
            sizes = np.minimum(np.diff(starts), depth)
            starts = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        if len(order) < len(scores) or (order[1:] < order[:-1]).any():
            scores, documents = scores[order], documents.take(order)
        none = np.broadcast_to(np.nan, scores.shape)  # of no memory
        return replace(run, starts=starts, documents=documents, scores=scores, ranks=none)

    def as_dict(self) -> dict[str, dict[str, float]]:
        """Return {topic: {document: score}}, with scores without ties and above 0: some programs
        of ir_measures break ties in other ways, and one takes 0 for what was not returned.
        """
        run = self.run
        documents = run.documents.take(self.order).to_pylist()
        scores = (run.starts[self.topic + 1] - np.arange(len(self.order)) + 0.0).tolist()
        ends = run.starts.tolist()
        return {  # the form that ir_measures takes
            topic: dict(zip(documents[start:end], scores[start:end], strict=True))
            for topic, start, end in zip(run.topics, ends[:-1], ends[1:], strict=True)
        }


@dataclass(frozen=True, eq=False)
class Judged:
    """The judged documents of a ranking, by topic of the qrels and rank."""

    topic: IntArray
    rank: IntArray
    relevance: IntArray

    @classmethod
    def of(cls, ranking: Ranking, qrels: Qrels) -> Judged:
        """Find the relevance of the documents of a ranking."""
        words, keys, order = qrels.index
        numbers = {topic: i for i, topic in enumerate(qrels.topics)}
        topics = np.array([numbers.get(topic, -1) for topic in ranking.run.topics])[ranking.topic]
        ids = ranking.run.documents
        known_ids = pc.fill_null(pc.index_in(ids.dictionary, value_set=words), -1).to_numpy()
        documents = known_ids[ids.indices.to_numpy()][ranking.order]
        wanted = topics * len(words) + documents
        place = np.searchsorted(keys, wanted).clip(max=len(keys) - 1)
        known = (topics >= 0) & (documents >= 0) & (keys[place] == wanted)
        judgments = order[place[known]]
        return cls(topics[known], ranking.rank[known], qrels.relevance[judgments])


@dataclass(frozen=True)
class RankConflicts:
    """On how many topics the order of a run is not that of the ranks in its file, or else of the
    input.

    `reordered` are topics with equal scores in another order, and `documents` those with such
    scores.
    """

    topics: int
    contradicted: int
    reordered: int
    documents: int
    ranked: bool = True

    @classmethod
    def of(cls, ranking: Ranking) -> RankConflicts:
        """Compare the order of a ranking with the ranks of the file."""
        topic, tied, topics = ranking.topic, ranking.tied, len(ranking.run.topics)
        same = topic[1:] == topic[:-1]
        ranks = ranking.run.ranks[ranking.order]
        ranked = not np.isnan(ranks).any() and bool((ranks[1:] != ranks[:-1])[same].any())
        if not ranked:
            ranks = ranking.order.astype(np.float64)
        inverted = np.concatenate([[False], (ranks[1:] < ranks[:-1]) & same])
        if not inverted.any():  # most runs
            return cls(topics, 0, 0, 0, ranked)
        worse = _worse(ranks, topic, tied) if ranked else np.zeros_like(tied)
        contradicted = np.bincount(topic[worse], minlength=topics) > 0
        group = np.cumsum(~tied)  # of equal scores
        groups = np.zeros(len(ranks) + 1, np.bool_)
        groups[group[inverted & tied & ~contradicted[topic]]] = True
        reordered = np.bincount(topic[groups[group]], minlength=topics) > 0
        counts = [int(flags.sum()) for flags in (contradicted, reordered, groups[group])]
        return cls(topics, counts[0], counts[1], counts[2], ranked)


def cautions(conflicts: dict[str, RankConflicts]) -> list[str]:
    """Return a sentence on the systems of either kind of conflict."""
    found = []
    contradicted = {name: each for name, each in conflicts.items() if each.contradicted}
    if contradicted:
        where = [
            f"{name!r} ({part_of(c.contradicted, c.topics, 'topic')})"
            for name, c in contradicted.items()
        ]
        found.append(
            f"the ranks in the file contradict the scores of {counted(len(where), 'system')}, "
            f"{listed(where)}: documents are ordered by descending score, as in trec_eval"
        )
    for ranked, order in (
        (True, "the ranks in the file"),
        (False, "their order in the input, which has no ranks"),
    ):
        where = [
            f"{name!r} ({c.documents:,} documents in {part_of(c.reordered, c.topics, 'topic')})"
            for name, c in conflicts.items()
            if c.reordered and c.ranked == ranked
        ]
        if where:
            found.append(
                "documents with equal scores, compared in single precision, are ordered by "
                f"descending document id, as in trec_eval, and not by {order}: "
                f"{counted(len(where), 'system')}, {listed(where)}; scores with more digits avoid "
                "such ties"
            )
    return found


def _worse(ranks: Array, topic: IntArray, tied: BoolArray) -> BoolArray:
    """Tell which scores begin that are lower than one of a worse rank, in any distance."""
    starts = np.flatnonzero(~tied)
    # Whole numbers in the order of the ranks, larger in each later topic.
    key = topic * len(ranks) + np.unique(ranks, return_inverse=True)[1]
    worst = np.maximum.accumulate(np.maximum.reduceat(key, starts))
    best = np.minimum.reduceat(key, starts)
    found = np.zeros(len(ranks), np.bool_)
    found[starts[1:]] = best[1:] < worst[:-1]
    return found


# --- What users give as runs and qrels: what was read, files, and what other programs have ---


class RunFile(NamedTuple):
    """The file of a run, and the name of its system, None for its run id."""

    path: str | Path
    system: str | None


NamedRun = tuple[Run | str | Path, str | None]

#: The name of the system of a run that has none.
_NAMELESS = "run"


class Given(NamedTuple):
    """Runs, each with the name of its system or None for its own name; and notes."""

    runs: list[NamedRun]
    notes: list[str]


def runs_given(runs: AnyRuns) -> Given:
    """Return one run, several, or several by name; raises `RunError` for other objects."""
    found: list[NamedRun]
    if isinstance(runs, Mapping) and not is_one(runs):
        found = [_named(str(name).strip(), run) for name, run in runs.items()]
    else:
        found = list(_nameless(runs))
    if not found:
        raise RunError("there is no run; expected one or more")
    without = sum(isinstance(run, Run) and not run.system for run, _ in found)
    if not without:
        return Given(found, [])
    if len(found) > 1:
        raise RunError(
            f"{without} of {counted(len(found), 'run')} do not name their system; expected a name "
            "for each, as in {'bm25': run}"
        )
    ((run, _),) = found
    assert isinstance(run, Run)
    note = f"the run does not name its system, which is called {_NAMELESS!r}"
    return Given([(run.named(_NAMELESS), None)], [note])


def qrels_given(qrels: AnyQrels) -> Qrels:
    """Return qrels with a judged document; raises `RunError` for other objects."""
    if isinstance(qrels, str | Path):
        qrels = read_qrels(qrels)
    elif not isinstance(qrels, Qrels):
        source = "the qrels"
        (records,) = records_of(source, qrels, RELEVANCE).values()
        qrels = _qrels(source, records)
    if not qrels.judged:
        raise RunError(
            f"{qrels.source}: the relevance of every document is below 0, which means not judged; "
            "expected 0 or more for judged documents"
        )
    return qrels


def _named(name: str, run: object) -> NamedRun:
    if not name:
        raise RunError("a run has an empty name; expected the name of its system")
    if isinstance(run, Run):
        return run.named(name), None
    if isinstance(run, RunFile):
        return run.path, name
    return (run, name) if isinstance(run, str | Path) else (run_of(name, run), None)


def _nameless(runs: Any) -> Iterator[NamedRun]:
    is_no_list = isinstance(runs, Run | RunFile | str | Path | Mapping | bytes | np.ndarray)
    one = is_no_list or is_one(runs) or not isinstance(runs, Iterable)
    every = [runs] if one else list(runs)
    of_records = bool(every) and not one and not is_frame(every[0])
    if of_records and hasattr(every[0], "query_id") and hasattr(every[0], "doc_id"):
        one, every = True, [every]
    for place, run in enumerate(every, start=1):
        if isinstance(run, RunFile):
            yield run.path, run.system
        elif isinstance(run, Run | str | Path):
            yield run, None
        else:
            source, own = "the run" if one else f"run {place}", None
            if _is_of_ranx(run):
                own = run.name
            for name, records in records_of(source, run, SCORE).items():
                yield _run(str(name or own or ""), source, records), None


def run_of(system: str, given: object) -> Run:
    """Return the run of a system from the scores of its documents, in memory."""
    source = f"the run {system!r}"
    by_system = records_of(source, given, SCORE)
    if len(by_system) > 1:
        raise RunError(
            f"{source} has {len(by_system)} systems; expected one, or the data frame without a name"
        )
    (records,) = by_system.values()
    return _run(system, source, records)


#: Numbers of documents: by topic and document, or in records, or in columns of a data frame.
AnyRecords: TypeAlias = "Mapping[Any, Mapping[Any, Any]] | OfRanx | Iterable[Any] | IntoFrame"
#: What a run is given as: what was read, a file, or scores of documents.
AnyRun: TypeAlias = "Run | RunFile | str | Path | AnyRecords"
AnyRuns: TypeAlias = "AnyRun | Sequence[AnyRun] | Mapping[str, AnyRun]"
AnyQrels: TypeAlias = "Qrels | str | Path | AnyRecords"
