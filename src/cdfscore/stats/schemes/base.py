"""Contract of a scheme: fit it on reference scores, then apply it to scores."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import math
import sys
import types
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any, ClassVar, get_origin

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cdfscore.common.catalogue import Catalogue, Part, distribution, of_author, stem_of
from cdfscore.errors import FitError, SchemeError
from cdfscore.stats.numerics.compiled import MANY, all_finite, as_rows, in_blocks
from cdfscore.stats.numerics.moments import count
from cdfscore.stats.numerics.numbers import python_value, shown
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray

_NUMBERS = "fiub"

PNORM = (
    "two algorithms for the normal cdf: the error is at most 8 ulp in R, and 3 ulp in this package"
)
MAXIMA = "two algorithms solve the likelihood equations, both to the last digits"
#: Tolerance of a scheme whose R code gives the same bits.
SAME = Tolerance(0, "R does the same operations, in the same order and precision")

Parameters = dict[str, Array]

# Number of scores evaluated at a time: small enough for little memory in intermediate results, and
# large enough that threads seldom wait for the interpreter.
_BLOCK = 1 << 18

USUAL = Tolerance(8, "the default for a scheme that states no tolerance")


class Scheme(ABC):
    """Base class of schemes, which are fitted to the reference scores of a topic.

    A scheme is a frozen dataclass, and its fields are its settings. A new scheme is derived from
    `Distribution` or `LinearScheme` and defines `formula`, `source`, `estimate` and `evaluate`.

    Every array has one topic per row. Scores x have shape (..., m), and the reference scores
    (..., n) with NaN where a score is missing. Every fitted parameter has shape (..., k), where
    k is 1 for one number per topic. With these shapes NumPy broadcasts a formula as in a paper.

    Raises `TypeError` if a class annotates an attribute of this contract, since the annotation
    makes it a setting, and `SchemeError` if a method returns an array of another shape.

    Specified in scheme.1, scheme.3, scheme.4, scheme.9 and scheme.11.

    Examples
    --------
    >>> from cdfscore.stats.schemes import Uniform
    >>> scheme = Uniform(A=0.3)
    >>> print(scheme, scheme.formula)
    uniform:A=0.3,B=0.5 y = max(0, min(1, A (x - mean) / sd + B))
    >>> scheme.fit([0.1, 0.2, 0.3])([0.2, 0.25]).round(3).tolist()
    [0.5, 0.65]
    """

    formula: ClassVar[str]
    source: ClassVar[str]
    #: What scores are standardized by, for a methods paragraph, before "the reference systems".
    basis: ClassVar[str] = "by a distribution fitted to the scores of"
    #: Reference systems below which there is a caution; see docs/reference_systems.md.
    enough_systems: ClassVar[int] = 10
    name: ClassVar[str]
    is_cdf: ClassVar[bool]
    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]
    #: True if a parameter depends on the lowest or highest reference score, so that a bootstrap
    #: of the reference systems is not consistent.
    rests_on_extremes: bool = False
    #: True if y has the unit of the score on every topic, as raw scores have.
    keeps_unit: bool = False
    #: Approximate time in seconds of the R twin, for 100 reference systems and 100 scores.
    seconds_in_r: float = 3e-4

    # A subclass defines each as an attribute, or as a property if it depends on settings.

    @property
    def minimum_scores(self) -> int:
        """Minimum number of reference scores that determine the parameters."""
        return 1

    @property
    def needs_spread(self) -> bool:
        """False if the formula is defined on a constant topic without taking a limit."""
        return True

    @property
    def right_continuous(self) -> bool:
        """True if y is right-continuous in x on every topic that is not constant."""
        return True

    @property
    def degree_between(self) -> int | None:
        """Degree of y in x between neighboring reference scores.

        0 for steps, so that other scores have probability 0; 1 for straight lines; None for
        curves, and for lines with corners between reference scores.
        """
        return None

    def reference(self, parameters: Parameters) -> Array:
        """Return the reference scores (rows, n), where `degree_between` is 0 or 1."""
        if len(parameters) != 1:
            raise SchemeError(
                f"{self.name} has degree_between={self.degree_between} and the parameters "
                f"{', '.join(parameters)}; expected a method `reference` that returns the scores "
                "to which it was fitted"
            )
        return next(iter(parameters.values()))

    @property
    def domain(self) -> tuple[float, float]:
        """Interval of accepted reference scores, including its ends."""
        return -math.inf, math.inf

    @property
    def grid(self) -> float | None:
        """Number that reference scores must be whole multiples of, or None."""
        return None

    @property
    def members(self) -> tuple[Any, ...]:
        """This scheme, those on which it is based, and parts of a person's own."""
        based_on = () if self.component is None else self.component.members
        return (self, *based_on, *self.parts.values())

    @property
    def parts(self) -> dict[str, Part]:
        """Parts of a person's own, by the settings that name them; R gets a function for each."""
        return {}

    @property
    def component(self) -> Scheme | None:
        """Scheme on which this one is based, or None; the R twin calls that of the component."""
        return None

    @property
    def free_parameters(self) -> int | None:
        """Number of parameters estimated from the scores of a topic; None if they do not count."""
        return None

    @property
    def seconds_to_fit(self) -> float:
        """Approximate time in seconds of a fit, for each reference score."""
        return 2e-7

    @property
    def location_scale(self) -> bool:
        """True if scores a x + b, with a > 0, are fitted by F((x - b) / a), for any a and b.

        The distribution of distances of samples from their own fits is then the same for all
        parameters, and diagnose simulates it once for many topics.
        """
        return False

    def __init_subclass__(cls) -> None:
        # FromScipy -> from_scipy: the name, the file and the R twin share one stem.
        cls.name = stem_of(cls.__name__)
        # Some attributes are only annotated in Scheme, which has no value for them.
        contract = {*dir(Scheme), *inspect.get_annotations(Scheme)}
        for attribute, annotation in inspect.get_annotations(cls).items():
            if attribute in contract and not is_class_variable(annotation, cls.__module__):
                raise TypeError(
                    f"{cls.name}: {attribute} is annotated, which makes it a setting of the "
                    "dataclass; expected no annotation, or ClassVar[...]"
                )

        named = f"scheme {cls.name}"
        for method in {*contract, "support", "crps", "inverse"}.intersection(vars(cls)):
            own = vars(cls)[method]
            if isinstance(own, types.FunctionType) and not method.startswith("_"):
                setattr(cls, method, of_author(own, named))
            elif isinstance(own, property):
                setattr(cls, method, property(of_author(own.fget, named)))
        check = of_author(cls.__post_init__, named)
        if check is not Scheme.__post_init__:  # it need not call that of Scheme

            @functools.wraps(check)
            def converted_and_checked(self: Any, *args: Any, **kwargs: Any) -> None:
                Scheme.__post_init__(self)
                check(self, *args, **kwargs)

            type.__setattr__(cls, "__post_init__", converted_and_checked)

    def __post_init__(self) -> None:
        """Convert settings of NumPy's types to Python's; a subclass checks them after that."""
        for field in dataclasses.fields(self):
            object.__setattr__(self, field.name, python_value(getattr(self, field.name)))

    def fit(self, scores: ArrayLike) -> Fitted:
        """Fit one sample per row: shape (..., n), NaN where a score is missing.

        Raises `FitError` if a row has too few scores, an infinite score, a score outside the
        `domain`, or scores that do not determine the parameters; `SchemeError` if `estimate`
        returns parameters of other names or shapes.
        """
        sample = np.asarray(scores, dtype=np.float64, order="C")  # one order of summation
        if sample.ndim == 0 or sample.shape[-1] == 0:
            raise FitError(
                f"reference scores have shape {sample.shape}; expected (..., n) with n >= 1"
            )
        complete = all_finite(sample)
        if not complete:
            refuse_rows(
                np.isinf(sample).any(axis=-1),
                "a reference score is infinite; expected a finite number, or NaN if missing",
            )
        refuse_outside(self, sample)
        if not complete or sample.shape[-1] < self.minimum_scores:
            refuse_short(self, count(sample)[..., 0])
        with np.errstate(over="ignore"):  # an infinite parameter is refused
            return Fitted(self, _checked_parameters(self, self.estimate(sample), sample))

    def restore(self, parameters: Mapping[str, ArrayLike]) -> Fitted:
        """Return the fitted scheme that has these parameters, each of shape (..., k)."""
        return Fitted(self, {k: np.array(v, dtype=np.float64) for k, v in parameters.items()})

    @abstractmethod
    def estimate(self, scores: Array) -> Parameters:
        """Estimate the parameters of each row of `scores`; each has shape (..., k)."""

    @abstractmethod
    def evaluate(self, x: Array, *args: Any, **kwargs: Any) -> Array:
        """Return y for scores x of shape (..., m), given the parameters by name."""

    @property
    def tolerance(self) -> Tolerance:
        """Tolerance of y against the R twin's: 8 ulp unless the scheme states another."""
        return USUAL

    @classmethod
    def twin(cls) -> Path:
        """Return the path of the R twin: the file of the scheme's name beside its module."""
        return Path(inspect.getfile(cls)).with_name(f"{cls.name}.R")

    def constant(self, *args: Any, **kwargs: Any) -> BoolArray:
        """Tell which topics have equal reference scores only; shape (..., 1)."""
        return np.zeros((1,), dtype=np.bool_)

    def denominators(self, *args: Any, **kwargs: Any) -> IntArray | None:
        """Return the whole numbers (..., 1), below 2^32, that y is a count divided by, or None."""
        return None

    @property
    def counts(self) -> bool:
        """True if y is a count divided by one of the `denominators`."""
        return type(self).denominators is not Scheme.denominators

    def parameter_names(self) -> list[str]:
        """Name the fitted parameters, which are the arguments of `evaluate` after x."""
        return list(_parameters(type(self).evaluate))

    def settings(self) -> dict[str, float | str]:
        """Return the settings by name, except those that are None."""
        fields = dataclasses.fields(self)
        values = {field.name: getattr(self, field.name) for field in fields}
        return {name: value for name, value in values.items() if value is not None}

    def __str__(self) -> str:
        """Spell the scheme as on the command line: ``uniform:A=0.15,B=0.5``."""
        settings = ",".join(f"{name}={value}" for name, value in self.settings().items())
        return f"{self.name}:{settings}" if settings else self.name


class Distribution(Scheme):
    """Scheme whose `evaluate` is a cumulative distribution function, F(x) = P(X <= x).

    It also defines `support`, and may define `inverse`, the quantile function, and `crps`. Each
    takes the fitted parameters by name. Shapes are those of `Scheme`. Raises the same errors.

    Specified in scheme.2.

    Examples
    --------
    >>> from cdfscore.stats.schemes import Normal
    >>> isinstance(Normal(), Distribution), Normal().is_cdf
    (True, True)
    """

    is_cdf = True

    @abstractmethod
    def support(self, *args: Any, **kwargs: Any) -> tuple[Array, Array]:
        """Return the ends of the interval that holds all probability; each (..., 1)."""

    def crps(self, y: Array, *args: Any, **kwargs: Any) -> Array | None:
        """Return the CRPS of each y (..., m), or None if no closed form is accurate in doubles."""
        return None


class LinearScheme(Scheme):
    """Scheme that is linear in x and therefore not a cdf.

    Shapes are those of `Scheme`. Raises the same errors.

    Specified in scheme.7.

    Examples
    --------
    >>> from cdfscore.stats.schemes import Z
    >>> Z().fit([0.1, 0.2, 0.3])([0.2, 0.3]).round(3).tolist()
    [0.0, 1.0]
    """

    is_cdf = False


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Fitted:
    """Scheme with the parameters of each topic; call it on scores of shape (..., m).

    `Scheme.fit` and `Scheme.restore` return it. The parameter arrays (..., k) are read-only.

    Raises `FitError` if a parameter is not finite, or x does not have one row per topic, and
    `SchemeError` if a method of the scheme returns an array of another shape.

    Specified in scheme.1, scheme.5, scheme.6, scheme.9 and constant.1.

    Examples
    --------
    >>> from cdfscore.stats.schemes import Normal
    >>> fitted = Normal().fit([[0.1, 0.2, 0.3], [0.5, 0.5, 0.8]])
    >>> fitted([[0.2], [0.6]]).round(4).tolist()
    [[0.5], [0.5]]
    >>> fitted.parameters["mean"].round(4).tolist()
    [[0.2], [0.6]]
    """

    scheme: Scheme
    parameters: Parameters

    def __post_init__(self) -> None:
        for name, values in self.parameters.items():
            if not all_finite(values):
                padding = np.isnan(values[..., 1:])  # samples of unequal size end in NaN
                bad = ~np.isfinite(values[..., :1]).all(-1)
                bad |= ~(np.isfinite(values[..., 1:]) | padding).all(-1)
                refuse_rows(bad, f"the {name} of {self.scheme} is not a finite number")
            values.setflags(write=False)

    def __call__(self, x: ArrayLike) -> Array:
        """Return y = F(x), of the shape of x; NaN where x is NaN."""
        aligned, scheme = self._aligned(x), self.scheme
        if aligned.size <= MANY or aligned.ndim == 1:
            found = scheme.evaluate(aligned, **self.parameters)
            return _returned(scheme, "evaluate", found, aligned.shape)
        rows = as_rows(aligned)
        parameters = {name: as_rows(values) for name, values in self.parameters.items()}
        y = np.empty(rows.shape)

        def fill(block: slice) -> None:
            own = {name: values[block] for name, values in parameters.items()}
            found = scheme.evaluate(rows[block], **own)
            y[block] = _returned(scheme, "evaluate", found, rows[block].shape)

        in_blocks(fill, len(rows), rows.shape[1], _BLOCK)
        return y.reshape(aligned.shape)

    @property
    def denominators(self) -> IntArray | None:
        """The whole numbers (..., 1) that y is a count divided by, None if y is not a count."""
        found = self.scheme.denominators(**self.parameters)
        return None if found is None else _returned(self.scheme, "denominators", found, self._one)

    def quantile(self, p: ArrayLike) -> Array:
        """Return the smallest x with F(x) >= p; raises `SchemeError` without a closed form."""
        inverse = getattr(self.scheme, "inverse", None)
        if inverse is None:
            raise SchemeError(f"{self.scheme} has no quantile function in closed form")
        probability = self._aligned(p)
        if ((probability < 0) | (probability > 1)).any():
            raise SchemeError("p has a value outside [0, 1]; a probability is expected")
        quantiles = inverse(probability, **self.parameters)
        return _returned(self.scheme, "inverse", quantiles, probability.shape)

    def crps(self, y: ArrayLike) -> Array | None:
        """Return the CRPS of each y, of the shape of y; None without a closed form."""
        if not isinstance(self.scheme, Distribution):
            raise SchemeError(f"{self.scheme} is not a distribution and has no CRPS")
        aligned = self._aligned(y)
        found = self.scheme.crps(aligned, **self.parameters)
        return None if found is None else _returned(self.scheme, "crps", found, aligned.shape)

    @property
    def support(self) -> tuple[Array, Array]:
        """Ends of the interval that holds all probability, each of shape (...)."""
        if not isinstance(self.scheme, Distribution):
            raise SchemeError(f"{self.scheme} is not a distribution and has no support")
        low, high = (
            _returned(self.scheme, "support", end, self._one)[..., 0]
            for end in self.scheme.support(**self.parameters)
        )
        return low, high

    @property
    def constant(self) -> BoolArray:
        """True for the topics whose reference scores are all equal; shape (...), () as by raw."""
        told = self.scheme.constant(**self.parameters)
        return _returned(self.scheme, "constant", told, self._one, (1,), kinds="b")[..., 0]

    def take(self, rows: IntArray) -> Fitted:
        """Return the fit of these rows of a batch, in this order."""
        return Fitted(self.scheme, {k: v.take(rows, axis=0) for k, v in self.parameters.items()})

    def __repr__(self) -> str:
        shapes = ", ".join(f"{name} {values.shape}" for name, values in self.parameters.items())
        return f"<{self.scheme} fitted: {shapes or 'no parameters'}>"

    @property
    def _one(self) -> tuple[int, ...]:
        """Shape of one number per topic: (..., 1); (1,) where nothing is fitted, as by raw."""
        first = next(iter(self.parameters.values()), None)
        return (1,) if first is None else (*first.shape[:-1], 1)

    def _aligned(self, x: ArrayLike) -> Array:
        values = np.asarray(x, dtype=np.float64, order="C")
        for parameter in self.parameters.values():
            if values.ndim == 0 or values.shape[:-1] != parameter.shape[:-1]:
                raise FitError(
                    f"x has shape {values.shape}; expected {(*parameter.shape[:-1], 'm')}, "
                    "one row per fitted topic"
                )
        return values


@functools.cache
def _parameters(evaluate: Callable[..., Array]) -> tuple[str, ...]:
    _self, *names = inspect.signature(evaluate).parameters
    return tuple(name for name in names if name != "x")


def is_class_variable(annotation: object, module: str) -> bool:
    """Tell whether an annotation is ClassVar, under any name, as dataclasses does."""
    if isinstance(annotation, str):
        annotation = functools.reduce(
            lambda found, name: getattr(found, name, None),
            annotation.partition("[")[0].strip().split("."),
            sys.modules.get(module),
        )
    return annotation is ClassVar or get_origin(annotation) is ClassVar


def _checked_parameters(scheme: Scheme, found: Any, sample: Array) -> Parameters:
    """Return the parameters of `estimate` in one order: equal factors make equal files."""
    names = scheme.parameter_names()
    if not isinstance(found, Mapping) or set(found) != set(names):
        told = f"the parameters {', '.join(found)}" if isinstance(found, Mapping) else _told(found)
        raise SchemeError(
            f"{whose(scheme)}: estimate returned {told}; expected a dict of arrays with the "
            f"names that evaluate takes, {', '.join(names) or '(none)'}"
        )
    parameters, (*lead, _) = {}, sample.shape
    for name in names:
        array = np.asarray(found[name])
        if array.dtype.kind not in _NUMBERS or [*array.shape[:-1]] != lead or not array.ndim:
            raise SchemeError(
                f"{whose(scheme)}: estimate returned {_told(found[name])} for {name}, for scores "
                f"of shape {sample.shape}; expected numbers of shape {(*lead, 'k')}, where k is 1 "
                "for one number per topic"
            )
        array = np.asarray(array, dtype=np.float64)
        shared = not array.flags.owndata or np.may_share_memory(array, sample)
        parameters[name] = array.copy() if shared else array
    return parameters


def _returned(
    scheme: Scheme, method: str, found: Any, *shapes: tuple[int, ...], kinds: str = _NUMBERS
) -> NDArray[Any]:
    if isinstance(found, np.ndarray) and found.shape in shapes and found.dtype.kind in kinds:
        return found
    raise SchemeError(
        f"{whose(scheme)}: {method} returned {_told(found)}; expected an array of "
        f"{'bool' if kinds == 'b' else 'numbers'} of shape {shapes[0]}"
    )


def whose(scheme: Scheme) -> str:
    """Name a scheme and its package, for a message on the class."""
    return f"{scheme.name} of {distribution(type(scheme).__module__)}"


def _told(found: Any) -> str:
    is_array = isinstance(found, np.ndarray)
    return f"an array of {found.dtype} of shape {found.shape}" if is_array else repr(found)


def setting_error(scheme: str, name: str, value: object, expected: str) -> SchemeError:
    """Return the error for a setting of a scheme, which says what would be accepted."""
    return SchemeError(f"{scheme}: {name}={shown(value)} is not accepted; expected {expected}")


# --- Fit errors for the rows of a batch that cannot be fitted ---


def first_bad(sample: Array, bad: BoolArray, row: int) -> float:
    """Return the first bad score of a row; both arrays have shape (..., n)."""
    n = sample.shape[-1]
    return float(sample.reshape(-1, n)[row][bad.reshape(-1, n)[row]][0])


def too_little_spread(consequence: str) -> str:
    """Say that a family of two shapes cannot have so little spread, and what can."""
    return (
        f"the reference scores differ so little that {consequence}; the normal distribution "
        "fits such scores"
    )


def no_maximum(name: str) -> str:
    """Say why a score at an end of the domain is refused by a maximum likelihood fit."""
    return f"where the likelihood of {name} has no maximum"


def at_ends(n: int, zeros: int, ones: int = 0) -> str:
    """Say how many of n scores are 0, and how many are 1."""
    told = " and ".join(
        f"{count} {'is' if count == 1 else 'are'} exactly {end}"
        for count, end in ((zeros, 0), (ones, 1))
        if count
    )
    return f"of {n} reference scores {told}"


def refuse_rows(bad: BoolArray | np.bool_, message: str | Callable[[int], str]) -> None:
    """Raise `FitError` for the bad rows, if there are any.

    `bad` is an array of bool (...,) with one element per row, or one bool for a single row.
    `message` is the reason, or a function that returns the reason of a row from its number.
    `estimate` of a scheme calls this for topics that it cannot be fitted to.

    Raises `FitError` if an element of `bad` is True. Its `row` is the first bad row, and its
    `rows` has the reason of each.

    Specified in scheme.3.

    Examples
    --------
    >>> from cdfscore.errors import FitError, SchemeError
    >>> try:
    ...     refuse_rows(np.array([False, True]), "a score is negative")
    ... except FitError as error:
    ...     print(error, error.rows)
    row 1: a score is negative {1: 'a score is negative'}
    """
    if np.any(bad):
        reasons = {
            int(row): message if isinstance(message, str) else message(int(row))
            for row in np.flatnonzero(np.atleast_1d(bad))
        }
        row, reason = next(iter(reasons.items()))
        where = f"row {row}: " if np.ndim(bad) else ""
        raise FitError(where + reason, row=row, rows=reasons)


def refuse_outside(scheme: Scheme, sample: Array) -> None:
    """Raise `FitError` for rows with a reference score outside the domain of the scheme."""
    stated: object = scheme.domain
    match stated:
        case (int() | float() as low, int() | float() as high):
            pass
        case _:
            raise SchemeError(
                f"{whose(scheme)}: domain is {stated!r}; expected its two ends, such as "
                "(0.0, math.inf)"
            )
    if low > -math.inf or high < math.inf:
        outside = (sample < low) | (sample > high)
        refuse_rows(
            outside.any(axis=-1),
            lambda row: (
                f"a reference score is {first_bad(sample, outside, row)}, and {scheme} is "
                f"{'a distribution on' if scheme.is_cdf else 'for scores in'} "
                f"[{low:g}, {f'{high:g}]' if high < math.inf else 'infinity)'}"
            ),
        )


def refuse_short(scheme: Scheme, n: IntArray) -> None:
    """Raise `FitError` for rows of n reference scores, fewer than the scheme needs."""
    refuse_rows(
        n < scheme.minimum_scores,
        lambda row: (
            f"{scheme} needs at least {scheme.minimum_scores} reference "
            f"score{'s' * (scheme.minimum_scores > 1)} and there "
            f"{'is' if n.flat[row] == 1 else 'are'} {n.flat[row]}"
        ),
    )


# --- Schemes by name: those of this package, and those that other packages add ---

#: Labels of Urbano, Lima and Hanjalic (2019), each of the scheme without settings.
LABELS = {"N-std": "normal", "U-std": "uniform", "z-std": "z", "E-std": "empirical"}
_OF_NAMES = {name: label for label, name in LABELS.items()}
# Names of the schemes in other software.
_ELSEWHERE = {
    "ecdf": ("empirical",),
    "gaussian": ("normal",),
    "z_score": ("z",),
    "zscore": ("z",),
    "min_max": ("minmax",),
    "std_ab": ("uniform",),
    "kde": ("kernel",),
}


@dataclass(frozen=True)
class SchemeCatalogue(Catalogue):
    """Catalogue of the schemes; a class that another package adds must be a scheme."""

    def fault(self, member: Any) -> str:
        """Say which rule of a scheme a class breaks."""
        if not (isinstance(member, type) and issubclass(member, Scheme)):
            return (
                "is not a scheme; expected a class derived from "
                "cdfscore.stats.schemes.Distribution or cdfscore.stats.schemes.LinearScheme"
            )
        own = getattr(member, "__dataclass_params__", None)  # that base classes lack
        if own is None or not own.frozen:
            return "is not a frozen dataclass; expected @dataclass(frozen=True)"
        for setting in fields(member):
            if setting.default is MISSING and setting.default_factory is MISSING:
                return f"has no default for the setting {setting.name}; expected one"
        lacking = sorted(getattr(member, "__abstractmethods__", ()))
        if lacking:
            return f"does not define the method{'s' * (len(lacking) > 1)} {' and '.join(lacking)}"
        lacking = [name for name in ("formula", "source") if not hasattr(member, name)]
        if lacking:
            return f"has no {' and no '.join(lacking)}; expected a sentence"
        return ""


schemes = SchemeCatalogue(
    "cdfscore.stats.schemes",
    "scheme",
    SchemeError,
    {label.lower(): name for label, name in LABELS.items()},
    _ELSEWHERE,
)


def scheme_names() -> list[str]:
    """List the names of all schemes: the distributions, the linear ones, and plug-ins.

    Examples
    --------
    >>> "empirical" in scheme_names()
    True
    """
    return schemes.names()


def parse_scheme(text: str) -> Scheme:
    """Make a scheme from its spelling, ``name`` or ``name:key=value,key=value``.

    The labels N-std, U-std, z-std and E-std of the literature are accepted too.

    Raises `SchemeError` for an unknown name or setting, a value that is not accepted, or a
    plug-in that cannot be imported or is not a scheme.

    Examples
    --------
    >>> parse_scheme("uniform:A=0.3")
    Uniform(A=0.3, B=0.5)
    >>> parse_scheme("N-std")
    Normal()
    """
    scheme: Scheme = schemes.parse(text)
    return scheme


@functools.cache
def scheme_label(spelling: str) -> str:
    """Return a scheme as papers name it, with the settings that are not the defaults.

    A scheme of the user that has no name in the catalogue is called as it spells itself.

    >>> scheme_label("uniform:A=0.15,B=0.5")
    'U-std'
    >>> scheme_label("empirical:convention=strict")
    'E-std (convention strict)'
    >>> scheme_label("raw")
    'raw scores'
    """
    try:
        scheme = parse_scheme(spelling)
    except SchemeError:
        return spelling
    if scheme.name == "raw":
        return "raw scores"
    usual = {each.name: each.default for each in dataclasses.fields(scheme)}
    own = [f"{key} {value}" for key, value in scheme.settings().items() if value != usual[key]]
    label = _OF_NAMES.get(scheme.name, scheme.name.replace("_", " "))
    return f"{label} ({', '.join(own)})" if own else label
