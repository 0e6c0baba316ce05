"""Effect of rounding error on the published E-std numbers: both ways compared, and counts."""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cdfscore.experiments import SchemeMatrices, Within, run_trials
from cdfscore.experiments.papers.urbano2019 import run as urbano2019
from cdfscore.stats.numerics.eighty_bits.rows import column_means
from cdfscore.stats.numerics.types import Array, IntArray
from cdfscore.stats.r_random import samples
from cdfscore.stats.rank_correlation import tau_b

TRIALS = urbano2019.TRIALS
NAMES = {"tau": "tau_b", "tauAP": "tau_ap,b", "r": "r"}


@dataclass(frozen=True)
class Difference:
    """Published and exact coefficients of one experiment, by E-std."""

    experiment: str
    matrix: str
    coefficient: str
    trials: int
    largest: float
    mean: float
    #: Whether the other schemes, and the rejected tests of all, are the same in both.
    others_same: bool
    tests_same: bool


@dataclass(frozen=True)
class Ties:
    """Pairs of systems with equal exact means, over all trials."""

    pairs: int
    broken: int
    trials_with_broken: int


@dataclass(frozen=True)
class Another:
    """How many trials have another tau with numpy.mean, and by how much at most."""

    trials: int
    largest: float


@dataclass(frozen=True)
class Found:
    """What the page tells."""

    differences: list[Difference]
    within: dict[str, Ties]
    raw: list[Ties]
    by_numpy: Another


def measured(data: Path) -> Found:
    """Run all experiments twice, and count."""
    cells = urbano2019.cells()
    names = list(dict.fromkeys(cell.matrix for cell in cells))
    rounded, exact = (
        {name: urbano2019.matrices(data, name, ties) for name in names}
        for ties in ("rounded", "exact")
    )
    differences = []
    with ThreadPoolExecutor(os.cpu_count()) as executor:
        for cell in cells:
            one, other = (
                run_trials(urbano2019.experiment(cell, m[cell.matrix]), TRIALS, executor=executor)
                for m in (rounded, exact)
            )
            differences += [difference(cell, name, one, other) for name in NAMES]
    # Score matrices of ten-thousandths, so that raw scores are whole numbers too.
    return Found(
        differences,
        {name: ties_of(rounded[name], exact[name].averaged[-1], -1) for name in names},
        [ties_of(m, np.rint(m.raw * 10_000), 0) for m in rounded.values()],
        tau_by_numpy(rounded["robust2004_ap"]),
    )


def difference(
    cell: urbano2019.Cell, name: str, one: Mapping[str, Array], other: Mapping[str, Array]
) -> Difference:
    """Compare the last scheme, E-std; the others must be the same."""
    published, exact = one[name], other[name]
    apart = np.round(published[:, -1], 6) - np.round(exact[:, -1], 6)
    return Difference(
        cell.experiment,
        cell.matrix,
        NAMES[name],
        trials=int((np.abs(apart) > 0.5e-6).sum()),
        largest=float(apart[np.abs(apart).argmax()]),
        mean=float(apart.mean()),
        others_same=np.array_equal(published[:, :-1], exact[:, :-1]),
        tests_same=all(np.array_equal(one[k], other[k]) for k in ("rejected", "tests")),
    )


def ties_of(matrices: SchemeMatrices, whole: Array, scheme: int) -> Ties:
    """Count the pairs with equal sums of `whole`, and those whose rounded means differ."""
    rows = drawn(matrices)
    exact = column_means(whole, rows)
    means = column_means(matrices.scores[scheme], rows)
    first, second = np.triu_indices(matrices.systems, 1)
    pairs, broken = np.zeros((2, TRIALS), dtype=np.int64)
    for start in range(0, TRIALS, 250):
        part = slice(start, start + 250)
        tied = exact[part][:, first] == exact[part][:, second]
        apart = tied & (means[part][:, first] != means[part][:, second])
        pairs[part], broken[part] = tied.sum(axis=1), apart.sum(axis=1)
    return Ties(int(pairs.sum()), int(broken.sum()), int((broken > 0).sum()))


def tau_by_numpy(matrices: SchemeMatrices) -> Another:
    """Compute tau by E-std with numpy.mean."""
    rows = drawn(matrices)
    both = (matrices.raw, matrices.scores[-1])
    as_r = tau_b(*(column_means(scores, rows) for scores in both))
    by_numpy = tau_b(
        *(np.array([scores[sample].mean(axis=0) for sample in rows]) for scores in both)
    )
    difference = np.abs(np.round(as_r, 6) - np.round(by_numpy, 6))
    return Another(int((difference > 0.5e-6).sum()), float(difference.max()))


def drawn(matrices: SchemeMatrices) -> IntArray:
    """The topics of each trial of the within-collection experiment, from 0."""
    experiment = Within(matrices)
    return samples(np.arange(501, 501 + TRIALS), matrices.topics, experiment.size) - 1
