"""Results as text and files: what a result gives, and what each format makes of it.

A result gives tables for readers, tables for a paper, and numbers for programs, and any format
writes any result. The module of this package that has the name of the result's own package
registers what it gives; it is imported when one of its results is written first.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass, replace
from functools import singledispatch
from html import escape
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from cdfscore import __version__
from cdfscore.common.files import check_ending
from cdfscore.common.text import capitalized, each_in_units, in_units, json_of, printable
from cdfscore.scores.tables import DELIMITERS, encode_frame
from cdfscore.stats.schemes.base import scheme_label

if TYPE_CHECKING:
    import pandas as pd


#: Text for a missing number.
NO_NUMBER = "-"
#: Headers of columns of schemes.
OF_SCHEMES = ("scheme", "from", "to")
#: A row of the table of a result, by the names of its columns.
Row = dict[Any, Any]


@dataclass(frozen=True)
class Column:
    """A column of text; the text of a numeric column has no letters except "inf" and "e"."""

    header: str
    numeric: bool
    cells: list[str]
    minor: int = 0


@dataclass(frozen=True)
class Captioned:
    """A table with its caption; `title` is a short name for places without room for the caption."""

    title: str
    caption: str
    columns: list[Column]

    def rows(self) -> Iterator[tuple[str, ...]]:
        """Yield the cells of each row, as printable text."""
        return zip(*(map(printable, column.cells) for column in self.columns), strict=True)

    def with_caption(self, title: str, *sentences: str) -> Captioned:
        """Return the table with another title, and with sentences as the caption."""
        return replace(self, title=title, caption=as_text(*sentences))

    def in_words(self, units: tuple[str, str]) -> Captioned:
        """Return the table in the words of its scores, with schemes as papers name them."""
        columns = []
        for each in self.columns:
            cells = each.cells
            if each.header in OF_SCHEMES:
                cells = [cell if cell == "raw" else scheme_label(cell) for cell in cells]
            elif each.header in ("systems", "quantity"):  # and not one system by its name
                cells = each_in_units(units, cells)
            columns.append(replace(each, header=in_units(units, each.header), cells=cells))
        title, caption = each_in_units(units, (self.title, self.caption))
        return Captioned(title, caption, columns)

    def shortened(self, rows: int) -> Captioned:
        """Return the first rows, with their number in the caption if there are more."""
        count = len(self.columns[0].cells)
        if count <= rows:
            return self
        return replace(
            self,
            caption=f"{self.caption} Shown here: the first {rows} of {count:,} rows.",
            columns=[replace(column, cells=column.cells[:rows]) for column in self.columns],
        )


def as_text(*sentences: str) -> str:
    """Return sentences as a text; each ends with a mark, a full stop if it has none."""
    return " ".join(s if s.endswith((".", "?", "!")) else f"{s}." for s in sentences)


def as_sentence(note: str, schemes: Iterable[str] = ()) -> str:
    """Return a note with a capital, unless it begins with the name or label of a scheme."""
    names = {name for scheme in schemes for name in (scheme, scheme_label(scheme))} - {"raw scores"}
    named = note.startswith(tuple(f"{name}{mark}" for name in names for mark in ":, "))
    return note if named else capitalized(note)


def records(table: pd.DataFrame) -> list[Row]:
    """Return the rows of a table, with None for a missing count."""
    import pandas as pd

    counts = [name for name, kind in table.dtypes.items() if kind == pd.Int64Dtype()]
    found = table.astype(dict.fromkeys(counts, object))
    return found.replace({pd.NA: None}).to_dict("records")


def schemes_of(schemes: Sequence[str], rows: Sequence[Row]) -> list[Column]:
    """Return the column of schemes, which a table of one scheme does not have."""
    if len(schemes) == 1:
        return []
    return [Column("scheme", False, [printable(row["scheme"]) for row in rows])]


def shown_p(p: float, alpha: float) -> str:
    """Return a p value with three decimals, and * if it is at most alpha."""
    if math.isnan(p):
        return NO_NUMBER
    text = "< 0.001" if p < 0.001 else f"{p:.3f}"
    return f"{text}*" if p <= alpha else text


def fixed(value: float, digits: int) -> str:
    """Return a number with `digits` decimals, or six digits from 1e9 on; zero without a sign.

    A number that is not 0 does not look like 0: it has `digits` digits instead, at least two.

    >>> fixed(0.00005, 4), fixed(0.000049, 4), fixed(-0.0, 4), fixed(2.5e9, 4)
    ('0.0001', '4.9e-05', '0.0000', '2.5e+09')
    """
    if math.isnan(value):
        return NO_NUMBER
    if abs(value) >= 1e9:
        return f"{value:.6g}"
    text = f"{value:z.{digits}f}"
    return f"{value:.{max(digits, 2)}g}" if value and not float(text) else text


def shown_score(value: float) -> str:
    """Return a score with four decimals, or with four digits if it is very small or very large."""
    if math.isnan(value):
        return NO_NUMBER
    usual = value == 0 or 1e-4 <= abs(value) < 1e6
    return f"{value:z.4f}" if usual else f"{value:.4g}"


def interval(low: float, high: float, digits: int = 4) -> str:
    """Return an interval with `digits` decimals."""
    if math.isnan(low) or math.isnan(high):
        return NO_NUMBER
    return f"[{fixed(low, digits)}, {fixed(high, digits)}]"


def table_of(
    caption: str, labels: Iterable[str], numbers: Iterable[str], rows: list[list[str]]
) -> Captioned:
    """Return a table with its caption as the title: columns of labels, then of numbers."""
    headers = [(name, False) for name in labels] + [(name, True) for name in numbers]
    columns = [
        Column(header, numeric, [row[i] for row in rows])
        for i, (header, numeric) in enumerate(headers)
    ]
    return Captioned(caption, caption, columns)


def columns_of(rows: Sequence[Mapping[str, str]], words: Sequence[str]) -> list[Column]:
    """Return the columns of rows of text; those that are not named as `words` are numeric."""
    headers = rows[0] if rows else ()
    return [Column(name, name not in words, [row[name] for row in rows]) for name in headers]


def cell_of(value: float | None) -> str:
    """Return a number with four decimals, or a count; a dash if it is missing."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return NO_NUMBER
    return fixed(value, 4) if isinstance(value, float) else f"{value:,}"


_MODULES = ("comparison", "diagnosis", "models", "standardization")
# Rows of a table in a notebook.
_ROWS = 20
# Rows of JSON at a time, as their dictionaries take ten times the memory of their text.
_BLOCK = 1 << 14
_STYLE = (
    "body{font-family:sans-serif;margin:2em}table{border-collapse:collapse}"
    "caption{text-align:left;padding-bottom:.8em;max-width:60em}"
    "th,td{padding:.2em .7em;text-align:left}thead{border-bottom:1px solid}"
    ".number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}"
)
# A notebook has its own style; these are the exceptions.
_IN_NOTEBOOK = (
    ".cdfscore caption{caption-side:top;text-align:left;max-width:60em}"
    ".cdfscore th,.cdfscore td{text-align:left}"
    ".cdfscore .number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}"
)
_ESCAPED = str.maketrans({character: f"\\{character}" for character in "\\`*_[]<>|&~$"})


def _registered(give: Any, result: object) -> Any:
    room = type(result).__module__.removeprefix("cdfscore.").partition(".")[0]
    if room in _MODULES:
        import_module(f"cdfscore.report.{room}")
    found = give.dispatch(type(result))
    return None if found is give.dispatch(object) else found


@singledispatch
def tables_of(result: object) -> list[Captioned]:
    """Return the tables of a result, each with its caption."""
    if (given := _registered(tables_of, result)) is None:
        raise NotImplementedError(f"there is no table of {type(result).__name__}")
    found: list[Captioned] = given(result)
    return found


@singledispatch
def paper_tables_of(result: object) -> list[Captioned]:
    """Return the tables for a paper: those of `tables_of`, if the result has no others."""
    return (_registered(paper_tables_of, result) or tables_of)(result)


@singledispatch
def numbers_of(result: object) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return the table of a result with all digits, and what describes the result."""
    found: tuple[pd.DataFrame, dict[str, Any]] = _registered(numbers_of, result)(result)
    return found


def encode(result: object, path: Path) -> bytes:
    """Return a result as the content of a file, in the format of its ending."""
    ending = check_ending(path, ENDINGS)
    if ending in DELIMITERS:
        return encode_frame(numbers_of(result)[0], DELIMITERS[ending])
    return (as_json(result) if ending == ".json" else text_of(result, ending)).encode()


def text_of(result: object, ending: str) -> str:
    """Return the tables of a result in the format of an ending of `FORMATS`."""
    return FORMATS[ending]((paper_tables_of if ending == ".tex" else tables_of)(result))


def fragment_of(result: object) -> str:
    """Return HTML for a notebook, with the first rows of each table."""
    inner = "\n".join(_table(each.shortened(_ROWS)) for each in tables_of(result))
    return f'<div class="cdfscore"><style>{_IN_NOTEBOOK}</style>\n{inner}</div>\n'


def as_json(result: object) -> str:
    """Return a description and all numbers; null if missing, "Infinity" if unbounded."""
    table, details = numbers_of(result)
    blocks = (table.iloc[start : start + _BLOCK] for start in range(0, len(table), _BLOCK))
    # "[", rows and "]" of each block, one space further in; within text there is no line break.
    rows = ",".join(json_of(plain(records(block)))[1:-2] for block in blocks)
    inner = rows.replace("\n", "\n ") + "\n " if rows else ""
    content = json_of(plain({"cdfscore": __version__, **details}))
    return f'{content[:-2]},\n "rows": [{inner}]\n}}\n'


def described(result: object, *names: str) -> dict[str, Any]:
    """Return attributes of a result by their names."""
    return {name: getattr(result, name) for name in names}


def plain(value: object) -> object:
    """Replace NaN by null and infinite numbers by "Infinity", and make keys text."""
    if is_dataclass(value) and not isinstance(value, type):
        return plain(asdict(value))
    if hasattr(value, "dtypes"):  # a table
        return plain(records(cast("pd.DataFrame", value)))
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else f"{'-' if value < 0 else ''}Infinity"
    return value


def as_page(tables: Sequence[Captioned]) -> str:
    """Return a page with tables and their captions, without scripts or external files."""
    title, body = escape(printable(tables[0].title)), "\n".join(map(_table, tables))
    head = f'<head><meta charset="utf-8"><title>{title}</title>\n<style>{_STYLE}</style></head>'
    return f'<!DOCTYPE html>\n<html lang="en">\n{head}\n<body>{body}</body></html>\n'


def _table(table: Captioned) -> str:
    kinds = [' class="number"' if column.numeric else "" for column in table.columns]
    heads = [
        f'<th scope="col"{kind}>{escape(printable(column.header))}</th>'
        for column, kind in zip(table.columns, kinds, strict=True)
    ]
    found = f"<table>\n<caption>{escape(printable(table.caption))}</caption>\n"
    found += f"<thead><tr>{''.join(heads)}</tr></thead>\n<tbody>\n"
    for row in table.rows():
        cells = (f"<td{k}>{escape(text)}</td>" for text, k in zip(row, kinds, strict=True))
        found += f"<tr>{''.join(cells)}</tr>\n"
    return f"{found}</tbody>\n</table>"


def as_markdown(tables: Sequence[Captioned]) -> str:
    """Return each caption and its pipe table."""
    found = []
    for table in tables:
        texts = [[printable(column.header) for column in table.columns], *table.rows()]
        rows = [[text.translate(_ESCAPED) for text in row] for row in texts]
        rows.insert(1, ["---:" if column.numeric else "---" for column in table.columns])
        lines = [f"| {' | '.join(row)} |" for row in rows]
        found.append("\n".join([printable(table.caption).translate(_ESCAPED), "", *lines, ""]))
    return "\n".join(found)


# LaTeX --------------------------------------------------------------------------------------------

#: The text width in points for which tables are laid out: \textwidth of `article` at 10 pt. Other
#: classes with one column, and `table*` in two columns, have a larger width.
TEXT_WIDTH = 345.0
# Points of a digit of Computer Modern in \small and \footnotesize, and between columns.
_SMALL, _FOOTNOTE = 4.62, 4.25
_WIDE_SEPARATION, _NARROW_SEPARATION = 12.0, 6.0
# The narrowest column of text, in points: 7 letters.
_NARROWEST = 32.0
# Widths of letters in digits, rounded up; all others are as wide as a capital.
_WIDTHS = {
    **dict.fromkeys("ijl.,:;!|'", 0.58),
    **dict.fromkeys(' frstIz()[]/-"`J', 0.8),
    **dict.fromkeys("0123456789acego^", 1.01),
    **dict.fromkeys("bdhknpquvxy_", 1.13),
    **dict.fromkeys("mwMW%@&#", 2.06),
}
_CAPITAL = 1.57
# Letters of a name that is not broken.
_SHORT = 5
# In mathematics: a minus, a relation and the space after it, a power of ten, a raised star.
_MATHEMATICS = {"-": 1.56, "<": 1.7, " ": 0.42, "e": 4.5, "[": 0.58, "]": 0.58, "*": 0.9}

# The last letter that pdflatex can print: letters above it are not Latin.
_LATIN = "\u024f"
# Lines of a page; a longer table is a longtable.
_PAGE = 40
_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        **{character: f"\\{character}" for character in "{}$&#%_"},
        # At the start of a row these would be arguments of \\.
        **{character: f"{{{character}}}" for character in "[*"},
    }
)


def as_latex(tables: Sequence[Captioned]) -> str:
    """Return a table with its caption and label for each, and the packages that they need.

    Tables fit into the text of an article: names in a wide table are broken into lines. If a table
    is still too wide, a comment states it.
    """
    layouts = [layout_of(table) for table in tables]
    long = any(layout.lines > _PAGE for layout in layouts)
    broken = any(layout.breaks for layout in layouts)
    packages = ["booktabs", *(["longtable"] if long else []), *(["array"] if broken else [])]
    needed = "".join(f"% \\usepackage{{{package}}}\n" for package in packages)
    found = "\n".join(map(_latex_table, tables, layouts))
    if max(found) > _LATIN:
        needed += (
            "% There are letters that pdflatex does not have: use lualatex or xelatex, and a font\n"
        )
    for table, layout in zip(tables, layouts, strict=True):
        if not layout.fits:
            needed += (
                f"% The table {printable(table.title)} is wider than the text of an article: turn "
                "it (package rotating), or leave columns out\n"
            )
    return needed + found


def escaped(text: str) -> str:
    """Escape text for LaTeX."""
    return re.sub("-(?=-)", "-{}", text.translate(_LATEX))  # "--" is a longer dash


def _latex_table(table: Captioned, layout: Layout) -> str:
    rows = [
        " & ".join(
            _latex_cell(column, text, layout.breaks.get(i)) for i, (column, text) in enumerate(row)
        )
        for row in (zip(table.columns, texts, strict=True) for texts in table.rows())
    ]
    heads = []
    for column in table.columns:  # in a dense table, numbers have a line for each word above them
        lines = words(printable(column.header)) if column.numeric and layout.is_dense else []
        broken = r"\\".join(map(escaped, lines))
        several = rf"\shortstack[r]{{{broken}}}"
        heads.append(several if len(lines) > 1 else escaped(printable(column.header)))
    header = " & ".join(heads)
    name = "-".join(re.findall("[a-z0-9]+", table.title.lower()))
    label = rf"\label{{tab:{name}}}" if name else ""
    caption = rf"\caption{{{escaped(printable(table.caption))}}}{label}"
    head, body = [r"\toprule", rf"{header} \\", r"\midrule"], [rf"{row} \\" for row in rows]
    lines = [r"\begin{table}", r"\centering", layout.size, caption]
    lines += [rf"\begin{{tabular}}{{{layout.columns}}}", *head, *body]
    lines += [r"\bottomrule", r"\end{tabular}", r"\end{table}", ""]
    if layout.lines > _PAGE:  # it continues with its header
        lines = [rf"{{{layout.size}", rf"\begin{{longtable}}{{{layout.columns}}}"]
        lines += [rf"{caption} \\", *head, r"\endfirsthead", *head, r"\endhead"]
        lines += [r"\bottomrule", r"\endfoot", *body, r"\end{longtable}}", ""]
    return "\n".join(lines)


def _latex_cell(column: Column, text: str, width: float | None) -> str:
    if width is not None:
        parts = r"\allowbreak{}".join(escaped(part) for part in pieces(text, width))
        return parts.replace(r" \allowbreak{}", " ")  # a line may end at a space anyway
    if not column.numeric or text == NO_NUMBER:
        return escaped(text)
    number = text.replace("*", "^{*}").replace("inf", r"\infty")
    powers = re.sub(r"e(?:\+|(-))0*(\d+)", r" \\times 10^{\1\2}", number)
    return f"${powers}$"


class Layout(NamedTuple):
    """The font size, the columns of a tabular, and the columns that are broken into lines.

    `breaks` has the width of a line, in digits, for each column whose text is broken into lines.
    `is_dense` is True if headers of numbers are broken too. `lines` is the approximate number of
    lines of all rows. `fits` is False if the table is still wider than the text.
    """

    size: str
    columns: str
    breaks: dict[int, float]
    is_dense: bool
    lines: int
    fits: bool


def layout_of(table: Captioned) -> Layout:
    """Return a layout within `TEXT_WIDTH`, with smaller letters and broken text if it must be."""
    kinds = ["r" if column.numeric else "l" for column in table.columns]
    natural = [
        max([_width(printable(column.header)), *_cells(column.numeric, column.cells)])
        for column in table.columns
    ]
    if sum(natural) * _SMALL + len(natural) * _WIDE_SEPARATION <= TEXT_WIDTH:
        rows = len(table.columns[0].cells)
        return Layout(r"\small", "".join(kinds), {}, is_dense=False, lines=rows, fits=True)
    widths = [
        _FOOTNOTE * max([*map(_width, words(column.header)), *_cells(True, column.cells)])
        if column.numeric
        else _FOOTNOTE * own
        for column, own in zip(table.columns, natural, strict=True)
    ]
    room = TEXT_WIDTH - len(widths) * _NARROW_SEPARATION
    room -= sum(own for own, kind in zip(widths, kinds, strict=True) if kind == "r")
    wide = [i for i, kind in enumerate(kinds) if kind == "l"]
    for i in sorted(wide, key=widths.__getitem__):  # a narrow column leaves room for the others
        if widths[i] * len(wide) > room:
            break
        room -= widths[i]
        wide.remove(i)
    share = max(room / len(wide), _NARROWEST) if wide else 0.0
    for i in wide:
        kinds[i] = rf">{{\raggedright\arraybackslash}}p{{{share / TEXT_WIDTH:.3f}\linewidth}}"
    breaks = dict.fromkeys(wide, share / _FOOTNOTE)
    lines = sum(
        max([1, *(math.ceil(_FOOTNOTE * _width(row[i]) / share) for i in wide)])
        for row in table.rows()
    )
    fits = room >= len(wide) * _NARROWEST
    size = rf"\footnotesize\setlength{{\tabcolsep}}{{{_NARROW_SEPARATION / 2:g}pt}}"
    return Layout(size, "".join(kinds), breaks, is_dense=True, lines=lines, fits=fits)


def words(header: str) -> list[str]:
    """Return a header in lines of one word; a short name such as d_av is not broken.

    >>> words("adjusted p"), words("rank_biserial_paired"), words("interval of d_z")
    (['adjusted', 'p'], ['rank_', 'biserial_', 'paired'], ['interval', 'of', 'd_z'])
    """
    return [
        part
        for word in header.split()
        for part in ([word] if len(word) <= _SHORT else re.findall("[^_]+_?", word))
    ]


def pieces(text: str, width: float) -> list[str]:
    """Return a text in parts between which a line of `width` digits may end.

    A line may end after a mark, and within words that are wider than a line. A text that fits into
    one line is not broken.

    >>> pieces("bm25_k1.2 abcdefgh", 6), pieces("bm25_k1", 9)
    (['bm25', '_', 'k1.', '2 ', 'abcde', 'fgh'], ['bm25_k1'])
    """
    if _width(text) <= width:
        return [text]
    parts = []
    for word in re.findall(r"[^\W_]+[\W_]?|[\W_]", text):
        part = ""
        for letter in word:
            if part and _width(part + letter) > width:
                parts.append(part)
                part = ""
            part += letter
        parts.append(part)
    return parts


def _cells(numeric: bool, cells: Sequence[str]) -> list[float]:
    return [_width(printable(cell), _MATHEMATICS if numeric else {}) for cell in set(cells)]


def _width(text: str, others: dict[str, float] | None = None) -> float:
    """Return about how wide a text is, in digits, and rather too much than too little."""
    widths = {**_WIDTHS, **(others or {})}
    return sum(widths.get(letter, _CAPITAL) for letter in text)


#: Formats for readers by the ending of the file.
FORMATS: dict[str, Callable[[Sequence[Captioned]], str]] = {
    ".tex": as_latex,
    ".md": as_markdown,
    ".html": as_page,
}
#: Endings of files of a result.
ENDINGS = (*DELIMITERS, ".json", *FORMATS)
