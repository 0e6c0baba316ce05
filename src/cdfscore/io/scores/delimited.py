"""Comma- or tab-separated text: fast parsing of plain tables, slow parsing of all others."""

from __future__ import annotations

import re

from cdfscore.errors import ScoresError
from cdfscore.io.scores.exact import parse_exactly
from cdfscore.io.scores.how import How
from cdfscore.io.scores.quick import parse_plain
from cdfscore.io.scores.table import Table

#: First bytes of files that are not text but may have the name of a table.
_NO_TEXT = {
    b"PK\x03\x04": "an Excel workbook or a zip archive",
    b"\x1f\x8b": "compressed by gzip",
    b"PAR1": "a Parquet file, which is known by the ending .parquet",
}
# A field in quotes, which may span several lines; and all fields of the first line.
_QUOTED = re.compile(r'(?<![^,\t])"[^"]*(?:""[^"]*)*"')
_HEADER = re.compile(rf"(?:{_QUOTED.pattern}|[^\"\r\n]+|\")*")


def parse_delimited(source: str, content: bytes, how: How) -> Table:
    """Parse a file's bytes: the separator is a tab if the first line has one, else a comma.

    Raises `ScoresError` with the line for content that is not a table of scores.
    """
    text = decoded(source, content)
    separator = separator_of(text)
    plain = parse_plain(source, content, separator, how)
    return plain or parse_exactly(source, text, separator, how)


def separator_of(text: str) -> str:
    """Return the separator of a table: a tab if the first line has one outside of quotes."""
    header = _HEADER.match(text)
    return "\t" if header is not None and "\t" in _QUOTED.sub("", header[0]) else ","


def decoded(source: str, content: bytes) -> str:
    """Return the text of a file; raises `ScoresError` with the line unless it is in UTF-8."""
    for beginning, what in _NO_TEXT.items():
        if content.startswith(beginning):
            raise ScoresError(f"{source} is {what}; expected a text file with commas or tabs")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = len(re.findall(rb"\r\n?|\n", content[: error.start])) + 1
        raise ScoresError(
            f"{source}, line {line}: byte {content[error.start]:#04x} is not UTF-8; "
            "expected a text file in UTF-8"
        ) from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise ScoresError(
            f"{source}, line {line} has a NUL character; expected a text file in UTF-8"
        )
    return text
