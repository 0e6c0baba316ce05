"""The checks of kernels and of bandwidth rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import numpy as np

from cdfscore.errors import FitError, VerificationError
from cdfscore.r.session import RSession, twin_of
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes.bandwidths import RULES, BandwidthRule
from cdfscore.stats.schemes.kernel import KERNELS, BoundaryName, Kernel, SmoothingKernel, smoothed
from cdfscore.testing.checks import CHECKS, ContractError, Subject, require, told_of

# What the second moment may be off by: quadrature finds it from K in doubles.
_OF_MOMENT = 1e-8
# What K may fall by, as it is rounded.
_OF_ROUNDING = 2.0**-48
# Share of h by which that of scaled or moved scores may differ: of a power of 2, and of others, for
# which a search on a grid such as R's stops elsewhere; and of h in R.
_OF_POWER, _OF_GRID, _OF_TWIN = 1e-9, 0.05, 5e-8


def check_kernel(kernel: str | Callable[..., Any], *, seed: int = 2019) -> None:
    """Run the contract on a kernel, with its R twin where it is one of a person's own.

    The integral K goes from 0 to 1, does not decrease and is symmetric, it has the standard
    deviation that is declared, and is 0 and 1 outside [-1, 1] if it is compact. With every
    boundary, `Kernel` with this kernel then keeps the contract of `check_distribution`, and the
    twin agrees with K for several bandwidths. `kernel` is the name or the function, and `seed` is
    that of the scores. Returns None if all checks pass.

    Raises `ContractError`, an `AssertionError`, at the first check that fails; its message
    names the kernel, the input, what was found and what is expected. Raises `VerificationError`
    if there is no R file or no function `smoothing_kernel` in it, and `RNotAvailableError` without
    R.

    Specified in check_kernel.1.

    Examples
    --------
    >>> check_kernel("triweight")
    """
    name = _name(kernel)
    with told_of(told := f"kernel {name}", told, VerificationError):
        found = KERNELS[name]
        z = np.append(np.linspace(-6.0, 6.0, 4801), [-1e3, 1e3])
        z.sort()
        if found.function is not None and found.compact:
            _check_compact(found.function)
        _require_rising(z, _integral(name, z))
        ends = _integral(name, np.array([-np.inf, np.inf])).tolist()
        require(ends == [0.0, 1.0], f"K is {ends} at -inf and inf; expected [0.0, 1.0]")
        moment = _second_moment(found)
        require(
            abs(moment * found.scale**2 - 1) <= _OF_MOMENT,
            f"the standard deviation is {np.sqrt(moment):.9g}, and sd={1 / found.scale:.9g} is "
            "declared; expected the same",
        )
        for boundary in get_args(BoundaryName):
            if boundary != "beta":
                _keeps_contract(Kernel(0.2, name, boundary), seed)
        _keeps_contract(Kernel("nrd0", name), seed)
        if found.function is not None:
            _check_twin_of_kernel(found, z)


def check_bandwidth(rule: str | Callable[..., Any], *, seed: int = 2019) -> None:
    """Run the contract on a bandwidth rule, with its R twin where it is one of a person's own.

    The rule gets random samples of several sizes, with ties and of two scores. The bandwidth is
    above 0, the same in each call, and that of a x + b is a h(x). A rule may refuse a topic by
    `FitError`, but not all of them. `rule` is the name or the function, and `seed` is that of the
    samples. Returns None if all checks pass.

    Raises `ContractError`, an `AssertionError`, at the first check that fails; its message
    names the rule, the input, what was found and what is expected. Raises `VerificationError` if
    there is no R file or no function `bandwidth_rule` in it, and `RNotAvailableError` without R.

    Specified in check_bandwidth.1.

    Examples
    --------
    >>> check_bandwidth("nrd0")
    """
    name = _name(rule)
    with told_of(told := f"bandwidth rule {name}", told, VerificationError):
        found, samples = RULES[name], _samples(seed)
        fitted = {what: _h(found, scores) for what, scores in samples.items()}
        for what, h in fitted.items():
            if h is None:
                continue
            again = _h(found, samples[what])
            require(h == again, f"h is {h!r} and then {again!r} for {what}; expected the same")
            for a, b, share in ((4.0, 0.0, _OF_POWER), (0.3, 0.0, _OF_GRID), (1.0, 0.5, _OF_GRID)):
                other = _h(found, a * samples[what] + b)
                require(
                    other is not None and abs(other - a * h) <= share * a * h,
                    f"h of {a:g} x + {b:g} is {other!r} for {what}; expected {a * h!r}, {a:g} "
                    "times that of x",
                )
        require(
            any(h is not None for h in fitted.values()),
            "it refuses all samples; expected a bandwidth for one of them",
        )
        if found.function is not None:
            _check_twin_of_rule(found, fitted, samples)


def _name(member: str | Callable[..., Any]) -> str:
    return member if isinstance(member, str) else getattr(member, "__name__", repr(member))


def _require_rising(u: Array, y: Array) -> None:
    falls = np.flatnonzero(np.diff(y) < -_OF_ROUNDING)
    if falls.size:
        k = falls[0]
        raise ContractError(
            f"K decreases from {float(y[k])!r} at u = {u[k]:g} to {float(y[k + 1])!r} at u = "
            f"{u[k + 1]:g}; expected the integral of a density"
        )


def _second_moment(kernel: SmoothingKernel) -> float:
    """Return 4 times the integral of t K(-t), by quadrature between powers of 2."""
    nodes, weights = np.polynomial.legendre.leggauss(64)
    high = 2.0 ** np.arange(-30.0, 14.0)
    low = np.append(0.0, high[:-1])
    half = (high - low)[:, np.newaxis] / 2
    t = (low + high)[:, np.newaxis] / 2 + half * nodes
    y = _integral(kernel.name, -t.ravel() * kernel.scale).reshape(t.shape)
    return float(4 * (half * weights * t * y).sum())


def _integral(kernel: str, u: Array) -> Array:
    """Return K of the kernel with standard deviation 1 at each u."""
    return smoothed(kernel, u[np.newaxis], np.zeros((1, 1)), np.ones((1, 1))).ravel()


def _check_compact(function: Callable[[Array], Array]) -> None:
    beyond = function(np.array([-1.5, -1.0, 1.0, 1.5])).tolist()
    require(
        beyond == [0, 0, 1, 1],
        f"K is {beyond} at -1.5, -1, 1 and 1.5; expected 0, 0, 1 and 1, as it is declared compact",
    )


def _keeps_contract(scheme: Kernel, seed: int) -> None:
    for check in CHECKS:
        Subject(scheme, (0.0, 1.0), seed).run(check)


def _check_twin_of_kernel(kernel: SmoothingKernel, z: Array) -> None:
    session = RSession()
    twin = session.function_of(twin_of(kernel), kernel.in_r)
    for h in (0.01, 1.0, 30.0):
        y = smoothed(kernel.name, z[np.newaxis] * h, np.zeros((1, 1)), np.full((1, 1), h))[0]
        try:
            found = np.array(twin(session.vector(z * h), session.vector(np.array([h]))))
        except session.error as error:
            raise ContractError(f"R stops: {' '.join(str(error).split())}") from error
        require(
            found.shape == z.shape and found.dtype == np.float64,
            f"R gives {found.size} values of {found.dtype} for {z.size} distances; expected a "
            "number for each",
        )
        ulp = kernel.tolerance.distance(y, found)
        k = int(ulp.argmax())
        require(
            ulp[k] <= kernel.tolerance.ulp,
            f"at d = {z[k] * h:g} and h = {h:g} K is {float(y[k])!r} and in R {float(found[k])!r}, "
            f"{ulp[k]:.3g} ulp apart; expected at most {kernel.tolerance.ulp:g}",
        )


def _check_twin_of_rule(
    rule: BandwidthRule, fitted: dict[str, float | None], samples: dict[str, Array]
) -> None:
    session = RSession()
    twin = session.function_of(twin_of(rule), rule.in_r)
    for what, h in fitted.items():
        try:
            found = twin(session.vector(samples[what]))
        except session.error as error:
            why = " ".join(str(error).split())
            require(h is None, f"R stops for {what} ({why}), and h is {h!r}; expected the same")
            continue
        by_r = np.array(found).ravel()
        require(
            h is not None and by_r.size == 1 and abs(h - float(by_r[0])) <= _OF_TWIN * h,
            f"h is {h!r} and in R {by_r.tolist()} for {what}; expected the same to {_OF_TWIN:g} "
            "of it",
        )


def _samples(seed: int) -> dict[str, Array]:
    """Draw samples of several kinds, each without equal scores only."""
    rng = np.random.default_rng(seed)
    return {
        "two scores": np.array([0.25, 0.75]),
        "five scores": rng.random(5),
        "normal scores": rng.normal(0.4, 0.1, 60),
        "two groups of scores": np.concatenate([rng.normal(0, 1, 40), rng.normal(7, 1, 40)]),
        "skewed scores": rng.beta(0.7, 3.0, 110),
        "tied scores": np.round(rng.beta(2.0, 3.0, 50), 1),
    }


def _h(rule: BandwidthRule, scores: Array) -> float | None:
    """Return the bandwidth of the first of samples, None if the rule refuses one."""
    try:
        return float(rule(scores, np.sort(scores)).flat[0])
    except FitError:
        return None
