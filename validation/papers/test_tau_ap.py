"""tau_b and tau_ap_b of Urbano, Lima and Hanjalic (SIGIR 2019), trial by trial.

The authors published both coefficients of each of their 10,000 trials, six decimals each. A
trial draws topics by R's ``sample`` under a seed of its own, and averages by R's ``colMeans``;
both are done by R here, so that nothing but the coefficients is ours. Means of E-std are
those of R too: they break exact ties by rounding, as the published numbers do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer
from cdfscore.numerics.types import Array, IntArray
from cdfscore.r.session import RSession
from cdfscore.rank_correlation import tau_ap_b, tau_b
from validation.papers.matrices import urbano

SCHEMES = {
    "raw": "raw",
    "N-std": "normal",
    "U-std": "uniform",
    "z-std": "z",
    "E-std": "empirical",
}
TRIALS = 200
Pair = tuple[Array, Array]
COEFFICIENTS = {"tau": tau_b, "tauAP": tau_ap_b}


@pytest.fixture(scope="module")
def standardized(shared_data: Path) -> dict[str, dict[str, Array]]:
    """The matrices by every scheme, fitted on all topics."""
    return {
        name: {
            label: Standardizer(scheme).fit_transform(scores).to_numpy()
            for label, scheme in SCHEMES.items()
        }
        for name, scores in urbano(shared_data).items()
    }


@pytest.fixture(scope="module")
def r(rinterface) -> RSession:
    return RSession()


@pytest.fixture(scope="module")
def drawn(r) -> Callable[[int, int, int], IntArray]:
    """Return a function for the topics of a trial, 0 being the first: trial, topics, how many."""

    def sample(trial: int, topics: int, size: int) -> IntArray:
        base = r.rinterface.baseenv
        base["set.seed"](501 + trial)
        chosen = base["sample"](r.rinterface.IntSexpVector(range(1, topics + 1)), size)
        return np.array(chosen) - 1

    return sample


def means_of(r: RSession, scores: Array, trials: Iterable[IntArray]) -> Array:
    """R's colMeans of the topics of each trial, shape (trials, systems)."""
    return np.array([r.column_means(scores[topics]) for topics in trials])


def assert_published(folder: Path, experiment: str, name: str, means: dict[str, Pair]) -> None:
    """Compare both coefficients of the means x and y of each scheme, at 6 decimals."""
    for coefficient, correlate in COEFFICIENTS.items():
        file = folder / "urbano2019" / "published" / experiment / name / f"{coefficient}.csv"
        expected = pd.read_csv(file)
        assert expected.columns.tolist() == list(SCHEMES)
        found = np.column_stack([correlate(*means[scheme]) for scheme in SCHEMES])
        apart = np.abs(found - expected.to_numpy()[:TRIALS])
        assert apart.shape == (TRIALS, len(SCHEMES))
        assert apart.max() <= 0.5e-6 + 1e-12


@pytest.mark.parametrize("name", ["robust2004_ap", "terabyte2006_ap"])
def test_within_collections(shared_data, standardized, r, drawn, name) -> None:
    """Section 3.1: raw and standardized means of the same 50 topics."""
    matrices = standardized[name]
    trials = [drawn(trial, len(matrices["raw"]), 50) for trial in range(TRIALS)]
    means = {scheme: means_of(r, scores, trials) for scheme, scores in matrices.items()}
    pairs = {scheme: (means["raw"], means[scheme]) for scheme in SCHEMES}
    assert_published(shared_data, "01-within", name, pairs)


@pytest.mark.parametrize("name", ["robust2004_ap", "terabyte2006_ap"])
def test_between_collections(shared_data, standardized, r, drawn, name) -> None:
    """Section 3.2: means of two disjoint samples of topics, by the same scheme."""
    matrices = standardized[name]
    topics = len(matrices["raw"])
    n = min(topics // 2, 50)
    trials = np.array([drawn(trial, topics, 2 * n) for trial in range(TRIALS)])
    pairs = {
        scheme: (means_of(r, scores, trials[:, :n]), means_of(r, scores, trials[:, n:]))
        for scheme, scores in matrices.items()
    }
    assert_published(shared_data, "02-between", name, pairs)
