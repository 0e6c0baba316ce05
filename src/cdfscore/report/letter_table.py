"""Encoding of the compact letter display."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.io.files import check_ending
from cdfscore.io.tables import DELIMITERS, encode_table
from cdfscore.numerics.types import Array

if TYPE_CHECKING:
    from cdfscore.comparison.comparison import Comparison


def encode_letters(comparison: Comparison, path: Path) -> bytes:
    """Return one row per scheme and system, best first: scheme, system, mean, letters.

    For a test of mean ranks the best system has the highest mean rank. If lower is better on a
    topic, the column scores states how the scores were reversed.

    Raises `OutputError` for an ending other than .csv and .tsv, and `SignificanceError` if
    not all pairs were compared.
    """
    ending = check_ending(path, DELIMITERS)
    schemes, systems, means, letters, scores = [], [], [], [], []
    for scheme in comparison.schemes:
        found = comparison.letters(scheme)
        scores += [comparison.reversals.get(scheme, "")] * len(found)
        schemes += [scheme] * len(found)
        systems += list(found)
        means += comparison.means[scheme][list(found)].tolist()
        letters += list(found.values())
    columns: dict[str, Array | list[str]] = {
        "scheme": schemes,
        "system": systems,
        "mean": np.array(means)[:, np.newaxis],
        "letters": letters,
    }
    if any(scores):
        columns["scores"] = scores
    return encode_table(list(columns), list(columns.values()), DELIMITERS[ending])
