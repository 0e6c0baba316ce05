"""Conversion of the text of a cell to a score."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from cdfscore.errors import ScoresError
from cdfscore.io.decimals import number

#: Spellings of a missing score in a file.
MISSING = frozenset({"", "NA", "NaN", "nan"})


# What begins with a number, after signs of any kind, may be a score with a mark, an error or a sign
# of percent: 0.5*, 40%. It is not a score with a unit of size, in a word that begins with a whole
# number (4bit, 5-shot), in a date, and after the sign of a currency; $0.5$ is of LaTeX.
_NUMBER = re.compile(r"[^\w.,]*((?:\d|[.,]\d).*)", re.DOTALL)
_CURRENCY = re.compile(r"[$€£¥][^$]*")
_NO_NUMBER = re.compile(
    r"\d+(?:\.\d+)?\s?(?:[KMGBT](?:i?B)?|[mb]illion)|\d+-?[^\W\d_].*"
    r"|\d{4}[-/.]\d\d?(?:[-/.]\d+)?|\d\d?/\d\d?/\d+",
    re.DOTALL,
)


def is_of_words(cells: Iterable[str]) -> bool:
    """Tell whether a column has words and nothing that may be meant as a number.

    Scores with a mark, such as 0.5* and 40%, may be. Sizes such as 7B and 1.5B are words.

    Examples
    --------
    >>> is_of_words(["Open", "NA", "7B"]), is_of_words(["Open", "0.3"]), is_of_words(["0.3*"])
    (True, False, False)
    """
    texts = {cell.strip() for cell in cells} - MISSING
    return bool(texts) and not any(map(_may_be_a_number, texts))


def _may_be_a_number(text: str) -> bool:
    if number(text) is not None:
        return True
    if _CURRENCY.fullmatch(text):
        return False
    found = _NUMBER.fullmatch(text)
    return found is not None and _NO_NUMBER.fullmatch(found[1]) is None


def scores_of_row(source: str, line: int, columns: Sequence[str], cells: list[str]) -> list[float]:
    """Read a row of cells as scores, NaN where one is missing; raises `ScoresError`."""
    text = "".join(cells)
    if text.isascii() and "_" not in text:  # float() would accept 1_000 and digits of other scripts
        try:
            row = list(map(float, cells))
        except ValueError:
            pass
        else:
            if all(map(math.isfinite, row)):
                return row
    return [score(source, line, c, cell) for c, cell in zip(columns, cells, strict=True)]


def score(source: str, line: int, column: str, cell: str) -> float:
    """Read one cell; raises `ScoresError` with its place unless it is a score or missing."""
    text = cell.strip()
    if text in MISSING:
        return math.nan
    value = number(text)
    if value is not None and math.isfinite(value):
        return value
    if value is not None:
        what = "is not finite"
    elif re.fullmatch(r"[-+]?[\d.]+(,\d+)+", text):
        what = "has a comma"
    elif text.endswith("%") and number(text[:-1]) is not None:
        what = "has a percent sign"
    else:
        what = "is not a number"
    raise ScoresError(
        f"{source}, line {line}, column {shown(column)}: {shown(text)} {what}; "
        "expected a score such as 0.2731, or NA where it is missing"
    )


def shown(text: str) -> str:
    """Quote `text` for a message, shortened if it is long."""
    return repr(text) if len(text) <= 60 else f"{text[:50]!r}..."
