"""Paired values of systems: checks, and shapes of arguments and results."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from cdfscore.errors import CdfscoreError
from cdfscore.numerics.concordance import Counts, Ranked, counts, ranked
from cdfscore.numerics.types import Array, BoolArray


@dataclass(frozen=True)
class Pairs:
    """Rows x and y of equal shape (rows, n), and the leading shape of the arguments.

    `coefficient` is the name at the beginning of errors.
    """

    coefficient: str
    x: Array
    y: Array
    shape: tuple[int, ...]

    @classmethod
    def of(cls, coefficient: str, x: ArrayLike, y: ArrayLike) -> Pairs:
        """Check x and y of shape (..., n), whose leading dimensions broadcast.

        Raises `CdfscoreError` for values that are not numbers, a NaN or an infinity,
        different n, and n below 2.
        """
        first, second = _as_values(coefficient, "x", x), _as_values(coefficient, "y", y)
        n, m = first.shape[-1], second.shape[-1]
        if n != m:
            raise CdfscoreError(
                f"{coefficient}: x has {n} values and y has {m}; expected one of each per system"
            )
        if n < 2:
            raise CdfscoreError(
                f"{coefficient}: there are {n} pairs of values; expected at least 2"
                if n == 0
                else f"{coefficient}: there is 1 pair of values; expected at least 2"
            )
        try:
            shape = np.broadcast_shapes(first.shape[:-1], second.shape[:-1])
        except ValueError as error:
            raise CdfscoreError(
                f"{coefficient}: x has shape {first.shape} and y has shape {second.shape}; "
                "expected leading dimensions that broadcast"
            ) from error
        rows = int(np.prod(shape))
        whole = (*shape, n)
        return cls(
            coefficient,
            np.broadcast_to(first, whole).reshape(rows, n),
            np.broadcast_to(second, whole).reshape(rows, n),
            shape,
        )

    @cached_property
    def _ranked(self) -> tuple[Ranked, Ranked]:
        return ranked(self.x), ranked(self.y)

    @cached_property
    def counts(self) -> Counts:
        """Counts in the order of y; coefficients of the same pairs share them."""
        return counts(*self._ranked)

    @cached_property
    def exchanged(self) -> Counts:
        """Counts in the order of x, of y with x."""
        return counts(*self._ranked[::-1])

    def result(self, values: Array) -> Array | np.float64:
        """Return one value per row in the leading shape, a number for a single pair."""
        found: Array | np.float64 = values.reshape(self.shape)[()]
        return found

    def result_where(self, defined: BoolArray, values: Array, expected: str) -> Array | np.float64:
        """Return `result` with NaN where undefined; raises `CdfscoreError` for a single pair."""
        if not self.shape and not defined.all():
            raise CdfscoreError(f"{self.coefficient} is undefined: expected {expected}")
        return self.result(np.where(defined, values, np.nan))

    def refuse_ties(self, argument: str, instead: str) -> None:
        """Raise `CdfscoreError` if two values in a row of x, or of y, are equal."""
        values = self.x if argument == "x" else self.y
        order = np.argsort(values, axis=-1, kind="stable")
        ranked = np.take_along_axis(values, order, axis=-1)
        tied = np.argwhere(ranked[:, 1:] == ranked[:, :-1])
        if tied.size:
            row, rank = tied[0]
            dots, pair = "", ""
            if self.shape:
                place = [int(i) for i in np.unravel_index(row, self.shape)]
                dots, pair = "..., ", f" in the pair {place}"
            one, two = (f"{argument}[{dots}{order[row, at]}]" for at in (rank, rank + 1))
            raise CdfscoreError(
                f"{self.coefficient}: {one} and {two} are both {ranked[row, rank]}{pair}; "
                f"expected no ties in {argument}, {instead}"
            )


def constant(values: Array) -> BoolArray:
    """Tell for each row whether all its values are equal."""
    equal: BoolArray = values.min(axis=-1) == values.max(axis=-1)
    return equal


def _as_values(coefficient: str, argument: str, values: ArrayLike) -> Array:
    try:
        given = np.asarray(values)
    except ValueError as error:  # rows of different lengths
        raise CdfscoreError(f"{coefficient}: {argument} is not an array: {error}") from error
    if given.dtype.kind not in "iuf":
        raise CdfscoreError(f"{coefficient}: {argument} holds {given.dtype}; expected numbers")
    numbers = given.astype(np.float64)
    if numbers.ndim == 0:
        raise CdfscoreError(
            f"{coefficient}: {argument} is the single number {numbers}; expected values of shape "
            "(..., n)"
        )
    bad = np.argwhere(~np.isfinite(numbers))
    if bad.size:
        place = tuple(int(i) for i in bad[0])
        raise CdfscoreError(
            f"{coefficient}: {argument}[{', '.join(map(str, place))}] is {numbers[place]}; "
            "expected finite numbers"
        )
    return numbers
