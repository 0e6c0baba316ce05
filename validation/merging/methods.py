"""The ways to merge that are compared, by the names that the tables have for them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import pandas as pd

from cdfscore.retrieval import Run
from cdfscore.retrieval.merging import (
    Merged,
    TermStatistics,
    cori,
    cross_validated_lambda,
    merge,
    round_robin,
    rrf,
    safe,
    selection_weights,
)
from validation.merging.testbed import Testbed

Qrels = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class Asked:
    """A testbed whose lists were read once, with the judgments for the choice of lambda."""

    bed: Testbed
    qrels: Qrels

    @cached_property
    def runs(self) -> Sequence[Run]:
        return self.bed.runs

    @cached_property
    def selection(self) -> pd.DataFrame:
        return self._cori(self.bed.statistics)

    @cached_property
    def sample_selection(self) -> pd.DataFrame:
        return self._cori(self.bed.sample_statistics)

    def _cori(self, statistics: TermStatistics) -> pd.DataFrame:
        return cori(statistics, self.bed.queries)


Method = Callable[[Asked, int | None], Merged]


def _scheme(normalize: str, asked: Asked, depth: int | None) -> Merged:
    return merge(asked.runs, normalize, depth=depth, unfitted="drop_list")


def _weighted(lam: float, asked: Asked, depth: int | None) -> Merged:
    return merge(asked.runs, weights=selection_weights(asked.selection, lam), depth=depth)


def _by_samples(lam: float, asked: Asked, depth: int | None) -> Merged:
    return merge(asked.runs, weights=selection_weights(asked.sample_selection, lam), depth=depth)


def _cross_validated(asked: Asked, depth: int | None) -> Merged:
    chosen = cross_validated_lambda(asked.runs, asked.selection, asked.qrels, "AP", depth=depth)
    return merge(asked.runs, weights=chosen.weights, depth=depth)


def _safe(asked: Asked, depth: int | None) -> Merged:
    bed = asked.bed
    return safe(asked.runs, bed.sample_run, bed.samples, depth=depth, unfitted="drop_list")


#: The one that all others are tested against.
BASELINE = "MinMax"
METHODS: Mapping[str, Method] = {
    BASELINE: partial(_scheme, "minmax"),
    "Z-Score": partial(_scheme, "z"),
    "Sum": partial(_scheme, "sum"),
    "empirical": partial(_scheme, "empirical"),
    "normal": partial(_scheme, "normal"),
    "uniform": partial(_scheme, "uniform"),
    "kernel": partial(_scheme, "kernel"),
    "exponential": partial(_scheme, "exponential"),
    "raw": partial(_scheme, "raw"),
    "round robin": lambda asked, depth: round_robin(asked.runs, depth=depth),
    "RRF": lambda asked, depth: rrf(asked.runs, depth=depth),
    "CORI (0.4)": partial(_weighted, 0.4),
    "CORI (cv)": _cross_validated,
    "CORI (inf)": partial(_weighted, math.inf),
    "CORI (0.4), samples": partial(_by_samples, 0.4),
    "CORI (inf), samples": partial(_by_samples, math.inf),
    "SAFE": _safe,
}
