"""The checks of the contract of schemes."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cdfscore.diagnosis.criteria import integrated
from cdfscore.errors import CdfscoreError, FitError, RNotAvailableError
from cdfscore.stats.numerics.multiples import LARGEST, numerators
from cdfscore.stats.numerics.tolerance import Tolerance, ulp_distance
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes.base import Distribution, Fitted, Scheme, schemes

# Checks of the declaration of a scheme.


class ContractError(AssertionError):
    """Raised by `check_distribution` or `check_test` if the contract is violated.

    It is an `AssertionError`. The message names the member, the check, and what is expected.

    Examples
    --------
    >>> from cdfscore.testing import ContractError, check_distribution
    >>> try:
    ...     check_distribution("normal")
    ... except ContractError as error:
    ...     print(str(error).partition(";")[0])
    'normal' is not a scheme
    """


@dataclass(frozen=True)
class Subject:
    """A scheme under test, with seeded scores: 3 topics, 9 or more reference systems."""

    scheme: Scheme
    within: tuple[float, float]
    seed: int

    def run(self, check: Check) -> None:
        """Run a check; an error of the scheme is a failure of the check."""
        run_check(check, self, self.spelled, self.scheme.name)

    @property
    def spelled(self) -> str:
        """The spelling of the scheme, or its class if that fails."""
        try:
            return str(self.scheme)
        except Exception:
            return type(self.scheme).__name__

    @property
    def systems(self) -> int:
        """The number of reference systems, some of which may have missing scores."""
        return max(9, self.scheme.minimum_scores + 4)

    def drawn(self, *shape: int) -> Array:
        """Draw scores in `within`, with ties: the last of a row equals the first."""
        low, high = self.within
        share = np.random.default_rng(self.seed).random(shape).round(3)
        scores = self.on_grid(low + (high - low) * (0.05 + 0.9 * share))
        scores[..., -1] = scores[..., 0]
        return scores

    def on_grid(self, scores: Array) -> Array:
        """Move scores to the grid of the scheme, if it has one."""
        grid = self.scheme.grid
        return scores if grid is None else np.round(scores / grid) * grid

    @cached_property
    def scores(self) -> Array:
        """Reference scores without missing values; shape (3, systems)."""
        return self.drawn(3, self.systems)

    @cached_property
    def fitted(self) -> Fitted:
        """The scheme fitted to `scores`."""
        return self.scheme.fit(self.scores)

    @property
    def y(self) -> Array:
        """What `fitted` gives at `x`."""
        return self.fitted(self.x)

    @cached_property
    def x(self) -> Array:
        """Scores to standardize: some equal to reference scores, between and outside; (3, 5)."""
        s = self.scores
        low, high = self.within
        ends = np.array([low - 0.25 * (high - low), high + 0.25 * (high - low)])
        middle = (s[:, 1] + s[:, 2]) / 2
        return np.column_stack([s[:, :2], middle, np.broadcast_to(ends, (3, 2))])


Check = Callable[[Subject], None]


def run_check(check: Callable[[Any], None], subject: object, spelled: str, name: str) -> None:
    """Run a check of what is spelled so; its message names both, and so does that of an error."""
    with told_of(f"{spelled}: {check.__name__.replace('_', ' ').strip()}", name):
        check(subject)


@contextmanager
def told_of(what: str, name: str, *others: type[Exception]) -> Iterator[None]:
    """Raise every error as one of the contract of `what`, but for those of R or `others`."""
    try:
        yield
    except Exception as error:
        if isinstance(error, (RNotAvailableError, *others)):
            raise
        why = " ".join(str(error).split()).removeprefix(f"{name}: ")
        if not isinstance(error, ContractError | CdfscoreError):
            why = f"{type(error).__name__} was raised ({why}); expected no error"
        raise ContractError(f"{what}: {why}") from error


def checks_of(names: dict[str, Any], subject: str) -> tuple[Callable[[Any], None], ...]:
    """Return the checks of a kind of subject alone, in the order in which they are defined."""
    hints = {"subject": subject, "return": "None"}
    return tuple(each for each in names.values() if getattr(each, "__annotations__", {}) == hints)


#: What a check says of the bits of a sum.
SUMS = (
    "a sum by `mean`, `total` or `mean_and_sd` of cdfscore.stats.numerics.moments has the same "
    "bits in every batch and layout, and with NaN"
)


def require(holds: bool | np.bool_, sentence: str) -> None:
    """Raise `ContractError` with the sentence unless `holds`."""
    if not holds:
        raise ContractError(sentence)


def same_bits(a: Array, b: Array) -> bool:
    """Tell whether two arrays have the same shape and the same doubles; NaN equals NaN."""
    return np.array_equal(a, b, equal_nan=True) and np.array_equal(
        np.signbit(a[~np.isnan(a)]), np.signbit(b[~np.isnan(b)])
    )


def require_same(got: Array, expected: Array, given: str, wanted: str) -> None:
    """Require the same bits; the sentence shows the first place where they differ."""
    require(
        got.shape == expected.shape,
        f"{given} y has shape {got.shape}; expected {expected.shape}",
    )
    if same_bits(got, expected):
        return
    unlike = ~((got == expected) & (np.signbit(got) == np.signbit(expected)))
    place = tuple(int(i[0]) for i in np.nonzero(unlike & ~(np.isnan(got) & np.isnan(expected))))
    raise ContractError(
        f"{given} y{list(place)} is {float(got[place])!r}; "
        f"expected {float(expected[place])!r}, {wanted}"
    )


def _class_is_that_of_a_scheme(subject: Subject) -> None:
    wrong = schemes.fault(type(subject.scheme))
    require(not wrong, f"{type(subject.scheme).__name__} {wrong}")


def settings_are_plain(subject: Subject) -> None:
    """Every setting is a number, text or None, so that it can be spelled and saved."""
    for name, value in subject.scheme.settings().items():
        require(
            isinstance(value, (int, float, str)),
            f"the setting {name} is {value!r}; expected a number, text or None",
        )


def _scheme_is_picklable(subject: Subject) -> None:
    again = pickle.loads(pickle.dumps(subject.scheme))
    require(again == subject.scheme, f"pickling gives back {again!r}; expected an equal scheme")


def _documentation_is_there(subject: Subject) -> None:
    cls = type(subject.scheme)
    text = cls.__doc__ or ""
    written = text.strip() and not text.startswith(f"{cls.__name__}(")  # what dataclass writes
    require(bool(written), f"{cls.__name__} has no docstring; expected formula, source, errors")
    for name in ("formula", "source"):
        value = getattr(cls, name, None)
        require(
            isinstance(value, str) and bool(value.strip()),
            f"{name} is {value!r}; expected a sentence",
        )


def tolerance_has_a_reason(subject: Subject) -> None:
    """The tolerance is a number of ulp up to the cap, with the reason for it."""
    stated = subject.scheme.tolerance
    require(
        isinstance(stated, Tolerance),
        f"tolerance is {stated!r}; expected one such as Tolerance(16, 'two solvers')",
    )
    require(not stated.fault, stated.fault)


def _catalogue_member_has_a_spelling_and_a_twin(subject: Subject) -> None:
    scheme = subject.scheme
    if scheme.name not in schemes.names() or schemes.load(scheme.name) is not type(scheme):
        return
    parsed = schemes.parse(str(scheme))
    require(parsed == scheme, f"{str(scheme)!r} is read as {parsed!r}; expected {scheme!r}")
    twin = scheme.twin()
    require(
        twin.is_file(), f"there is no R twin {twin.name} in the folder of the module; expected one"
    )


# Checks of shapes, batches, and unchanged input arrays.


def input_is_not_modified(subject: Subject) -> None:
    """Neither `fit` nor the fitted scheme writes to its input or keeps a reference to it."""
    scores, x = subject.scores.copy(), subject.x.copy()
    fitted = subject.scheme.fit(scores)
    y = fitted(x)
    require(np.array_equal(scores, subject.scores), "fit changed the reference scores it was given")
    require(np.array_equal(x, subject.x), "the fitted scheme changed the x it was given")
    require(not np.shares_memory(x, y), "y shares memory with x; expected a separate array")
    expected = y.copy()
    scores[...] = 0.0
    y[...] = -1.0
    again = fitted(x)
    require_same(again, expected, "after scores and y were overwritten", "as before that")


def shape_of_x_is_kept(subject: Subject) -> None:
    """y has the shape of x for one topic, a batch, and a batch of batches."""
    scores, x = subject.scores, subject.x
    cases = [
        (scores[0], x[0]),
        (scores, x),
        (scores[:2].reshape(1, 2, -1), x[:2].reshape(1, 2, -1)),
        (scores, scores),
        (scores, x[:, :1]),
    ]
    for sample, values in cases:
        _require_shape(subject, sample, values)


def _fit_is_deterministic(subject: Subject) -> None:
    again = subject.scheme.fit(subject.scores)
    require_same(subject.y, subject.y, "of a second call", "as of the first")
    require_same(again(subject.x), subject.y, "of a second fit", "as of the first")


def _batch_equals_row_by_row(subject: Subject) -> None:
    scores, x = subject.scores, subject.x
    y = subject.fitted(x)
    for i in range(len(scores)):
        alone = subject.scheme.fit(scores[i])(x[i])
        require_same(y[i], alone, f"of row {i} of a batch,", f"as for that row alone; {SUMS}")
    deep = subject.scheme.fit(scores[:2].reshape(2, 1, -1))(x[:2].reshape(2, 1, -1))
    require_same(deep[:, 0], y[:2], "of a batch of shape (2, 1, n),", "as in one of shape (2, n)")


def _empty_arrays_keep_their_shape(subject: Subject) -> None:
    _require_shape(subject, subject.scores, subject.x[:, :0])
    _require_shape(subject, subject.scores[:0], subject.x[:0])


def _require_shape(subject: Subject, scores: Array, x: Array) -> None:
    y = subject.scheme.fit(scores)(x)
    require(
        isinstance(y, np.ndarray) and y.dtype == np.float64 and y.shape == x.shape,
        f"for scores of shape {scores.shape} and x of shape {x.shape} y has shape "
        f"{np.shape(y)}; expected doubles of shape {x.shape}",
    )


# Checks of missing scores, and of the types of input.


def _missing_x_gives_nan_there_only(subject: Subject) -> None:
    x = subject.x.copy()
    expected = subject.fitted(x)
    x[0, 1] = x[2, 0] = np.nan
    expected[0, 1] = expected[2, 0] = np.nan
    require_same(subject.fitted(x), expected, "with NaN at x[0, 1] and x[2, 0]", "NaN there only")


def _missing_reference_scores_are_omitted(subject: Subject) -> None:
    scores = subject.scores.copy()
    scores[0, 0] = scores[1, 3] = scores[1, 8] = np.nan
    y = subject.scheme.fit(scores)(subject.x)
    for i, row in enumerate(scores):
        present = row[~np.isnan(row)]
        expected = subject.scheme.fit(present)(subject.x[i])
        require_same(
            y[i],
            expected,
            f"of row {i} with {len(row) - len(present)} reference scores NaN,",
            f"as without those scores; {SUMS}",
        )


def layout_of_input_does_not_matter(subject: Subject) -> None:
    """Read-only, strided and Fortran-ordered arrays and lists give the same bits."""
    kinds: dict[str, Callable[[Array], ArrayLike]] = {
        "read-only": lambda values: np.broadcast_to(values, values.shape),
        "non-contiguous": lambda values: np.repeat(values, 2, axis=-1)[..., ::2],
        "Fortran-ordered": np.asfortranarray,
        "nested lists of": np.ndarray.tolist,
    }
    for kind, laid_out in kinds.items():
        y = subject.scheme.fit(laid_out(subject.scores))(laid_out(subject.x))
        require_same(y, subject.y, f"for {kind} scores and x,", "as for contiguous arrays")


def _integers_are_read_as_doubles(subject: Subject) -> None:
    x = np.array([[-1, 0, 1, 2]] * 3)
    require_same(
        subject.fitted(x), subject.fitted(x.astype(float)), "for whole x,", "as for double"
    )
    scores = np.array([[0, 2, 3, 5, 2]] * 3)
    got, wanted = (_outcome(subject, s, x) for s in (scores, scores.astype(np.float64)))
    if isinstance(got, np.ndarray) and isinstance(wanted, np.ndarray):
        require_same(got, wanted, "for whole reference scores,", "as for doubles")
    else:
        same = isinstance(got, str) and got == wanted
        require(same, f"whole reference scores give {got}; expected {wanted}, as for doubles")


def _outcome(subject: Subject, scores: ArrayLike, x: ArrayLike) -> Array | str:
    try:
        return subject.scheme.fit(scores)(x)
    except FitError as error:
        return str(error)


# Checks of y as a function of x: it is a cdf, or at least does not decrease.


# A cdf that is computed from a formula may decrease by some units in the last place from one
# double to the next; SciPy's incomplete gamma function decreases by 9.
_LARGEST_DIP_ULP = 16
# Tolerance for F and F at the next double, as the cdf is computed in doubles.
_TOLERANCE = 1e-9


def y_does_not_decrease(subject: Subject) -> None:
    """y does not decrease as x increases, and is a number for every x."""
    x, y = _curve(subject)
    missing = np.isnan(y)
    for row, i in np.argwhere(missing)[:1]:
        raise ContractError(f"y is NaN at x = {float(x[row, i])!r} in row {row}")
    falls = (y[:, 1:] < y[:, :-1]) & (ulp_distance(y[:, 1:], y[:, :-1]) > _LARGEST_DIP_ULP)
    for row, i in np.argwhere(falls)[:1]:
        raise ContractError(
            f"y decreases from {float(y[row, i])!r} at x = {float(x[row, i])!r} to "
            f"{float(y[row, i + 1])!r} at x = {float(x[row, i + 1])!r} in row {row}; expected "
            "y that does not decrease as x increases"
        )


def _cdf_lies_between_0_and_1(subject: Subject) -> None:
    if subject.scheme.is_cdf:
        x, y = _curve(subject)
        outside = ~((y >= 0) & (y <= 1))
        for row, i in np.argwhere(outside)[:1]:
            raise ContractError(
                f"y is {float(y[row, i])!r} at x = {float(x[row, i])!r} in row {row}; "
                "expected 0 <= y <= 1"
            )


def _cdf_reaches_0_and_1_at_infinity(subject: Subject) -> None:
    if subject.scheme.is_cdf:
        y = subject.fitted(np.array([[-np.inf, np.inf]] * 3))
        reached = bool((y == [0.0, 1.0]).all())
        require(reached, f"y is {y[0].tolist()} at x = [-inf, inf]; expected [0.0, 1.0]")


def cdf_is_right_continuous_if_declared(subject: Subject) -> None:
    """y does not jump right of a reference score if `right_continuous`."""
    if subject.scheme.is_cdf and subject.scheme.right_continuous:
        x = subject.scores
        y, right = subject.fitted(x), subject.fitted(np.nextafter(x, np.inf))
        jumps = np.abs(right - y) > _TOLERANCE
        for row, i in np.argwhere(jumps)[:1]:
            raise ContractError(
                f"y is {float(y[row, i])!r} at x = {float(x[row, i])!r} in row {row} and "
                f"{float(right[row, i])!r} at the next double; expected no jump, as "
                "right_continuous is True"
            )


def cdf_has_the_declared_degree(subject: Subject) -> None:
    """y is constant, or a straight line, between reference scores if `degree_between` says so."""
    degree = subject.scheme.degree_between
    if not subject.scheme.is_cdf or degree is None:
        return
    s = np.sort(subject.scores, axis=-1)
    low, width = s[:, :-1], np.diff(s, axis=-1)
    first, second, third = (subject.fitted(low + part * width) for part in (0.25, 0.5, 0.75))
    bent = np.abs(second - (first + third) / 2) > _TOLERANCE
    rises = np.abs(third - first) > _TOLERANCE
    wrong = (width > 0) & (bent if degree == 1 else bent | rises)
    if degree not in (0, 1) or wrong.any():
        row, i = np.argwhere(wrong)[0] if wrong.any() else (0, 0)
        raise ContractError(
            f"degree_between is {degree!r} and y is {float(first[row, i])!r}, "
            f"{float(second[row, i])!r} and {float(third[row, i])!r} at three places between "
            f"neighboring reference scores in row {row}; expected 0 for steps, 1 for straight "
            "lines, None for others"
        )


def _curve(subject: Subject) -> tuple[Array, Array]:
    """Evaluate at each reference score, its neighbors, points between, outside and infinite."""
    s = np.sort(subject.scores, axis=-1)
    spread = s[:, -1:] - s[:, :1]
    steps = np.array([0.01, 0.1, 0.5, 1.0, 3.0, 10.0, 1e3, np.inf])
    x = np.column_stack(
        [
            s,
            np.nextafter(s, -np.inf),
            np.nextafter(s, np.inf),
            (s[:, 1:] + s[:, :-1]) / 2,
            s[:, :1] - spread * steps,
            s[:, -1:] + spread * steps,
        ]
    )
    x.sort(axis=-1)
    return x, subject.fitted(x)


# Checks of the support, of the quantile function and of the CRPS.

_PROBABILITIES = np.array([0.0, 1e-6, 0.01, 0.1, 0.25, 1 / 3, 0.5, 0.7, 0.9, 0.999, 1.0])
# Tolerance of a CRPS and its integral, as a proportion of the range of the scores.
_OF_INTEGRAL = 1e-6


def _support_holds_all_probability(subject: Subject) -> None:
    if not isinstance(subject.scheme, Distribution):
        return
    low, high = subject.fitted.support
    require(
        low.shape == high.shape == (3,) and bool((low <= high).all()),
        f"the support is from {low.tolist()} to {high.tolist()}; expected (3,) and (3,) in order",
    )
    # An end is rounded, so that F may be a little off 0 or 1 next to it.
    x = np.column_stack([low - _margin(low), high + _margin(high)])
    y = subject.fitted(x)
    require(
        bool((y == [0.0, 1.0]).all()),
        f"y is {y.tolist()} at x = {x.tolist()}, left and right of the support; expected 0 and 1",
    )


def quantile_inverts_the_cdf(subject: Subject) -> None:
    """`quantile` gives the smallest x with F(x) >= p, inside the support, and NaN for NaN."""
    if not hasattr(subject.scheme, "inverse"):
        return
    p = np.broadcast_to(_PROBABILITIES, (3, len(_PROBABILITIES)))
    q = subject.fitted.quantile(p)
    require(q.shape == p.shape, f"for p of shape {p.shape} quantile has shape {q.shape}")
    for row in range(3):
        _require_smallest(subject, row, q[row])
    falls = q[:, 1:] < q[:, :-1] - _margin(q[:, 1:])
    require(not falls.any(), f"quantile decreases: {q.tolist()} for p = {p[0].tolist()}")
    low, high = (end[:, np.newaxis] for end in subject.fitted.support)
    inside = (q >= low - _margin(low)) & (q <= high + _margin(high))
    require(bool(inside.all()), f"quantile is {q.tolist()}; expected values inside the support")
    nothing = np.full((3, 1), np.nan)
    with_constant = subject.scheme.fit(with_constant_rows(subject))
    for fitted, kind in ((subject.fitted, "no"), (with_constant, "two")):
        q = fitted.quantile(nothing)
        require(
            q.shape == (3, 1) and bool(np.isnan(q).all()),
            f"quantile is {q.tolist()} for p = NaN, where {kind} of three topics are constant; "
            "expected NaN",
        )


def crps_is_the_integral(subject: Subject) -> None:
    """A CRPS in closed form is that of the cdf, which a scheme may have changed in a subclass."""
    if not isinstance(subject.scheme, Distribution):
        return
    y = subject.scores[:, 1]
    closed = subject.fitted.crps(y[:, np.newaxis])
    if closed is None:
        return
    require(closed.shape == (3, 1), f"for y of shape (3, 1) crps has shape {closed.shape}")
    for row, each in enumerate(y):
        fit = subject.fitted.take(np.array([row]))
        distinct = np.unique(subject.scores[row])
        expected = integrated(fit, np.array([each]), distinct)[0]
        found = closed[row, 0]
        require(
            abs(found - expected) <= _OF_INTEGRAL * np.ptp(distinct),
            f"crps({float(each)!r}) is {float(found)!r} in row {row}; expected "
            f"{float(expected)!r}, the integral of (F(x) - 1{{x >= y}})^2 over x",
        )


def _require_smallest(subject: Subject, row: int, q: Array) -> None:
    fit = subject.scheme.fit(subject.scores[row])
    # If F is not right-continuous, it jumps to p just right of q.
    at = fit(q if subject.scheme.right_continuous else np.nextafter(q, np.inf))
    # The remaining probability may lie at infinity, beyond any score.
    far = subject.scores[row].max() + 1e3 * np.ptp(subject.scores[row])
    before = fit(np.where(q == np.inf, far, q - _margin(q)))
    for p, x, y, y_before in zip(_PROBABILITIES, q, at, before, strict=True):
        given = f"quantile({p}) is {float(x)!r} in row {row}, "
        require(y >= p - _TOLERANCE, f"{given}where y is {float(y)!r}; expected y >= p")
        smallest = p == 0 or y_before <= p + _TOLERANCE
        require(bool(smallest), f"{given}and y is {float(y_before)!r} left of it; expected y <= p")


def _margin(x: Array) -> Array:
    return np.asarray(np.where(np.isfinite(x), 1e-11 * np.maximum(1.0, np.abs(x)), 0.0))


# Checks of constant topics, whose reference scores are all equal.


def constant_topics_are_recognized(subject: Subject) -> None:
    """`constant` is True only for constant topics, and for all of them if a spread is needed."""
    scores = with_constant_rows(subject)
    told = subject.scheme.fit(scores).constant
    require(
        told.dtype == np.bool_ and told.shape in ((3,), ()),
        f"constant is {told.dtype} of shape {told.shape}; expected bool of shape (3,)",
    )
    told = np.broadcast_to(told, (3,))
    if subject.scheme.needs_spread:
        expected = [True, False, True]
        require(
            told.tolist() == expected,
            f"constant is {told.tolist()} where rows 0 and 2 are constant; expected {expected}",
        )
    require(not told[1], "constant is True in row 1, whose scores differ; expected False")


def constant_topics_follow_their_limit(subject: Subject) -> None:
    """y is finite at the common score; left and right of it, y is 0 and 1 for a cdf."""
    scores = with_constant_rows(subject)
    centre = scores[:, :1]
    left, right = np.nextafter(centre, -np.inf), np.nextafter(centre, np.inf)
    x = np.column_stack([centre - 1, left, centre, right, centre + 1])
    y = subject.scheme.fit(scores)(x)
    for row in (0, 2):
        at = float(y[row, 2])
        require(np.isfinite(at), f"y is {at} at the common score; expected a finite number")
        require(
            bool((y[row, 1:] >= y[row, :-1]).all()), _shown(x, y, row, "that does not decrease")
        )
        if subject.scheme.is_cdf:
            require(0 <= at <= 1, f"y is {at} at the common score; expected 0 <= y <= 1")
        if subject.scheme.is_cdf and subject.scheme.needs_spread:
            limit = y[row, [0, 1, 3, 4]].tolist() == [0, 0, 1, 1]
            require(limit, _shown(x, y, row, "0 left and 1 right of the common score"))


def _constant_topics_do_not_affect_others(subject: Subject) -> None:
    scores = with_constant_rows(subject)
    y = subject.scheme.fit(scores)(subject.x)
    alone = subject.scheme.fit(scores[1])(subject.x[1])
    require_same(y[1], alone, "of row 1 between two constant rows,", "as for that row alone")


def with_constant_rows(subject: Subject) -> Array:
    """Rows 0 and 2 are constant, one at a score whose mean is not exact in doubles."""
    scores = subject.scores.copy()
    low, high = subject.within
    scores[0] = subject.on_grid(np.array(low + (high - low) * 0.1))
    scores[2] = subject.on_grid(np.array(low + (high - low) * 0.7))
    scores[2, 3] = np.nan
    return scores


def _shown(x: Array, y: Array, row: int, expected: str) -> str:
    return f"y is {y[row].tolist()} at x = {x[row].tolist()}; expected y {expected}"


# Checks of fitted schemes: parameters and storage.


def _parameters_are_published_as_arrays(subject: Subject) -> None:
    parameters = subject.fitted.parameters
    names = subject.scheme.parameter_names()
    require(
        sorted(parameters) == sorted(names),
        f"the parameters are {sorted(parameters)}; expected {sorted(names)}, the "
        "arguments of evaluate after x",
    )
    for name, values in parameters.items():
        require(
            values.dtype == np.float64 and values.ndim == 2 and values.shape[0] == 3,
            f"for scores of shape {subject.scores.shape} the parameter {name} is {values.dtype} "
            f"of shape {values.shape}; expected doubles of shape (3, k)",
        )
        require(not values.flags.writeable, f"the parameter {name} can be written to")


def _restored_parameters_give_the_same_bits(subject: Subject) -> None:
    plain = {name: values.tolist() for name, values in subject.fitted.parameters.items()}
    restored = subject.scheme.restore(json.loads(json.dumps(plain)))
    require_same(restored(subject.x), subject.y, "of parameters read back from JSON", "as before")


def restored_parameters_are_a_copy(subject: Subject) -> None:
    """`restore` leaves the caller's arrays as they are, and does not depend on them."""
    own = {name: values.copy() for name, values in subject.fitted.parameters.items()}
    restored = subject.scheme.restore(own)
    for name, values in own.items():
        require(values.flags.writeable, f"restore made the caller's own {name} read-only")
        values[...] = 0.0
    require_same(restored(subject.x), subject.y, "after the caller changed them", "as before")


def _fitted_scheme_is_picklable(subject: Subject) -> None:
    again = pickle.loads(pickle.dumps(subject.fitted))
    require_same(again(subject.x), subject.y, "of a fit that was pickled", "as before")


def counts_are_whole_numbers(subject: Subject) -> None:
    """If the scheme has `denominators`, y is a whole number divided by one, bit for bit."""
    denominators = subject.fitted.denominators
    if denominators is not None:
        whole = np.issubdtype(denominators.dtype, np.integer)
        require(whole, "denominators are no integers; expected an array of integers, or None")
        small = bool(np.all((denominators > 0) & (denominators < LARGEST)))
        require(small, "denominators are not from 1 to 2^32; expected these, or None")
        y = subject.fitted(subject.x)
        nearest = np.where(np.isnan(y), np.nan, numerators(y, denominators) / denominators)
        require_same(y, nearest, "of evaluate", "a whole number divided by its denominator")


# Checks of fit errors, which must name the row.


def _rows_that_cannot_be_fitted_are_refused(subject: Subject) -> None:
    few = subject.scheme.minimum_scores - 1
    for given, start, value in (
        ("scores with inf", -1, np.inf),
        ("scores with -inf", -1, -np.inf),
        ("scores that are all NaN", 0, np.nan),
        (f"scores of which only {few} are not NaN", few, np.nan),
    ):
        scores = subject.scores.copy()
        scores[1, start:] = value
        try:
            subject.scheme.fit(scores)
        except FitError as error:
            told = f"{given} in row 1 gave a FitError whose row is {error.row}; expected row 1"
            require(error.row == 1, told)
            continue
        raise ContractError(f"{given} in row 1 were accepted; expected FitError")


def _no_scores_at_all_are_refused(subject: Subject) -> None:
    for empty in (np.empty((3, 0)), np.empty(0), np.float64(0.5)):
        try:
            subject.scheme.fit(empty)
        except FitError:
            continue
        raise ContractError(f"scores of shape {np.shape(empty)} were accepted; expected FitError")


#: All checks, in the order in which they run.
CHECKS = checks_of(globals(), "Subject")
