"""Unit of the scores: powers of 2 that keep sums and squares within the range of a double.

A power of 2 changes no digit of a score. Scores of ordinary size are not scaled, so that they keep
the resolution of their decimals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from cdfscore.numerics.numbers import finite_number
from cdfscore.numerics.types import Array, IntArray
from cdfscore.significance.contract.result import Rows, joined_rows

#: What is in the unit of the scores in a test of a difference: settings, and fields of `Rows`.
DIFFERENCE = ("null_value", "estimate", "stderr", "conf_low", "conf_high")
#: Scores whose largest is between 2^-100 and 2^100, or 0, are not scaled: their squares, and sums
#: of as many as fit in a memory, are far from the ends of the range of a double.
_ORDINARY = 100


@dataclass(frozen=True)
class Decimals:
    """Decimals of scores in their own unit, for scores that were divided by 2^`exponent`."""

    number: int
    exponent: int


def exponents(samples: tuple[Array, ...], least: float = 0.0) -> IntArray:
    """Return the powers of 2 by which the rows of samples are divided, 0 for ordinary ones.

    The largest size of a row is at least `least`. Rows are the first dimension of each sample; they
    have no NaN.
    """
    rows = [sample.reshape(len(sample), math.prod(sample.shape[1:])) for sample in samples]
    found = np.zeros(len(rows[0]), dtype=np.int64)
    largest = max(max(part.max(initial=0.0), -part.min(initial=0.0)) for part in rows)
    unclear = np.arange(len(found))
    if np.frexp(max(largest, least))[1] <= _ORDINARY:
        # Then one ordinary score suffices, which most rows have in the first place.
        first = np.max([np.abs(part[:, :1]).max(axis=1, initial=least) for part in rows], axis=0)
        unclear = np.flatnonzero(first < 2.0 ** -(_ORDINARY + 1))
    if len(unclear):
        size = np.max([np.abs(part[unclear]).max(axis=1, initial=least) for part in rows], axis=0)
        power = np.frexp(size)[1]
        found[unclear] = np.where((np.abs(power) > _ORDINARY) & (size > 0), power, 0)
    return found


def are_ordinary(rows: Array, settings: Mapping[str, Any], in_unit: tuple[str, ...]) -> bool:
    """Tell whether no row (rows, n), and no setting in the unit of the scores, is to be scaled."""
    given = np.array([[settings[name]] for name in in_unit if name in settings] or [[0.0]])
    return not (exponents((rows,)).any() or exponents((given,)).any())


def scaled_rows(
    function: Callable[..., Rows],
    samples: tuple[Array, ...],
    settings: Mapping[str, Any],
    in_unit: tuple[str, ...],
) -> Rows:
    """Return what a function finds of rows of samples, each row in a unit that suits its scores.

    The settings and the fields of `Rows` that are `in_unit` are scaled with the scores, and back. A
    number of decimals (`ties_at`) stays one of the scores as they are given: it becomes `Decimals`.
    """
    found = {name: finite_number(settings[name]) for name in in_unit if name in settings}
    given = {name: number for name, number in found.items() if number is not None}
    exponent = exponents(samples, max(map(abs, given.values()), default=0.0))
    if not exponent.any():
        return function(*samples, **settings)
    parts = []
    for each in np.unique(exponent):
        index = np.flatnonzero(exponent == each)
        units: dict[str, Any] = {k: float(np.ldexp(value, -each)) for k, value in given.items()}
        if isinstance(decimals := settings.get("ties_at"), int):
            units["ties_at"] = Decimals(decimals, int(each))
        scaled = (np.ldexp(sample[index], -each) for sample in samples)
        rows = function(*scaled, **{**settings, **units})
        parts.append((index, _in_scores(rows, int(each), in_unit)))
    return parts[0][1] if len(parts) == 1 else joined_rows(len(exponent), parts)


def _in_scores(rows: Rows, exponent: int, in_unit: tuple[str, ...]) -> Rows:
    """Return rows of scores that were divided by a power of 2, in the unit of the scores."""
    names = {field.name for field in fields(Rows)}.intersection(in_unit)
    if "statistic" in names:
        names.add("statistic_terms")
    return replace(rows, **{name: np.ldexp(getattr(rows, name), exponent) for name in names})
