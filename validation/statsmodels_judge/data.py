"""The data on which both are compared: seeded random scores, and pairs of real systems."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cdfscore import read_scores
from cdfscore.stats.numerics.types import Array
from validation.significance.inputs import batches, matrices

#: Matrices of real scores, below the folder of shared data.
REAL = (
    "robust2004/robust2004_ap.csv",
    "robust2004/robust2004_p10.csv",
    "adhoc/adhoc8_rr.csv",
    "web/web2011_err20.csv",
)
_TOPICS = (4, 7, 12, 25, 50, 249)
_SYSTEMS = (2, 3, 5, 12)


@dataclass(frozen=True)
class Source:
    """How many random cases of a kind, drawn by which seed, and where real scores are, if any.

    There are half as many real cases as random ones.
    """

    count: int
    seed: int = 1
    folder: Path | None = None


def pairs(source: Source) -> Iterator[tuple[str, Array, Array]]:
    """Yield paired samples, and what they are; pairs with a missing score are left out."""
    for batch in batches(source.seed, source.count, small=False, rows=1):
        present = ~np.isnan(batch.x[0] + batch.y[0])
        if present.sum() > 1:
            yield batch.kind, batch.x[0, present], batch.y[0, present]
    for name, scores, rng in _real(source):
        i, j = rng.choice(scores.shape[1], 2, replace=False)
        yield name, scores[:, i].copy(), scores[:, j].copy()


def unequal(source: Source) -> Iterator[tuple[str, Array, Array]]:
    """Yield samples of two sizes: those of `pairs` with a part of the second left out."""
    rng = np.random.default_rng([source.seed, 1])
    for name, x, y in pairs(source):
        yield name, x, rng.permutation(y)[: rng.integers(2, len(y), endpoint=True)]


def score_matrices(source: Source) -> Iterator[tuple[str, Array]]:
    """Yield scores (topics, systems), none missing, and what they are."""
    rng = np.random.default_rng([source.seed, 0])
    for batch in matrices(source.seed, source.count, small=False, largest=12):
        yield batch.kind, np.ascontiguousarray(batch.x[:, : rng.choice(_SYSTEMS)])
    for name, scores, rng in _real(source):
        systems = min(int(rng.choice(_SYSTEMS)), scores.shape[1])
        columns = rng.choice(scores.shape[1], systems, replace=False)
        # statsmodels takes a column for each cell
        yield name, np.ascontiguousarray(scores[:25, columns])


def _real(source: Source) -> Iterator[tuple[str, Array, np.random.Generator]]:
    if source.folder is None:
        return
    rng = np.random.default_rng([source.seed, 2])
    frames = {name: read_scores(source.folder / name).to_numpy() for name in REAL}
    for number in range(-(-source.count // 2)):
        name = REAL[number % len(REAL)]
        scores = frames[name]
        topics = min(int(rng.choice(_TOPICS)), len(scores))
        rows = rng.choice(len(scores), topics, replace=False)
        yield Path(name).stem, scores[rows], rng
