"""Published tables: their numbers, at the precision of their digits, against those of R."""

from __future__ import annotations

import csv
import html
import io
import json
import math
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from cdfscore.common.files import path_of, readable, source_name
from cdfscore.common.text import counted, listed, number, printable
from cdfscore.errors import ScoresError, VerificationError
from cdfscore.r.analysis import Checked
from cdfscore.scores.delimited import decoded, separator_of
from cdfscore.scores.tables import encode_table, unguarded
from cdfscore.standardization.policies import ConstantPolicy, MissingPolicy
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.significance.contract import parse_test

if TYPE_CHECKING:
    import pandas as pd

PUBLISHED = Path(__file__).with_suffix(".R")
#: The columns of a table of differences.
COLUMNS = ("row", "column", "published", "anew")
#: What every number may differ by, in terms of its size.
_RELATIVE = 1e-9
_OTHERS = (".html", ".htm", ".pdf", ".parquet", ".xlsx", ".xls", ".ods", ".docx")
_WRITTEN = (".json", ".md", ".tex")
#: What a result in JSON states of each analysis, and how a message tells it.
_STATED = {
    "is of the test {test}": (
        *("test", "baselines", "adjust", "effect", "alpha", "missing", "constant"),
    ),
    "is of the linear model {formula}": ("sums_of_squares", "formula"),
    "is of the mixed model {formula}": ("random", "formula", "method"),
}
_LISTS = {"baselines": "systems", "random": "terms"}
#: Functions that make two spellings of one option equal.
_SPELLED: dict[str, Callable[[Any], object]] = {
    "test": lambda each: str(parse_test(each)),
    "baselines": list,
    "random": list,
    "alpha": float,
}
# What a caption, and a family in JSON, says of two collections.
_OF_COLLECTIONS = re.compile(r"each\s+of\s+\d+\s+systems\s+of\s+the\s+first\s+collection\s+with")
#: Numbers as text, which has their digits.
_AS_TEXT: dict[str, Any] = {"parse_float": str, "parse_int": str, "parse_constant": str}
_TABULAR = re.compile(
    r"\\begin\{(?:tabular|longtable)\}\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
    r"(?:(?:(?!\\end\{).)*?\\endfirsthead)?(.*?)\\end\{(?:tabular|longtable)\}",
    re.DOTALL,
)
_SIGNS = {
    r"\textless{}": "<",
    r"\textgreater{}": ">",
    r"\textbar{}": "|",
    r"\textasciitilde{}": "~",
    r"\textasciicircum{}": "^",
    r"\textbackslash{}": "\\",
    r"\infty": "Inf",
    "-{}": "-",
}
_COMMAND = re.compile(
    r"\\(?:text[a-z]+|allowbreak)\{\}|\\infty|-\{\}|\^?\{([\[*])\}|\\([^A-Za-z])|\$"
)


@dataclass(frozen=True)
class Compared:
    """The comparison of a published table with R: a count, the differences, and notes."""

    count: int
    #: For each difference: row, column, what the table has, and what is computed anew.
    differences: list[tuple[str, ...]]
    notes: list[str]


@dataclass(frozen=True)
class Published:
    """The tables of a file as CSV, each with its name, and what the file states."""

    name: str
    tables: dict[str, bytes]
    settings: dict[str, Any]
    facts: dict[str, Any] = field(default_factory=dict)

    def stated(self, name: str, given: Any, spelled: Callable[[Any], object] = str) -> Any:
        """Return a setting that is given, or that of the file if it is not given (None)."""
        known = self.settings.get(name)
        if known is None or given is None:
            return known if given is None else given
        if spelled(known) != spelled(given):
            shown = ", ".join(known) or "none" if isinstance(known, list) else known
            raise VerificationError(
                f"{name}={given!r} is given, and {self.name} states {shown}; expected the same, or "
                f"no {name}=..."
            )
        return given

    def filled(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options of analyses, those that are not given (None) as the file states."""
        given = {name for name, own in options.items() if own is not None}
        for told, keys in _STATED.items():
            if keys[0] in self.settings and (apart := sorted(given.difference(keys))):
                verb = "is" if len(apart) == 1 else "are"
                raise VerificationError(
                    f"{' and '.join(f'{each}=...' for each in apart)} {verb} given, and "
                    f"{self.name} {told.format_map(self.settings)}; expected no "
                    f"{' and no '.join(f'{each}=...' for each in apart)}"
                )
        return {
            name: self.stated(name, own, _SPELLED.get(name, str)) for name, own in options.items()
        }

    def check(self, settings: Mapping[str, Any]) -> None:
        """Raise `VerificationError` unless these settings of an analysis are those of the file."""
        for told, (key, *_) in _STATED.items():
            if key in self.settings and key not in settings:
                raise VerificationError(
                    f"{self.name} {told.format_map(self.settings)}; expected the result of it"
                )
        self.filled(settings)

    @property
    def policies(self) -> dict[str, str]:
        """The policies that the file states, where one holds for all its schemes."""
        known = {"constant": get_args(ConstantPolicy), "missing": get_args(MissingPolicy)}
        stated = {name: str(self.settings.get(name)) for name in known}
        return {name: policy for name, policy in stated.items() if policy in known[name]}

    def scheme(self, given: str | None) -> str | None:
        """Return the scheme that is given, or the only one of the file, if it states any."""
        known = self.settings.get("scheme", [])
        if given is not None or len(known) == 1:
            return given or str(known[0])
        if known:
            raise VerificationError(
                f"{self.name} has the schemes {listed(known)}; expected scheme=..., one of them"
            )
        return None

    def compared_facts(self, anew: Mapping[str, object], scheme: str) -> Compared:
        """Compare what the file states with facts of the analysis, which is of one scheme.

        A fact that the file states by scheme is one of this scheme. Of a file with several schemes,
        other text and numbers are not compared, as they can be about all of them.
        """
        several = len(self.settings.get("scheme", [])) > 1
        count, differences, others = 0, list[tuple[str, ...]](), []
        for key, own in self.facts.items():
            by_scheme = isinstance(own, dict) and scheme in own
            stated = own[scheme] if by_scheme else own
            is_of_all = several and not by_scheme and not isinstance(own, dict | list)
            if key not in anew or (is_of_all and key != "family"):
                others.append(key)
                continue
            known = json.loads(json.dumps(anew[key]), **_AS_TEXT)
            count += 1
            # `compare` puts the name of a file before the number of systems and their digest.
            is_named = key == "reference" and str(stated).endswith(f", {known}")
            if not is_named and not _is_same(stated, known):
                differences.append(("", key, *map(_shown, (stated, known))))
        notes = [f"stated, but not compared: {', '.join(others)}"] if others else []
        return Compared(count, differences, notes)


def _is_same(one: Any, other: Any) -> bool:
    """Tell whether two values of JSON are equal; numbers are text, and 0 is 0.0."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_is_same(one[k], other[k]) for k in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_is_same, one, other))
    try:
        return one == other or Decimal(one) == Decimal(other)
    except (ArithmeticError, TypeError, ValueError):
        return False


def is_delimited(path: str) -> bool:
    """Tell whether a table is CSV or TSV, by its ending."""
    return Path(path).suffix.lower() not in _WRITTEN


def read_published(path: str | Path) -> Published:
    """Read a table: CSV, TSV, JSON of this package, or the tables of a Markdown or LaTeX file."""
    name = source_name(str(path))
    ending = path_of(path, ScoresError).suffix.lower()
    if ending in _OTHERS:
        raise ScoresError(f"{name} is not accepted; expected CSV, TSV, .json, .md or .tex")
    with readable(path, ScoresError):
        content = Path(path).read_bytes()
    text = decoded(name, content)
    settings, facts = dict[str, Any](), dict[str, Any]()
    if ending == ".json":
        tables, settings, facts = _of_json(name, text)
    elif ending == ".md":
        found = (own.splitlines() for own in re.findall(r"(?:^\|.*\n?)+", text, re.MULTILINE))
        rows = [[own[0], *own[2:]] for own in found if len(own) > 2]
        tables = _with_marks([[_of_line(line) for line in own] for own in rows], text)
    elif ending == ".tex":
        tables = _with_marks([_of_tabular(own) for own in _TABULAR.findall(text)], text)
    else:
        delimiter = separator_of(text)
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        tables = [[unguarded(row) for row in lines if row]]
    if not tables or not all(len(own) > 1 for own in tables):
        raise ScoresError(
            f"{name} has no table; expected a line of names and one or more rows, as CSV or TSV, "
            "or as 'compare' writes .json, .md and .tex"
        )
    for own in tables:
        for i, row in enumerate(own):
            if len(row) != len(own[0]):
                raise ScoresError(
                    f"{name}: row {i} of a table has {counted(len(row), 'cell')} and the line of "
                    f"names {len(own[0])}; expected as many"
                )
    if _OF_COLLECTIONS.search(text):
        raise ScoresError(
            f"{name} compares two collections, and 'verify' computes the tests of one file; "
            "expected a table of one collection"
        )
    for header, *rows in tables:
        if "scheme" in header:
            schemes = dict.fromkeys(row[header.index("scheme")] for row in rows)
            settings.setdefault("scheme", list(schemes))
    several = len(tables) > 1
    return Published(
        name,
        {
            f"{name}, table {i + 1}" if several else name: encode_table(
                own[0], [list(column) for column in zip(*own[1:], strict=True)]
            )
            for i, own in enumerate(tables)
        },
        settings,
        facts,
    )


def _of_json(name: str, text: str) -> tuple[list[list[list[str]]], dict[str, Any], dict[str, Any]]:
    try:
        content = json.loads(text, **_AS_TEXT)
    except (ValueError, RecursionError) as error:
        raise ScoresError(f"{name} is not JSON: {error}; expected a file of 'compare'") from error
    described = content if isinstance(content, dict) else {"rows": content}

    def check(is_right: bool, key: str, expected: str) -> None:
        if not is_right:
            shown = f"{described[key]!r:.60}"
            raise ScoresError(f"{name}: {key!r} is {shown}; expected {expected}")

    if "rows" in described:
        check(_are_records(described["rows"]), "rows", "one or more rows with names")
    of_records = {key: own for key, own in described.items() if _are_records(own)}
    for key, own in of_records.items():
        check(all(_are_values(row) for row in own), key, "numbers and text in each row")
    tables = [_of_records(own) for own in of_records.values()]
    means = described.get("means")
    if means is not None:
        is_right = isinstance(means, dict) and all(map(_are_values, means.values()))
        check(is_right, "means", "a number for each system of each scheme")
        of_systems = [
            {"scheme": scheme, "system": system, "mean": mean}
            for scheme, own in means.items()
            for system, mean in own.items()
        ]
        tables.append(_of_records(of_systems))
    keys = next((own for own in _STATED.values() if own[0] in described), ())
    stated = {key: described[key] for key in keys if described.get(key) is not None}
    for key, value in stated.items():
        if key in _LISTS:
            is_right = isinstance(value, list) and all(isinstance(own, str) for own in value)
            check(is_right, key, f"a list of {_LISTS[key]}")
        else:
            check(isinstance(value, str), key, "a number" if key == "alpha" else "a name")
    if "alpha" in stated:
        level = number(stated["alpha"])
        check(level is not None and math.isfinite(level), "alpha", "a number")
        stated["alpha"] = level
    compared = {*of_records, *keys, "means", "cdfscore"}
    return tables, stated, {key: own for key, own in described.items() if key not in compared}


def _shown(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _are_values(row: object) -> bool:
    return isinstance(row, dict) and not any(isinstance(own, dict | list) for own in row.values())


def _are_records(rows: object) -> bool:
    return isinstance(rows, list) and bool(rows) and all(isinstance(row, dict) for row in rows)


def _of_records(rows: list[dict[str, Any]]) -> list[list[str]]:
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = [["NA" if row.get(name) is None else str(row[name]) for name in names] for row in rows]
    return [names, *cells]


def _with_marks(tables: list[list[list[str]]], text: str) -> list[list[list[str]]]:
    """Add a * to the name of the column of p values if the text states what this mark means."""
    if re.search(r"\*\}? (marks|denotes|indicates|means|:|significant)", text):
        for header, *_ in tables:
            names = [re.sub("[ _]", " ", own.lower()) for own in header]
            found = [own for own in ("adjusted p", "p adjusted", "p", "p value") if own in names]
            if found:
                header[names.index(found[0])] += "*"
    return tables


def _of_line(line: str) -> list[str]:
    cells = re.split(r"(?<!\\)\|", line.strip())[1:-1]
    # In one pass, as \\&lt; is the text &lt;
    pattern = re.compile(r"\\(.)|&#?\w+;")
    return [
        pattern.sub(lambda own: own[1] or html.unescape(own[0]), cell).strip() for cell in cells
    ]


def _of_tabular(text: str) -> list[list[str]]:
    text = re.sub(r"\\shortstack\[.\]\{(.*?)\}", lambda found: found[1].replace(r"\\", " "), text)
    text = re.sub(r"\\(toprule|midrule|bottomrule|hline|endhead|endfoot)\s*", "", text)
    rows = [row.strip() for row in re.split(r"\\\\", text)]
    return [[_of_latex(cell) for cell in re.split(r"(?<!\\)&", row)] for row in rows if row]


def _of_latex(cell: str) -> str:
    cell = re.sub(r" *\\times *10\^\{(-?\d+)\}", r"e\1", cell)
    # In one pass, as what one command stands for may look like another one.
    return _COMMAND.sub(lambda own: own[1] or own[2] or _SIGNS.get(own[0], ""), cell).strip()


@contextmanager
def paths_of(published: Published | None, labels: Iterable[str]) -> Iterator[dict[str, Path]]:
    """Write the tables to files for R, with the `labels` of the analysis; the files by table."""
    known = set(labels)
    escaped = {text: each for each in known if (text := printable(each)) not in known}
    with tempfile.TemporaryDirectory(prefix="cdfscore-") as folder:
        tables = {} if published is None else published.tables
        paths = {name: Path(folder, f"{i}.csv") for i, name in enumerate(tables)}
        for name, path in paths.items():
            content = tables[name]
            if escaped:
                rows = map(unguarded, csv.reader(io.StringIO(content.decode(), newline="")))
                header, *own = ([escaped.get(cell, cell) for cell in row] for row in rows)
                content = encode_table(header, [list(column) for column in zip(*own, strict=True)])
            path.write_bytes(content)
        yield paths


def differences_of(
    published: Published | None, found: Sequence[Compared], facts: Mapping[str, object], scheme: str
) -> tuple[list[dict[str, object]], pd.DataFrame, dict[str, list[str]]]:
    """Return a row of `verify` for each table, the table of differences, and notes by table."""
    import pandas as pd

    named = {} if published is None else dict(zip(published.tables, found, strict=True))
    if named and not any(each.count or each.differences for each in found):
        notes = [f"{name}: {note}" for name, each in named.items() for note in each.notes]
        raise VerificationError("; ".join(notes))
    if published is not None and published.facts:
        named[f"{published.name}, what it states"] = published.compared_facts(facts, scheme)
    rows: list[dict[str, object]] = [
        {
            "quantity": f"published {name}",
            "count": each.count,
            **dict.fromkeys(("max_abs", "max_rel", "max_ulp", "allowed_ulp"), math.nan),
            "agrees": not each.differences,
            "reason": None,  # the precision of the table
            "differs": "at the precision of a published table" if each.differences else "",
            "topic": "",
            "system": each.differences[0][0] if each.differences else "",
            "python": math.nan,
            "r": math.nan,
        }
        for name, each in named.items()
        if each.count or each.differences
    ]
    apart = [(name, *row) for name, each in named.items() for row in each.differences]
    notes_on = {name: each.notes for name, each in named.items()}
    return rows, pd.DataFrame(apart, columns=["table", *COLUMNS]), notes_on


def compared_in_r(name: str, found: Any) -> Compared:
    """Return the comparison of a table in R; raises `VerificationError` if R stops."""
    if len(found) == 1:
        raise VerificationError(f"{name}: {' '.join(str(found[0]).split())}")
    parts = dict(zip(found.do_slot("names"), found, strict=True))
    columns = dict(zip(parts["differences"].do_slot("names"), parts["differences"], strict=True))
    rows = list(zip(*(map(str, columns[name]) for name in COLUMNS), strict=True))
    return Compared(int(parts["count"][0]), rows, list(map(str, parts["notes"])))


def allowed_of(checks: Iterable[Checked]) -> dict[str, dict[str, Any]]:
    """Return by how much a number of R may differ from that of a table, if by more than 1e-9 of it.

    For each quantity that is the part relative to the number, an absolute one, and `by` for the
    numbers at the places `at`, whose terms cancel.
    """
    found = {}
    for check in checks:
        quantity, tolerance, terms = check.quantity, check.tolerance, check.terms
        share = min(tolerance.ulp, Tolerance.MOST) * 2.0**-52
        relative, absolute = max(share, _RELATIVE), share * tolerance.floor
        values = np.abs(quantity.values)
        at, by = np.array([], dtype=np.intp), np.array([])
        if terms is not None and len(values) == 1:
            size = np.where(values < terms / 2, terms, 0.0)[0] * share
            at = np.flatnonzero(size > np.fmax(relative * values[0], absolute))
            by = np.array([float(f"{each:.1e}") for each in size[at]]) * 1.1
        if share > _RELATIVE or absolute or len(at):
            own: dict[str, Any] = {"relative": relative, "absolute": absolute}
            if len(at):
                own |= {"at": [float(place + 1) for place in at], "by": by.tolist()}
            found[quantity.name] = own
    return found
