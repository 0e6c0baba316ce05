"""Conversion of the text of a cell to a score."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from cdfscore.common.text import counted, listed, number
from cdfscore.errors import ScoresError
from cdfscore.stats.numerics.types import Array

#: Spellings of a missing score in a file.
MISSING = frozenset({"", "NA", "NaN", "nan"})
#: Forms of a cell around a value x, from the outside in, by their names, and what is read. Nothing
#: but the value is: a spread after it and marks of significance are left out.
FORMS = {
    "**value**": (
        r"(?:(?P<sign>\*{1,3}|_{1,2})|\\[a-z]+\{)(?P<x>[^*_{}]+)(?(sign)(?P=sign)|\})",
        "{x}",
    ),
    "value*": (r"(?P<x>[^*†‡§¶↑↓^]+?)\s*(?:[*†‡§¶↑↓]+|\^\{?[a-z*†‡,]+\}?)", "{x}"),
    "value(x)": (r"(?P<x>[^()[\]]+?)\s*(?:\([^()]*\)|\[[^[\]]*\])", "{x}"),
    "value±sd": (  # a percent sign is of both, or of none
        r"\$?(?P<x>[-+]?[^-+±$%\\]+?(?P<percent>\s*\\?%)?)\s*(?:±|\+/?-|\$?\s*\\pm\s*\$?)\s*"
        r"[\d.,]+(?(percent)\s*\\?%)\$?",
        "{x}",
    ),
    "value%": (r"(?P<x>[^%\\]+?)\s*\\?%", "{x}e-2"),
    "1,000.5": (r"(?P<x>[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?(?:e-2)?)", "{x}"),
}
# Characters of a text that may stand for a missing score, as OOM and "not run".
_SHORT = 20
_WITH_COMMA = re.compile(r"[-+]?\d*,\d+(?:[eE][-+]?\d+)?")
_WITH_POINT = re.compile(r"[-+]?\d*\.\d+(?:[eE][-+]?\d+)?")


@dataclass(frozen=True)
class Cells:
    """How cells are read that are no plain numbers: what the user says that they are.

    A cell with one of the texts `missing`, or with a number that one of them is, has no score.
    `forms` are of `FORMS`. With `commas`, decimals have them, as in files of Excel with semicolons.
    """

    missing: frozenset[str] = frozenset()
    forms: tuple[str, ...] = ()
    commas: bool = False
    #: How often each text and form was met in a file, for a note.
    met: Counter[str] = field(default_factory=Counter, compare=False, repr=False)

    def __bool__(self) -> bool:
        return bool(self.missing or self.forms or self.commas)

    def plain(self, cell: str) -> str:
        """Return the cell as a plain number, or NA; one that is neither comes back as it is."""
        text = cell.strip()
        if self.is_missing(text):
            return "NA"
        applied = []
        for form in self.forms:
            if (found := re.fullmatch(FORMS[form][0], text)) is not None:
                text = FORMS[form][1].format(x=found["x"].strip())
                applied.append(form)
        if self.commas and _WITH_COMMA.fullmatch(text.removesuffix("e-2")):
            applied.append(",")
            text = text.replace(",", ".")
        elif "1,000.5" in applied:
            text = text.replace(",", "")
        elif self.commas and _WITH_POINT.fullmatch(text.removesuffix("e-2")):
            applied.append(".")
        if number(text) is None:
            return cell
        self.met.update(applied)
        return text

    def value(self, cell: object) -> object:
        """Return a cell of JSON or of a frame: text in these forms as a number, or None."""
        if not self or not isinstance(cell, str | int | float) or isinstance(cell, bool):
            return cell
        if not isinstance(cell, str):
            return None if self.is_missing(repr(cell)) else cell
        plain = self.plain(cell)
        if plain == "NA":
            return None
        return cell if plain is cell else number(plain)

    @cached_property
    def _numbers(self) -> dict[Any, str]:
        return {number(text): text for text in sorted(self.missing) if number(text) is not None}

    def numbers(self, scores: Array) -> Array:
        """Return numbers, NaN where one is that of a missing score."""
        gone = np.isin(scores, list(self._numbers))
        for value, own in self._numbers.items():
            if times := int(np.count_nonzero(scores == value)):
                self.met[f"na {own}"] += times
        return np.where(gone, np.nan, scores) if gone.any() else scores

    def is_missing(self, text: str) -> bool:
        """Tell whether the user says that this is no score, and remember it."""
        own = text if text in self.missing else self._numbers.get(number(text))
        if own is not None:
            self.met[f"na {own}"] += 1
        return own is not None

    def notes(self, source: str) -> list[str]:
        """Return what was read in another way than as a plain number."""
        if not (met := self.met):
            return []
        if met[","] and met["."]:
            raise ScoresError(
                f"{source} has semicolons between its fields, {counted(met[','], 'number')} with a "
                f"decimal comma and {met['.']:,} with a decimal point; expected one of them"
            )
        texts = {name.removeprefix("na "): n for name, n in met.items() if name[:3] == "na "}
        found = []
        if texts:
            number_of = counted(sum(texts.values()), "cell")
            found.append(f"{number_of} ({listed(sorted(texts))}) without a score, as asked")
        found += [f"{counted(met[form], 'cell')} in the form {form}" for form in FORMS if met[form]]
        if met[","]:
            found.append(f"{counted(met[','], 'number')} with a decimal comma")
        return [f"{source}: {' and '.join(found)}"] if found else []

    def unmet(self, source: str) -> list[str]:
        """Return the note on what the user says of cells and no cell is, if there is something."""
        idle = [f"na={[text]!r}" for text in sorted(self.missing) if not self.met[f"na {text}"]]
        idle += [f"cells={[form]!r}" for form in self.forms if not self.met[form]]
        what = f"{' and '.join(idle)} {'is' if len(idle) == 1 else 'are'} given"
        return [f"{source}: {what}, and no cell is so"] if idle else []


def advice(cell: str) -> str:
    """Return how the user can say what a cell is that is no plain number, if there is a way."""
    every = Cells(forms=tuple(FORMS))
    plain = every.plain(cell)
    if every.met:
        return f"; cells={list(every.met)!r} reads {number(plain)!r}"
    if 0 < len(cell.strip()) <= _SHORT and not any(map(str.isdigit, cell)):
        return f"; na={[cell.strip()]!r} says that the score is missing"
    return ""


def advice_on_column(
    column: str, cells: Sequence[str], cell: str, *, named: bool, of_systems: bool
) -> str:
    """Return what to do with a cell that is no score, or with its column, if there is a way."""
    if cell.strip() == column:
        return "; the names of the columns are there again, as in joined files: leave that line out"
    if not is_of_words(cells):
        known = advice(cell)
    elif of_systems:
        known = ""
    else:
        known = (
            ""
            if named
            else f"; if {shown(column)} has the labels of the rows, name it by topic_column=..."
        )
        known += (
            "; if each row has one score, name its columns by topic_column=..., system_column=... "
            "and score_column=..."
        )
    task = f"; if {shown(column)} is no task, leave it out by drop_topics=..."
    return known + (task if of_systems else "")


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
    """Tell whether a column has words and nothing that may be meant as a number."""
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
