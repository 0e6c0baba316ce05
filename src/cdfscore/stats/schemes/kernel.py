"""Kernel-smoothed distribution."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import Literal, NamedTuple, Self, TypeVar

import numpy as np
from numpy.polynomial import Chebyshev, chebyshev
from scipy.special import betaincc

from cdfscore.common.catalogue import Part, Parts
from cdfscore.errors import SchemeError, check_one_of, did_you_mean
from cdfscore.stats.numerics.compiled import compiled, in_blocks, is_compiled
from cdfscore.stats.numerics.moments import count, total
from cdfscore.stats.numerics.normal_cdf import COEFFICIENTS, normal_cdf
from cdfscore.stats.numerics.numbers import finite_number, shown
from cdfscore.stats.numerics.quantiles import invert
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray
from cdfscore.stats.schemes._rows import all_equal, extremes
from cdfscore.stats.schemes.bandwidths import RULES, check_tolerance
from cdfscore.stats.schemes.base import PNORM, Distribution, Parameters, refuse_rows

# --- Kernels: the integral of each, summed over the scores of a topic ---
#
# On [-1, 0] the integral of a compact kernel is written with v = 1 + u and t = -u, both of which
# are never negative, so that no digits are lost: v^p (c_0 + c_1 t + ...). On [0, 1] it is 1 minus
# that at -u. The cosine kernel's is (v - sin(pi v) / pi) / 2.
#
Sums = Callable[[Array, Array, IntArray, Array], Array]
# Phi(-t) is a Taylor polynomial around the nearest of these steps, up to the end of the table.
_STEPS, _END, _DEGREE = 32, 8, 10
# Pairs of a number and a score that take as long as a score elsewhere; and pairs at a time.
_PAIRS, _BLOCK = 4, 1 << 13
# How often a step counts in all calls: compiled code is quicker by much more than elsewhere.
_OFTEN = 8
# Right of this, Phi(z) rounds to 1; left of the second number it is below the smallest double.
NORMAL_LARGEST, _NOTHING = 8.3, -39.0
# Terms below this proportion of the sum change no digit of it, even if there are n of them.
_SHARE = 2.0**-60
# Right of this, 1 / (1 + exp(-u)) rounds to 1.
LOGISTIC_LARGEST = 37.5


@compiled
def add(total: float, lost: float, term: float) -> tuple[float, float]:
    """Return total + term by Kahan's sum, and the rounding error, less in the next term."""
    term -= lost
    added = total + term
    return added, (added - total) - term


# Up to here sin(pi v) is added up from its series, as v - sin(pi v) / pi would cancel.
_SMALL, _TERMS = 0.75, 13


@compiled
def _compact_sums(
    power: int, coefficients: Array, x: Array, sample: Array, n: IntArray, scale: Array
) -> Array:
    """Add from the largest term to the smallest, with compensated rounding errors."""
    sums = x.copy()
    for row in range(len(x)):
        scores, h = sample[row], scale[row]
        for j in range(x.shape[1]):
            at = x[row, j]
            if np.isnan(at):
                continue
            total = lost = 0.0
            for i in range(n[row]):
                u = (at - scores[i]) / h if at != scores[i] else 0.0
                if u <= -1:
                    break
                if u >= 1:
                    total += 1.0
                    continue
                lower = _lower(power, coefficients, abs(u))
                total, lost = add(total, lost, lower if u <= 0 else 1.0 - lower)
            sums[row, j] = total
    return sums


@compiled
def _lower(power: int, coefficients: Array, t: float) -> float:
    """Return K(-t) for t in [0, 1]."""
    v = 1.0 - t
    if power == 0:
        return _lower_cosine(v)
    result = coefficients[-1]
    for k in range(len(coefficients) - 2, -1, -1):
        result = result * t + coefficients[k]
    for _ in range(power):
        result *= v
    return float(result)


@compiled
def _lower_cosine(v: float) -> float:
    if v > _SMALL:
        return (v - math.sin(math.pi * v) / math.pi) / 2
    square = math.pi * v * (math.pi * v)
    series = 1.0
    for k in range(_TERMS, 1, -1):
        series = 1.0 - series * square / (2 * k * (2 * k + 1))
    return v * square / 12 * series


_OF_PIECES = Tolerance(
    16, "polynomials have the terms to 4 ulp, and they are added in another order", floor=1.0
)


@dataclass(frozen=True, eq=False)
class SmoothingKernel(Part):
    """Kernel in its usual form, of the bandwidth times `scale`; past `reach` it rounds to 1."""

    in_r = "smoothing_kernel"

    scale: float = 1.0
    reach: float = 1.0
    tolerance: Tolerance = _OF_PIECES
    compact: bool = False
    sums: Sums | None = None

    @cached_property
    def in_pieces(self) -> Self:
        """The kernel itself, or one of a person's own with sums and reach by its pieces."""
        if self.function is None:
            return self
        pieces = pieces_of(self)
        return replace(self, reach=pieces[0][-1], sums=partial(_sums_of_pieces, *pieces))


def summed(kernel: str, x: Array, sample: Array, bandwidth: Array) -> Array:
    """Return sum_i K((x - x_i) / h) of rows x (t, m), K of sd 1; `bandwidth` h is (t, 1)."""
    found = KERNELS[kernel].in_pieces
    scale = bandwidth * found.scale
    return np.asarray(found.sums(x, sample, count(sample)[:, 0], scale[:, 0]))


def smoothed(kernel: str, x: Array, sample: Array, bandwidth: Array) -> Array:
    """Return (1/n) sum_i K((x - x_i) / h)."""
    return np.asarray(summed(kernel, x, sample, bandwidth) / count(sample))


def reach(kernel: str, bandwidth: Array) -> Array:
    """Return the distance from a score beyond which the kernel holds no probability in doubles."""
    found = KERNELS[kernel].in_pieces
    return np.asarray(bandwidth * found.scale * found.reach)


def normal_sums(x: Array, sample: Array, n: IntArray, scale: Array) -> Array:
    """Return sum_i Phi((x - x_i) / scale) for rows x (t, m) and sorted samples (t, n), NaN last.

    `n` (t,) counts the scores, and `scale` is (t,), where 0 stands for the limit. Within 4 ulp,
    where `scipy.special.ndtr` has 568 in the lower tail, and takes thrice as long for each pair.
    """
    if is_compiled(x.size * sample.shape[1] // _PAIRS, _OFTEN):
        return _many_sums(x, sample, n, scale, _table(), np.array(COEFFICIENTS))
    sums = np.empty(x.shape)

    def fill(some: slice) -> None:
        sums[some] = _sums_of_few(x[some], sample[some], n[some, np.newaxis], scale[some])

    in_blocks(fill, len(x), x.shape[1], _BLOCK)
    return sums


def _sums_of_few(x: Array, sample: Array, n: IntArray, scale: Array) -> Array:
    """Add the terms of all x, one score after another, with the bits of `_many_sums`."""
    total, lost = np.zeros(x.shape), np.zeros(x.shape)
    going, all_going, table = ~np.isnan(x), True, np.ascontiguousarray(_table().T)
    step = max(1, _BLOCK // max(1, x.size))
    with np.errstate(all="ignore"):  # scales of 0
        for start in range(0, int(n.max(initial=0)), step):
            some = np.arange(start, min(start + step, sample.shape[1]))
            score = sample[:, some].T[:, :, np.newaxis]
            z = np.where(x != score, (x - score) / scale[:, np.newaxis], 0.0)
            z[missing := np.isnan(z)] = 0.0
            t = np.abs(z)
            terms = _polynomial(t, table)
            np.subtract(1.0, terms, out=terms, where=z > 0)
            terms[z > NORMAL_LARGEST] = 1.0
            far = z <= -_END
            if far.any():
                terms[far | missing] = 0.0
                # exp(-z^2 / 2) / 20 is more than the term, and most are too small to be added.
                least = 16 * _SHARE * (total + terms.sum(axis=0))
                tails = far & (np.exp(-0.5 * z * z) * n > least)
                terms[tails] = _far_tails(-z[tails])
            ended = far | (some[:, np.newaxis, np.newaxis] >= n)
            ends = np.asarray(ended.any(axis=(1, 2))).tolist()
            for i, term in enumerate(terms):
                if ends[i]:
                    going &= ~(far[i] & (term * n <= _SHARE * total)) & (some[i] < n)
                    all_going = bool(going.all())
                term -= lost
                if not all_going:
                    term *= going
                added = total + term
                lost = added - total
                lost -= term
                total = added
    return np.where(np.isnan(x), x, total)


def _polynomial(t: Array, table: Array) -> Array:
    """Return the Taylor polynomial around the step next to each t, or around the last."""
    beyond = np.minimum(t, _END) * _STEPS
    beyond += 0.5
    k = beyond.astype(np.intp)
    np.floor(beyond, out=beyond)
    beyond /= _STEPS
    np.subtract(t, beyond, out=beyond)
    value: Array = table[-1].take(k)
    for coefficients in table[-2::-1]:
        value *= beyond
        value += coefficients.take(k)
    return value


def in_c(function: Callable[[float], float], x: Array) -> Array:
    """Return a function of `math` of each x: the C library's, the same on every processor."""
    return np.array([*map(function, x.ravel().tolist())]).reshape(x.shape)


def _far_tails(t: Array) -> Array:
    """Return `_far_tail` of each t, 0 past the smallest double, with the functions of C."""
    is_nothing, t = t >= -_NOTHING, np.minimum(t, -_NOTHING)
    v = (t - 6.0) / (t + 6.0)
    p = np.full(t.shape, COEFFICIENTS[-1])
    for coefficient in COEFFICIENTS[-2::-1]:
        p = p * v + coefficient
    q = np.floor(t * 4096.0 + 0.5) / 4096.0
    lost = t - q
    power = -0.5 * lost * (t + q) - in_c(math.log1p, lost / (q + 1.0))
    p += p * in_c(math.expm1, power)
    found = in_c(math.exp, -0.5 * q * q) * (p / (q + 1.0))
    return np.where(is_nothing, 0.0, found)


@cache
def _table() -> Array:
    """Return the Taylor coefficients of Phi(-t) around each step; (steps, degree + 1)."""
    t = np.arange(_END * _STEPS + 1) / _STEPS
    density = np.exp(-0.5 * t * t) / math.sqrt(2 * math.pi)
    table = np.empty((len(t), _DEGREE + 1))
    table[:, 0] = normal_cdf(-t)
    # The k-th derivative is (-1)^k density He_(k-1)(t), with Hermite's polynomials.
    before, hermite = np.zeros_like(t), np.ones_like(t)
    for k in range(1, _DEGREE + 1):
        table[:, k] = (-1) ** k * density * hermite / math.factorial(k)
        before, hermite = hermite, t * hermite - (k - 1) * before
    return table


@compiled
def _many_sums(
    x: Array, sample: Array, n: IntArray, scale: Array, table: Array, coefficients: Array
) -> Array:
    sums = x.copy()
    for row in range(len(x)):
        for j in range(x.shape[1]):
            at = x[row, j]
            if np.isnan(at):
                continue
            total = lost = 0.0
            for i in range(n[row]):
                z = (at - sample[row, i]) / scale[row] if at != sample[row, i] else 0.0
                if z > NORMAL_LARGEST:
                    total += 1.0
                    continue
                if z > -_END:
                    t = abs(z)
                    k = np.uint64(t * _STEPS + 0.5) if t < _END else np.uint64(_END * _STEPS)
                    term = table[k, _DEGREE]
                    for degree in range(_DEGREE - 1, -1, -1):
                        term = term * (t - k / _STEPS) + table[k, degree]
                    if z > 0:
                        term = 1.0 - term
                else:
                    term = _far_tail(-z, coefficients) if z > _NOTHING else 0.0
                    if term * n[row] <= _SHARE * total:
                        break
                total, lost = add(total, lost, term)
            sums[row, j] = total
    return sums


@compiled
def _far_tail(t: float, coefficients: Array) -> float:
    """Return Phi(-t) as in `normal_cdf`, which is not compiled and takes arrays."""
    v = (t - 6.0) / (t + 6.0)
    p = coefficients[-1]
    for k in range(len(coefficients) - 2, -1, -1):
        p = p * v + coefficients[k]
    # t^2 and t + 1 would be rounded, so that they are those of q, which are exact.
    q = math.floor(t * 4096.0 + 0.5) / 4096.0
    lost = t - q
    p += p * math.expm1(-0.5 * lost * (t + q) - math.log1p(lost / (q + 1.0)))
    return float(math.exp(-0.5 * q * q) * (p / (q + 1.0)))


@compiled
def logistic_sums(x: Array, sample: Array, n: IntArray, scale: Array) -> Array:
    """Return sum_i 1 / (1 + exp(-u_i)), u_i = (x - x_i) / scale, as `normal_sums` does."""
    sums = x.copy()
    for row in range(len(x)):
        for j in range(x.shape[1]):
            at = x[row, j]
            if np.isnan(at):
                continue
            total = lost = 0.0
            for i in range(n[row]):
                u = (at - sample[row, i]) / scale[row] if at != sample[row, i] else 0.0
                if u > LOGISTIC_LARGEST:
                    total += 1.0
                    continue
                power = math.exp(-abs(u))
                term = (1.0 if u > 0 else power) / (1.0 + power)
                if term * n[row] <= _SHARE * total:
                    break
                total, lost = add(total, lost, term)
            sums[row, j] = total
    return sums


_MEAN = "the terms of the mean are added in another order"
_COMPACT = Tolerance(
    8,
    "R computes terms by other formulas, and in large sums each error is relative to the largest y",
    floor=1.0,
)


def _compact(name: str, scale: float, power: int, *coefficients: float) -> SmoothingKernel:
    """Kernel on [-1, 1]: v^power times a polynomial in t; no coefficients for the cosine."""
    sums = partial(_compact_sums, power, np.array(coefficients))
    return SmoothingKernel(name, None, scale, 1.0, _COMPACT, True, sums)


#: Every kernel by its name. The compact ones are on [-1, 1] in their usual form, so that the
#: scale is 1 over the standard deviation there. "cosine" is R's: (1 + cos(pi u)) / 2.
KERNELS = Parts("cdfscore.kernels", "kernel", SchemeError)
for _kernel in (
    SmoothingKernel(
        "gaussian",
        reach=NORMAL_LARGEST,
        tolerance=Tolerance(13, f"{PNORM}; {_MEAN}", floor=1e-292),
        sums=normal_sums,
    ),
    _compact("epanechnikov", math.sqrt(5), 2, 2 / 4, 1 / 4),
    _compact("biweight", math.sqrt(7), 3, 8 / 16, 9 / 16, 3 / 16),
    _compact("triweight", 3.0, 4, 16 / 32, 29 / 32, 20 / 32, 5 / 32),
    _compact("triangular", math.sqrt(6), 2, 1 / 2),
    _compact("rectangular", math.sqrt(3), 1, 1 / 2),
    _compact("cosine", 1 / math.sqrt(1 / 3 - 2 / math.pi**2), 0),
    SmoothingKernel(
        "logistic",
        scale=math.sqrt(3) / math.pi,
        reach=LOGISTIC_LARGEST,
        tolerance=Tolerance(8, _MEAN, floor=1e-292),
        sums=logistic_sums,
    ),
):
    KERNELS.add(_kernel)


# --- Kernels of one's own: their integral in pieces, each a polynomial ---

_Kernel = TypeVar("_Kernel", bound=Callable[[Array], Array])
# A piece is halved until its polynomial of this degree is K to 4 units of 2^-52, and in a tail to
# 128 ulp of K. A formula such as (2 + 3u - u^3) / 4 is not so exact in the tail: after some
# halvings the units are enough. Past the end of a tail K is as nothing beside 1.
_PIECE_DEGREE, _SOME, _HALVINGS, _MOST_PIECES = 11, 8, 52, 1 << 12
_OFF, _OF_TAIL, _ALL_OFF, _AS_NOTHING = 2.0**-50, 2.0**-45, 2.0**-80, 2.0**-56
# By what K(-u) may differ from 1 - K(u), and fall: both are rounded.
_ROUNDED = 2.0**-48
# Farthest end of a kernel, that of Student's t with 5 degrees of freedom: heavier tails would need
# more folds than R adds in hours.
_FARTHEST = 2.0**12
# Degree of the polynomials for far folds, how little their last terms are, and how many folds are
# added faster one by one.
_FOLD_DEGREE, _FOLDED, _FEW_FOLDS = 39, 2.0**-53, 4


def smoothing_kernel(
    *, sd: float, compact: bool = False, tolerance: Tolerance = _OF_PIECES
) -> Callable[[_Kernel], _Kernel]:
    """Return a decorator that makes the integral of a density a kernel for ``kernel``.

    The function gets an array of any shape, and returns K(u), the integral of a symmetric density
    k from minus infinity to each u, so that K(-u) = 1 - K(u). `sd` is the standard deviation of k,
    with which the scheme scales it to the bandwidth: y = mean(K(sd (x - x_i) / h)). With `compact`,
    k is 0 outside [-1, 1]. The function is evaluated at some thousand places, and polynomials that
    agree with it to 4 units in the last place do the rest, so that it need not be fast. The
    decorator returns it unchanged. The kernel has its name, and the R twin is the file of that name
    beside the module: it defines ``smoothing_kernel <- function(d, h)``, the integral of the
    density with standard deviation h up to each d.

    `tolerance` is that of y against R's.

    Raises `SchemeError` if `sd` is not a number above 0, if another module has a kernel of that
    name, and, when the kernel is used, if the function is not such an integral.

    Specified in kernel.6.

    Examples
    --------
    >>> from scipy.special import stdtr
    >>> from cdfscore.schemes import Kernel
    >>> @smoothing_kernel(sd=math.sqrt(7 / 5))
    ... def student_7(u):
    ...     return stdtr(7, u)
    >>> Kernel(0.1, "student_7", "reflection").fit([0.1, 0.2, 0.5])([0.0, 0.3, 1.0]).round(4)
    array([0.    , 0.6203, 1.    ])
    """
    check_tolerance("smoothing_kernel", tolerance)
    scale = finite_number(sd)
    if scale is None or not scale > 0:
        raise SchemeError(
            f"smoothing_kernel: sd={shown(sd)} is not accepted; expected a number above 0"
        )

    def add(function: _Kernel) -> _Kernel:
        name = getattr(function, "__name__", "")
        KERNELS.add(
            SmoothingKernel(name, function, 1.0 / scale, tolerance=tolerance, compact=compact)
        )
        return function

    return add


def _of_own(kernel: SmoothingKernel, t: Array) -> Array:
    """Return K(-t) by the function of a kernel; raises `SchemeError` if it is no such integral."""
    assert kernel.function is not None
    with np.errstate(all="ignore"):
        found, right = kernel.function(-t), kernel.function(+t)
    for y in (found, right):
        if type(y) is not np.ndarray or y.shape != t.shape or y.dtype != np.float64:
            told = f"{y.dtype} {y.shape}" if type(y) is np.ndarray else shown(y)
            raise SchemeError(
                f"kernel {kernel.name}: {kernel.whose} gives {told} for u of shape {t.shape}; "
                "expected an array of doubles of the same shape"
            )
    wrong = np.flatnonzero(~((found >= -_OFF) & (found <= 0.5 + _OFF)))
    if wrong.size:
        place = wrong[0]
        raise SchemeError(
            f"kernel {kernel.name}: K({-t.flat[place]:g}) is {found.flat[place]:g}; expected a "
            "number from 0 to 1/2 left of 0, as for the integral of a symmetric density"
        )
    uneven = np.flatnonzero(~(np.abs(1 - right - found) <= _ROUNDED))
    if uneven.size:
        place = uneven[0]
        raise SchemeError(
            f"kernel {kernel.name}: K({t.flat[place]:g}) is {right.flat[place]:g} and "
            f"K({-t.flat[place]:g}) is {found.flat[place]:g}; expected a sum of 1, as the density "
            "is symmetric"
        )
    return np.asarray(np.maximum(found, 0.0))


def pieces_of(kernel: SmoothingKernel) -> tuple[Array, Array]:
    """Return the ends of the pieces of K(-t), from t = 0 on, and the polynomial of each."""
    ends = [0.0, 1.0]
    at_end = _of_own(kernel, np.array([1.0]))[0]
    if kernel.compact and at_end > _OFF:
        raise SchemeError(
            f"kernel {kernel.name}: K(-1) is {at_end:g}; expected 0, as it is declared compact"
        )
    while not kernel.compact and _of_own(kernel, np.array([ends[-1]]))[0] > _AS_NOTHING:
        if ends[-1] == _FARTHEST:
            raise SchemeError(
                f"kernel {kernel.name}: K is not 0 in doubles {_FARTHEST:g} left of 0; expected "
                "lighter tails"
            )
        ends.append(2 * ends[-1])
    angles = np.pi * (np.arange(2 * _PIECE_DEGREE) + 0.5) / (2 * _PIECE_DEGREE)
    cosines = np.cos(np.outer(np.arange(_PIECE_DEGREE + 1), angles)) / _PIECE_DEGREE
    cosines[0] /= 2
    places = np.linspace(-1.0, 1.0, 3 * _PIECE_DEGREE)
    at_places = chebyshev.chebvander(places, _PIECE_DEGREE)
    left = np.column_stack([ends[:-1], ends[1:]])
    done: list[Array] = []
    for halvings in range(_HALVINGS):
        middle, half = left.mean(axis=1, keepdims=True), np.diff(left) / 2
        found = _of_own(kernel, middle + half * np.cos(angles)).T
        polynomials = cosines @ (found - found[0])
        polynomials[0] += found[0]
        at = np.minimum(middle + half * places, left[:, 1:])
        true = _of_own(kernel, at)
        falls = np.argwhere(np.diff(true) > _ROUNDED)
        if len(falls):
            row, k = falls[0]
            raise SchemeError(
                f"kernel {kernel.name}: K decreases from {true[row, k + 1]:g} at u = "
                f"{-at[row, k + 1]:g} to {true[row, k]:g} at u = {-at[row, k]:g}; expected the "
                "integral of a density"
            )
        off = np.abs(at_places @ polynomials - true.T).T
        enough = _OFF if halvings > _SOME else np.minimum(_OFF, _OF_TAIL * true) + _ALL_OFF
        wrong = (off > enough).any(axis=1)
        done += list(np.column_stack([left, polynomials.T])[~wrong])
        if not wrong.any():
            pieces = np.array(sorted(done, key=lambda piece: float(piece[0])))
            return np.append(pieces[:, 0], pieces[-1, 1]), np.ascontiguousarray(pieces[:, 2:])
        cut = middle[wrong]
        left = np.vstack([np.hstack([left[wrong, :1], cut]), np.hstack([cut, left[wrong, 1:]])])
        if len(left) + len(done) > _MOST_PIECES:
            break
    raise SchemeError(
        f"kernel {kernel.name}: near u = {-left[0, 0]:g} K is {off.max():.1g} off the nearest "
        f"polynomials; expected at most {_OFF:.1g}, as of the integral of a density that is "
        "computed to the last digits"
    )


@compiled
def _sums_of_pieces(
    ends: Array, polynomials: Array, x: Array, sample: Array, n: IntArray, scale: Array
) -> Array:
    sums = x.copy()
    reach, pieces = ends[-1], len(polynomials)
    for row in range(len(x)):
        for j in range(x.shape[1]):
            at = x[row, j]
            if np.isnan(at):
                continue
            total = lost = 0.0
            piece = pieces - 1
            for i in range(n[row]):
                u = (at - sample[row, i]) / scale[row] if at != sample[row, i] else 0.0
                if u <= -reach:
                    break
                if u >= reach:
                    total += 1.0
                    continue
                t = abs(u)
                while t < ends[piece]:
                    piece -= 1
                while t >= ends[piece + 1]:
                    piece += 1
                v = (2.0 * t - ends[piece] - ends[piece + 1]) / (ends[piece + 1] - ends[piece])
                lower = before = 0.0  # Clenshaw's recurrence
                for k in range(polynomials.shape[1] - 1, 0, -1):
                    lower, before = polynomials[piece, k] + 2.0 * v * lower - before, lower
                lower = max(0.0, polynomials[piece, 0] + v * lower - before) if t > 0 else 0.5
                total, lost = add(total, lost, lower if u <= 0 else 1.0 - lower)
            sums[row, j] = total
    return sums


def _far_folds(kernel: str, x: Array, scores: Array, scale: float, folds: int) -> Array | None:
    """Add at x (m,) all folds but F(x), F(-x) and F(2 - x), by polynomials; None if none is close.

    With the tail T(v) = K(-v / scale) and P_k(d) = T(2k - d) - T(2k + d) they are n plus the sum
    over i of P_1 + P_2 + ... at x - x_i, and of P_2 + P_3 + ... - T(2 + d) at d = x + x_i.
    """
    back, in_pieces = 2.0 * np.arange(1, folds + 1)[:, np.newaxis], KERNELS[kernel].in_pieces

    def tails(v: Array) -> Array:
        u = (-v / scale).reshape(1, -1)
        sums = in_pieces.sums(u, np.zeros((1, 1)), np.array([1]), np.array([1.0]))
        return np.asarray(sums.reshape(v.shape))

    def apart(d: Array) -> Array:
        return np.asarray((tails(back - d) - tails(back + d)).sum(axis=0))

    def together(d: Array) -> Array:
        return np.asarray(tails(back[1:] - d).sum(axis=0) - tails(back + d).sum(axis=0))

    of_apart = Chebyshev.interpolate(apart, _FOLD_DEGREE, [-1.0, 1.0]).trim(_FOLDED)
    of_together = Chebyshev.interpolate(together, _FOLD_DEGREE, [0.0, 2.0]).trim(_FOLDED)
    degree = max(of_apart.degree(), of_together.degree())
    if degree > _FOLD_DEGREE - 5:
        return None

    def added(x: Array) -> Array:
        at = x[:, np.newaxis]
        return np.asarray((of_apart(at - scores) + of_together(at + scores)).sum(axis=1))

    # The sum is a polynomial in x of the same degree.
    return np.asarray(len(scores) + Chebyshev.interpolate(added, degree, [0.0, 1.0])(x))


# --- Boundaries, and the scheme ---

# Values of the incomplete beta function at a time; bounds the memory.
_BETA_BLOCK = 1 << 20


class Boundary(NamedTuple):
    """Boundary correction at the ends of [0, 1], the scale of smoothing, and limits of h."""

    cdf: Callable[[str, Array, Array, Array], Array]
    scale: Callable[[Array], Array]
    domain: tuple[float, float]
    bandwidths: tuple[float, float]
    tolerance: Tolerance | None = None


# By the C library's functions, as in R: NumPy's differ in the last digit, which is much where
# scores are close together.
def _log_odds(scores: Array) -> Array:
    with np.errstate(divide="ignore"):
        odds = np.where(scores == 0, 1.0, scores / (1.0 - scores))
    return np.where(scores == 0, -np.inf, in_c(math.log, odds))


def _angle(scores: Array) -> Array:
    return 2.0 * in_c(math.asin, np.sqrt(scores))


def _reflected(kernel: str, x: Array, sample: Array, bandwidth: Array) -> Array:
    """Fold the parts outside [0, 1] back at both ends, as often as the kernel is wide."""
    sums = summed(kernel, x, sample, bandwidth) - summed(kernel, -x, sample, bandwidth)
    folds = np.ceil(reach(kernel, bandwidth) / 2)[:, 0]
    if KERNELS[kernel].function is not None:  # its tails may be heavy
        n, scale = count(sample)[:, 0], bandwidth[:, 0] * KERNELS[kernel].scale
        for row in np.flatnonzero(folds > _FEW_FOLDS):
            scores = sample[row, : n[row]]
            far = _far_folds(kernel, x[row], scores, float(scale[row]), int(folds[row]))
            if far is not None:
                one = slice(row, row + 1)
                sums[row] += far - summed(kernel, 2.0 - x[one], sample[one], bandwidth[one])[0]
                folds[row] = 0
    for fold in range(1, int(folds.max(initial=0)) + 1):
        rows = folds >= fold
        near, fitted = x[rows], (sample[rows], bandwidth[rows])
        for end in (-2.0 * fold, 2.0 * fold):
            sums[rows] += summed(kernel, end + near, *fitted)
            sums[rows] -= summed(kernel, end - near, *fitted)
    sums[x == 0] = 0.0  # exactly, though what is added and subtracted is rounded
    return np.asarray(sums / count(sample))


def _truncated(kernel: str, x: Array, sample: Array, bandwidth: Array) -> Array:
    """Cut off the parts outside [0, 1], and divide by the rest."""
    ends = np.broadcast_to([0.0, 1.0], (len(x), 2))
    low, high = np.split(summed(kernel, ends, sample, bandwidth), 2, axis=1)
    return np.asarray((summed(kernel, x, sample, bandwidth) - low) / (high - low))


def _on_log_odds(kernel: str, x: Array, sample: Array, bandwidth: Array) -> Array:
    return smoothed(kernel, _log_odds(x), _log_odds(sample), bandwidth)


def _beta(kernel: str, x: Array, sample: Array, bandwidth: Array) -> Array:
    """Average P(B >= x_i) for B of a beta distribution with shapes x / b and (1 - x) / b."""
    y = np.empty(x.shape)
    step = max(1, _BETA_BLOCK // max(1, sample.shape[1] * x.shape[1]))
    for start in range(0, len(x), step):
        block = slice(start, start + step)
        mean, b = x[block, :, np.newaxis], bandwidth[block, :, np.newaxis] ** 2
        at_least = betaincc(mean / b, (1 - mean) / b, sample[block, np.newaxis, :])
        y[block] = total(np.asarray(at_least, dtype=np.float64))[..., 0] / count(sample[block])
    zeros = total(np.where(sample == 0, 1.0, 0.0)) / count(sample)
    return np.where(x == 0, zeros, y)


_SUBTRACTED = Tolerance(
    16, "y is a difference of numbers near 1, whose terms are added in another order", floor=1.0
)


_INCOMPLETE_BETA = Tolerance.absolute(
    2e-12, "the error is up to 6e-13 in R's pbeta for narrow kernels, and 1e-15 in this package"
)


#: Every boundary by its name.
BOUNDARIES: dict[str, Boundary] = {
    "none": Boundary(smoothed, np.asarray, (-np.inf, np.inf), (0.0, np.inf)),
    "reflection": Boundary(_reflected, np.asarray, (0.0, 1.0), (0.0, 1.0), _SUBTRACTED),
    "truncation": Boundary(_truncated, np.asarray, (0.0, 1.0), (0.0, 1.0), _SUBTRACTED),
    "logit": Boundary(_on_log_odds, _log_odds, (0.0, 1.0), (0.0, np.inf)),
    "beta": Boundary(_beta, _angle, (0.0, 1.0), (1e-4, 10.0), _INCOMPLETE_BETA),
}

# g is a Taylor polynomial around the nearest of these steps; from the end on it is its argument,
# to 1e-19.
_CRPS_STEPS, _CRPS_END, _CRPS_DEGREE = 32, 9, 7
_SQRT2 = math.sqrt(2.0)

# Largest number of scores for which a CRPS is the sum over all pairs.
_MOST_PAIRED = 1000

# The keys of BOUNDARIES, as a type.
BoundaryName = Literal["none", "reflection", "truncation", "logit", "beta"]


@dataclass(frozen=True)
class Kernel(Distribution):
    """Empirical distribution, smoothed by a kernel.

    y = (1/n) sum_i K((x - x_i) / h) over the n reference scores x_i. K is the integral of a
    kernel with standard deviation 1, so that h is the standard deviation of the scaled kernel,
    as in R's ``density``. Scores have shape (..., n); y has no unit and lies in [0, 1].

    `kernel` is one of these densities, before it is scaled to standard deviation 1.

    - "gaussian": the standard normal density.
    - "epanechnikov", "biweight", "triweight": (1 - u^2) to the power 1, 2 or 3 on [-1, 1].
    - "triangular", "rectangular": ``1 - |u|``, and a constant, on [-1, 1].
    - "cosine": 1 + cos(pi u) on [-1, 1], the "cosine" of R's ``density``.
    - "logistic": exp(u) / (1 + exp(u))^2.

    `bandwidth` is the number h, in the unit of the score, or the name of a rule that chooses h
    for each topic. The rules "nrd0" (h = 0.9 min(sd, IQR / 1.34) n^(-1/5), Silverman 1986,
    Eq. 3.31), "nrd", "ucv", "bcv", "sj" and "sj_dpi" are R's (``bw.nrd0`` to ``bw.SJ``) and were
    made for densities; "altman_leger", "bowman_hall_prvan" and "polansky_baker" were made for
    cdfs. `cdfscore.stats.schemes.bandwidths` defines them. "ucv" and "bcv" leave many topics
    unfitted: those for which R warns that the minimum is at an end of the search interval. All
    rules are for the Gaussian kernel; other kernels use the same h, as in R.

    `kernel` and `bandwidth` can also name what `smoothing_kernel` and `bandwidth_rule` add.

    `boundary` is the treatment of the ends of [0, 1]. For all values except "none", scores must
    be in [0, 1], and y is 0 left of 0 and 1 from 1 on. Below, F is y for "none".

    - "none": scores may be any numbers, and y has probability outside [0, 1].
    - "reflection": probability outside is reflected at 0 and 1, as often as the kernel requires:
      y = sum_k F(2k + x) - F(2k - x) over whole numbers k; Silverman (1986), Sec. 2.10.
    - "truncation": probability outside is cut off: y = (F(x) - F(0)) / (F(1) - F(0)).
    - "logit": the logits log(x_i / (1 - x_i)) are smoothed, and h is on their scale; Silverman
      (1986), Sec. 2.10.
    - "beta": y = (1/n) sum_i P(B >= x_i), where B has the beta distribution with shapes x / b and
      (1 - x) / b, b = h^2, the kernel of Chen (1999) for x away from the ends. This y increases
      from 0 to 1, and the integral of Chen's density does not. `kernel` must be the default. h is
      on the scale 2 arcsin(sqrt(x_i)), on which the beta kernel has the standard deviation h
      everywhere, to first order. Scores of exactly 0 and 1 keep their probability.

    With "none", the error of y is at most 4 ulp, given the arguments (x - x_i) / (h c) in
    doubles, where c is the scale of the kernel. The other boundaries subtract numbers near 1, and
    the error is at most 1e-14. With "beta", a pair of scores takes 2 microseconds, and 20 at
    h = 1e-4, where R's ``pbeta`` has errors up to 6e-13. A smaller h is refused.

    Constant topic: if h is a number, the formula is defined. With a rule, h goes to 0 with the
    spread, and y is 0 left of the common score, 1/2 at it and 1 right of it.

    Raises `SchemeError` for an unknown name and for a bandwidth that is not above 0, or not
    in [1e-4, 10] for "beta", (0, 1] for "reflection" and "truncation", and `FitError` for a
    topic without reference scores, or with fewer than two if h is chosen by a rule; if the rule
    has no bandwidth for it; with a score of exactly 0 or 1 ("logit"), except for a constant topic
    with a rule; or if the rule's bandwidth is below 1e-4 ("beta").

    Specified in kernel.1 to kernel.5.

    Examples
    --------
    >>> Kernel(bandwidth=0.1).fit([0.1, 0.2, 0.3])([0.1, 0.2]).round(4).tolist()
    [0.2271, 0.5]
    >>> Kernel(bandwidth="sj", boundary="reflection").fit([0.1, 0.2, 0.4])([0.0, 1.0]).tolist()
    [0.0, 1.0]
    """

    bandwidth: float | str = "nrd0"
    kernel: str = "gaussian"
    boundary: BoundaryName = "none"

    formula = "y = mean(K((x - x_i) / h))"
    source = "Silverman (1986), Eq. 3.31 and Sec. 2.10; Chen (1999)"
    seconds_in_r = 2e-3

    def __post_init__(self) -> None:
        for name in ("bandwidth", "kernel"):
            if isinstance(value := getattr(self, name), str):
                object.__setattr__(self, name, value.replace("-", "_"))
        for name, members in (("kernel", KERNELS), ("boundary", BOUNDARIES)):
            value = getattr(self, name)
            if not isinstance(value, str) or value not in members:
                check_one_of(f"kernel: {name}", value, members, SchemeError)
        if self.boundary == "beta" and self.kernel != "gaussian":
            raise SchemeError(
                f"kernel: kernel={self.kernel} is not accepted with boundary=beta, which is a "
                "kernel itself; expected no kernel setting"
            )
        if self._by_rule:
            return
        h, (low, high) = finite_number(self.bandwidth), BOUNDARIES[self.boundary].bandwidths
        if h is None or not (h > 0 and low <= h <= high):
            least = f"from {low:g}" if low else "above 0"
            most = f" up to {high:g}" if high < math.inf else ""
            raise SchemeError(
                f"kernel: bandwidth={shown(self.bandwidth)} is not accepted with boundary="
                f"{self.boundary}{did_you_mean(str(self.bandwidth), RULES)}; expected a number "
                f"{least}{most}, or {', '.join(RULES)}"
            )

    @property
    def _by_rule(self) -> bool:
        return isinstance(self.bandwidth, str) and self.bandwidth in RULES

    @property
    def minimum_scores(self) -> int:
        return 2 if self._by_rule else 1

    @property
    def needs_spread(self) -> bool:
        return self._by_rule

    @property
    def parts(self) -> dict[str, Part]:
        names = {"bandwidth": RULES[str(self.bandwidth)]} if self._by_rule else {}
        found = {"kernel": KERNELS[self.kernel], **names}
        return {setting: part for setting, part in found.items() if part.function is not None}

    @property
    def domain(self) -> tuple[float, float]:
        return BOUNDARIES[self.boundary].domain

    @property
    def tolerance(self) -> Tolerance:
        parts = [KERNELS[self.kernel], BOUNDARIES[self.boundary]]
        if self._by_rule:
            parts.append(RULES[str(self.bandwidth)])
        stated: list[Tolerance] = [part.tolerance for part in parts if part.tolerance is not None]
        return max(stated, key=lambda part: (part.floor, part.ulp))

    def estimate(self, scores: Array) -> Parameters:
        sample = np.sort(scores, axis=-1)
        if self.boundary == "logit":
            at_end = ((sample == 0) | (sample == 1)).any(axis=-1)
            if self._by_rule:
                at_end &= ~all_equal(sample)[..., 0]
            refuse_rows(
                at_end,
                f"a reference score is exactly 0 or 1, and {self} needs finite logits; expected "
                "scores between them, zero_inflated, or boundary=reflection, truncation or beta",
            )
        if not self._by_rule:
            return {"sample": sample, "bandwidth": np.full_like(sample[..., :1], self.bandwidth)}
        boundary, same = BOUNDARIES[self.boundary], all_equal(sample)
        # Scores that are all equal may have no place on the scale, and have no bandwidth.
        rescaled = [boundary.scale(np.where(same & (s == s), 0.5, s)) for s in (scores, sample)]
        bandwidth = np.where(same, 0.0, RULES[str(self.bandwidth)](*rescaled))
        least, most = boundary.bandwidths
        if RULES[str(self.bandwidth)].function is not None:
            refuse_rows(
                (bandwidth > most)[..., 0],
                lambda row: (
                    f"{self} has the bandwidth {bandwidth.flat[row]:.3g}; expected at most {most:g}"
                ),
            )
        refuse_rows(
            ((bandwidth > 0) & (bandwidth < least))[..., 0],
            lambda row: (
                f"{self} has the bandwidth {bandwidth.flat[row]:.3g}, too little for the "
                f"incomplete beta function; expected {least:g} or more, or another boundary"
            ),
        )
        return {"sample": sample, "bandwidth": bandwidth}

    def evaluate(self, x: Array, sample: Array, bandwidth: Array) -> Array:
        topics = bandwidth.size  # said, not inferred, as x may have no columns
        rows = x.reshape(topics, x.shape[-1])
        scores, h = sample.reshape(topics, sample.shape[-1]), bandwidth.reshape(topics, 1)
        low, high = self.domain
        y = np.full(rows.shape, np.nan)
        for some, cdf in ((h > 0, BOUNDARIES[self.boundary].cdf), (h == 0, smoothed)):
            s = some[:, 0]
            y[s] = cdf(self.kernel, np.clip(rows[s], low, high), scores[s], h[s])
        if self.boundary != "none":  # what is subtracted may be off by some 1e-16
            ends = (rows >= high) & ((h > 0) | (rows > high))
            y = np.where(rows < low, 0.0, np.where(ends, 1.0, np.clip(y, 0.0, 1.0)))
            y[np.isnan(rows)] = np.nan
        return y.reshape(x.shape)

    def inverse(self, p: Array, sample: Array, bandwidth: Array) -> Array:
        low, high = self.support(sample, bandwidth)
        return invert(lambda x: self.evaluate(x, sample, bandwidth), p, low, high)

    def support(self, sample: Array, bandwidth: Array) -> tuple[Array, Array]:
        first, last = extremes(sample)
        low, high = self.domain
        if self.boundary == "none" and KERNELS[self.kernel].compact:
            distance = reach(self.kernel, bandwidth)
            return first - distance, last + distance
        spread = bandwidth > 0
        return np.where(spread, low, first), np.where(spread, high, last)

    def crps(self, y: Array, sample: Array, bandwidth: Array) -> Array | None:
        if (self.kernel, self.boundary) != ("gaussian", "none") or sample.shape[-1] > _MOST_PAIRED:
            return None
        rows, scores = y.reshape(-1, y.shape[-1]), sample.reshape(-1, sample.shape[-1])
        n, h = (~np.isnan(scores)).sum(axis=-1), bandwidth.reshape(-1)
        return _crps(rows, scores, n, h, _crps_table()).reshape(y.shape)

    def constant(self, sample: Array, bandwidth: Array) -> BoolArray:
        return all_equal(sample)


@cache
def _crps_table() -> Array:
    """Return the Taylor coefficients of g around each step; (steps, degree + 1)."""
    z = np.arange(_CRPS_END * _CRPS_STEPS + 1) / _CRPS_STEPS
    density = np.exp(-0.5 * z * z) * math.sqrt(2 / math.pi)
    erf = np.array([math.erf(each / _SQRT2) for each in z])
    table = np.empty((len(z), _CRPS_DEGREE + 1))
    table[:, 0], table[:, 1] = z * erf + density, erf
    # g'' is 2 phi, whose k-th derivative is (-1)^k 2 phi He_k, with Hermite's polynomials.
    before, hermite = np.zeros_like(z), np.ones_like(z)
    for k in range(_CRPS_DEGREE - 1):
        table[:, k + 2] = (-1) ** k * density * hermite / math.factorial(k + 2)
        before, hermite = hermite, z * hermite - k * before
    return table


# The CRPS of a mixture of normal distributions, Grimit, Gneiting, Berrocal and Johnson (2006), is
# mean_i A(y - x_i, h) - mean_ij A(x_i - x_j, sqrt(2) h) / 2, with A(d, s) = E abs(d + s Z) =
# s g(abs(d) / s), g(z) = z (2 Phi(z) - 1) + 2 phi(z).


@compiled
def _crps(y: Array, sample: Array, n: IntArray, bandwidth: Array, table: Array) -> Array:
    scores = np.empty(y.shape)
    for row in range(len(y)):
        x, h = sample[row, : n[row]], bandwidth[row]
        within = _among(x, _SQRT2 * h, table)
        for j in range(y.shape[1]):
            total = 0.0
            for each in x:
                total += _apart(abs(y[row, j] - each), h, table) / len(x)
            scores[row, j] = total - within
    return scores


@compiled
def _among(x: Array, s: float, table: Array) -> float:
    """Return half the mean of A over all pairs of the ascending scores, of each with itself too."""
    size = len(x)
    total = _apart(0.0, s, table) / 2
    right = 0.0  # the sum of the scores right of i, less x[i] each
    for i in range(size - 2, -1, -1):
        right += (x[i + 1] - x[i]) * (size - 1 - i)
        apart, left = 0.0, right
        for j in range(i + 1, size):
            distance = x[j] - x[i]
            if distance >= _CRPS_END * s:  # so are all that follow, which are their distances
                apart += left
                break
            apart += _apart(distance, s, table)
            left -= distance
        total += apart / size
    return total / size


@compiled
def _apart(distance: float, s: float, table: Array) -> float:
    """Return A(distance, s), NaN for NaN."""
    if not distance < _CRPS_END * s:
        return distance
    z = distance / s
    k = np.uint64(z * _CRPS_STEPS + 0.5)
    g = table[k, _CRPS_DEGREE]
    for degree in range(_CRPS_DEGREE - 1, -1, -1):
        g = g * (z - k / _CRPS_STEPS) + table[k, degree]
    return float(s * g)
