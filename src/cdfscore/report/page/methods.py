"""The methods in words, for the methods section of a paper."""

from __future__ import annotations

import platform
from importlib.metadata import version
from typing import TYPE_CHECKING

import numpy as np

from cdfscore._version import __version__
from cdfscore.io.scores.memory import systems_were_rows
from cdfscore.io.text import counted
from cdfscore.plots.words import measure_label, scheme_label
from cdfscore.report.captioned import as_sentence
from cdfscore.report.comparison_caption import description_of_tests
from cdfscore.report.page.collection_cells import method_of_collections
from cdfscore.report.page.labels import in_labels, label
from cdfscore.report.page.software import PAPERS

if TYPE_CHECKING:
    from cdfscore.comparison.sensitivity import Sensitivity
    from cdfscore.report.page.analysis import Analysis


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
