"""Uncertainty from the reference systems: writes what is measured into its page.

``python -m validation.papers.reference_uncertainty`` takes 4 minutes of a core, and writes anew
what stands between the comments of docs/reference_uncertainty.md.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cdfscore import CdfscoreWarning, compare, parse_scheme
from cdfscore.comparison import ReferenceUncertainty
from cdfscore.stats.numerics.types import Array
from validation.pages import BLOCK
from validation.papers.matrices import urbano

PAGE = Path(__file__).parents[2] / "docs" / "reference_uncertainty.md"
SCHEMES = ("normal", "uniform", "empirical", "kernel", "minmax", "exponential")
MATRICES = {
    "robust2004_ap": "Robust AP",
    "robust2004_ndcg": "Robust nDCG",
    "terabyte2006_ap": "Terabyte AP",
    "terabyte2006_ndcg": "Terabyte nDCG",
}
SIZES = (5, 10, 20, 40)
DRAWS, REFERENCES, RESAMPLES = 1000, 30, 200


def main() -> None:
    data = Path(os.environ.get("CDFSCORE_DATA", Path(__file__).parents[3] / "shared" / "data"))
    scores = urbano(data)
    blocks = {"tracks": "\n".join(tracks(scores)), "truth": "\n".join(truth(scores))}
    page = PAGE.read_text(encoding="utf-8")
    written = BLOCK.sub(lambda m: f"{m[1]}\n{blocks[m[2]]}\n\n{m[3]}", page)
    PAGE.write_text(written, encoding="utf-8")


def tracks(scores: dict[str, pd.DataFrame]) -> Iterator[str]:
    """Yield the rows of whole tracks, whose systems are their own reference."""
    yield "| matrix | scheme | share, mean | share, difference | apart by topics | by both |"
    yield "|---|---|--:|--:|--:|--:|"
    for matrix, title in MATRICES.items():
        for scheme in ("normal", "uniform", "empirical"):
            found = quietly(scores[matrix], scheme, resamples=999)
            note = next(note for note in found.notes if note.startswith("the interval of"))
            apart, pairs, still = re.findall(r"([\d,]+)(?: of| difference)", note.split(":")[1])
            shares = (
                f"{100 * table['reference_share'].median():.0f} %"
                for table in (found.means, found.pairs)
            )
            cells = (title, scheme, *shares, f"{apart} of {pairs}", still)
            yield f"| {' | '.join(cells)} |"


def truth(scores: dict[str, pd.DataFrame]) -> Iterator[str]:
    """Yield estimated by true standard errors of systems that are not in the reference."""
    sizes = " | ".join(f"n = {n}" for n in SIZES)
    yield f"| matrix | of | scheme | {sizes} |"
    yield f"|---|---|---|{'--:|' * len(SIZES)}"
    for matrix in ("robust2004_ap", "terabyte2006_ap"):
        rng = np.random.default_rng(1)
        frame = scores[matrix].iloc[:, rng.permutation(scores[matrix].shape[1])]
        new, pool = frame.iloc[:, : frame.shape[1] // 4], frame.iloc[:, frame.shape[1] // 4 :]
        for scheme in SCHEMES:
            found = np.array([ratios(new, pool, scheme, n) for n in SIZES])
            for what, row in zip(("mean", "difference"), found.T, strict=True):
                numbers = " | ".join(f"{each:.2f}" for each in row)
                yield f"| {MATRICES[matrix]} | {what} | {scheme} | {numbers} |"


def ratios(new: pd.DataFrame, pool: pd.DataFrame, scheme: str, n: int) -> tuple[float, float]:
    """Return the estimated by the true standard error of means and of differences.

    Both are roots of means of squares; n reference systems are drawn with replacement.
    """
    rng = np.random.default_rng(n)
    means = np.array(
        [by(new, pool, scheme, rng.integers(pool.shape[1], size=n)) for _ in range(DRAWS)]
    )
    first, second = np.triu_indices(new.shape[1], 1)
    true = means.var(axis=0).mean(), (means[:, first] - means[:, second]).var(axis=0).mean()
    squares = []
    for k in range(REFERENCES):
        drawn = rng.integers(pool.shape[1], size=n)
        reference = pool.iloc[:, drawn].set_axis([f"reference {i}" for i in range(n)], axis=1)
        found = quietly(new, scheme, reference=reference, resamples=RESAMPLES, seed=k)
        tables = found.means, found.pairs
        squares.append([(table["stderr_reference"] ** 2).mean() for table in tables])
    of_means, of_pairs = np.sqrt(np.mean(squares, axis=0) / true)
    return float(of_means), float(of_pairs)


def by(new: pd.DataFrame, pool: pd.DataFrame, scheme: str, drawn: Array) -> Array:
    """Return the means of new systems by a reference of these systems of the pool."""
    fitted = parse_scheme(scheme).fit(pool.to_numpy()[:, drawn])
    return np.asarray(fitted(new.to_numpy()).mean(axis=0))


def quietly(
    scores: pd.DataFrame, scheme: str, resamples: int, **settings: Any
) -> ReferenceUncertainty:
    """Return the uncertainty without warnings of what is measured here."""
    with warnings.catch_warnings(action="ignore", category=CdfscoreWarning):
        found = compare(
            scores, "paired_t", scheme=scheme, reference_uncertainty=resamples, **settings
        ).uncertainty
    assert found is not None
    return found


if __name__ == "__main__":
    main()
