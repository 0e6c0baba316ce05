"""BibTeX of the papers whose methods an analysis uses."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from cdfscore.report.page.systems import letters_of
from cdfscore.schemes.registry import parse_scheme

if TYPE_CHECKING:
    from cdfscore.report.page.analysis import Analysis

# Papers of corrections, by their names in R, and of effect sizes; schemes and tests name their own.
_CORRECTIONS = {
    "holm": "Holm (1979)",
    "hochberg": "Hochberg (1988)",
    "hommel": "Hommel (1988)",
    "BH": "Benjamini and Hochberg (1995)",
    "fdr": "Benjamini and Hochberg (1995)",
    "BY": "Benjamini and Yekutieli (2001)",
    "bonferroni": "Dunn (1961)",
}
_EFFECTS = {
    "d_z": "Cohen (1988)",
    "d_av": "Bonett (2008)",
    "hedges_g": "Hedges (1981)",
    "rank_biserial": "Kerby (2014)",
    "rank_biserial_paired": "Kerby (2014)",
}
_SEVERAL = re.compile(r"(\w+) \((\d{4}), (\d{4})\)")
_LETTERS = "Piepho (2004), letters"
_TAU_B = "Kendall (1945), tau_b"
_TAU_AP_B = "Yilmaz, Aslam and Robertson (2008) and Urbano and Marrero (2017), tau_ap_b"
_CRPS = "Gneiting and Raftery (2007), the score of the diagnosis"
_WELCH = "Welch (1947), the test between collections"


def cited(analysis: Analysis) -> list[str]:
    """Return the sources of the schemes, the tests, and all other methods of the page."""
    comparison = analysis.comparison
    found = [analysis.standardized.factors.fitted.scheme.source, comparison.chosen.test.source]
    if comparison.adjust in _CORRECTIONS:
        found.append(f"{_CORRECTIONS[comparison.adjust]}, {comparison.adjust}")
    if comparison.effect in _EFFECTS:
        found.append(f"{_EFFECTS[comparison.effect]}, {comparison.effect}")
    if letters_of(analysis):
        found.append(_LETTERS)
    if analysis.sensitivity is not None:
        schemes = analysis.sensitivity.comparison.schemes[1:]
        found += [*(parse_scheme(each).source for each in schemes), _TAU_B, _TAU_AP_B]
    if analysis.beside is not None:
        found += [_WELCH, _TAU_B]
    if analysis.diagnosis is not None:
        found.append(_CRPS)
    return list(dict.fromkeys(found))


def bibtex(sources: list[str]) -> str:
    """Return the entries of the papers that these sources name.

    Examples
    --------
    >>> bibtex(["Sakai (2016); Urbano, Lima and Hanjalic (2019), Eq. 3 and 6"]).count("@")
    2
    """
    # Papers of one author have one name: "Kendall (1938, 1945)".
    text = _SEVERAL.sub(r"\1 (\2), \1 (\3)", " ".join(sources))
    return "\n".join(entry for name, entry in entries().items() if name in text)


@cache
def entries() -> dict[str, str]:
    """Return all entries by the name that sources have for them, such as "Holm (1979)"."""
    text = (resources.files(__package__) / "sources.bib").read_text(encoding="utf-8")
    parts = re.findall(r"^% (.+)\n(@(?:.+\n)+)", text, flags=re.MULTILINE)
    return dict(parts)
