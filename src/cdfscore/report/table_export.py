"""Encoding of a result that is a table, in the format of the ending of the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cdfscore._version import __version__
from cdfscore.io.files import check_ending
from cdfscore.io.tables import DELIMITERS, encode_frame
from cdfscore.io.text import json_of
from cdfscore.report.captioned import Captioned, plain, records
from cdfscore.report.comparison_export import ENDINGS, FORMATS

if TYPE_CHECKING:
    import pandas as pd


def encode_table(
    path: Path, table: pd.DataFrame, shown: Sequence[Captioned], details: Mapping[str, Any]
) -> bytes:
    """Return a result as the content of a file.

    CSV and TSV have `table`, and JSON its rows after the `details`, with all digits; LaTeX,
    Markdown and HTML have the tables that are `shown` to readers, with captions and rounded
    numbers. Raises `OutputError` for another ending.
    """
    ending = check_ending(path, ENDINGS)
    if ending in DELIMITERS:
        return encode_frame(table, DELIMITERS[ending])
    if ending == ".json":
        content = plain({"cdfscore": __version__, **details, "rows": records(table)})
        return (json_of(content) + "\n").encode()
    return FORMATS[ending](shown).encode()
