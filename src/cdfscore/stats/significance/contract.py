"""Contract of a significance test: its inputs, its computation and its result.

A test of your own needs `Alternative`, `Rows` and a decorator such as `paired` of this module.
A decorator makes a test of a function of complete samples of equal size, one sample per row. It
handles missing scores, batches, common settings, and data for which the test is undefined.
"""

from __future__ import annotations

import functools
import inspect
import math
import typing
from abc import ABC
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from pathlib import Path
from typing import (
    Any,
    ClassVar,
    Concatenate,
    Generic,
    Literal,
    ParamSpec,
    TypedDict,
    Unpack,
    get_args,
)

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cdfscore.common.catalogue import FunctionCatalogue, distribution, of_author
from cdfscore.common.text import listed
from cdfscore.errors import SignificanceError
from cdfscore.stats.numerics.numbers import (
    MOST_RESAMPLES,
    between_0_and_1,
    finite_number,
    python_value,
    shown,
    whole_number_from,
)
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray

# --- Random draws of a test as whole numbers, which R can read ---

#: The sizes of samples: n, or n and m, or topics and systems.
NumbersOfTopics = tuple[int, ...]


@dataclass(frozen=True)
class Draws:
    """The draws of a test, whole numbers to `largest`; `blocks` yields them, (trials, numbers)."""

    trials: int
    numbers: int
    largest: int
    blocks: Callable[[], Iterable[NDArray[Any]]]

    @property
    def width(self) -> int:
        """The number of bytes of a number, 1, 2 or 4; 0 for a bit."""
        if self.largest <= 1:
            return 0
        return int(np.min_scalar_type(self.largest).itemsize)

    @property
    def size(self) -> int:
        """The number of bytes of all draws."""
        return self.trials * (self.numbers * self.width or -(-self.numbers // 8))

    def encoded(self) -> Iterator[bytes]:
        """Yield the draws as bytes, the lowest byte or bit of each first."""
        for block in self.blocks():
            if self.width:
                yield np.ascontiguousarray(block, dtype=f"<u{self.width}").tobytes()
            else:
                yield np.packbits(block != 0, axis=1, bitorder="little").tobytes()


#: Returns the draws for samples of some sizes, B and seed; None where all outcomes are enumerated.
Drawn = Callable[[NumbersOfTopics, int, int], Draws | None]


# --- Result of a significance test, and the rows that the function of a test computes ---

#: The numbers of a result that R computes too, in the order of a table.
QUANTITIES = ("estimate", "stderr", "conf_low", "conf_high", "statistic", "parameter", "p_value")


@dataclass(frozen=True, eq=False)
class Rows:
    """Numbers that the function of a test computes, one per row.

    The fields are those of `TestResult`, each an array of shape (rows,) or one value for all rows.
    A row for which the test is undefined has NaN, and a `reason`.

    Examples
    --------
    >>> import numpy as np
    >>> from cdfscore.stats.significance.contract import Rows
    >>> Rows(statistic=np.array([2.0, np.nan]), p_value=np.array([0.05, np.nan]),
    ...      method="my test", reason=np.array(["", "all scores are equal"])).p_value
    array([0.05,  nan])
    """

    statistic: Array | float
    p_value: Array | float
    estimate: Array | float = np.nan
    stderr: Array | float = np.nan
    conf_low: Array | float = np.nan
    conf_high: Array | float = np.nan
    parameter: Array | float = np.nan
    p_value_stderr: Array | float = np.nan
    method: NDArray[np.str_] | str = ""
    reason: NDArray[np.str_] | str = ""
    statistic_terms: Array | float = 0.0


@dataclass(frozen=True, eq=False, kw_only=True)
class TestResult:
    """Result of a significance test: each field has one value per sample of a batch, shape (...).

    The fields are those of R's ``htest``. A field is NaN if the test does not compute it.

    - `n` is the number of scores used, or of pairs in a paired test. `n_y` is that of the second
      sample of an unpaired test; otherwise it equals `n`.
    - `parameter` is the number of degrees of freedom, if there is only one.
    - `p_value_stderr` is the Monte Carlo standard error of the p value.
    - `alternative` is "" if the test has no such setting.
    - `method` names the method that was used. `reason` explains why there is no p value.
    - `statistic_terms` is for comparisons with R: the size of the terms from which R computes the
      statistic, if they cancel; otherwise 0.

    Examples
    --------
    >>> from cdfscore.stats.significance import paired_t
    >>> found = paired_t([0.5, 0.3, 0.8, 0.4], [0.4, 0.3, 0.5, 0.2])
    >>> type(found).__name__, round(float(found.p_value), 4), found.conf_int.round(3).tolist()
    ('TestResult', 0.1027, [-0.055, 0.355])
    """

    __test__ = False  # for pytest, which takes the name for that of a test

    statistic: Array
    p_value: Array
    estimate: Array
    stderr: Array
    conf_low: Array
    conf_high: Array
    parameter: Array
    p_value_stderr: Array
    method: NDArray[np.str_]
    reason: NDArray[np.str_]
    statistic_terms: Array
    n: IntArray
    n_y: IntArray
    null_value: float
    alternative: str
    conf_level: float

    @property
    def conf_int(self) -> Array:
        """Ends of the confidence interval, shape (..., 2)."""
        return np.stack([self.conf_low, self.conf_high], axis=-1)

    def terms(self, quantity: str) -> Array:
        """Return the size of the terms of a sum: its rounding error is proportional to it.

        An end of an interval is the estimate and a margin, and may be near 0 by cancelling. So
        may a statistic whose test gives its terms.
        """
        value = np.abs(getattr(self, quantity))
        if quantity == "statistic":
            return np.asarray(np.maximum(value, self.statistic_terms))
        if quantity not in ("conf_low", "conf_high"):
            return np.asarray(value)
        null = 0.0 if np.isnan(self.null_value) else abs(self.null_value)
        return terms_of_end(getattr(self, quantity), self.estimate, null)

    def __repr__(self) -> str:
        if np.ndim(self.p_value):
            return f"<{np.shape(self.p_value)} results>"
        hidden = ("reason", "p_value_stderr", "statistic_terms", "n_y")
        named = {field.name: getattr(self, field.name) for field in fields(self)}
        return "\n".join(
            f"{name:<12}{f'{value:.6g}' if isinstance(value, float) else value}"
            for name, value in named.items()
            if name not in hidden and value == value and not (name == "alternative" and value == "")
        )


def terms_of_end(end: Array, estimate: Array, null: float = 0.0) -> Array:
    """Return the size of the terms of an end of an interval; 0 where it is infinite or NaN."""
    with np.errstate(invalid="ignore"):  # an infinite estimate and end
        margin = np.abs(end - estimate)
    return np.asarray(np.where(np.isfinite(margin), np.abs(estimate) + margin + null, 0))


def joined_rows(size: int, parts: list[tuple[NDArray[np.intp], Rows]]) -> Rows:
    """Join the rows of the parts, each with the indices of its rows, into arrays of one size."""
    values: dict[str, Any] = {}
    for each in fields(Rows):
        name = each.name
        column: NDArray[Any] = np.full(size, np.nan)
        if name in ("method", "reason"):
            kind = np.result_type("<U1", *(np.asarray(getattr(part, name)) for _, part in parts))
            column = np.full(size, "", dtype=kind)
        for rows, part in parts:
            column[rows] = getattr(part, name)
        values[name] = column
    return Rows(**values)


# --- Settings that several tests have, checked in one place ---

Alternative = Literal["two-sided", "less", "greater"]
ALTERNATIVES: tuple[str, ...] = get_args(Alternative)
#: A seed, or a generator from which one is drawn.
Seed = int | np.random.Generator
_RELATIVE = "Python and R use two algorithms; 1e-13 of the number"
_TAIL = "two algorithms for tail probabilities; 1e-10 of the number, down to 1e-300"

#: By the name of a number. What is small only because its terms cancel is compared in the ulp
#: of the floor.
USUAL = {
    "estimate": Tolerance(450, _RELATIVE, floor=2**-10),
    "stderr": Tolerance(450, _RELATIVE),
    "conf_low": Tolerance(450_000, _TAIL, floor=2**-10),
    "conf_high": Tolerance(450_000, _TAIL, floor=2**-10),
    "statistic": Tolerance(450, _RELATIVE, floor=2**-10),
    "parameter": Tolerance(450, _RELATIVE),
    # 1e-307 near the smallest double, where numbers have fewer and fewer bits.
    "p_value": Tolerance(450_000, _TAIL, floor=1e-297),
    "p_adjusted": Tolerance(450_000, _TAIL, floor=1e-297),
}


def _accepted(what: str, name: str, value: Any) -> Any:
    """Return a setting as Python's value, a common one checked, a generator as a seed."""
    match name:
        case "alternative" if not isinstance(value, str) or value not in ALTERNATIVES:
            expected = ", ".join(map(repr, ALTERNATIVES))
            raise SignificanceError(f"{what}={value!r} is not accepted; expected {expected}")
        case "null_value":
            number = finite_number(value)
            if number is None:
                raise SignificanceError(
                    f"{what}={shown(value)} is not accepted; expected a finite number"
                )
            return float(number)
        case "conf_level":
            return between_0_and_1(what, value, SignificanceError)
        case "B":
            return whole_number_from(what, value, 1, MOST_RESAMPLES, SignificanceError)
        case "exact" | "correct" | "continuity" | "conf_int":
            unset = name == "exact" and value is None
            if not unset and not isinstance(value, bool | np.bool_):
                rule = ", or None for the rule of R" if name == "exact" else ""
                raise SignificanceError(
                    f"{what}={value!r} is not accepted; expected True or False{rule}"
                )
        case "seed" if isinstance(value, np.random.Generator):
            return int(value.integers(2**63))
        case "seed":
            also = "a numpy.random.Generator"
            return whole_number_from(what, value, 0, None, SignificanceError, also=also)
    return python_value(value)


def with_usual(
    name: str, usual: Mapping[str, Tolerance], stated: Mapping[str, Tolerance]
) -> dict[str, Tolerance]:
    """Return the tolerances of all numbers of `name`: those stated, otherwise the usual ones."""
    for number, tolerance in stated.items():
        if number not in usual:
            raise SignificanceError(
                f"{name}: a tolerance is stated for {number!r}; expected one of {', '.join(usual)}"
            )
        if tolerance.fault:
            raise SignificanceError(f"{name}: the tolerance of {number}: {tolerance.fault}")
    given = dict(stated)
    if "p_value" in given:
        given.setdefault("p_adjusted", given["p_value"])
    return {**usual, **given}


# --- Samples of any shape, laid out as rows of one length for the function of a test ---


def as_samples(test: str, argument: str, values: ArrayLike) -> Array:
    """Return samples of shape (..., n); raise `SignificanceError` for anything else."""
    try:
        samples = np.asarray(values, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise SignificanceError(
            f"{test}: {argument} is not an array of numbers: {error}"
        ) from error
    if samples.ndim == 0:
        raise SignificanceError(
            f"{test}: {argument} is the single number {samples}; expected scores of shape (..., n)"
        )
    if np.isinf(samples).any():
        place = tuple(int(i) for i in np.argwhere(np.isinf(samples))[0])
        raise SignificanceError(
            f"{test}: {argument}[{', '.join(map(str, place))}] is infinite; expected finite "
            "numbers, NaN where a score is missing"
        )
    return samples


def leading(test: str, *samples: Array) -> tuple[int, ...]:
    """Return the common leading shape of batches of samples."""
    try:
        return np.broadcast_shapes(*(each.shape[:-1] for each in samples))
    except ValueError as error:
        x, y = samples
        raise SignificanceError(
            f"{test}: x has shape {x.shape} and y has shape {y.shape}; expected leading "
            "dimensions that broadcast"
        ) from error


def rows_of(samples: Array, shape: tuple[int, ...]) -> Array:
    """Return the samples as a matrix, one sample per row, broadcast to the leading shape."""
    n = samples.shape[-1]
    return np.broadcast_to(samples, (*shape, n)).reshape(int(np.prod(shape)), n)


def packed(samples: Array, present: BoolArray, rows: NDArray[np.intp]) -> Array:
    """Return the present scores of rows with equally many scores, shape (rows, n)."""
    if len(rows) == len(samples) and present.all():
        return samples
    return samples[rows][present[rows]].reshape(len(rows), -1)


def laid_out(
    test: str, *samples: Array, paired: bool = False
) -> tuple[tuple[int, ...], list[IntArray], Iterator[tuple[NDArray[np.intp], list[Array]]]]:
    """Return the leading shape, the numbers of scores, and rows of equal numbers, complete."""
    if paired and samples[0].shape[-1] != samples[1].shape[-1]:
        n, m = (each.shape[-1] for each in samples)
        raise SignificanceError(
            f"{test}: x has {n} scores per sample and y has {m}; expected the same number"
        )
    shape = leading(test, *samples)
    rows = [rows_of(each, shape) for each in samples]
    present = [~np.isnan(each) for each in rows]
    if paired:
        present = [present[0] & present[1]] * 2
    counts = [each.sum(axis=1) for each in present]
    sizes, group = np.unique(np.stack(counts), axis=1, return_inverse=True)
    groups = (np.flatnonzero(group.ravel() == k) for k in range(sizes.shape[1]))
    return shape, counts, ((at, [*map(packed, rows, present, [at] * 2)]) for at in groups)


# --- Unit of the scores: powers of 2 that keep sums and squares within the range of a double ---

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
    """Return the powers of 2 by which the rows of samples are divided, 0 for ordinary ones."""
    rest, size = tuple(range(1, samples[0].ndim)), np.full(len(samples[0]), least)
    for each in samples:
        size = np.maximum(size, np.abs(each).max(axis=rest, initial=least))
    power = np.frexp(size)[1].astype(np.int64)
    return np.where((np.abs(power) > _ORDINARY) & (size > 0), power, 0)


def scaled_rows(
    function: Callable[..., Rows],
    samples: tuple[Array, ...],
    settings: Mapping[str, Any],
    in_unit: tuple[str, ...] | None,
) -> Rows:
    """Return what a function finds of rows of samples, each row in a unit that suits its scores."""
    if in_unit is None:
        return function(*samples, **settings)
    given = {}
    for name in in_unit:
        if (number := finite_number(settings.get(name))) is not None:
            given[name] = number
    exponent = exponents(samples, max(map(abs, given.values()), default=0.0))
    if not exponent.any():
        return function(*samples, **settings)
    parts, fields_in_unit = [], {field.name for field in fields(Rows)}.intersection(in_unit)
    if "statistic" in fields_in_unit:
        fields_in_unit.add("statistic_terms")
    for each in np.unique(exponent):
        index = np.flatnonzero(exponent == each)
        units: dict[str, Any] = {k: float(np.ldexp(value, -each)) for k, value in given.items()}
        if isinstance(decimals := settings.get("ties_at"), int):
            units["ties_at"] = Decimals(decimals, int(each))
        scaled = (np.ldexp(sample[index], -each) for sample in samples)
        rows = function(*scaled, **{**settings, **units})
        # In the unit of the scores again.
        in_scores = {name: np.ldexp(getattr(rows, name), int(each)) for name in fields_in_unit}
        parts.append((index, replace(rows, **in_scores)))
    return parts[0][1] if len(parts) == 1 else joined_rows(len(exponent), parts)


# --- Base class of significance tests: a function with its settings and its documentation ---

#: The least difference, in the unit of the estimate, whose p value is at most a level, where all
#: pairs of systems have the same: of the result of a test, the number of systems, and the level.
CriticalDifference = Callable[[TestResult, int, float], float]

P = ParamSpec("P")
Indices = NDArray[np.intp]
#: What a test or an effect size ranks: scores of all topics together, their differences, or nothing
#: over topics. `compare` ties standardized scores that differ by rounding errors for "topics", and
#: gives a caution where rounding errors may break ties of "differences".
Ranks = Literal["", "topics", "differences"]
#: What may be added to scores without a change of a two-sided p value: see `paired`.
Shifts = Literal["", "scores", "topics", "systems"]
#: What a test compares instead of means: of x (rows, n), without NaN, and of all settings.
Location = Callable[[Array, Mapping[str, Any]], Array]
#: The name of the estimate of a test of pairs by their mean ranks within topics.
MEAN_RANKS = "difference of mean ranks"
#: The effect size of tests of paired ranks.
RANKS = "rank_biserial_paired"
#: The name of the estimate of a test of pairs by the signs of the differences of topics.
SIGNS = "proportion of positive differences"
#: The numbers of topics for which levels are simulated.
CHECKED = (5, 8, 10, 20, 50)
#: The level of the simulation, and the largest type I error that counts as held.
NOMINAL, MOST = 0.05, 0.055


@dataclass(frozen=True)
class Sizes:
    """What bounds p values: topics of both systems, those with a difference, and ties."""

    n: int
    m: int
    nonzero: int
    systems: int = 2
    tied: bool = True

    @classmethod
    def of_topics(cls, n: int, systems: int = 2, *, tied: bool = True) -> Sizes:
        """Return the sizes of n topics, all with a difference."""
        return cls(n, n, n, systems, tied)


#: The smallest p value for these sizes, under all settings of the test.
LeastP = Callable[[Sizes, Mapping[str, Any]], float]


def both_tails(tail: float, settings: Mapping[str, Any]) -> float:
    """Return the p value of an extreme of probability `tail`, as is the opposite one."""
    two_sided = settings.get("alternative", "two-sided") == "two-sided"
    return min(1.0, 2 * tail) if two_sided else tail


@dataclass(frozen=True)
class Level:
    """Numbers of topics at which the simulated type I error is above 5.5 % by 3 standard errors.

    The proportions are by number of topics: of normal scores, of such with ties, and of exponential
    differences. `instead` names a test that holds its level there.
    """

    untied: Mapping[int, float] = field(default_factory=dict)
    tied: Mapping[int, float] = field(default_factory=dict)
    skewed: Mapping[int, float] = field(default_factory=dict)
    instead: str = ""

    def above(self, *, ties: bool) -> Mapping[int, float]:
        """Return the proportions above the level; for scores with ties, the larger of the two."""
        if not ties:
            return self.untied
        sizes = sorted({*self.untied, *self.tied})
        return {n: max(self.untied.get(n, 0.0), self.tied.get(n, 0.0)) for n in sizes}


#: The level of a test that holds it in all simulated cases.
HELD = Level()


def as_function(member: Any, function: Callable[..., Any]) -> None:
    """Give a member what functools.update_wrapper copies: help() and doctest see the function."""
    member.__wrapped__ = function
    member.__doc__, member.__module__ = function.__doc__, function.__module__
    member.__name__ = member.__qualname__ = function.__name__


def check_ranks(ranks: Ranks) -> None:
    """Raise `SignificanceError` for another word of what is ranked over topics."""
    if ranks not in get_args(Ranks):
        raise SignificanceError(
            f"ranks={ranks!r} is not accepted; expected {' or '.join(map(repr, get_args(Ranks)))}"
        )


class Declared(TypedDict, total=False):
    """Declarations of a test that differ from the defaults; see `SignificanceTest`."""

    minimum: int
    label: str
    effect: str
    estimates: str
    shows: str
    null: str
    assumes: str
    choose_for: str
    tolerances: Mapping[str, Tolerance]
    drawn: Drawn
    least_p: LeastP
    critical_difference: CriticalDifference
    example: Mapping[str, Any]
    in_unit: tuple[str, ...]
    check: Callable[[Mapping[str, Any]], None]
    level: Level
    complete_null: bool
    ranks: Ranks
    shifts: Shifts
    location: Location


_NUMBERS = "fiub"
#: What an author gives as a function.
_OF_AUTHORS = ("function", "check", "drawn", "least_p", "critical_difference", "location")


@dataclass(eq=False, repr=False)
class SignificanceTest(ABC, Generic[P]):
    """Significance test with its settings, and the declarations that `paired` describes."""

    #: What the test compares: "one sample", "paired", "unpaired", "all systems", "pairs".
    samples: ClassVar[str]

    function: Callable[..., Rows]
    _: KW_ONLY
    source: str
    minimum: int = 2
    label: str = ""
    effect: str = ""
    estimates: str = "difference"
    shows: str = "difference"
    null: str = ""
    assumes: str = ""
    choose_for: str = ""
    tolerances: Mapping[str, Tolerance] = field(default_factory=dict)
    drawn: Drawn | None = None
    least_p: LeastP = lambda sizes, settings: 0.0
    critical_difference: CriticalDifference | None = None
    example: Mapping[str, Any] = field(default_factory=dict)
    in_unit: tuple[str, ...] | None = None
    check: Callable[[Mapping[str, Any]], None] | None = None
    level: Level = HELD
    complete_null: bool = False
    ranks: Ranks = ""
    shifts: Shifts = ""
    location: Location | None = None
    name: str = field(init=False)
    #: The names of the settings, in the order of the function.
    setting_names: tuple[str, ...] = field(init=False)
    #: The defaults of the settings that have one.
    defaults: dict[str, Any] = field(init=False)

    @property
    def called(self) -> str:
        """The label within a sentence: "the paired t test", "Friedman's test"."""
        return self.label if self.label.partition(" ")[0].endswith("'s") else f"the {self.label}"

    def __post_init__(self) -> None:
        function = self.function
        self.name = function.__name__
        self.label = self.label or self.name.replace("_", " ")
        self.tolerances = with_usual(self.name, USUAL, self.tolerances)
        check_ranks(self.ranks)
        named = getattr(self.location, "__name__", "")
        if self.location is not None and not named.isidentifier():
            raise SignificanceError(
                f"{self.name}: location={self.location!r} has no name; expected a function that is "
                "defined with def, whose name is that of its R file and is shown in tables"
            )
        parameters = inspect.signature(function).parameters.values()
        settings = {p.name: p.default for p in parameters if p.kind == p.KEYWORD_ONLY}
        self.setting_names = tuple(settings)
        self.defaults = {k: v for k, v in settings.items() if v is not inspect.Parameter.empty}
        if set(self.example) != set(settings) - set(self.defaults):
            raise SignificanceError(
                f"{self.name}: example={self.example!r} is declared; expected a value for each "
                f"setting without a default: {', '.join(self.required) or 'there is none'}"
            )
        as_function(self, function)
        for each in _OF_AUTHORS:
            setattr(self, each, of_author(getattr(self, each), f"significance test {self.name}"))

    @property
    def summary(self) -> str:
        """First line of the docstring."""
        return (inspect.getdoc(self.function) or self.name).splitlines()[0]

    @property
    def draws(self) -> bool:
        """True if the test resamples, so that its p value depends on a seed."""
        return "seed" in self.defaults

    @property
    def center(self) -> str:
        """What the test compares, as people call it: "mean", or the name of its `location`."""
        return "mean" if self.location is None else self.location.__name__.replace("_", " ")

    def sizes(self, n: IntArray, n_y: IntArray, shape: tuple[int, ...]) -> set[NumbersOfTopics]:
        """Return the sizes on which the draws depend."""
        return {(int(size),) for size in np.unique(n)}

    def random_draws(
        self, settings: Mapping[str, Any], sizes: Iterable[NumbersOfTopics]
    ) -> dict[NumbersOfTopics, Draws]:
        """Return the draws for samples of these sizes, but where all outcomes are enumerated."""
        if self.drawn is None:
            return {}
        made = {each: self.drawn(each, settings["B"], settings["seed"]) for each in sorted(sizes)}
        return {each: draws for each, draws in made.items() if draws is not None}

    @property
    def required(self) -> list[str]:
        """The names of the settings that have no default and must be given."""
        return [name for name in self.setting_names if name not in self.defaults]

    def twin(self) -> Path:
        """Return the path of the R twin, beside the file of the test."""
        return Path(inspect.getfile(inspect.unwrap(self.function))).with_name(f"{self.name}.R")

    def hints(self) -> dict[str, Any]:
        """Return the types of the settings."""
        return typing.get_type_hints(self.function)

    def settings(self, given: dict[str, Any], positional: tuple[Any, ...] = ()) -> dict[str, Any]:
        """Return all settings: those given by name, checked, and the defaults of the others."""
        if positional:
            raise SignificanceError(
                f"{self.name}: {positional[0]!r} is given without a name; expected settings by "
                f"name: {', '.join(self.setting_names) or 'it has none'}"
            )
        for key in given:
            if key not in self.setting_names:
                raise SignificanceError(self.no_setting(key))
        complete = {**self.defaults, **given}
        for name in self.setting_names:
            if name not in complete:
                raise SignificanceError(
                    f"{self.name} needs a value of {name}, which has no default; expected "
                    f"{name}=..., as in {self.name}:{name}=..."
                )
        found = {
            name: _accepted(f"{self.name}: {name}", name, complete[name])
            for name in self.setting_names
        }
        if self.check is not None:
            self.check(found)
        return found

    def no_setting(self, key: str) -> str:
        """Say that the test has no such setting, and which it has."""
        known = ", ".join(self.setting_names)
        message = f"{self.name} has no setting {key!r}; "
        return message + (f"its settings are {known}" if known else "it has no settings")

    def chosen(self, settings: dict[str, Any]) -> ChosenTest:
        """Return the test with these settings, which are checked."""
        complete = self.settings(settings)
        return ChosenTest(self, {name: complete[name] for name in settings})

    def chosen_example(self) -> ChosenTest:
        """Return the test with the defaults, and its `example` where a setting has none."""
        return self.chosen(dict(self.example))

    def __reduce__(self) -> str:
        # By name, as a function is: pickle would look for the function and find the test.
        return self.name

    def __repr__(self) -> str:
        return f"<significance test {self.name}>"

    def _rows(
        self,
        n: int,
        samples: Sequence[Array],
        settings: dict[str, Any],
        function: Callable[..., Rows] | None = None,
    ) -> Rows:
        """Return what the function computes, or the reason why `n` scores are too few."""
        if n >= self.minimum:
            with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
                return scaled_rows(
                    function or self.function, tuple(samples), settings, self.in_unit
                )
        of = {"paired": "pair", "one sample": "score", "unpaired": "score"}
        counted = f"{n} {of.get(self.samples, 'topic')}{'s' * (n != 1)}"
        if self.samples == "unpaired":
            counted = f"{'x' if samples[0].shape[1] == n else 'y'} has {counted}"
        are = "is" if self.minimum == 1 else "are"
        reason = f"{counted}, but at least {self.minimum} {are} needed"
        return Rows(np.nan, np.nan, reason=reason)

    def _batch(self, samples: Sequence[Array], settings: dict[str, Any]) -> TestResult:
        """Test each sample of a batch, or each pair of samples."""
        shape, counts, parts = laid_out(self.name, *samples, paired=self.samples == "paired")
        rows = [
            (index, self._rows(min(own[0].shape[1], own[-1].shape[1]), own, settings))
            for index, own in parts
        ]
        return self._result(shape, rows, counts[0], counts[-1], settings)

    def _result(
        self,
        shape: tuple[int, ...],
        parts: list[tuple[NDArray[np.intp], Rows]],
        n: IntArray,
        n_y: IntArray,
        settings: dict[str, Any],
    ) -> TestResult:
        """Join the parts; raise `SignificanceError` for a single sample without a result."""
        try:
            rows = joined_rows(math.prod(shape), parts)
        except (AttributeError, TypeError, ValueError) as error:
            raise SignificanceError(
                f"significance test {self.name} of {distribution(self.function.__module__)}: the "
                f"function did not return Rows with a number, or one for each row: {error}"
            ) from error
        if not shape and rows.reason[0]:
            raise SignificanceError(f"{self.name}: {rows.reason[0]}")
        return TestResult(
            **{name: np.asarray(value).reshape(shape)[()] for name, value in vars(rows).items()},
            n=n.reshape(shape)[()],
            n_y=n_y.reshape(shape)[()],
            null_value=float(settings.get("null_value", np.nan)),
            alternative=str(settings.get("alternative", "")),
            conf_level=float(settings.get("conf_level", np.nan)),
        )


@dataclass(frozen=True)
class ChosenTest:
    """Test with the settings that were given, spelled as on the command line."""

    test: SignificanceTest[Any]
    given: dict[str, Any]

    @property
    def settings(self) -> dict[str, Any]:
        """All settings, with the defaults of those not given."""
        return self.test.settings(self.given)

    def locations(self, scores: Array) -> Array | None:
        """Return the `location` of each system of scores (topics, systems), None for the mean."""
        if self.test.location is None:
            return None
        _, _, parts = laid_out(self.test.name, np.ascontiguousarray(scores.T))
        found = np.full(scores.shape[1], np.nan)
        for rows, (x,) in parts:
            if x.size:
                found[rows] = self._located(self.test.location, x)
        return found

    def _located(self, location: Location, x: Array) -> Array:
        name, expected = location.__name__, "expected a finite number for each row of x"
        told = f"{self.test.name}: the location {name} of x of shape {x.shape}"
        found = location(x, self.settings)
        numbers = isinstance(found, np.ndarray) and found.dtype.kind in _NUMBERS
        if not numbers or found.shape != (len(x),):
            raise SignificanceError(f"{told} is {shown(found)}; {expected}, shape ({len(x)},)")
        if (wrong := found[~np.isfinite(found)]).size:
            raise SignificanceError(f"{told} is {float(wrong[0])!r}; {expected}")
        return found

    @property
    def conf_level(self) -> float:
        """Level of intervals: the test's own, or 0.95 if the test has none."""
        return float(self.settings.get("conf_level", 0.95))

    def __str__(self) -> str:
        settings = ",".join(f"{name}={value}" for name, value in self.given.items())
        return f"{self.test.name}:{settings}" if settings else self.test.name


# --- Tests of two samples, and of pairs of systems as two samples each ---

#: Function of scores (topics, systems), `first`, `second` and settings: a row for each pair.
PairFunction = Callable[..., Rows]
#: Number of scores of pairs that are laid out at a time, so that they stay in the CPU cache.
_BLOCK = 1 << 18


class TwoSamples(SignificanceTest[P]):
    """Test of two samples, x and y, with a result for each pair of rows."""

    _pairs: PairFunction | None = None

    def for_pairs(self, function: PairFunction) -> PairFunction:
        """Declare a faster function for pairs of columns without a missing score, same numbers."""
        self._pairs = of_author(function, f"significance test {self.name}")
        return function

    @property
    def shares_resamples(self) -> bool:
        """True if a resample serves all pairs of systems at once, so that many cost little."""
        return self.draws and self._pairs is not None

    def over_pairs(
        self, scores: ArrayLike, first: Indices, second: Indices, **given: Any
    ) -> TestResult:
        """Test pairs of systems, the columns of a matrix (topics, systems)."""
        matrix = as_samples(self.name, "scores", scores)
        first, second = np.asarray(first, dtype=np.intp), np.asarray(second, dtype=np.intp)
        settings = self.settings(given)
        n = len(matrix)
        scaled = False
        if self.in_unit is not None:
            own = np.array([[settings[name]] for name in self.in_unit if name in settings] or [[0]])
            scaled = bool(exponents((matrix.T,)).any() or exponents((own,)).any())
        if self._pairs is None or n < self.minimum or np.isnan(matrix).any() or scaled:
            systems, step = np.ascontiguousarray(matrix.T), max(1, _BLOCK // max(1, n))
            blocks = [slice(b, b + step) for b in range(0, max(len(first), 1), step)]
            return joined(
                [self._batch((systems[first[b]], systems[second[b]]), settings) for b in blocks]
            )
        with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
            rows = self._pairs(matrix, first, second, **settings)
        counts = np.full(len(first), n)
        return self._result(first.shape, [(np.arange(len(first)), rows)], counts, counts, settings)

    def __call__(self, x: ArrayLike, y: ArrayLike, *args: P.args, **kwargs: P.kwargs) -> TestResult:
        """Test each pair of samples; `SignificanceError` for a single one without a result."""
        settings = self.settings(dict(kwargs), args)
        samples = as_samples(self.name, "x", x), as_samples(self.name, "y", y)
        return self._batch(samples, settings)


@dataclass(eq=False, repr=False)
class Paired(TwoSamples[P]):
    """Paired test: x and y of shape (..., n); a pair that lacks a score is omitted."""

    samples = "paired"
    effect: str = "d_z"


@dataclass(eq=False, repr=False)
class Unpaired(TwoSamples[P]):
    """Test of two independent samples: x of shape (..., n) and y of shape (..., m)."""

    samples = "unpaired"
    effect: str = "hedges_g"

    def sizes(self, n: IntArray, n_y: IntArray, shape: tuple[int, ...]) -> set[NumbersOfTopics]:
        """Return the pairs of sizes of the two samples."""
        return set(zip(n.tolist(), n_y.tolist(), strict=True))


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


@dataclass(eq=False, repr=False)
class AllSystems(SignificanceTest[P]):
    """Test of all systems at once: scores of shape (..., topics, systems), none missing."""

    samples = "all systems"
    #: Names of the tests of pairs that go with it.
    post_hoc: tuple[str, ...] = ()

    def sizes(self, n: IntArray, n_y: IntArray, shape: tuple[int, ...]) -> set[NumbersOfTopics]:
        """Return the shape of the scores."""
        return {shape}

    def __call__(self, scores: ArrayLike, *args: P.args, **kwargs: P.kwargs) -> TestResult:
        """Test each matrix of a batch; `SignificanceError` for a single one without a result."""
        settings = self.settings(dict(kwargs), args)
        matrices = _complete(self.name, scores)
        *shape, topics, systems = matrices.shape
        size = int(np.prod(shape))
        rows = self._rows(topics, [matrices.reshape(size, topics, systems)], settings)
        n = np.full(size, topics)
        return self._result(tuple(shape), [(np.arange(size), rows)], n, n, settings)


@dataclass(eq=False, repr=False)
class PairsTogether(SignificanceTest[P]):
    """Test of pairs of systems from all scores of a matrix (topics, systems), none missing."""

    samples = "pairs"
    effect: str = "d_z"
    #: Whether p values hold for all pairs of systems, whichever are requested.
    of_all: bool = False
    #: Whether all pairs must have the same second system.
    one_baseline: bool = False

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
        return self.over_pairs(matrix, first, second, **self.settings(dict(kwargs), args))

    def sizes(self, n: IntArray, n_y: IntArray, shape: tuple[int, ...]) -> set[NumbersOfTopics]:
        """Return the shape of the scores."""
        return {shape}

    def _columns(self, pairs: ArrayLike, systems: int) -> tuple[Indices, Indices]:
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
        if self.one_baseline and len(found := np.unique(second)) > 1:
            raise SignificanceError(
                f"{self.name} compares systems with one baseline, and the second systems of the "
                f"pairs are columns {listed(list(map(str, found)))}; expected the same second "
                "system in all pairs"
            )

        def of_matrix(matrices: Array, **scaled: Any) -> Rows:
            return self.function(matrices[0], first, second, **scaled)

        rows = self._rows(topics, [matrix[np.newaxis]], settings, of_matrix)
        n = np.full(len(first), topics)
        return self._result(first.shape, [(np.arange(len(first)), rows)], n, n, settings)


class Simultaneous(PairsTogether[P]):
    """Test of a family of pairs together, whose p values need no further correction."""


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


# --- One sample, and the decorators ---


class OneSample(SignificanceTest[P]):
    """Test of one sample, x of shape (..., n); NaN is omitted."""

    samples = "one sample"

    def __call__(self, x: ArrayLike, *args: P.args, **kwargs: P.kwargs) -> TestResult:
        """Test each sample of a batch; `SignificanceError` for a single one without a result."""
        settings = self.settings(dict(kwargs), args)
        return self._batch([as_samples(self.name, "x", x)], settings)


def one_sample(
    *, source: str, **declared: Unpack[Declared]
) -> Callable[[Callable[Concatenate[Array, P], Rows]], OneSample[P]]:
    """Make a one-sample test from a function of x, shape (rows, n).

    The test takes x of shape (..., n), omits NaN, and returns a `TestResult`. For an example with a
    reference implementation in R, see "Write a test" in the documentation. The declarations and
    errors are those of `paired`; ``minimum`` is a number of scores.

    Examples
    --------
    >>> from cdfscore.stats.significance.contract import Rows, one_sample
    >>> @one_sample(source="the number of scores of 0")
    ... def zeros(x):
    ...     return Rows(statistic=(x == 0).sum(axis=1), p_value=1.0)
    >>> zeros([[0.0, 0.3, 0.0], [0.2, 0.4, float("nan")]]).statistic
    array([2., 0.])
    """
    return functools.partial(OneSample, source=source, **declared)


def paired(
    *, source: str, **declared: Unpack[Declared]
) -> Callable[[Callable[Concatenate[Array, Array, P], Rows]], Paired[P]]:
    """Make a paired test from a function of x and y, both of shape (rows, n).

    The function gets complete rows: float64, no NaN, and ``minimum`` pairs or more. It returns
    `Rows`. Its keyword-only arguments are the settings of the test. The test takes x and y of shape
    (..., n), omits a pair with a NaN, and returns a `TestResult`. A reference implementation in R
    is a file beside the Python file, with the name of the test and the suffix .R.

    Parameters
    ----------
    source
        The reference for the test.
    declared
        Optional declarations: ``minimum`` (the smallest number of pairs for which the test is
        defined, 2 if not given), ``label`` (what people call the test; the name without underscores
        if not given), ``effect`` (name of the default effect size, "" for none), ``estimates``
        (name of the estimate), ``shows`` (conclusion from a small p value), ``null``,
        ``assumes`` and ``choose_for`` (a few words for the advice), ``tolerances`` (against R),
        ``drawn`` (random draws, for R), ``least_p`` (smallest p value), ``level`` (type I error in
        simulations), ``in_unit`` (the settings and fields of `Rows` in the unit of the scores:
        scores far from 1 are then scaled by a power of 2), ``check`` (a function of all settings
        that raises `SignificanceError` for those which the test refuses, before they are scaled),
        ``example`` (a value of each setting without a default), ``critical_difference``,
        ``complete_null`` (whether the error rate is controlled only if no systems differ),
        ``ranks`` ("topics" if scores of different topics are ranked together, "differences" if
        differences are), ``shifts`` (what may be added to scores, after they are multiplied by
        any number but 0, without a change of a two-sided p value: one number to all "scores", to
        those of each of the "topics", or to those of each of the "systems"), and ``location`` (what
        the test compares instead of means: a function of x, shape (rows, n) and without NaN, and of
        a mapping of all settings; its name is shown for "mean", and its order is that of letters).

    Raises
    ------
    SignificanceError
        When the decorator is applied: if ``example`` does not have exactly the settings without a
        default, or if ``tolerances`` has an unknown number or a tolerance without a reason. The
        test itself raises it for samples of different sizes, unknown settings, and a single pair of
        samples for which it is undefined.

    Examples
    --------
    >>> from cdfscore.stats.significance.contract import Rows, paired
    >>> @paired(source="the proportion of topics on which x is higher")
    ... def wins(x, y):
    ...     return Rows(statistic=(x > y).mean(axis=1), p_value=1.0)
    >>> wins([0.5, 0.3, 0.8, 0.4], [0.4, 0.3, 0.5, 0.2])
    statistic   0.75
    p_value     1
    method
    n           4
    >>> wins.over_pairs([[0.5, 0.4, 0.1], [0.3, 0.2, 0.9]], [0, 0], [1, 2]).statistic
    array([1. , 0.5])
    """
    return functools.partial(Paired, source=source, **declared)


def unpaired(
    *, source: str, **declared: Unpack[Declared]
) -> Callable[[Callable[Concatenate[Array, Array, P], Rows]], Unpaired[P]]:
    """Make a test of two independent samples from a function of x (rows, n) and y (rows, m).

    The test takes x of shape (..., n) and y of shape (..., m), omits NaN in each, and returns a
    `TestResult`. The declarations and errors are those of `paired`; ``minimum`` is a number of
    scores in each sample.

    Examples
    --------
    >>> from cdfscore.stats.significance.contract import Rows, unpaired
    >>> @unpaired(source="the difference of the largest scores")
    ... def largest(x, y):
    ...     return Rows(statistic=x.max(axis=1) - y.max(axis=1), p_value=1.0)
    >>> float(largest([0.5, 0.25, 0.75], [0.25, 0.5]).statistic)
    0.25
    """
    return functools.partial(Unpaired, source=source, **declared)


def all_systems(
    *,
    source: str,
    post_hoc: tuple[str, ...] = (),
    **declared: Unpack[Declared],
) -> Callable[[Callable[Concatenate[Array, P], Rows]], AllSystems[P]]:
    """Make a test of all systems at once from a function of scores (rows, topics, systems).

    The test takes scores of shape (..., topics, systems) and returns a `TestResult`. Captions state
    ``null`` and ``assumes``, and name the tests of pairs in `post_hoc`, which can follow the test.

    The other declarations, and the errors, are those of `paired`; ``minimum`` is a number of
    topics. The test also raises `SignificanceError` for a missing score and for fewer than two
    systems.

    Examples
    --------
    >>> from cdfscore.stats.significance.contract import Rows, all_systems
    >>> @all_systems(source="the range of the means")
    ... def range_of_means(scores):
    ...     means = scores.mean(axis=1)
    ...     return Rows(statistic=means.max(axis=1) - means.min(axis=1), p_value=1.0)
    >>> float(range_of_means([[0.5, 0.25, 0.0], [1.0, 0.25, 0.5]]).statistic)
    0.5
    """
    return functools.partial(AllSystems, source=source, post_hoc=post_hoc, **declared)


def simultaneous(
    *,
    source: str,
    of_all: bool = False,
    one_baseline: bool = False,
    **declared: Unpack[Declared],
) -> Callable[[Callable[Concatenate[Array, Indices, Indices, P], Rows]], Simultaneous[P]]:
    """Make a simultaneous test of pairs from a function of scores (topics, systems) and pairs.

    The function gets the scores, and the columns of the first and of the second systems of the
    pairs. Its p values hold for the whole family and need no correction. The test takes scores and
    pairs (all pairs if none are given), and returns a `TestResult` with a value for each pair.

    If `of_all` is true, the family is always all pairs of systems, whichever pairs are given. If
    `one_baseline` is true, all pairs must have the same second system. The other declarations, and
    the errors, are those of `paired`; ``minimum`` is a number of topics. The test also raises
    `SignificanceError` for a missing score, for fewer than two systems, for pairs that are not two
    different columns, and for several second systems if `one_baseline` is true.

    Examples
    --------
    >>> from cdfscore.stats.significance.contract import Rows, simultaneous
    >>> @simultaneous(source="differences of means")
    ... def of_means(scores, first, second):
    ...     means = scores.mean(axis=0)
    ...     return Rows(statistic=means[first] - means[second], p_value=1.0)
    >>> of_means([[0.5, 0.25, 0.0], [1.0, 0.25, 0.5]]).statistic  # pairs (0, 1), (0, 2), (1, 2)
    array([0.5, 0.5, 0. ])
    """
    return functools.partial(
        Simultaneous, source=source, of_all=of_all, one_baseline=one_baseline, **declared
    )


def pooled(
    *, source: str, **declared: Unpack[Declared]
) -> Callable[[Callable[Concatenate[Array, Indices, Indices, P], Rows]], Pooled[P]]:
    """Make a test of single pairs with a variance of all systems, from a function of pairs.

    The function is as for `simultaneous`. Each p value is for one pair and needs a correction;
    `compare` uses Holm's correction by default. The declarations and errors are those of
    `simultaneous`.

    Examples
    --------
    >>> from cdfscore.stats.significance.contract import Rows, pooled
    >>> @pooled(source="differences of means, in standard deviations of all scores")
    ... def in_deviations(scores, first, second):
    ...     means = scores.mean(axis=0)
    ...     return Rows(statistic=(means[first] - means[second]) / scores.std(), p_value=1.0)
    >>> in_deviations([[1.0, 0.0], [1.0, 0.0]], [[1, 0]]).statistic
    array([-2.])
    """
    return functools.partial(Pooled, source=source, **declared)


# --- Significance tests by name: those of this package, and those that other packages add ---


@dataclass(frozen=True)
class TestCatalogue(FunctionCatalogue):
    """Catalogue of significance tests; a test with settings is a `ChosenTest`."""

    __test__ = False  # for pytest, which takes the name for that of a test

    def _settings(self, member: Any) -> dict[str, Any]:
        hints = member.hints()
        return {name: hints[name] for name in member.setting_names}

    def _no_setting(self, member: Any, name: str, key: str) -> str:
        return str(member.no_setting(key))

    def _made(self, member: Any, settings: dict[str, Any]) -> Any:
        return member.chosen(settings)


#: Names elsewhere, without "test", that no words of the tests' own names answer.
_ELSEWHERE = {
    "t": ("paired_t", "student_t", "welch_t", "one_sample_t"),
    "student": ("paired_t", "student_t"),
    "wilcoxon": ("wilcoxon_signed_rank", "mann_whitney"),
    "wilcox": ("wilcoxon_signed_rank", "mann_whitney"),
    "rank_sum": ("mann_whitney",),
    "u": ("mann_whitney",),
    "mannwhitneyu": ("mann_whitney",),
    "randomization": ("permutation", "permutation_unpaired", "randomized_tukey_hsd"),
    "fisher": ("permutation", "permutation_unpaired"),
    "ks": ("kolmogorov_smirnov",),
    "tost": ("equivalence_t",),
    "f": ("anova_two_way", "variance_ratio"),
    "hsd": ("tukey_hsd", "randomized_tukey_hsd"),
    "binomial": ("sign",),
}

significance_tests = TestCatalogue(
    "cdfscore.stats.significance", "significance test", SignificanceError, elsewhere=_ELSEWHERE
)


def parse_test(text: str) -> ChosenTest:
    """Return a test with settings from its spelling, ``name`` or ``name:key=value,key=value``.

    Parameters
    ----------
    text
        The spelling, as in the option ``--test`` of the command line.

    Raises
    ------
    SignificanceError
        For an unknown name, an unknown setting, or a value that is not accepted.

    Examples
    --------
    >>> print(parse_test("paired_t:alternative=greater"))
    paired_t:alternative=greater
    """
    chosen: ChosenTest = significance_tests.parse(text)
    return chosen
