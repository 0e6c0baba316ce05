"""Decorators that make a significance test of a function of complete rows.

The function states the formula for samples of equal size, one sample per row. The decorators
handle missing scores, batches, common settings, and data for which a test is undefined.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Concatenate, Unpack

import numpy as np
from numpy.typing import ArrayLike

from cdfscore.numerics.types import Array
from cdfscore.significance.contract.base import Declared, Indices, P, SignificanceTest
from cdfscore.significance.contract.matrices import AllSystems, Pooled, Simultaneous
from cdfscore.significance.contract.result import Rows, TestResult, assembled
from cdfscore.significance.contract.samples import as_samples, by_size, packed, rows_of
from cdfscore.significance.contract.two_samples import Paired, Unpaired


class OneSample(SignificanceTest[P]):
    """Test of one sample, x of shape (..., n); NaN is omitted."""

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
    """Make a one-sample test of a function of x (rows, n)."""
    return functools.partial(OneSample, source=source, minimum=minimum, **declared)


def paired(
    *, source: str, minimum: int = 2, **declared: Unpack[Declared]
) -> Callable[[Callable[Concatenate[Array, Array, P], Rows]], Paired[P]]:
    """Make a paired test of a function of x and y, both (rows, n)."""
    return functools.partial(Paired, source=source, minimum=minimum, **declared)


def unpaired(
    *, source: str, minimum: int = 2, **declared: Unpack[Declared]
) -> Callable[[Callable[Concatenate[Array, Array, P], Rows]], Unpaired[P]]:
    """Make a test of two independent samples of a function of x (rows, n) and y (rows, m)."""
    return functools.partial(Unpaired, source=source, minimum=minimum, **declared)


def all_systems(
    *,
    source: str,
    minimum: int = 2,
    post_hoc: tuple[str, ...] = (),
    **declared: Unpack[Declared],
) -> Callable[[Callable[Concatenate[Array, P], Rows]], AllSystems[P]]:
    """Make a test of all systems at once of a function of scores (rows, topics, systems).

    Captions state `null` and `assumes`, and name the tests of pairs that go with it, `post_hoc`.
    """
    return functools.partial(
        AllSystems,
        source=source,
        minimum=minimum,
        post_hoc=post_hoc,
        **declared,
    )


def simultaneous(
    *,
    source: str,
    minimum: int = 2,
    of_all: bool = False,
    one_baseline: bool = False,
    **declared: Unpack[Declared],
) -> Callable[[Callable[Concatenate[Array, Indices, Indices, P], Rows]], Simultaneous[P]]:
    """Make a test of a family of pairs of a function of scores (topics, systems) and pairs.

    Its p values hold for the family: `of_all`, for that of all pairs, whichever are asked for;
    `one_baseline`, for pairs that have one second system.
    """
    return functools.partial(
        Simultaneous,
        source=source,
        minimum=minimum,
        of_all=of_all,
        one_baseline=one_baseline,
        **declared,
    )


def pooled(
    *, source: str, minimum: int = 2, **declared: Unpack[Declared]
) -> Callable[[Callable[Concatenate[Array, Indices, Indices, P], Rows]], Pooled[P]]:
    """Make a test of each pair, by a variance of all systems, of the same kind of function.

    Its p values are each of one pair, and need a correction.
    """
    return functools.partial(Pooled, source=source, minimum=minimum, **declared)
