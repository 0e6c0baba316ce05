"""Assembling of a diagnosis from the tasks of its topics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.cautions import warn_of
from cdfscore.comparison.adjustment import adjust
from cdfscore.diagnosis.attainable import cautions
from cdfscore.diagnosis.draws import Draws
from cdfscore.diagnosis.goodness_of_fit import STATISTICS
from cdfscore.diagnosis.histogram import histogram_table, pit_moments
from cdfscore.diagnosis.ranking import grid_notes, price_of_smoothness
from cdfscore.diagnosis.reliability import topic_reliability
from cdfscore.diagnosis.resolution import Resolution
from cdfscore.diagnosis.result import Diagnosis
from cdfscore.diagnosis.settings import Settings
from cdfscore.diagnosis.summary import summarize
from cdfscore.diagnosis.topic import Examined
from cdfscore.diagnosis.verdict import verdict
from cdfscore.diagnosis.work import Task, results
from cdfscore.numerics.types import Array
from cdfscore.schemes.base import Scheme

if TYPE_CHECKING:
    from cdfscore.standardization.matrix import ScoreMatrix


def assembled(
    work: list[Task],
    chosen: Sequence[Scheme],
    matrix: ScoreMatrix,
    written: Resolution,
    draws: Draws,
    settings: Settings,
    missing: str,
    told: Sequence[str],
    notes: Sequence[str],
    progress: Callable[[int, int], None] | None,
) -> Diagnosis:
    """Do the tasks, and return the diagnosis of the schemes on a matrix after the policies.

    Sentences that are `told` are cautions, which come before the numbers and are warned of;
    `notes` say what the policies did.
    """
    import pandas as pd

    examined = []
    for found in results(work, settings.jobs):
        examined.append(found)
        if progress:
            progress(len(examined), len(work))
    fits = pd.DataFrame([found.row for found in examined])
    reliable = dict(zip(matrix.topics, topic_reliability(matrix.values).tolist(), strict=True))
    after = list(fits).index("parameters") + 1
    fits.insert(after, "reliability", fits["topic"].map(reliable))
    for name in STATISTICS:
        fits[f"{name}_p_holm"] = fits.groupby("scheme", sort=False)[f"{name}_p"].transform(
            lambda p: adjust(p.to_numpy(), "holm")
        )
    names = tuple(map(str, chosen))
    predicted = {name: _predicted(examined, name) for name in names}
    moments = {name: pit_moments(*ends) for name, ends in predicted.items()}
    steps = frozenset(str(scheme) for scheme in chosen if scheme.degree_between == 0)
    follow = frozenset(each.row["scheme"] for each in examined if each.follows)
    summary = summarize(fits, moments, draws, settings.alpha, steps)
    first = (*told, *cautions(fits, draws, settings.alpha))
    warn_of(first)
    first += grid_notes(summary, price_of_smoothness(matrix.values, written), steps)
    return Diagnosis(
        fits,
        histogram_table(predicted, settings.bins, follow),
        summary,
        verdict(fits, summary, first, written, draws, settings.alpha, steps),
        names,
        topics=len(matrix.topics),
        systems=len(matrix.systems),
        resolution=written,
        draws=draws,
        alpha=settings.alpha,
        missing=missing,
        notes=(*first, *notes),
    )


def _predicted(examined: list[Examined], scheme: str) -> tuple[Array, Array]:
    """Return the predicted cdf at the ends of the cells of all left-out scores."""
    own = [each for each in examined if each.row["scheme"] == scheme]
    lower, upper = (np.concatenate([getattr(e, end) for e in own]) for end in ("lower", "upper"))
    return lower, upper
