"""Comma- or tab-separated text: fast parsing of plain tables, slow parsing of all others."""

from __future__ import annotations

import re

from cdfscore.errors import ScoresError
from cdfscore.io.compression import GZIP
from cdfscore.io.scores.exact import parse_exactly
from cdfscore.io.scores.how import How
from cdfscore.io.scores.quick import parse_plain
from cdfscore.io.scores.table import Table

_SAVE_AS_CSV = "expected a text file with commas or tabs, such as a CSV file saved from Excel"
_FROM_R = "expected a CSV file, which write.csv(scores, FILE, row.names = FALSE) writes in R"
#: First bytes of files that are not text but may have the name of a table: what they are, and what
#: to do.
_NO_TEXT = {
    b"PK\x03\x04": ("an Excel workbook or a zip archive", _SAVE_AS_CSV),
    GZIP: (
        "compressed by gzip",
        "expected a text file with commas or tabs; gunzip decompresses it",
    ),
    b"PAR1": (
        "a Parquet file, which is known by the ending .parquet",
        "expected that ending, or a text file with commas or tabs",
    ),
    b"\xff\xfe": ("text in UTF-16", "expected text in UTF-8"),
    b"\xfe\xff": ("text in UTF-16", "expected text in UTF-8"),
    # As saveRDS and save write them without compression.
    b"X\n\0\0": ("an R data file", _FROM_R),
    b"RDX": ("an R data file", _FROM_R),
}
#: Endings of the data files of R, and first bytes of gzip, bzip2 and xz, which compress them.
_DATA_OF_R = (".rds", ".rda", ".rdata")
_COMPRESSED = (GZIP, b"BZh", b"\xfd7zXZ\0")
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
    if source.lower().endswith(_DATA_OF_R) and content.startswith(_COMPRESSED):
        raise ScoresError(f"{source} is an R data file; {_FROM_R}")
    for beginning, (what, expected) in _NO_TEXT.items():
        if content.startswith(beginning):
            raise ScoresError(f"{source} is {what}; {expected}")
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
