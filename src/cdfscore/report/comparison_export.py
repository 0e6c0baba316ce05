"""Encoding of comparisons, in the format of the ending of the file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from cdfscore.errors import OutputError
from cdfscore.io.tables import DELIMITERS, encode_frame
from cdfscore.report.comparison_html import as_html
from cdfscore.report.comparison_json import as_json
from cdfscore.report.comparison_latex import as_latex
from cdfscore.report.comparison_markdown import as_markdown

if TYPE_CHECKING:
    from cdfscore.comparison.comparison import Comparison

# Formats by the ending of the file, other than CSV and TSV.
_FORMATS: dict[str, Callable[[Comparison], str]] = {
    ".json": as_json,
    ".tex": as_latex,
    ".md": as_markdown,
    ".html": as_html,
}


def encode_comparison(comparison: Comparison, path: Path) -> bytes:
    """Return a comparison as the content of a file, in the format of its ending.

    CSV, TSV and JSON have all numbers with all digits; LaTeX, Markdown and HTML are for
    readers, with a caption and rounded numbers. Raises `OutputError` for another ending.
    """
    suffix = path.suffix.lower()
    if suffix in DELIMITERS:
        return encode_frame(comparison.table, DELIMITERS[suffix])
    encode = _FORMATS.get(suffix)
    if encode is None:
        *others, last = filter(None, [*DELIMITERS, *_FORMATS])
        raise OutputError(f"{path} ends in {path.suffix!r}; expected {', '.join(others)} or {last}")
    return encode(comparison).encode()
