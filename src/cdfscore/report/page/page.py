"""The page itself: templates with the results in them."""

from __future__ import annotations

import base64
import platform
import re
from functools import cache
from importlib import resources
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore._version import __version__
from cdfscore.io.scores.memory import systems_were_rows
from cdfscore.io.text import counted, printable
from cdfscore.plots.words import measure_label, scheme_label
from cdfscore.report.captioned import Captioned, Column, as_sentence
from cdfscore.report.comparison_caption import description_of_tests
from cdfscore.report.diagnosis_cells import agreement, moves, summary
from cdfscore.report.page.analysis import SCORES
from cdfscore.report.page.claims import may, may_not
from cdfscore.report.page.collection_cells import collections_table, method_of_collections
from cdfscore.report.page.data import page_data
from cdfscore.report.page.findings import findings
from cdfscore.report.page.labels import in_labels, label, labelled
from cdfscore.report.page.libraries import libraries
from cdfscore.report.page.software import PAPERS, cited_software, entries_of_software
from cdfscore.report.page.systems import letters_of, systems_table
from cdfscore.schemes.registry import parse_scheme

if TYPE_CHECKING:
    import pandas as pd
    from jinja2 import Environment

    from cdfscore.comparison.sensitivity import Sensitivity
    from cdfscore.diagnosis import Diagnosis
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


def encode_page(analysis: Analysis) -> bytes:
    """Return the page as one file without external parts; raises `MissingDependencyError`."""
    found = libraries()
    sources = [*cited(analysis), *cited_software(analysis)]
    content: dict[str, Any] = {
        "analysis": analysis,
        "version": __version__,
        "title": f"{scheme_label(analysis.scheme)}: {_names(analysis)}",
        "libraries": found,
        "findings": findings(analysis),
        "methods": methods(analysis),
        "systems": systems_table(analysis),
        "collections": _of_collections(analysis),
        "diagnosis": _of_fit(analysis.diagnosis),
        "sensitivity": _of_schemes(analysis.sensitivity),
        "told_of_r": [as_sentence(each) for each in analysis.r.told],
        "sensitivity_told": _of_all_pairs(analysis),
        "verdict": _verdict(analysis.diagnosis),
        "parity": None if analysis.r.table is None else parity_table(analysis.r.table),
        "script": None if analysis.r.script is None else _link(analysis.r.script),
        "notes": [as_sentence(note, _schemes(analysis)) for note in analysis.all_notes],
        "may": may(analysis),
        "may_not": may_not(analysis),
        "sources": sources,
        "bibtex": "\n".join([bibtex(sources), *entries_of_software(analysis)]),
        "data": page_data(analysis),
    }
    return _environment().get_template("page.html").render(content).encode()


def _environment() -> Environment:
    """Return an environment that escapes all text and shows unprintable characters."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    def shown(value: object) -> object:
        is_text = isinstance(value, str) and not isinstance(value, Markup)
        return printable(str(value)) if is_text else value

    return Environment(
        loader=PackageLoader("cdfscore.report.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=shown,
    )


def _names(analysis: Analysis) -> str:
    return ", ".join(Path(each.name).name for each in analysis.inputs if each.what == SCORES)


def _schemes(analysis: Analysis) -> list[str]:
    """Return the schemes whose names may begin a note, which then stay as they are spelled."""
    found = [analysis.scheme]
    if analysis.sensitivity is not None:
        found += analysis.sensitivity.comparison.schemes
    if analysis.diagnosis is not None:
        found += analysis.diagnosis.schemes
    return found


def _of_collections(analysis: Analysis) -> Captioned | None:
    if analysis.beside is None:
        return None
    return collections_table(analysis.beside, analysis.collections, analysis.comparison.alpha)


def _of_schemes(found: Sensitivity | None) -> list[Captioned]:
    if found is None:
        return []
    return [
        labelled(each) for each in (agreement(found), *([moves(found)] * (len(found.moves) > 0)))
    ]


def _of_all_pairs(analysis: Analysis) -> str:
    """Say that the conclusions by other schemes are for more pairs than the tests of the page."""
    found, family = analysis.sensitivity, analysis.comparison.family
    if found is None or not family.baselines:
        return ""
    pairs = counted(len(found.comparison.family), "pair")
    return (
        f"This section tests all {pairs} of systems, corrected as one family. The other tests of "
        f"this page are of {counted(len(family), 'pair')} with a baseline."
    )


def _of_fit(found: Diagnosis | None) -> list[Captioned]:
    return [] if found is None else [labelled(summary(found))]


def _verdict(found: Diagnosis | None) -> list[str]:
    return [] if found is None else in_labels(list(found.verdict), found.schemes)


def _link(script: bytes) -> str:
    """Return a link to a file that is in the page."""
    return f"data:text/plain;charset=utf-8;base64,{base64.b64encode(script).decode()}"


def parity_table(rows: pd.DataFrame) -> Captioned:
    """Return one row per quantity: the largest differences, and whether they are allowed."""
    numbers = {
        "largest difference": ("max_abs", ".3g"),
        "relative": ("max_rel", ".3g"),
        "in ulp": ("max_ulp", ".4g"),
        "allowed ulp": ("allowed_ulp", ".4g"),
    }
    columns = [
        Column("quantity", False, list(rows["quantity"])),
        Column("count", True, list(map(str, rows["count"]))),
        *(
            Column(header, True, [format(value, form) for value in rows[name]])
            for header, (name, form) in numbers.items()
        ),
        Column("agrees", False, [f"NO, {how}" if how else "yes" for how in rows["differs"]]),
        Column("reason for the tolerance", False, list(rows["reason"])),
    ]
    return Captioned("", "", columns).with_caption(
        "Agreement with R",
        f"Differences between cdfscore and {rows.attrs['r_version']} in scores, means and tests",
        "An ulp (unit in the last place) is the distance to the next double-precision number",
    )


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


def methods(analysis: Analysis) -> list[str]:
    """Return the paragraphs of the methods section."""
    found = [_scores(analysis), description_of_tests(analysis.comparison)]
    if analysis.beside is not None:
        found.append(method_of_collections(analysis.beside, analysis.collections))
    if analysis.sensitivity is not None:
        found.append(_compared_schemes(analysis.sensitivity))
    if analysis.diagnosis is not None:
        schemes = ", ".join(map(label, analysis.diagnosis.schemes))
        found.append(
            f"The fit of {schemes} to {analysis.diagnosed} was "
            "measured by the leave-one-out continuous ranked probability score (CRPS)"
            f"{_tests_of_fit(analysis)}."
        )
    return [*found, _computed(analysis)]


def _compared_schemes(found: Sensitivity) -> str:
    """Return which schemes were compared, and on which topics."""
    schemes = found.comparison.schemes
    told = (
        "For the sensitivity to the scheme, the rankings and the same test of all pairs of systems "
        f"were compared between: {', '.join(map(label, schemes))}."
    )
    left_out = [f"{as_sentence(note)}." for note in in_labels(found.left_out, schemes)]
    return " ".join([told, *left_out])


def _scores(analysis: Analysis) -> str:
    """Return what the scores are, how they are standardized, and the policies."""
    found = analysis.standardized
    factors, (topics, systems) = found.factors, found.frame.shape
    measure = measure_label(analysis.comparison.measure)
    of = "Scores" if measure == "score" else f"Scores of {measure}"
    told = f"{of} of {counted(systems, 'system')} on {counted(topics, 'topic')} were "
    if analysis.is_raw:
        told += "analyzed as given"
    else:
        own = scheme_label(analysis.scheme)
        named = analysis.scheme if own == analysis.scheme else f"{own}, {analysis.scheme}"
        told += (
            f"standardized topic by topic, y = F_t(x), by {named} ({factors.fitted.scheme.source})"
            f", fitted to {found.fitted_to}"
        )
        if analysis.comparison.reference:
            told += f": {analysis.comparison.reference}"
    direction = f"Lower is better: scores were {found.reversal}" if found.reversal else ""
    direction = direction or "Higher is better on every topic"
    if systems_were_rows(found.given.frame):
        direction = f"Each topic is a column of the scores, such as a task. {direction}"
    policies = f"Policy for missing scores: {factors.missing}"
    if not analysis.is_raw:  # else nothing is fitted
        policies = (
            f"Policies: {factors.constant} for constant topics, {factors.missing} for missing "
            f"scores, {factors.unfitted} for unfitted topics"
        )
    absent, scores = int(np.isnan(found.used.values).sum()), found.used.values.size
    left_out = (
        f" ({absent:,} of {counted(scores, 'score')} {'is' if absent == 1 else 'are'} missing)"
        if absent
        else ""
    )
    return f"{told}. {direction}. {policies}{left_out}."


def _tests_of_fit(analysis: Analysis) -> str:
    draws = analysis.diagnosis.draws if analysis.diagnosis is not None else None
    if draws is None or not draws.resamples:
        return ". The fit was not tested"
    return (
        f", and tested by parametric bootstrap ({counted(draws.resamples, 'resample')} per "
        f"topic, seed {draws.seed})"
    )


def _computed(analysis: Analysis) -> str:
    packages = ", ".join(f"{name} {version(name)}" for name in PAPERS)
    python = f"cdfscore {__version__} (Python {platform.python_version()}, {packages})"
    table = analysis.r.table
    if table is None:
        return f"Numbers were computed by {python}. They were not compared with R."
    r = table.attrs["r_version"]
    return (
        f"Numbers were computed by {python}. Scores, means and tests were also computed by {r}, "
        "for comparison."
    )
