"""BibTeX of the papers that an analysis rests on."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from cdfscore.schemes.registry import parse_scheme

if TYPE_CHECKING:
    from cdfscore.report.page.analysis import Analysis

# Papers of corrections, by their names in R; the other papers are named by schemes and tests.
_CORRECTIONS = {
    "holm": "Holm (1979)",
    "hochberg": "Hochberg (1988)",
    "hommel": "Hommel (1988)",
    "BH": "Benjamini and Hochberg (1995)",
    "fdr": "Benjamini and Hochberg (1995)",
    "BY": "Benjamini and Yekutieli (2001)",
}


def cited(analysis: Analysis) -> list[str]:
    """Return what schemes, test, correction and diagnosis name as their sources."""
    comparison = analysis.comparison
    found = [analysis.standardized.factors.fitted.scheme.source, comparison.chosen.test.source]
    if comparison.adjust in _CORRECTIONS:
        found.append(_CORRECTIONS[comparison.adjust])
    if analysis.sensitivity is not None:
        schemes = analysis.sensitivity.comparison.schemes[1:]
        found += [parse_scheme(each).source for each in schemes]
    if analysis.beside is not None:
        found.append("Welch (1947), the test between collections")
    if analysis.diagnosis is not None:
        found.append("Gneiting and Raftery (2007), the score of the diagnosis")
    return list(dict.fromkeys(found))


def bibtex(sources: list[str]) -> str:
    """Return the entries of the papers that these sources name.

    Examples
    --------
    >>> bibtex(["Sakai (2016); Urbano, Lima and Hanjalic (2019), Eq. 3 and 6"]).count("@")
    2
    """
    text = " ".join(sources)
    return "\n".join(entry for name, entry in entries().items() if name in text)


@cache
def entries() -> dict[str, str]:
    """Return all entries by the name that sources have for them, such as "Holm (1979)"."""
    text = (resources.files(__package__) / "sources.bib").read_text(encoding="utf-8")
    parts = re.findall(r"^% (.+)\n(@(?:.+\n)+)", text, flags=re.MULTILINE)
    return dict(parts)
