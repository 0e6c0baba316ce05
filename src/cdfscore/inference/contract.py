"""What every significance test is: a function of complete rows, made a test by a decorator.

The function states the formula for samples of equal size, a sample a row. Missing scores,
batches, the shared settings, and data that gives no number are dealt with here, once.
"""

from __future__ import annotations

import functools
import inspect
import typing
from abc import ABC
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Concatenate, Generic, ParamSpec, Protocol, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cdfscore.errors import SignificanceError
from cdfscore.inference.result import Rows, TestResult, assembled
from cdfscore.inference.samples import as_samples, by_size, leading, packed, rows_of
from cdfscore.inference.settings import checked
from cdfscore.numerics.types import Array

P = ParamSpec("P")
Indices = NDArray[np.intp]
#: How many scores of pairs are laid out at a time, so that they stay in the cache.
_BLOCK = 1 << 18


class Declared(TypedDict, total=False):
    """What a test declares about itself, where it is not the usual."""

    effect: str | None
    estimates: str
    shows: str


class SignificanceTest(ABC, Generic[P]):
    """A test with its settings, their defaults, and where it is described.

    `name`, the file, the R twin and the command line share one stem.
    """

    #: What the test compares: "one sample", "paired", "unpaired", "all systems", "pairs".
    samples: ClassVar[str]
    #: The effect size that goes with such a test unless another is declared; "" is none.
    usual_effect: ClassVar[str] = ""

    def __init__(
        self,
        function: Callable[..., Rows],
        *,
        source: str,
        minimum: int,
        effect: str | None = None,
        estimates: str = "difference",
        shows: str = "difference",
    ) -> None:
        self.function = function
        self._file = Path(inspect.getfile(function))
        self.source = source
        #: The effect size to report beside the test.
        self.effect = self.usual_effect if effect is None else effect
        #: What the estimate is, such as "difference", x minus y, or "correlation".
        self.estimates = estimates
        #: What a small p value shows, such as "difference" or "equivalence".
        self.shows = shows
        #: The fewest scores, or pairs of them, that give a number.
        self.minimum = minimum
        self.name = function.__name__
        parameters = inspect.signature(function).parameters.values()
        self.defaults = {p.name: p.default for p in parameters if p.kind == p.KEYWORD_ONLY}
        # What functools.update_wrapper copies, so that help() and doctest see the function.
        self.__wrapped__ = function
        self.__doc__ = function.__doc__
        self.__module__ = function.__module__
        self.__name__ = self.__qualname__ = function.__name__

    @property
    def summary(self) -> str:
        """The first line of the docstring."""
        return (inspect.getdoc(self.function) or self.name).splitlines()[0]

    @property
    def draws(self) -> bool:
        """True where the test resamples, so that its p value depends on a seed."""
        return "seed" in self.defaults

    def twin(self) -> Path:
        """Return the path of the R twin, beside the file of the test."""
        return self._file.with_name(f"{self.name}.R")

    def hints(self) -> dict[str, Any]:
        """Return the types of the settings."""
        return typing.get_type_hints(self.function)

    def settings(self, given: dict[str, Any]) -> dict[str, Any]:
        """Return all settings, those given checked and the others by default."""
        for key in given:
            if key not in self.defaults:
                known = ", ".join(self.defaults)
                raise SignificanceError(
                    f"{self.name} has no setting {key!r}; "
                    + (f"its settings are {known}" if known else "it has no settings")
                )
        return checked(self.name, {**self.defaults, **given})

    def chosen(self, settings: dict[str, Any]) -> ChosenTest:
        """Return the test with these settings, which are checked."""
        complete = self.settings(settings)
        return ChosenTest(self, {name: complete[name] for name in settings})

    def __repr__(self) -> str:
        return f"<significance test {self.name}>"

    def _named(self, positional: tuple[Any, ...], settings: dict[str, Any]) -> dict[str, Any]:
        """Return the settings; raises `SignificanceError` for one without its name."""
        if positional:
            raise SignificanceError(
                f"{self.name}: {positional[0]!r} is given without a name; expected settings by "
                f"name: {', '.join(self.defaults) or 'it has none'}"
            )
        return self.settings(settings)

    def _rows(self, n: int, *arguments: Any, **settings: Any) -> Rows:
        """Return what the function computes, or the reason why `n` scores are too few."""
        if n < self.minimum:
            of = {"paired": "pair", "one sample": "score", "unpaired": "score"}
            counted = f"{n} {of.get(self.samples, 'topic')}{'s' * (n != 1)}"
            return Rows(np.nan, np.nan, reason=f"{counted}, and {self.minimum} are needed")
        with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
            return self.function(*arguments, **settings)

    def _finished(self, result: TestResult) -> TestResult:
        """Raise an error for a single test without a result; a batch lists its reasons."""
        if np.ndim(result.reason) == 0 and result.reason:
            raise SignificanceError(f"{self.name}: {result.reason}")
        return result


@dataclass(frozen=True)
class ChosenTest:
    """A test and the settings that were given, spelled as the command line does."""

    test: SignificanceTest[Any]
    given: dict[str, Any]

    @property
    def settings(self) -> dict[str, Any]:
        """All settings, those not given by default."""
        return self.test.settings(self.given)

    @property
    def conf_level(self) -> float:
        """The level of intervals: the test's own, or 0.95 beside a test that has none."""
        return float(self.settings.get("conf_level", 0.95))

    def __str__(self) -> str:
        settings = ",".join(f"{name}={value}" for name, value in self.given.items())
        return f"{self.test.name}:{settings}" if settings else self.test.name


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


class PairFunction(Protocol):
    """Results of a test for pairs of systems: of the columns `first` and `second`."""

    def __call__(self, scores: Array, first: Indices, second: Indices, **settings: Any) -> Rows:
        """Return a row for each pair of columns of scores (topics, systems)."""


class TwoSamples(SignificanceTest[P]):
    """A test of two samples, x and y, with a result for each pair of rows."""

    _pairs: PairFunction | None = None

    def for_pairs(self, function: PairFunction) -> PairFunction:
        """Declare a faster way to the same numbers for pairs of columns without a missing score."""
        self._pairs = function
        return function

    def over_pairs(
        self, scores: ArrayLike, first: Indices, second: Indices, **given: Any
    ) -> TestResult:
        """Test pairs of systems, the columns of a matrix (topics, systems).

        The result has a value for each pair. Missing scores are passed over, pair by pair in
        a paired test.
        """
        matrix = as_samples(self.name, "scores", scores)
        first, second = np.asarray(first, dtype=np.intp), np.asarray(second, dtype=np.intp)
        settings = self.settings(given)
        n = len(matrix)
        if self._pairs is None or n < self.minimum or np.isnan(matrix).any():
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
    """A test of pairs: x and y of shape (..., n); a pair that lacks a score is passed over."""

    samples = "paired"
    usual_effect = "d_z"

    def _batch(self, x: Array, y: Array, settings: dict[str, Any]) -> TestResult:
        if x.shape[-1] != y.shape[-1]:
            raise SignificanceError(
                f"{self.name}: x has {x.shape[-1]} scores a sample and y has {y.shape[-1]}; "
                "expected pairs"
            )
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
    """A test of two independent samples: x of shape (..., n) and y of shape (..., m)."""

    samples = "unpaired"
    usual_effect = "hedges_g"

    def _batch(self, x: Array, y: Array, settings: dict[str, Any]) -> TestResult:
        shape = leading(self.name, x, y)
        a, b = rows_of(x, shape), rows_of(y, shape)
        in_a, in_b = ~np.isnan(a), ~np.isnan(b)
        n, m = in_a.sum(axis=1), in_b.sum(axis=1)
        parts = []
        for size_a, size_b in np.unique(np.stack([n, m], axis=1), axis=0):
            index = np.flatnonzero((n == size_a) & (m == size_b))
            samples = packed(a, in_a, index), packed(b, in_b, index)
            parts.append((index, self._rows(int(min(size_a, size_b)), *samples, **settings)))
        return assembled(shape, parts, n, m, settings)


class AllSystems(SignificanceTest[P]):
    """A test of all systems at once: scores of shape (..., topics, systems), none missing."""

    samples = "all systems"

    def __call__(self, scores: ArrayLike, *args: P.args, **kwargs: P.kwargs) -> TestResult:
        """Test each matrix of a batch; `SignificanceError` for a single one without a result."""
        settings = self._named(args, dict(kwargs))
        matrices = _complete(self.name, scores)
        *shape, topics, systems = matrices.shape
        size = int(np.prod(shape))
        rows = self._rows(topics, matrices.reshape(size, topics, systems), **settings)
        n = np.full(size, topics)
        return self._finished(assembled(tuple(shape), [(np.arange(size), rows)], n, n, settings))


class Simultaneous(SignificanceTest[P]):
    """A test of a family of pairs together, whose p values need no further correction."""

    samples = "pairs"
    usual_effect = "d_z"

    def __init__(
        self,
        function: Callable[..., Rows],
        *,
        source: str,
        minimum: int,
        of_all: bool,
        **declared: Unpack[Declared],
    ) -> None:
        super().__init__(function, source=source, minimum=minimum, **declared)
        #: Whether p values hold for all pairs of systems, whichever are asked for.
        self.of_all = of_all

    def __call__(
        self,
        scores: ArrayLike,
        pairs: ArrayLike | None = None,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> TestResult:
        """Test pairs of columns of a matrix (topics, systems), (i, j) a row; all if not given."""
        matrix = _complete(self.name, scores)
        if pairs is None:
            first, second = np.triu_indices(matrix.shape[-1], 1)
        else:
            first, second = self._columns(pairs, matrix.shape[-1])
        return self.over_pairs(matrix, first, second, **self._named(args, dict(kwargs)))

    def _columns(self, pairs: ArrayLike, systems: int) -> tuple[Indices, Indices]:
        """Return pairs of columns; raises `SignificanceError` for what is none."""
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
                f"{self.name}: pairs={pairs!r} is not accepted; expected two different columns a "
                f"row, whole numbers from 0 to {systems - 1}"
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
        rows = self._rows(topics, matrix, first, second, **settings)
        n = np.full(len(first), topics)
        return assembled(first.shape, [(np.arange(len(first)), rows)], n, n, settings)


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
            f"{test} needs every score, and the one of topic {topic} and system {system} (from 0) "
            "is missing; expected a complete matrix"
        )
    return matrices


def joined(parts: list[TestResult]) -> TestResult:
    """Return the results of the parts, one after the other; all are of the same settings."""
    if len(parts) == 1:
        return parts[0]
    arrays = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name, value in vars(parts[0]).items()
        if isinstance(value, np.ndarray)
    }
    return TestResult(**{**vars(parts[0]), **arrays})


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
