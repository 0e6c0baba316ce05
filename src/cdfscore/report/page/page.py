"""The page itself: templates with the results in them."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cdfscore._version import __version__
from cdfscore.io.text import counted, printable
from cdfscore.plots.words import scheme_label
from cdfscore.report.captioned import Captioned, as_sentence
from cdfscore.report.diagnosis_cells import agreement, moves, summary
from cdfscore.report.page.analysis import SCORES
from cdfscore.report.page.claims import may, may_not
from cdfscore.report.page.collection_cells import collections_table
from cdfscore.report.page.data import page_data
from cdfscore.report.page.findings import findings
from cdfscore.report.page.labels import in_labels, labelled
from cdfscore.report.page.libraries import libraries
from cdfscore.report.page.methods import methods
from cdfscore.report.page.parity_cells import parity_table
from cdfscore.report.page.software import cited_software, entries_of_software
from cdfscore.report.page.sources import bibtex, cited
from cdfscore.report.page.systems import systems_table

if TYPE_CHECKING:
    from jinja2 import Environment

    from cdfscore.comparison.sensitivity import Sensitivity
    from cdfscore.diagnosis import Diagnosis
    from cdfscore.report.page.analysis import Analysis


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
