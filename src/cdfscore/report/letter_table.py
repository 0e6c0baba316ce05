"""The compact letter display as a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cdfscore.errors import OutputError
from cdfscore.io.text import delimited

if TYPE_CHECKING:
    from cdfscore.comparison.comparison import Comparison

_DELIMITERS = {".csv": ",", ".tsv": "\t", "": ","}


def encode_letters(comparison: Comparison, path: Path) -> bytes:
    """Return a row a scheme and system, best first: scheme, system, mean, letters.

    Raises `OutputError` for an ending other than .csv and .tsv, and `SignificanceError`
    where not all pairs were compared.
    """
    suffix = path.suffix.lower()
    if suffix not in _DELIMITERS:
        raise OutputError(f"{path} ends in {path.suffix!r}; expected .csv or .tsv")
    rows: list[list[object]] = [["scheme", "system", "mean", "letters"]]
    for scheme in comparison.schemes:
        means = comparison.means[scheme].to_dict()
        for system, letters in comparison.letters(scheme).items():
            rows.append([scheme, system, means[system], letters])
    return delimited(rows, _DELIMITERS[suffix]).encode()
