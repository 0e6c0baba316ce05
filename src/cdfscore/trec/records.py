"""Runs and qrels of other programs: a number for each document of a topic.

They are dictionaries of pytrec_eval, objects of ranx, records of ir_measures and ir_datasets, data
frames, and files that name their columns. None of these programs is imported: what they have is
known by its attributes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeGuard

import numpy as np

from cdfscore.errors import RunError
from cdfscore.io.decimals import number as number_of
from cdfscore.io.scores.cells import shown as of_cell
from cdfscore.io.scores.frame_labels import texts
from cdfscore.io.scores.kinds import as_pandas
from cdfscore.io.scores.labels import DOCUMENTS, HEADERS, heads
from cdfscore.io.text import a_type, counted, listed
from cdfscore.io.text_table import text_table
from cdfscore.numerics.numbers import shown
from cdfscore.numerics.types import Array, BoolArray, IntArray
from cdfscore.trec.run import coded, has_duplicates

if TYPE_CHECKING:
    import pandas as pd
    from narwhals.typing import IntoFrame


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


class Columns(NamedTuple):
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


def without_comments(source: str, content: bytes, columns: Columns) -> tuple[bytes, list[str]]:
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


def _is_record(line: bytes, columns: Columns) -> bool:
    """Tell whether a line that begins with # is a record."""
    words = _split(line, columns) or line.split()
    return (
        len(words) == len(columns.names)
        and words[0] != b"#"
        and columns.is_number(words[columns.number].decode(errors="replace"))
    )


def _split(line: bytes, columns: Columns) -> list[bytes]:
    """Return the fields of a line between tabs, [] for another number of them."""
    fields = [field.strip() for field in line.split(_TAB)]
    return fields if len(fields) == len(columns.names) else []


def quick_table(content: bytes, columns: Columns, *types: Mapping[str, Any]) -> Any | None:
    """Read the columns by pyarrow, by the first types that fit; None if a line is not as expected.

    Columns are separated by one tab each if they are in the first line, or by one space, or are
    made so first. A file that is refused may be valid all the same, and is then read line by line.
    """
    if _split(first_line(content), columns):
        edges = (_SPACE + _TAB, _TAB + _SPACE, _SPACE + b"\n", b"\n" + _SPACE)
        if any(space in content for space in (*edges, *_OTHER_SPACES)):
            return None
        table = _first_parsed(content, columns, types, _TAB)
        ends = [] if table is None else [table[columns.names[0]], table[columns.names[-1]]]
        words = [word for end in ends if end.type == words_type() for word in coded(end)[0]]
        return None if any(_has_record(word, columns) for word in words) else table
    if not any(space in content for space in (_TAB, *_OTHER_SPACES)):
        found = _first_parsed(content, columns, types, _SPACE)
        if found is not None:
            return found
    tidy = content.translate(_AS_SPACE)
    while b"  " in tidy:  # a regular expression takes five times as long
        tidy = tidy.replace(b"  ", _SPACE)
    tidy = tidy.replace(b" \n", b"\n").replace(b"\n ", b"\n")
    return _first_parsed(tidy.strip(), columns, types, _SPACE)


def fields_of_lines(
    source: str, content: bytes, columns: Columns
) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the columns of each line, without empty lines.

    Tabs separate columns where each line has one column less of them, so that spaces are part of a
    column. Else white space separates columns, as in trec_eval. Raises `RunError` with the line for
    another number of columns, and for text that is not UTF-8. Also raises it for JSON, as ranx and
    others write.
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
            raise RunError(
                f"{source}, line {line} has {counted(len(words), 'column')}"
                f"{_reason(words, columns)}; expected {expected} in a line of "
                f"{columns.kind}: {', '.join(columns.names)}{_remedy(text.decode(), columns)}"
            )
        if tabs and (bad := next((word for word in words if _has_record(word, columns)), None)):
            raise RunError(
                f"{source}, line {line} has the column {of_cell(bad)}{_TWO}; expected no columns "
                "of another record in it"
            )
        yield line, words


def _has_record(field: str, columns: Columns) -> bool:
    """Tell whether a field between tabs has the columns of another record, apart by spaces."""
    words, others = field.split(), len(columns.names) - 1
    return len(words) > others and not {"0", "Q0"}.isdisjoint((words[1], words[-others]))


def _reason(words: Sequence[str], columns: Columns) -> str:
    """Return what a line with another number of columns may be."""
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
    source: str, content: bytes, columns: Columns
) -> tuple[tuple[int, ...], list[list[str]]]:
    """Return the numbers of the lines, and their columns; raises `RunError` for a file of none."""
    rows = list(fields_of_lines(source, content, columns))
    if not rows:
        raise RunError(
            f"{source} is empty; expected lines of {columns.kind}, such as {columns.example!r}"
        )
    lines, fields = zip(*rows, strict=True)
    return lines, list(map(list, zip(*fields, strict=True)))


def _separator(text: str) -> str | None:
    return next((sign for sign in "\t,;" if sign in text), None)


def _remedy(line: str, columns: Columns) -> str:
    """Return how a file of such lines, with fewer columns or others between them, can be read."""
    sign = _separator(line)
    return under_names(columns, line.split(sign), " " if sign is None else sign)


def under_names(columns: Columns, words: Sequence[str], sign: str) -> str:
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


def words_type() -> Any:
    """Return the type of columns with few different words: their numbers, and each word once."""
    import pyarrow as pa

    return pa.dictionary(pa.int32(), pa.string())


def _has_empty_cells(column: Any) -> bool:
    """Tell whether a column of words has an empty one, as between two spaces."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        return any("" in chunk.dictionary.to_pylist() for chunk in column.chunks)
    is_text = pa.types.is_string(column.type)
    return bool(is_text and pc.min(pc.binary_length(column)).as_py() == 0)


def _first_parsed(
    content: bytes, columns: Columns, types: Sequence[Mapping[str, Any]], separator: bytes
) -> Any | None:
    found = (_parsed(content, columns, each, separator) for each in types)
    return next((table for table in found if table is not None), None)


def _parsed(
    content: bytes, columns: Columns, types: Mapping[str, Any], separator: bytes
) -> Any | None:
    import pyarrow as pa
    from pyarrow import csv

    if not content or b"\0" in content:
        return None
    every = {name: words_type() for name in columns.names} | dict(types)
    try:
        table = csv.read_csv(
            pa.BufferReader(content),
            # Several processes read several runs.
            read_options=csv.ReadOptions(column_names=list(columns.names), use_threads=False),
            parse_options=csv.ParseOptions(
                delimiter=separator.decode(), quote_char=False, double_quote=False
            ),
            convert_options=csv.ConvertOptions(column_types=every, null_values=[]),
        )
    except pa.ArrowException:
        return None
    return None if any(map(_has_empty_cells, table.columns)) else table


# --- Runs and qrels of other programs: a number for each document of a topic ---
#
# They are dictionaries of pytrec_eval, objects of ranx, records of ir_measures and ir_datasets,
# data frames, and files that name their columns. None of these programs is imported: what they have
# is known by its attributes.


class Record(Protocol):
    """A document of a topic, as ``ScoredDoc`` and ``Qrel`` of ir_measures."""

    @property
    def query_id(self) -> str:
        """The topic."""

    @property
    def doc_id(self) -> str:
        """The document."""


class OfRanx(Protocol):
    """A ``Run`` or ``Qrels`` of ranx."""

    name: str | None

    def to_dict(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the numbers by topic and document."""

    def get_doc_ids_and_scores(self) -> Any:
        """Return the documents of each topic."""


class Number(NamedTuple):
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
SCORE = Number(
    "score",
    (HEADERS["score"],),
    "ScoredDoc",
    number_of,
    np.isfinite,
    "the score {} is not a finite number; expected one such as 12.5",
)
RELEVANCE = Number(
    "relevance",
    (frozenset({"relevance", "rel", "label", "judgment", "judgement", "grade"}), HEADERS["score"]),
    "Qrel",
    lambda text: float(text) if _WHOLE.fullmatch(text) else None,
    lambda levels: (levels == np.rint(levels)) & (np.abs(levels) <= LARGEST),  # not NaN
    f"the relevance is {{}}; expected a whole number such as 0 or 1, at most {LARGEST:,}",
)
_BEIR = ["query-id", "corpus-id", "score"]
_RANK = "rank"
#: Columns that data frames of pyterrier have beside that of the ids: the text of a topic, and the
#: number of a document in the index.
_QUERY, _DOCID, _DOCNO = "query", "docid", "docno"


class Records(NamedTuple):
    """Labels of topics and documents, the number of each, and perhaps its rank."""

    topics: list[str]
    documents: list[str]
    numbers: Sequence[Any]
    ranks: Array | None = None
    #: The line of each in a file, whose numbers are text.
    lines: Sequence[int] | None = None


def is_one(given: object) -> bool:
    """Tell whether something is one run or qrels in memory, rather than several or a file."""
    if isinstance(given, Mapping):
        return any(map(_has_numbers, given.values()))
    return _is_of_ranx(given) or is_frame(given)


def is_record(given: object) -> bool:
    """Tell whether something is the record of a document."""
    return hasattr(given, "query_id") and hasattr(given, "doc_id")


def is_frame(given: object) -> TypeGuard[IntoFrame]:
    """Tell whether something is a data frame of any library."""
    return hasattr(type(given), "columns")  # a lazy frame would look for its own, with a warning


def name_of(given: object) -> str | None:
    """Return the name that ranx has for a run, if it has one."""
    name = given.name if _is_of_ranx(given) else None
    return str(name) if name else None


def records_of(source: str, given: object, number: Number) -> Records | None:
    """Return the records of an object that is not a data frame; None for an unknown kind.

    `source` is for messages. Raises `RunError` for a topic that has no documents by their ids, and
    for records without the number.
    """
    if _is_of_ranx(given):
        expected = "Run" if number is SCORE else "Qrels"
        if type(given).__name__ != expected:
            raise RunError(f"{source}: {a_type(given)} of ranx is given; expected a {expected}")
        given = given.to_dict()
    if isinstance(given, Mapping):
        return _of_dictionary(source, given, number)
    if isinstance(given, Iterable) and not isinstance(given, str | bytes | np.ndarray):
        return _of_list(source, list(given), number)
    return None


def records_of_frame(
    source: str,
    given: IntoFrame,
    number: Number,
    *,
    of_one: bool = False,
    lines: Sequence[int] | None = None,
) -> dict[str | None, Records]:
    """Return the columns of a data frame, by system if it has a column of systems.

    All are those `of_one` system if that has another name. `lines` are those of a file.

    Raises `RunError` if there is no column of topics, documents or numbers, or more than one.
    """
    import pandas as pd

    frame = as_pandas(given, source)
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
    every = Records(ids, documents, column, ranks, lines)
    systems = [i for i, name in enumerate(names) if heads("system", name)]
    if number is not SCORE or not systems or of_one:
        return {None: every}
    if len(systems) > 1:
        raise RunError(
            f"{source} has the columns {listed([repr(names[i]) for i in systems])}; expected one "
            "of the systems, or none"
        )
    return _by_system(every, _texts(frame, systems[0]))


def records_of_table(
    source: str, content: bytes, number: Number, *, of_one: bool = False
) -> dict[str | None, Records]:
    """Return the records of a file whose first line names the columns, by system if it has those.

    Columns are separated by tabs, commas or spaces, as in the qrels of BEIR. Returns {} for a file
    without such a line; raises what `records_of_frame` raises, and `RunError` with the line for
    another number of columns.
    """
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
    if number is SCORE and lower == _BEIR:
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


class Checked(NamedTuple):
    """Records after checks: topics, the number of that of each record, documents and numbers."""

    topics: list[str]
    codes: IntArray
    documents: Any
    numbers: Array


def checked(source: str, records: Records, number: Number) -> Checked:
    """Return the records as arrays.

    Raises `RunError` with the place if there is none, for an empty label, for a document that a
    topic has twice, and for a number that is not accepted.
    """
    import pyarrow as pa

    def place(row: int) -> str:
        if records.lines is not None:
            return f"{source}, line {records.lines[row]}"
        return f"{source}, topic {records.topics[row]!r}, document {records.documents[row]!r}"

    if not records.topics:
        raise RunError(
            f"there is no document in {source}; expected documents by topic, each with its "
            f"{number.name}"
        )
    for kind, labels in (("topic", records.topics), ("document", records.documents)):
        if "" in labels:
            raise RunError(f"{place(labels.index(''))}: the {kind} has no name; expected one")
    topics, codes = coded(pa.array(records.topics, pa.string()))
    documents = pa.array(records.documents, pa.string()).dictionary_encode()
    if has_duplicates(codes, documents):
        pairs = list(zip(records.topics, records.documents, strict=True))
        first = dict(zip(reversed(pairs), range(len(pairs))[::-1], strict=True))
        row = next(i for i, pair in enumerate(pairs) if first[pair] != i)
        what = "the topic has the document already"
        if records.lines is not None:
            topic, document = map(_shown, pairs[row])
            line = records.lines[first[pairs[row]]]
            what = f"topic {topic} has document {document} already in line {line}"
        raise RunError(f"{place(row)}: {what}; expected each document once")
    as_text = records.lines is not None
    values = _doubles([*map(number.of_text, records.numbers)] if as_text else records.numbers)
    if not (good := number.accepted(values)).all():
        row = int(good.argmin())
        raise RunError(f"{place(row)}: {number.refused.format(_shown(records.numbers[row]))}")
    return Checked(topics, codes, documents, values)


def _shown(value: Any) -> str:
    return of_cell(value) if isinstance(value, str) else shown(value)


def _doubles(numbers: Sequence[Any]) -> Array:
    """Return numbers as doubles, NaN for other objects."""
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


def _by_system(records: Records, systems: list[str]) -> dict[str | None, Records]:
    """Return the records of each system, in the order of their first ones."""
    rows: dict[str | None, list[int]] = {}
    for row, system in enumerate(systems):
        rows.setdefault(system, []).append(row)
    if len(rows) == 1:
        return dict.fromkeys(rows, records)
    return {
        system: Records(
            [records.topics[row] for row in own],
            [records.documents[row] for row in own],
            [records.numbers[row] for row in own],
            None if records.ranks is None else records.ranks[own],
            None if records.lines is None else [records.lines[row] for row in own],
        )
        for system, own in rows.items()
    }


def _of_dictionary(source: str, given: Mapping[Any, Any], number: Number) -> Records:
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
    return Records(topics, texts(documents), numbers)


def _of_list(source: str, given: list[Any], number: Number) -> Records:
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
    return Records(texts(topics), texts(documents), numbers)


def _is_of_ranx(given: object) -> TypeGuard[OfRanx]:
    return hasattr(given, "get_doc_ids_and_scores") and hasattr(given, "to_dict")


def _has_numbers(own: object) -> bool:
    """Tell whether a value of a dictionary has numbers by document, and no documents by topic.

    A text in place of a number is one that is refused later.
    """
    if not isinstance(own, Mapping) or not own:
        return False
    first = next(iter(own.values()))
    return isinstance(first, str) or not isinstance(first, Iterable)


def _places(names: Sequence[str], headers: frozenset[str]) -> list[int]:
    return [i for i, name in enumerate(names) if name in headers]


def _heads_topics(name: str) -> bool:
    """Tell whether a column has topics; a corpus-id of BEIR is that of a document."""
    return heads("topic", name) and name.lower() not in DOCUMENTS


def _ids(names: Sequence[str], found: list[int], other: str) -> list[int]:
    """Return the columns without those of the name `other`, if there are several."""
    ids = [i for i in found if names[i] != other]
    return ids if len(found) > 1 and ids else found


def _documents(frame: pd.DataFrame, names: Sequence[str]) -> list[int]:
    """Return the columns of documents, without whole numbers in docid beside docno."""
    from pandas.api.types import is_integer_dtype

    found = _places(names, DOCUMENTS)
    numbered = any(
        names[i] == _DOCID and is_integer_dtype(frame.iloc[:, i].infer_objects()) for i in found
    )
    there = numbered and any(names[i] == _DOCNO for i in found)
    return _ids(names, found, _DOCID) if there else found


def _texts(frame: pd.DataFrame, place: int) -> list[str]:
    return texts(frame.iloc[:, place].tolist())
