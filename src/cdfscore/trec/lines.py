"""Lines of columns that are separated by white space, as in runs and qrels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from cdfscore.errors import RunError
from cdfscore.io.text import counted

_SPACE, _TAB = b" ", b"\t"
# What trec_eval separates columns at as well, and pyarrow does not.
_OTHER_SPACES = (b"\r", b"\v", b"\f")
# So many bytes have the first that is no space.
_BEGINNING = 64


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
    #: Place of a number, if what comes after the last column is left out, as trec_eval does for
    #: runs: the number tells it from a space in an earlier column.
    number: int | None


def quick_table(content: bytes, columns: Columns, *types: Mapping[str, Any]) -> Any | None:
    """Read the columns by pyarrow, by the first types that fit; None if a line is not as expected.

    Columns are separated by one space or one tab each, or are made so first. A file that is
    refused may be valid all the same, and is then read line by line.
    """
    if _is_tidy(content):
        found = _first_parsed(content, columns, types)
        if found is not None:
            return found
    tidy = _tidied(content, columns)
    return None if tidy is None else _first_parsed(tidy, columns, types)


def fields_of_lines(
    source: str, content: bytes, columns: Columns
) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the columns of each line, without empty lines and comments.

    Raises `RunError` with the line for another number of columns, and for text that is not UTF-8.
    Also raises it for JSON, as ranx and others write.
    """
    if content[:_BEGINNING].lstrip()[:1] in (b"{", b"["):
        raise RunError(
            f"{source} is JSON; expected lines of {columns.kind}, such as {columns.example!r}; in "
            "Python, the dictionary of the JSON is accepted"
        )
    expected = len(columns.names)
    for line, text in enumerate(content.split(b"\n"), start=1):
        fields = text.split()
        if not fields or fields[0].startswith(b"#"):  # as trec_eval
            continue
        try:
            words = [field.decode() for field in fields]
        except UnicodeDecodeError as error:
            raise RunError(
                f"{source}, line {line}: byte {error.object[error.start]:#04x} is not UTF-8; "
                "expected text in UTF-8"
            ) from error
        if b"\0" in text:
            raise RunError(f"{source}, line {line} has a NUL character; expected text in UTF-8")
        if len(words) < expected or (len(words) > expected and columns.number is None):
            count = counted(len(words), "column")
            if len(words) == columns.others:
                count += f", as {columns.other}"
            raise RunError(
                f"{source}, line {line} has {count}; expected {expected} in a line of "
                f"{columns.kind}: {', '.join(columns.names)}"
            )
        yield line, words


def empty(source: str, columns: Columns) -> RunError:
    """Return the error of a file without a line."""
    return RunError(
        f"{source} is empty; expected lines of {columns.kind}, such as {columns.example!r}"
    )


def _is_tidy(content: bytes) -> bool:
    """Tell whether nothing but single spaces, or single tabs, can separate columns.

    Two of them would make an empty cell, which is found later: a search for two takes as long as
    reading the numbers.
    """
    first = content[: content.find(b"\n") if b"\n" in content else None]
    other = _SPACE if _TAB in first else _TAB
    return not (
        other in content
        or any(space in content for space in _OTHER_SPACES)
        or _has_comments(content)
    )


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


def _has_comments(content: bytes) -> bool:
    # The first is quick, and most files have none.
    return b"#" in content and (content.startswith(b"#") or b"\n#" in content)


def _tidied(content: bytes, columns: Columns) -> bytes | None:
    """Separate the columns of each line by single spaces; None if a line has others than those."""
    expected, number = len(columns.names), columns.number
    rows = [line.split() for line in content.split(b"\n")]
    rows = [row for row in rows if row and not row[0].startswith(b"#")]
    if number is not None:  # other numbers than these are left to the exact reading
        rows = [
            row[:expected] if len(row) > expected and row[number].isdigit() else row for row in rows
        ]
    if any(len(row) != expected for row in rows):
        return None
    return b"\n".join(map(_SPACE.join, rows))


def _first_parsed(
    content: bytes, columns: Columns, types: Sequence[Mapping[str, Any]]
) -> Any | None:
    found = (_parsed(content, columns, each) for each in types)
    return next((table for table in found if table is not None), None)


def _parsed(content: bytes, columns: Columns, types: Mapping[str, Any]) -> Any | None:
    import pyarrow as pa
    from pyarrow import csv

    if not content or b"\0" in content:
        return None
    first = content[: content.find(b"\n") if b"\n" in content else None]
    every = {name: words_type() for name in columns.names} | dict(types)
    try:
        table = csv.read_csv(
            pa.BufferReader(content),
            # Several processes read several runs.
            read_options=csv.ReadOptions(column_names=list(columns.names), use_threads=False),
            parse_options=csv.ParseOptions(
                delimiter=(_TAB if _TAB in first else _SPACE).decode(),
                quote_char=False,
                double_quote=False,
            ),
            convert_options=csv.ConvertOptions(column_types=every, null_values=[]),
        )
    except pa.ArrowException:
        return None
    return None if any(map(_has_empty_cells, table.columns)) else table
