"""Tables of score matrices, factors and standardized scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cdfscore.common.text import counted
from cdfscore.report.writing import (
    NO_NUMBER,
    Captioned,
    Column,
    as_sentence,
    shown_score,
    tables_of,
)
from cdfscore.standardization.standardized import Factors, Standardized
from cdfscore.stats.numerics.types import Array

if TYPE_CHECKING:
    import pandas as pd


def of_scores(scores: pd.DataFrame, title: str) -> Captioned:
    """Return a score matrix; a narrow terminal may leave out all systems but the first."""
    columns = [
        Column(str(system), True, list(map(shown_score, scores.iloc[:, i])), minor=int(i > 0))
        for i, system in enumerate(scores.columns)
    ]
    return Captioned(title, "", [Column("topic", False, list(map(str, scores.index))), *columns])


@tables_of.register
def _(factors: Factors) -> list[Captioned]:
    columns = [Column("topic", False, list(factors.topics))]
    if factors.n is not None:
        columns.append(Column("n", True, list(map(str, factors.n))))
    for name, values in factors.fitted.parameters.items():
        if values.shape[-1] == 1:
            columns.append(Column(name, True, [_number(value, ".6g") for value in values[:, 0]]))
        else:
            counts = np.count_nonzero(~np.isnan(values), axis=1)
            columns.append(Column(name, False, [counted(int(n), "number") for n in counts]))
    measure = f" of {factors.measure}" if factors.measure else ""
    systems = factors.number_of_systems and f", fitted to {factors.number_of_systems}"
    topics = counted(len(factors.topics), "topic")
    told = [f"Factors{measure} by {factors.fitted.scheme} for {topics}{systems}"]
    if lower := factors.reversal:
        told.append(f"Scores are {lower} (lower is better)")
    if constant := factors.constant_topics:
        are = "is" if len(constant) == 1 else "are"
        told.append(f"{len(constant)} of the topics {are} constant (policy: {factors.constant})")
    if unfitted := factors.unfitted_topics:
        topics = counted(len(unfitted), "topic")
        told.append(f"{topics} could not be fitted (policy: {factors.unfitted})")
    if dropped := factors.dropped:
        were = "was" if len(dropped) == 1 else "were"
        of = " with missing scores" if factors.fitted.parameters else ""  # raw: or equal ones
        told.append(f"{counted(len(dropped), 'topic')}{of} {were} dropped")
    return [Captioned("", "", columns).with_caption("Factors", *told).in_words(factors.units)]


@tables_of.register
def _(found: Standardized) -> list[Captioned]:
    means, topics = (found.frame_of_means[name].to_numpy() for name in ("mean", "topics"))
    order = np.argsort(-means, kind="stable")  # NaN last
    ranks = [1 + int(np.count_nonzero(means > mean)) for mean in means]
    columns = [
        Column("rank", True, [NO_NUMBER if np.isnan(means[i]) else str(ranks[i]) for i in order]),
        Column("system", False, [str(found.frame.columns[i]) for i in order]),
        Column("mean", True, [_number(means[i], ".4f") for i in order]),
        Column("topics", True, [str(topics[i]) for i in order]),
    ]
    count, systems = found.frame.shape
    told = f"Means of {counted(systems, 'system')} on {counted(count, 'topic')}, {found.how}"
    title = "Scores"
    if found.factors.fitted.parameters:
        told, title = f"{told} fitted to {found.fitted_to}", "Standardized scores"
    table = Captioned("", "", columns)
    table = table.with_caption(title, told, *map(as_sentence, found.notes))
    return [table.in_words(found.units)]


def _number(value: Array | float, digits: str) -> str:
    return NO_NUMBER if np.isnan(value) else format(float(value), digits)
