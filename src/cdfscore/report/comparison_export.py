"""Encoding of comparisons and of their letters, in the format of the ending of the file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore._version import __version__
from cdfscore.io.files import check_ending
from cdfscore.io.tables import DELIMITERS, encode_frame, encode_table
from cdfscore.io.text import json_of
from cdfscore.numerics.types import Array
from cdfscore.report.captioned import Captioned, plain, records
from cdfscore.report.comparison_caption import caption
from cdfscore.report.comparison_cells import for_paper, tables
from cdfscore.report.html import as_markdown, as_page
from cdfscore.report.latex import as_latex
from cdfscore.significance.contract import AllSystems, SignificanceTest

if TYPE_CHECKING:
    from cdfscore.comparison.comparison import Comparison
    from cdfscore.comparison.reference_uncertainty import ReferenceUncertainty

#: Formats for readers by the ending of the file.
FORMATS: dict[str, Callable[[Sequence[Captioned]], str]] = {
    ".tex": as_latex,
    ".md": as_markdown,
    ".html": as_page,
}
# Rows of JSON at a time, as their dictionaries take ten times the memory of their text.
_ROWS = 1 << 14
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


def as_json(comparison: Comparison) -> str:
    """Return a description and all numbers; null if missing, "Infinity" if unbounded."""
    content = {
        "cdfscore": __version__,
        "caption": caption(comparison),
        "test": comparison.test,
        "settings": comparison.chosen.settings,
        "family": str(comparison.family),
        "baselines": list(comparison.family.baselines),
        **_of_all(comparison.chosen.test),
        "adjust": comparison.adjust,
        "effect": comparison.effect or None,
        "alpha": comparison.alpha,
        "topics": comparison.topics,
        "topics_by_scheme": comparison.topics_by_scheme,
        "systems": comparison.systems,
        "reversals": comparison.reversals,
        "missing": comparison.missing,
        "constant": comparison.constant,
        "fitted_to": comparison.fitted_to,
        "reference": comparison.reference or None,
        "notes": comparison.notes,
        **_significant(comparison),
        "means": comparison.means.to_dict(),
        **_uncertainty(comparison.uncertainty),
    }
    table = comparison.table
    blocks = (table.iloc[start : start + _ROWS] for start in range(0, len(table), _ROWS))
    # "[", rows and "]" of each block, one space further in; within text there is no line break.
    rows = ",".join(_dumped(block.to_dict("records"))[1:-2] for block in blocks)
    inner = rows.replace("\n", "\n ") + "\n " if rows else ""
    return f'{_dumped(content)[:-2]},\n "rows": [{inner}]\n}}\n'


def _dumped(content: object) -> str:
    return json_of(plain(content))


def _significant(comparison: Comparison) -> dict[str, Any]:
    """Return the proportions by scheme and kind of pairs, of which two collections have two."""
    if not comparison.family.split:
        return {}
    of_schemes: dict[str, dict[str, Any]] = {}
    for row in records(comparison.significant):
        of_schemes.setdefault(row.pop("scheme"), {})[row.pop("pairs")] = row
    return {"significant": of_schemes}


def _uncertainty(found: ReferenceUncertainty | None) -> dict[str, Any]:
    """Return the uncertainty from the reference systems, without that of pairs, which has rows."""
    if found is None:
        return {}
    return {
        "reference_uncertainty": {
            "resamples": found.method,
            "reference_systems": found.systems,
            "conf_level": found.conf_level,
            "means": found.means.to_dict("records"),
        }
    }


def _of_all(test: SignificanceTest[Any]) -> dict[str, Any]:
    """Return the null hypothesis of a test of all systems, and its post hoc tests."""
    if not isinstance(test, AllSystems):
        return {}
    return {
        "null_hypothesis": test.null,
        "assumption": test.assumes,
        "post_hoc": list(test.post_hoc),
    }


def encode_letters(comparison: Comparison, path: Path) -> bytes:
    """Return one row per scheme and system, best first: scheme, system, mean, letters.

    For a test of ranks the best system has the lowest mean rank. If lower is better on a
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
