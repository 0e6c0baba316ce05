"""The rules on real score matrices: how many topics each refuses, and how wide it smooths."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cdfscore.errors import FitError
from cdfscore.stats.numerics.moments import mean_and_sd
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes.bandwidths import RULES
from validation.parity.matrices import read_matrices

DATA = Path(os.environ.get("CDFSCORE_DATA", Path(__file__).parents[3] / "shared" / "data"))
SHOWN = (
    "robust2004/robust2004_ap.csv",
    "robust2004/robust2004_p10.csv",
    "urbano2019/data/terabyte2006_ap.csv",
    "web/web2012_ap.csv",
    "web/web2012_ndcg20.csv",
    "web/web2012_p20.csv",
    "web/web2012_rr.csv",
)


@dataclass(frozen=True)
class Found:
    """Topics that a rule refuses, and the median of h / sd over the others."""

    refused: int
    ratio: float | None


@dataclass(frozen=True)
class Matrix:
    """A matrix of the page, and what was found for each rule."""

    name: str
    topics: int
    found: list[Found]


def read() -> list[Matrix]:
    """Return what each rule does on the matrices that are shown."""
    scores = {matrix.name: matrix.scores for matrix in read_matrices(DATA)}
    return [
        Matrix(Path(name).stem, len(scores[name]), [_found(rule, scores[name]) for rule in RULES])
        for name in SHOWN
    ]


def _found(rule: str, scores: Array) -> Found:
    sd = mean_and_sd(scores)[1][:, 0]
    h = bandwidths(rule, scores)
    refused = np.isnan(h)
    varied = ~refused & (sd > 0)
    ratio = float(np.median(h[varied] / sd[varied])) if varied.any() else None
    return Found(int(refused.sum()), ratio)


def bandwidths(rule: str, scores: Array) -> Array:
    """Return h of each topic, NaN where the rule refuses it."""
    h, left = np.full(len(scores), np.nan), np.arange(len(scores))
    while len(left):
        try:
            h[left] = RULES[rule](scores[left], np.sort(scores[left]))[:, 0]
            break
        except FitError as refusal:
            left = np.delete(left, list(refusal.rows))
    return h
