"""Writing of score matrices."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from cdfscore.errors import OutputError
from cdfscore.io.atomic import write_whole
from cdfscore.io.scores.frame import topic_labels
from cdfscore.io.tables import DELIMITERS, encode_table

if TYPE_CHECKING:
    import pandas as pd


def write_scores(scores: pd.DataFrame, path: str | Path) -> None:
    """Write a score matrix as CSV, TSV or Parquet, by the ending of `path`.

    The first column is ``topic``, followed by one column per system. Numbers have enough
    digits to be read back as the same double; a missing score is NA. The file is written
    whole or not at all. Raises `OutputError` for another ending, or if it cannot be written.
    """
    write_whole({Path(path): encode_scores(scores, Path(path))})


def encode_scores(scores: pd.DataFrame, path: Path) -> bytes:
    """Return the content of the file that `write_scores` writes to `path`."""
    suffix = path.suffix.lower()
    if suffix == ".parquet":
        stream = io.BytesIO()
        scores.set_axis(topic_labels(scores)).rename_axis("topic").to_parquet(stream)
        return stream.getvalue()
    if suffix not in DELIMITERS:
        raise OutputError(f"{path} ends in {suffix!r}; expected .csv, .tsv or .parquet")
    return encode_table(
        ["topic", *scores.columns], [topic_labels(scores), scores.to_numpy()], DELIMITERS[suffix]
    )
