"""What a linear model is given: scores by each scheme, and factors, after checks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.cautions import each_once
from cdfscore.comparison.choices import check_different
from cdfscore.errors import ModelError, SpecificationError
from cdfscore.models.components import SYSTEM
from cdfscore.models.crossed import Factor
from cdfscore.models.formula import RESPONSE
from cdfscore.models.names import check_names
from cdfscore.numerics.types import Array
from cdfscore.spelling import argument
from cdfscore.standardization.factors import ExtraTopics
from cdfscore.standardization.standardized import Standardized
from cdfscore.standardization.standardizer import How, check_extra_of, standardize

if TYPE_CHECKING:
    import pandas as pd

# Squares of scores below it, or above its inverse, are near the ends of the doubles.
_EXTREME = 1e-150
# What stands beside factors in formulas, and in the tables of terms, variances and means.
_TAKEN = (RESPONSE, "residual", "scheme", "mean", "stderr", "df", "conf_low", "conf_high")


def standardized_by(
    schemes: Sequence[How],
    scores: pd.DataFrame,
    reference: pd.DataFrame | None,
    extra_topics: ExtraTopics,
) -> list[Standardized]:
    """Return the scores by each of one or more schemes; raises `ModelError` for none, or a text."""
    if isinstance(schemes, str) or not schemes:
        raise ModelError(
            f"{argument('schemes', schemes)} is not accepted; expected a list such as ['raw']"
        )
    check_different(schemes)
    check_extra_of(schemes, reference, extra_topics)
    with each_once():
        return [standardize(scores, how, reference, extra_topics) for how in schemes]


def check_factors(factors: Iterable[Factor]) -> None:
    """Raise `SpecificationError` for factors that no model has, and `ModelError` for one system.

    These are a factor with one level, a factor for which some system has no level, a factor with
    the name of another column, and a factor with a colon, a backtick or a backslash in its name.
    """
    for factor in factors:
        check_names([factor.name])
        if factor.name in _TAKEN:
            raise SpecificationError(
                f"a factor is named {factor.name!r}, which is also the name of a column or row of "
                "the results; expected another name"
            )
        if factor.lacks:
            raise SpecificationError(f"{factor.lacks}; expected a level, such as 'none'")
        if len(factor.levels) < 2:
            kind = ModelError if factor.name == SYSTEM else SpecificationError
            raise kind(
                f"the factor {factor.name} has the level {factor.levels[0]!r} for all systems; "
                "expected two levels or more, or a formula without it"
            )


def finite_values(found: Standardized, scheme: str) -> Array:
    """Return the scores, topics x systems; raises `ModelError` for infinite ones."""
    values: Array = found.frame.to_numpy()
    if np.isinf(values).any():
        row, column = np.argwhere(np.isinf(values))[0]
        raise ModelError(
            f"{scheme}: topic {found.used.topics[row]!r}, system {found.used.systems[column]!r} "
            f"has the score {values[row, column]}; expected finite scores, for example by another "
            "policy for constant topics"
        )
    return values


def check_squares(values: Array, scheme: str) -> None:
    """Raise `ModelError` for scores whose squares R cannot add."""
    largest = float(np.abs(values[~np.isnan(values)]).max(initial=0.0))
    if not largest or _EXTREME < largest < 1 / _EXTREME:
        return
    side = "small" if largest < 1 else "large"
    raise ModelError(
        f"{scheme}: the largest score is {largest:g}, and its square is too {side} for R, which "
        f"adds squares as they are; expected a largest score from {_EXTREME:g} to {1 / _EXTREME:g}"
    )
