"""Lines of columns, as in runs and qrels: each line is one record, with all its columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from cdfscore.errors import RunError
from cdfscore.io.scores.cells import shown
from cdfscore.io.text import counted
from cdfscore.trec.run import coded

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
                f"{source}, line {line} has the column {shown(bad)}{_TWO}; expected no columns of "
                "another record in it"
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
