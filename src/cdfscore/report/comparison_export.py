"""Encoding of comparisons, in the format of the ending of the file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from cdfscore.io.files import check_ending
from cdfscore.io.tables import DELIMITERS, encode_frame
from cdfscore.report.comparison_json import as_json
from cdfscore.report.html import as_html
from cdfscore.report.latex import as_latex
from cdfscore.report.markdown import as_markdown

if TYPE_CHECKING:
    from cdfscore.comparison.comparison import Comparison

# Formats by the ending of the file, other than CSV and TSV.
_FORMATS: dict[str, Callable[[Comparison], str]] = {
    ".json": as_json,
    ".tex": as_latex,
    ".md": as_markdown,
    ".html": as_html,
}
#: Endings of files of a comparison.
ENDINGS = (*DELIMITERS, *_FORMATS)


def encode_comparison(comparison: Comparison, path: Path) -> bytes:
    """Return a comparison as the content of a file, in the format of its ending.

    CSV, TSV and JSON have all numbers with all digits; LaTeX, Markdown and HTML are for
    readers, with a caption and rounded numbers. Raises `OutputError` for another ending.
    """
    ending = check_ending(path, ENDINGS)
    if ending in DELIMITERS:
        return encode_frame(comparison.table, DELIMITERS[ending])
    return _FORMATS[ending](comparison).encode()
