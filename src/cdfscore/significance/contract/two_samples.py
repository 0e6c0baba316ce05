"""Tests of two samples, and of pairs of systems as two samples each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, Unpack

import numpy as np
from numpy.typing import ArrayLike

from cdfscore.errors import SignificanceError
from cdfscore.io.text import listed
from cdfscore.numerics.types import Array, IntArray
from cdfscore.significance.contract.base import Declared, Indices, P, SignificanceTest
from cdfscore.significance.contract.result import Rows, TestResult, assembled
from cdfscore.significance.contract.samples import (
    as_samples,
    by_size,
    check_pairs,
    leading,
    packed,
    rows_of,
)
from cdfscore.significance.contract.unit import are_ordinary, scaled_rows
from cdfscore.significance.resampling.draws import Sizes

#: Number of scores of pairs that are laid out at a time, so that they stay in the CPU cache.
_BLOCK = 1 << 18


class PairFunction(Protocol):
    """Function that tests pairs of systems: the columns `first` and `second`."""

    def __call__(self, scores: Array, first: Indices, second: Indices, **settings: Any) -> Rows:
        """Return one row for each pair of columns of scores (topics, systems)."""


class TwoSamples(SignificanceTest[P]):
    """Test of two samples, x and y, with a result for each pair of rows."""

    _pairs: PairFunction | None = None

    def for_pairs(self, function: PairFunction) -> PairFunction:
        """Declare a faster function for pairs of columns without a missing score, same numbers."""
        self._pairs = function
        return function

    @property
    def shares_resamples(self) -> bool:
        """True if a resample serves all pairs of systems at once, so that many cost little."""
        return self.draws and self._pairs is not None

    def over_pairs(
        self, scores: ArrayLike, first: Indices, second: Indices, **given: Any
    ) -> TestResult:
        """Test pairs of systems, the columns of a matrix (topics, systems).

        The result has a value for each pair. Missing scores are omitted, pair by pair in
        a paired test.
        """
        matrix = as_samples(self.name, "scores", scores)
        first, second = np.asarray(first, dtype=np.intp), np.asarray(second, dtype=np.intp)
        settings = self.settings(given)
        n = len(matrix)
        plain = self.in_unit is None or are_ordinary(matrix.T, settings, self.in_unit)
        if self._pairs is None or n < self.minimum or np.isnan(matrix).any() or not plain:
            return self._pair_by_pair(np.ascontiguousarray(matrix.T), first, second, settings)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
            rows = self._pairs(matrix, first, second, **settings)
        counts = np.full(len(first), n)
        return assembled(first.shape, [(np.arange(len(first)), rows)], counts, counts, settings)

    def _pair_by_pair(
        self, systems: Array, first: Indices, second: Indices, settings: dict[str, Any]
    ) -> TestResult:
        step = max(1, _BLOCK // max(1, systems.shape[1]))
        blocks = range(0, max(len(first), 1), step)
        parts = [
            self._batch(systems[first[b : b + step]], systems[second[b : b + step]], settings)
            for b in blocks
        ]
        return joined(parts)

    def __call__(self, x: ArrayLike, y: ArrayLike, *args: P.args, **kwargs: P.kwargs) -> TestResult:
        """Test each pair of samples; `SignificanceError` for a single one without a result."""
        settings = self._named(args, dict(kwargs))
        return self._finished(
            self._batch(as_samples(self.name, "x", x), as_samples(self.name, "y", y), settings)
        )

    def _batch(self, x: Array, y: Array, settings: dict[str, Any]) -> TestResult:
        raise NotImplementedError


class Paired(TwoSamples[P]):
    """Paired test: x and y of shape (..., n); a pair that lacks a score is omitted."""

    samples = "paired"
    usual_effect = "d_z"

    def _batch(self, x: Array, y: Array, settings: dict[str, Any]) -> TestResult:
        check_pairs(self.name, x, y)
        shape = leading(self.name, x, y)
        a, b = rows_of(x, shape), rows_of(y, shape)
        present = ~(np.isnan(a) | np.isnan(b))
        n, groups = by_size(present)
        parts = [
            (
                index,
                self._rows(
                    size,
                    packed(a, present, index),
                    packed(b, present, index),
                    **settings,
                ),
            )
            for size, index in groups
        ]
        return assembled(shape, parts, n, n, settings)


class Unpaired(TwoSamples[P]):
    """Test of two independent samples: x of shape (..., n) and y of shape (..., m)."""

    samples = "unpaired"
    usual_effect = "hedges_g"

    def sizes(self, n: IntArray, n_y: IntArray, shape: tuple[int, ...]) -> set[Sizes]:
        """Return the pairs of sizes of the two samples."""
        return set(zip(n.tolist(), n_y.tolist(), strict=True))

    def _batch(self, x: Array, y: Array, settings: dict[str, Any]) -> TestResult:
        shape = leading(self.name, x, y)
        a, b = rows_of(x, shape), rows_of(y, shape)
        in_a, in_b = ~np.isnan(a), ~np.isnan(b)
        n, m = in_a.sum(axis=1), in_b.sum(axis=1)
        parts = []
        for size_a, size_b in sorted(self.sizes(n, m, ())):
            index = np.flatnonzero((n == size_a) & (m == size_b))
            samples = packed(a, in_a, index), packed(b, in_b, index)
            parts.append((index, self._rows(min(size_a, size_b), *samples, **settings)))
        return assembled(shape, parts, n, m, settings)


def joined(parts: list[TestResult]) -> TestResult:
    """Return the results of the parts, one after the other; all have the same settings."""
    if len(parts) == 1:
        return parts[0]
    arrays = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name, value in vars(parts[0]).items()
        if isinstance(value, np.ndarray)
    }
    return TestResult(**{**vars(parts[0]), **arrays})


class AllSystems(SignificanceTest[P]):
    """Test of all systems at once: scores of shape (..., topics, systems), none missing."""

    samples = "all systems"

    def __init__(
        self,
        function: Callable[..., Rows],
        *,
        source: str,
        minimum: int,
        post_hoc: tuple[str, ...],
        **declared: Unpack[Declared],
    ) -> None:
        super().__init__(function, source=source, minimum=minimum, **declared)
        #: Names of the tests of pairs that go with it.
        self.post_hoc = post_hoc

    def sizes(self, n: IntArray, n_y: IntArray, shape: tuple[int, ...]) -> set[Sizes]:
        """Return the shape of the scores."""
        return {shape}

    def __call__(self, scores: ArrayLike, *args: P.args, **kwargs: P.kwargs) -> TestResult:
        """Test each matrix of a batch; `SignificanceError` for a single one without a result."""
        settings = self._named(args, dict(kwargs))
        matrices = _complete(self.name, scores)
        *shape, topics, systems = matrices.shape
        size = int(np.prod(shape))
        rows = self._rows(topics, matrices.reshape(size, topics, systems), **settings)
        n = np.full(size, topics)
        return self._finished(assembled(tuple(shape), [(np.arange(size), rows)], n, n, settings))


class PairsTogether(SignificanceTest[P]):
    """Test of pairs of systems from all scores of a matrix (topics, systems), none missing."""

    samples = "pairs"
    usual_effect = "d_z"
    #: Whether all pairs must have the same second system.
    one_baseline = False

    def __call__(
        self,
        scores: ArrayLike,
        pairs: ArrayLike | None = None,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> TestResult:
        """Test pairs of columns of a matrix (topics, systems), one (i, j) per row; default all."""
        matrix = _complete(self.name, scores)
        if pairs is None:
            first, second = np.triu_indices(matrix.shape[-1], 1)
        else:
            first, second = self._columns(pairs, matrix.shape[-1])
        return self.over_pairs(matrix, first, second, **self._named(args, dict(kwargs)))

    def sizes(self, n: IntArray, n_y: IntArray, shape: tuple[int, ...]) -> set[Sizes]:
        """Return the shape of the scores."""
        return {shape}

    def _columns(self, pairs: ArrayLike, systems: int) -> tuple[Indices, Indices]:
        """Return pairs of columns; raise `SignificanceError` if the pairs are not valid."""
        found = np.asarray(pairs)
        if (
            found.ndim != 2
            or found.shape[1] != 2
            or found.dtype.kind not in "iu"
            or (found < 0).any()
            or (found >= systems).any()
            or (found[:, 0] == found[:, 1]).any()
        ):
            raise SignificanceError(
                f"{self.name}: pairs={pairs!r} is not accepted; expected two different columns "
                f"per row, whole numbers from 0 to {systems - 1}"
            )
        first, second = found.astype(np.intp).T
        return first, second

    def over_pairs(
        self, scores: ArrayLike, first: Indices, second: Indices, **given: Any
    ) -> TestResult:
        """Test a family of pairs of systems, the columns of a matrix (topics, systems)."""
        matrix = _complete(self.name, scores)
        if matrix.ndim != 2:
            raise SignificanceError(
                f"{self.name}: scores have shape {matrix.shape}; expected (topics, systems)"
            )
        settings = self.settings(given)
        topics = len(matrix)
        first, second = np.asarray(first, dtype=np.intp), np.asarray(second, dtype=np.intp)
        if self.one_baseline:
            self._check_baseline(second)
        rows = self._rows(topics, matrix, first, second, **settings)
        n = np.full(len(first), topics)
        return assembled(first.shape, [(np.arange(len(first)), rows)], n, n, settings)

    def _in_unit(self, arguments: tuple[Any, ...], settings: dict[str, Any]) -> Rows:
        if self.in_unit is None:
            return self.function(*arguments, **settings)
        matrix, first, second = arguments

        def of_matrix(matrices: Array, **scaled: Any) -> Rows:
            return self.function(matrices[0], first, second, **scaled)

        return scaled_rows(of_matrix, (matrix[np.newaxis],), settings, self.in_unit)

    def _check_baseline(self, second: Indices) -> None:
        """Raise `SignificanceError` unless all second systems are the same one."""
        found = np.unique(second)
        if len(found) > 1:
            raise SignificanceError(
                f"{self.name} compares systems with one baseline, and the second systems of the "
                f"pairs are columns {listed(list(map(str, found)))}; expected the same second "
                "system in all pairs"
            )


class Simultaneous(PairsTogether[P]):
    """Test of a family of pairs together, whose p values need no further correction."""

    def __init__(
        self,
        function: Callable[..., Rows],
        *,
        source: str,
        minimum: int,
        of_all: bool,
        one_baseline: bool,
        **declared: Unpack[Declared],
    ) -> None:
        super().__init__(function, source=source, minimum=minimum, **declared)
        #: Whether p values hold for all pairs of systems, whichever are requested.
        self.of_all = of_all
        self.one_baseline = one_baseline


class Pooled(PairsTogether[P]):
    """Test of each pair by a variance of all systems; its p values are of one pair each."""


def _complete(test: str, scores: ArrayLike) -> Array:
    matrices = as_samples(test, "scores", scores)
    if matrices.ndim < 2 or matrices.shape[-1] < 2:
        raise SignificanceError(
            f"{test}: scores have shape {matrices.shape}; expected (..., topics, systems) with 2 "
            "systems or more"
        )
    if np.isnan(matrices).any():
        topic, system = (int(i) for i in np.argwhere(np.isnan(matrices))[0][-2:])
        raise SignificanceError(
            f"{test} needs every score, and the score of topic {topic} and system {system} "
            "(counted from 0) is missing; expected a complete matrix"
        )
    return matrices
