"""Runs and qrels of other programs: a number for each document of a topic.

They are dictionaries of pytrec_eval, objects of ranx, records of ir_measures and ir_datasets, data
frames, and files that name their columns. None of these programs is imported: what they have is
known by its attributes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeGuard

import numpy as np

from cdfscore.errors import RunError
from cdfscore.io.scores.cells import shown as of_cell
from cdfscore.io.scores.delimited import text_table
from cdfscore.io.scores.kinds import as_pandas
from cdfscore.io.scores.labels import DOCUMENTS, HEADERS, heads, texts
from cdfscore.io.text import a_type, listed
from cdfscore.io.text import number as number_of
from cdfscore.numerics.numbers import shown
from cdfscore.numerics.types import Array, BoolArray, IntArray
from cdfscore.trec.lines import first_line
from cdfscore.trec.run import coded, has_duplicates

if TYPE_CHECKING:
    import pandas as pd
    from narwhals.typing import IntoFrame


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
