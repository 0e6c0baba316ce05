"""Tables of analysis of variance, of all types."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from mpmath import mpf

from cdfscore.models import anova
from cdfscore.stats.judge.models import ANOVA
from cdfscore.stats.numerics.types import Array
from validation.statsmodels_judge.counterpart import Counterpart, Given, Numbers
from validation.statsmodels_judge.counterparts.ranges import (
    RAW,
    as_frame,
)
from validation.statsmodels_judge.data import Source
from validation.statsmodels_judge.distributions import (
    f_upper,
)
from validation.statsmodels_judge.least_squares import sums_of_squares

FORMULAS = (
    "score ~ topic + a + b",
    "score ~ topic + a * b",
    "score ~ a * b",
    "score ~ topic * a + b",
)


def components(systems: int) -> pd.DataFrame:
    """Return the levels of two factors, which are crossed, for each system."""
    names = [f"s{i:03}" for i in range(systems)]
    return pd.DataFrame(
        {
            "system": names,
            "a": [f"a{i % 2}" for i in range(systems)],
            "b": [f"b{i // 2 % 3}" for i in range(systems)],
        }
    )


def _experiments(source: Source) -> Iterator[tuple[str, Given]]:
    """Yield scores of 12 systems of 2 x 3 components, some missing, and every type."""
    rng = np.random.default_rng([source.seed, 4])
    for number in range(source.count):
        topics = int(rng.integers(2, 7))
        scores = rng.beta(0.8, 2.0, (topics, 12)) + 0.3 * rng.random((topics, 1))
        if number % 4:
            scores = scores.round(1)
        if number % 2:
            missing = rng.random(scores.shape) < 0.1
            missing[:, :6] = False  # so that no combination is without a score
            scores[missing] = np.nan
        formula = FORMULAS[number % len(FORMULAS)]
        for kind in ("I", "II", "III"):
            yield formula, {"scores": scores, "formula": formula, "type": kind}


def _table_by_us(scores: Array, formula: str, type: Any) -> Numbers:
    table = anova(
        as_frame(scores), formula, components(12), schemes=[RAW], sums_of_squares=type
    ).table
    return {
        "sum_of_squares": table["sum_of_squares"].to_numpy(),
        "sum_of_squares_terms": table["mean_square"].iloc[-1],
        "parameter": table["df"].to_numpy(),
        "statistic": table["statistic"].to_numpy()[:-1],
        "p_value": table["p_value"].to_numpy()[:-1],
    }


def _table_by_statsmodels(scores: Array, formula: str, type: str) -> Numbers:
    own = anova(as_frame(scores), formula, components(12), schemes=[RAW]).formula
    levels = {name: components(12)[name].tolist() for name in own.factors if name != "topic"}
    found = ANOVA(scores, levels, own.terms, type, [], alpha=0.05)
    return {
        "sum_of_squares": found["sum of squares"],
        "parameter": found["degrees of freedom"],
        "statistic": found["F"][:-1],
        "p_value": found["p value of F"][:-1],
    }


def _table_truth(scores: Array, formula: str, type: str) -> Numbers:
    squares, df = sums_of_squares(scores, formula, type)
    error = squares[-1] / df[-1]
    f = [s / k / error for s, k in zip(squares[:-1], df[:-1], strict=True)]
    return {
        "sum_of_squares": squares,
        "parameter": [mpf(k) for k in df],
        "statistic": f,
        "p_value": [f_upper(x, mpf(k), mpf(df[-1])) for x, k in zip(f, df[:-1], strict=True)],
    }


COUNTERPARTS = (
    Counterpart(
        "anova",
        "anova_lm, types 1, 2, 3",
        _experiments,
        _table_by_us,
        _table_by_statsmodels,
        "components_table",
        _table_truth,
        slow=3,
    ),
)
