"""Names of schemes as in papers, in the sentences and tables of a page."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from cdfscore.plots.words import scheme_label
from cdfscore.report.captioned import Captioned

# Headers of the columns whose cells are schemes.
_OF_SCHEMES = ("scheme", "from", "to")


def label(scheme: str) -> str:
    """Return the name of a scheme as in papers, and "raw" for raw scores."""
    return scheme if scheme == "raw" else scheme_label(scheme)


def in_labels(sentences: list[str], schemes: Iterable[str]) -> list[str]:
    """Return sentences with the labels of schemes in the place of their spellings."""
    for scheme in sorted(schemes, key=len, reverse=True):  # no name within another first
        whole = rf"(?<!\w){re.escape(scheme)}(?!\w)"
        name = label(scheme).replace("\\", r"\\")  # else a group of the pattern
        sentences = [re.sub(whole, name, each) for each in sentences]
    return sentences


def labelled(table: Captioned) -> Captioned:
    """Return a table with the labels of its schemes."""
    columns = [
        replace(column, cells=[label(cell) for cell in column.cells])
        if column.header in _OF_SCHEMES
        else column
        for column in table.columns
    ]
    return replace(table, columns=columns)
