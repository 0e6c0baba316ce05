"""Encoding of comparisons, in the format of the ending of the file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cdfscore.io.files import check_ending
from cdfscore.io.tables import DELIMITERS, encode_frame
from cdfscore.report.captioned import Captioned
from cdfscore.report.comparison_cells import for_paper, tables
from cdfscore.report.comparison_json import as_json
from cdfscore.report.html import as_page
from cdfscore.report.latex import as_latex
from cdfscore.report.markdown import as_markdown

if TYPE_CHECKING:
    from cdfscore.comparison.comparison import Comparison

#: Formats for readers by the ending of the file.
FORMATS: dict[str, Callable[[Sequence[Captioned]], str]] = {
    ".tex": as_latex,
    ".md": as_markdown,
    ".html": as_page,
}
#: Endings of files of a comparison.
ENDINGS = (*DELIMITERS, ".json", *FORMATS)


def encode_comparison(comparison: Comparison, path: Path) -> bytes:
    """Return a comparison as the content of a file, in the format of its ending.

    CSV, TSV and JSON have all numbers with all digits; LaTeX, Markdown and HTML are for
    readers, with a caption and rounded numbers. Raises `OutputError` for another ending.
    """
    ending = check_ending(path, ENDINGS)
    if ending in DELIMITERS:
        return encode_frame(comparison.table, DELIMITERS[ending])
    if ending == ".json":
        return as_json(comparison).encode()
    found = (for_paper if ending == ".tex" else tables)(comparison)
    return FORMATS[ending](found).encode()
