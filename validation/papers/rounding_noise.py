"""What rounding did to the published E-std numbers: writes docs/rounding-noise.md.

``python -m validation.papers.rounding_noise`` runs the experiments of Urbano et al. (2019) twice,
with means as R's ``colMeans`` rounds them and with exact means, and counts what differs.
"""

from __future__ import annotations

import os
import platform
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cdfscore.experiments import SchemeMatrices, Within, run_trials
from cdfscore.experiments.column_means import column_means
from cdfscore.numerics.types import Array, IntArray
from cdfscore.papers.urbano2019 import run as urbano2019
from cdfscore.r_random import samples

PAGE = Path(__file__).parents[2] / "docs" / "rounding-noise.md"
TRIALS = urbano2019.TRIALS
NAMES = {"tau": "tau_b", "tauAP": "tau_ap,b", "r": "r"}
INTRODUCTION = """# Rounding noise in the published E-std numbers

Written by `python -m validation.papers.rounding_noise`.

E-std scores are whole numbers k over n systems. So is a mean of 50 of them over 50 n, and two
systems whose whole numbers have equal sums are tied: on Robust 2004 with 110 systems, {ties:.1f} of
the 5,995 pairs in a trial, on average. The authors' R code, as any code would that adds k/n in
floating point, rounds each k/n to a double, adds in extended precision and rounds the mean. Equal
sums then become means that are equal or differ in the last digit, depending on which k were added,
and Kendall's tau and tau_ap take the one that is greater by 1e-16 for the better system.

`cdfscore reproduce urbano2019` gives the published numbers, noise included: it adds as R does, bit
for bit. `--exact-ties` ranks by the whole numbers, so that ties are ties. This page lays both side
by side, over all {trials:,} trials of each experiment; the other four schemes have no such ties by
construction and are the same in both. (The nDCG files are reproduced in the same way, but are not
compared with published ones here.)

## How many trials differ, and by how much

At the six digits that are published; differences are published minus exact.

| experiment | data | coefficient | trials that differ | largest difference | mean difference |
| --- | --- | --- | --: | --: | --: |
"""
AFTER = """
tau_b counts a tied pair in no ranking's favour; the noise gives it to one of the two systems at
random. The mean differences are therefore small, and no conclusion of the paper changes: its
curves are densities over 10,000 trials. A single trial can be off by as much as the table says,
and with it any ranking that somebody reads off one sample of topics.

Pearson's r is not a matter of order, and is the same to the published digits in all but the
trials that the table counts. Rates of rejected tests (power and type I error) do not depend on
means that are equal but for rounding; they are the same in both.

## Ties that the noise broke

Pairs of systems with equal sums of whole numbers, over all trials of the within-collection
experiment, and what became of them as means of doubles.

| data | tied pairs a trial | still tied | broken | trials with a broken tie |
| --- | --: | --: | --: | --: |
"""
SUMMATION = """
## It also depends on who adds

R adds columns in the 80-bit format of x86 processors, which is exact enough for E-std: what
breaks the ties is that k/n was rounded to a double before. The same trials with NumPy's `mean`,
which adds in double precision, break many more: against the published file of Robust 2004 AP,
within-collection, {numpy:,} of {trials:,} trials have another tau, by up to {largest:.4f}. A
processor without that format, such as ARM, gives R itself other bits. cdfscore computes R's bits
with pairs of doubles on every machine ([decision](decisions/0011-r-s-column-means.md)).

Raw scores have the same problem in principle: they have four decimals, and sums of decimals can
tie. Of the pairs of systems whose sums of ten-thousandths are equal, {raw_ties:,} over all trials
of the four data sets, {raw_broken:,} come apart in the means of doubles. `--exact-ties` leaves
those as they are, because a score that was printed with four decimals is rounded already.
"""


@dataclass(frozen=True)
class Ties:
    """Pairs of systems with equal exact means, over all trials."""

    pairs: int
    broken: int
    trials_with_broken: int


def main() -> None:
    data = Path(os.environ.get("CDFSCORE_DATA", Path(__file__).parents[3] / "shared" / "data"))
    cells = urbano2019.cells()
    names = list(dict.fromkeys(cell.matrix for cell in cells))
    rounded, exact = (
        {name: urbano2019.matrices(data, name, ties) for name in names}
        for ties in ("rounded", "exact")
    )
    rows = []
    with ThreadPoolExecutor(os.cpu_count()) as executor:
        for cell in cells:
            one, other = (
                run_trials(urbano2019.experiment(cell, m[cell.matrix]), TRIALS, executor=executor)
                for m in (rounded, exact)
            )
            assert all(np.array_equal(one[k], other[k]) for k in ("rejected", "tests"))
            rows += [
                row(f"{cell.experiment} | {cell.matrix} | {NAMES[name]}", one[name], other[name])
                for name in NAMES
            ]
    # Score matrices of ten-thousandths, so that raw scores are whole numbers too.
    within = {name: ties_of(rounded[name], exact[name].averaged[-1], -1) for name in names}
    raw = [ties_of(m, np.rint(m.raw * 10_000), 0) for m in rounded.values()]
    numpy_differs = tau_by_numpy(rounded["robust2004_ap"])
    lines = [
        INTRODUCTION.format(ties=within["robust2004_ap"].pairs / TRIALS, trials=TRIALS)
        + "\n".join(rows),
        AFTER
        + "\n".join(
            f"| {name} | {t.pairs / TRIALS:.2f} | {t.pairs - t.broken:,} | {t.broken:,} "
            f"| {t.trials_with_broken:,} |"
            for name, t in within.items()
        ),
        SUMMATION.format(
            numpy=numpy_differs[0],
            largest=numpy_differs[1],
            trials=TRIALS,
            raw_ties=sum(t.pairs for t in raw),
            raw_broken=sum(t.broken for t in raw),
        ),
        f"Measured with Python {platform.python_version()}, NumPy {np.__version__}.",
    ]
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def row(title: str, published: Array, exact: Array) -> str:
    """Compare the last scheme, E-std; the others must be the same."""
    assert np.array_equal(published[:, :-1], exact[:, :-1])
    difference = np.round(published[:, -1], 6) - np.round(exact[:, -1], 6)
    differ = np.abs(difference) > 0.5e-6
    largest = difference[np.abs(difference).argmax()]
    return f"| {title} | {differ.sum():,} | {largest:+.6f} | {difference.mean():+.1e} |"


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


def tau_by_numpy(matrices: SchemeMatrices) -> tuple[int, float]:
    """How many trials have another tau with numpy.mean, and by how much at most."""
    from cdfscore.rank_correlation import tau_b

    rows = drawn(matrices)
    both = (matrices.raw, matrices.scores[-1])
    as_r = tau_b(*(column_means(scores, rows) for scores in both))
    by_numpy = tau_b(
        *(np.array([scores[sample].mean(axis=0) for sample in rows]) for scores in both)
    )
    difference = np.abs(np.round(as_r, 6) - np.round(by_numpy, 6))
    return int((difference > 0.5e-6).sum()), float(difference.max())


def drawn(matrices: SchemeMatrices) -> IntArray:
    """The topics of each trial of the within-collection experiment, from 0."""
    experiment = Within(matrices)
    return samples(np.arange(501, 501 + TRIALS), matrices.topics, experiment.size) - 1


if __name__ == "__main__":
    main()
