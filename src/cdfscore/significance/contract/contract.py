"""What every significance test is: a function of complete rows, made a test by a decorator.

The function states the formula for samples of equal size, a sample a row. Missing scores,
batches, the shared settings, and data that gives no number are dealt with here, once.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Concatenate, Unpack

import numpy as np
from numpy.typing import ArrayLike

from cdfscore.numerics.types import Array
from cdfscore.significance.contract.base import ChosenTest, Declared, Indices, P, SignificanceTest
from cdfscore.significance.contract.matrices import AllSystems, Simultaneous
from cdfscore.significance.contract.result import Rows, TestResult, assembled
from cdfscore.significance.contract.samples import as_samples, by_size, packed, rows_of
from cdfscore.significance.contract.two_samples import Paired, TwoSamples, Unpaired

__all__ = [
    "AllSystems",
    "ChosenTest",
    "Indices",
    "OneSample",
    "Paired",
    "SignificanceTest",
    "Simultaneous",
    "TwoSamples",
    "Unpaired",
    "all_systems",
    "one_sample",
    "paired",
    "simultaneous",
    "unpaired",
]


class OneSample(SignificanceTest[P]):
    """A test of one sample, x of shape (..., n); NaN is passed over."""

    samples = "one sample"

    def __call__(self, x: ArrayLike, *args: P.args, **kwargs: P.kwargs) -> TestResult:
        """Test each sample of a batch; `SignificanceError` for a single one without a result."""
        settings = self._named(args, dict(kwargs))
        values = as_samples(self.name, "x", x)
        rows = rows_of(values, values.shape[:-1])
        present = ~np.isnan(rows)
        n, groups = by_size(present)
        parts = [
            (index, self._rows(size, packed(rows, present, index), **settings))
            for size, index in groups
        ]
        return self._finished(assembled(values.shape[:-1], parts, n, n, settings))


def one_sample(
    *, source: str, minimum: int = 2, **declared: Unpack[Declared]
) -> Callable[[Callable[Concatenate[Array, P], Rows]], OneSample[P]]:
    """Make a function of x (rows, n) a test of one sample."""
    return functools.partial(OneSample, source=source, minimum=minimum, **declared)


def paired(
    *, source: str, minimum: int = 2, **declared: Unpack[Declared]
) -> Callable[[Callable[Concatenate[Array, Array, P], Rows]], Paired[P]]:
    """Make a function of x and y, both (rows, n), a test of pairs."""
    return functools.partial(Paired, source=source, minimum=minimum, **declared)


def unpaired(
    *, source: str, minimum: int = 2, **declared: Unpack[Declared]
) -> Callable[[Callable[Concatenate[Array, Array, P], Rows]], Unpaired[P]]:
    """Make a function of x (rows, n) and y (rows, m) a test of two independent samples."""
    return functools.partial(Unpaired, source=source, minimum=minimum, **declared)


def all_systems(
    *, source: str, minimum: int = 2, **declared: Unpack[Declared]
) -> Callable[[Callable[Concatenate[Array, P], Rows]], AllSystems[P]]:
    """Make a function of scores (rows, topics, systems) a test of all systems at once."""
    return functools.partial(AllSystems, source=source, minimum=minimum, **declared)


def simultaneous(
    *, source: str, minimum: int = 2, of_all: bool = False, **declared: Unpack[Declared]
) -> Callable[[Callable[Concatenate[Array, Indices, Indices, P], Rows]], Simultaneous[P]]:
    """Make a function of scores (topics, systems) and two columns of indices a family's test."""
    return functools.partial(
        Simultaneous, source=source, minimum=minimum, of_all=of_all, **declared
    )
