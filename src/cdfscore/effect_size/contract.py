"""Base of effect sizes, and the decorator that makes one of a function of complete rows."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from cdfscore.catalogue import FunctionCatalogue
from cdfscore.errors import SignificanceError
from cdfscore.numerics.tolerance import Tolerance
from cdfscore.numerics.types import Array
from cdfscore.significance.contract import (
    Ranks,
    as_function,
    as_samples,
    check_pairs,
    check_ranks,
    checked,
    exponents,
    leading,
    packed,
    rows_of,
    with_usual,
)

# --- Base of effect sizes, and the decorator that makes one of a function of complete rows ---

#: Estimate, lower and upper end of the interval, each (rows,), of x (rows, n) and y (rows, m).
Formula = Callable[[Array, Array, float], tuple[Array, Array, Array]]

_NONCENTRAL = "the ends solve equations; the sums in R have a relative error of 1e-13"
#: How far the numbers may be from R's; an effect size states those that differ.
USUAL = {
    "estimate": Tolerance(4500, "the ratio of two numbers, each within 1e-13 of R's"),
    "conf_low": Tolerance(450_000, _NONCENTRAL),
    "conf_high": Tolerance(450_000, _NONCENTRAL),
}


@dataclass(frozen=True, eq=False)
class EffectSize:
    """Effect size with its confidence interval: one value per pair of samples, shape (...).

    `estimate`, `conf_low` and `conf_high` are NaN if they are undefined. `method` names the method
    of the interval.

    Specified in effect_size.1.

    Examples
    --------
    >>> from cdfscore.effect_size import d_z
    >>> found = d_z([0.5, 0.3, 0.8, 0.4], [0.4, 0.3, 0.5, 0.2])
    >>> type(found).__name__, found.method, round(float(found.estimate), 3)
    ('EffectSize', 'noncentral t', 1.162)
    """

    estimate: Array
    conf_low: Array
    conf_high: Array
    method: str


@dataclass(eq=False, repr=False)
class Effect:
    """Effect size of x against y: positive if x is larger."""

    function: Formula
    _: KW_ONLY
    paired: bool
    method: str
    #: The fewest scores of each sample, or pairs of them, that give a number.
    minimum: int = 2
    #: What people call the effect size, and the paper to cite for it.
    label: str = ""
    source: str = ""
    #: Whether the numbers change with the unit of the scores, which are then never scaled.
    in_unit: bool = True
    #: What is ranked over topics.
    ranks: Ranks = ""
    tolerances: Mapping[str, Tolerance] = field(default_factory=dict)
    name: str = field(init=False)

    def __post_init__(self) -> None:
        self.name = self.function.__name__
        self.label = self.label or self.name
        check_ranks(self.ranks)
        self.tolerances = with_usual(self.name, USUAL, self.tolerances)
        as_function(self, self.function)

    def twin(self) -> Path:
        """Return the path of the R twin, beside the file of the effect size."""
        return Path(inspect.getfile(self.function)).with_name(f"{self.name}.R")

    def __reduce__(self) -> str:
        return self.name  # by name, as a function is pickled

    def __repr__(self) -> str:
        return f"<effect size {self.name}>"

    def __call__(self, x: ArrayLike, y: ArrayLike, *, conf_level: float = 0.95) -> EffectSize:
        """Return the effect size of samples of shape (..., n) and (..., m); NaN is omitted."""
        level = checked(self.name, {"conf_level": conf_level})["conf_level"]
        a, b = as_samples(self.name, "x", x), as_samples(self.name, "y", y)
        if self.paired:
            check_pairs(self.name, a, b)
        shape = leading(self.name, a, b)
        a, b = rows_of(a, shape), rows_of(b, shape)
        in_a, in_b = ~np.isnan(a), ~np.isnan(b)
        if self.paired:
            in_a = in_b = in_a & in_b
        sizes = np.stack([in_a.sum(axis=1), in_b.sum(axis=1)], axis=1)
        numbers = np.full((3, len(a)), np.nan)
        for size in np.unique(sizes, axis=0):
            if size.min() < self.minimum:
                continue
            index = np.flatnonzero((sizes == size).all(axis=1))
            x_rows, y_rows = packed(a, in_a, index), packed(b, in_b, index)
            if not self.in_unit:
                exponent = exponents((x_rows, y_rows))[:, np.newaxis]
                if exponent.any():
                    x_rows, y_rows = np.ldexp(x_rows, -exponent), np.ldexp(y_rows, -exponent)
            with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
                numbers[:, index] = self.function(x_rows, y_rows, level)
        estimate, low, high = (column.reshape(shape)[()] for column in numbers)
        return EffectSize(estimate, low, high, self.method)


def effect(
    *,
    paired: bool,
    method: str,
    minimum: int = 2,
    label: str = "",
    source: str = "",
    in_unit: bool = True,
    ranks: Ranks = "",
    tolerances: Mapping[str, Tolerance] | None = None,
) -> Callable[[Formula], Effect]:
    """Make an effect size from a function of x (rows, n), y (rows, m) and conf_level.

    The function gets float64 rows without NaN, and returns the estimate and the lower and upper end
    of the interval, each of shape (rows,). The effect size takes x of shape (..., n) and y of
    shape (..., m), omits NaN, and returns an `EffectSize`.

    Specified in effect_size.2.

    Parameters
    ----------
    paired
        Whether x and y are scores on the same topics.
    method
        Name of the method of the interval.
    minimum
        The smallest number of scores in each sample, or of pairs, for which it is defined.
    label
        What people call the effect size; the name of the function if not given.
    source
        The paper to cite for it, such as "Cohen (1988)".
    in_unit
        Whether the numbers change with the unit of the scores. If they do not, scores far from 1
        are scaled by a power of 2.
    ranks
        "topics" if scores of different topics are ranked together, "differences" if differences
        are. `compare` then ties standardized scores that differ by rounding errors.
    tolerances
        Tolerances against R that differ from the usual ones.

    Raises
    ------
    SignificanceError
        When the decorator is applied: for a tolerance of an unknown number or without a reason.

    Examples
    --------
    >>> import numpy as np
    >>> from cdfscore.effect_size import effect
    >>> @effect(paired=True, method="none")
    ... def mean_difference(x, y, conf_level):
    ...     none = np.full(len(x), np.nan)
    ...     return (x - y).mean(axis=1), none, none
    >>> float(mean_difference([0.5, 1.0], [0.25, 0.5]).estimate)
    0.375
    """
    return functools.partial(
        Effect,
        paired=paired,
        minimum=minimum,
        method=method,
        label=label,
        source=source,
        in_unit=in_unit,
        ranks=ranks,
        tolerances=tolerances or {},
    )


# --- Effect sizes by name: those of this package, and those that other packages add ---

effect_sizes = FunctionCatalogue("cdfscore.effect_size", "effect size", SignificanceError)
