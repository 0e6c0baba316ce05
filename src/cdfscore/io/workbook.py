"""Workbooks of Excel (.xlsx): a sheet as CSV."""

from __future__ import annotations

import csv
import io
import zipfile
from importlib import import_module
from typing import Any

from cdfscore.errors import MissingDependencyError, ScoresError, did_you_mean
from cdfscore.io.sizes import RATIO, most_bytes
from cdfscore.io.text import counted, listed
from cdfscore.spelling import argument

_ZIP = b"PK\x03\x04"
_PART = "xl/workbook.xml"


def is_workbook(content: bytes) -> bool:
    """Tell whether a file is a workbook, and not another archive of zip."""
    if not content.startswith(_ZIP):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return _PART in archive.namelist()
    except zipfile.BadZipFile:
        return False


def refuse_sheet(source: str, sheet: str | None) -> None:
    """Raise `ScoresError` for a sheet of a file that has none."""
    if sheet is not None:
        raise ScoresError(
            f"{argument('sheet', sheet)} is given, and {source} is no workbook of Excel (.xlsx); "
            "leave it out"
        )


def csv_of_workbook(source: str, content: bytes, sheet: str | None) -> tuple[bytes, list[str]]:
    """Return a sheet as CSV, with a line for each row, and the note on the others.

    Numbers have the digits of their doubles. pandas, which reads workbooks by the same library,
    makes a missing cell of an error such as #DIV/0!, so that it would be lost without a word.
    Raises `ScoresError` for a sheet that is not there, and for a damaged or too large file;
    `MissingDependencyError` without openpyxl.
    """
    try:
        openpyxl: Any = import_module("openpyxl")
    except ImportError as error:
        raise MissingDependencyError(
            f"{source} is a workbook of Excel, and openpyxl is not installed; run pip install "
            "'cdfscore[excel]', or save the sheet as CSV"
        ) from error
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        size, limit = sum(each.file_size for each in archive.infolist()), most_bytes(len(content))
    if size > limit:
        raise ScoresError(
            f"{source} has {len(content):,} bytes, and {size:,} when it is decompressed; expected "
            f"no more than {RATIO} times its size"
        )
    try:
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        sheets = {each.title: each for each in book.worksheets}
        first = next(iter(sheets))
        chosen = sheets.get(first if sheet is None else sheet)
        rows = [list(map(_text, row)) for row in (chosen or [])]
    except Exception as error:  # of many kinds where a file is damaged
        raise ScoresError(
            f"{source} is damaged, and cannot be read as a workbook: {' '.join(str(error).split())}"
        ) from error
    if chosen is None:
        raise ScoresError(
            f"{source} has no sheet {sheet!r}{did_you_mean(str(sheet), sheets)}; expected one of "
            f"{listed(list(map(repr, sheets)))}"
        )
    width = max((i for row in rows for i, cell in enumerate(row, 1) if cell), default=0)
    while rows and not any(rows[-1]):
        rows.pop()
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows([*row, *[""] * width][:width] for row in rows)
    note = f"{source}: the first of {counted(len(sheets), 'sheet')} is read, {first!r}"
    return stream.getvalue().encode(), [note] if len(sheets) > 1 and sheet is None else []


def _text(cell: Any) -> str:
    """Return a cell as one line of text; whole numbers are those of labels, such as 301."""
    cell = cell.value
    if isinstance(cell, float):
        return repr(cell).removesuffix(".0")
    return "" if cell is None else " ".join(str(cell).split())
