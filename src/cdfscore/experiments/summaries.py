"""Common parts of experiments on topics: coefficients of a trial, tables of all trials."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cdfscore.errors import ExperimentError
from cdfscore.numerics.numbers import whole_number_from
from cdfscore.numerics.pearson import pearson_r
from cdfscore.numerics.types import Array, IntArray
from cdfscore.r_random import LARGEST_SEED
from cdfscore.rank_correlation import tau_ap_b, tau_b

if TYPE_CHECKING:
    import pandas as pd

#: The coefficients of a trial, by the names of the 2019 paper's files.
COEFFICIENTS = ("tau", "tauAP", "r")


def check_seed(seed: int) -> int:
    """Return the seed as Python's int; raise `ExperimentError` for what is not a seed of R."""
    return whole_number_from("seed", seed, -LARGEST_SEED, LARGEST_SEED, ExperimentError)


def check_size(size: int, least: int, most: int) -> int:
    """Return a number of topics as Python's int; raise `ExperimentError` if it cannot be drawn."""
    if most < least:
        raise ExperimentError(f"there are too few topics for samples of {least} or more")
    return whole_number_from("size", size, least, most, ExperimentError)


def of_systems(number: int) -> str:
    """Return the number of systems of a sample, for a message."""
    return f"{number} system{'s' * (number != 1)}"


def rankings_agree(x: Array, y: Array) -> dict[str, Array]:
    """Correlate means x and y of shape (trials, systems): tau_b, tau_ap_b, Pearson's r.

    The result is NaN if all means of x or of y are equal.
    """
    coefficients = (tau_b(x, y), tau_ap_b(x, y), pearson_r(x, y))
    return {name: np.asarray(c) for name, c in zip(COEFFICIENTS, coefficients, strict=True)}


def per_trial(results: dict[str, NDArray[Any]], labels: Sequence[str]) -> dict[str, pd.DataFrame]:
    """Return each coefficient as a table with one row per trial and one column per scheme."""
    import pandas as pd

    return {name: pd.DataFrame(results[name], columns=list(labels)) for name in COEFFICIENTS}


def mean_rates(
    rejected: IntArray, tests: IntArray, alphas: Sequence[float], labels: Sequence[str]
) -> pd.DataFrame:
    """Average the proportion of tests that reject over the trials that have a test.

    `rejected` is (trials, schemes, levels), `tests` (trials, schemes). The table has one row
    per level, with a first column ``alpha``, and one column per scheme; NaN if no trial has a
    test.
    """
    import pandas as pd

    made = tests > 0
    rates = rejected / np.where(made, tests, 1)[:, :, np.newaxis]
    trials = made.sum(axis=0)[:, np.newaxis]
    means = np.where(trials > 0, rates.sum(axis=0) / np.maximum(trials, 1), np.nan)
    table = pd.DataFrame(means.T, columns=list(labels))
    table.insert(0, "alpha", alphas)
    return table
