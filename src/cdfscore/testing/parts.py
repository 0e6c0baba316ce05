"""The checks of kernels and of bandwidth rules."""

from __future__ import annotations

from typing import get_args

import numpy as np

from cdfscore.errors import FitError
from cdfscore.r.session import RSession, twin_of
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes.bandwidths import RULES, BandwidthRule
from cdfscore.stats.schemes.kernel import KERNELS, BoundaryName, Kernel, SmoothingKernel, smoothed
from cdfscore.testing.checks import CHECKS, ContractError, Subject, require

# What the second moment may be off by: quadrature finds it from K in doubles.
_OF_MOMENT = 1e-8
# What K(-u) may differ from 1 - K(u) by, both of which may be rounded.
_OF_SYMMETRY = 2.0**-48
# Share of h by which that of scaled or moved scores may differ: of a power of 2, and of others, for
# which a search on a grid such as R's stops elsewhere.
_OF_POWER, _OF_GRID = 1e-9, 0.05


def check_kernel(kernel: str, *, seed: int = 2019) -> None:
    """Run the contract on a kernel, with its R twin where it is one of a person's own.

    The integral K goes from 0 to 1, does not decrease and is symmetric, it has the standard
    deviation that is declared, and is 0 and 1 outside [-1, 1] if it is compact. With every
    boundary, `Kernel` with this kernel then keeps the contract of `check_distribution`, and the
    twin agrees with K for several bandwidths. `seed` is that of the scores. Returns None if all
    checks pass.

    Raises `ContractError`, an `AssertionError`, at the first check that fails; its message
    names the kernel, the input, what was found and what is expected. Raises `VerificationError`
    if there is no R file or no function `smoothing_kernel` in it, and `RNotAvailableError` without
    R.

    Specified in check_kernel.1.

    Examples
    --------
    >>> check_kernel("triweight")
    """
    from scipy.integrate import quad

    found = KERNELS[kernel]
    told = f"kernel {kernel}"
    u = np.concatenate([np.linspace(-6.0, 6.0, 481), [-1e3, 1e3, -np.inf, np.inf]])
    if found.function is not None:
        _check_function(found, u[:-2], told)
    u.sort()
    y = _integral(kernel, u)
    falls = np.flatnonzero(np.diff(y) < 0)
    if falls.size:
        raise ContractError(
            f"{told}: K decreases from {y[falls[0]]!r} at u = {u[falls[0]]:g} to "
            f"{y[falls[0] + 1]!r} at u = {u[falls[0] + 1]:g}; expected the integral of a density"
        )
    require(y[0] == 0 and y[-1] == 1, f"{told}: K is {y[0]:g} and {y[-1]:g} at -inf and inf")
    moment = 4 * quad(lambda t: t * _integral(kernel, np.array([-t]))[0], 0, np.inf, limit=500)[0]
    require(
        abs(moment - 1) <= _OF_MOMENT,
        f"{told}: the standard deviation is {np.sqrt(moment) / found.scale:.9g}, and sd="
        f"{1 / found.scale:.9g} is declared; expected the same",
    )
    for boundary in get_args(BoundaryName):
        if boundary != "beta":
            _keeps_contract(Kernel(0.2, kernel, boundary), seed)
    _keeps_contract(Kernel("nrd0", kernel), seed)
    if found.function is not None:
        _check_twin_of_kernel(found, u[1:-1])


def check_bandwidth(rule: str, *, seed: int = 2019) -> None:
    """Run the contract on a bandwidth rule, with its R twin where it is one of a person's own.

    The rule gets random samples of several sizes, with ties and of two scores. The bandwidth is
    above 0, that of a x + b is a h(x), it does not depend on missing scores or on the other topics,
    and the scores are not changed. A rule may refuse a topic by `FitError`, but not all of them.
    `Kernel` with a rule of a person's own then keeps the contract of `check_distribution`, if the
    rule does not refuse its nine scores. Returns None if all checks pass.

    Raises `ContractError`, an `AssertionError`, at the first check that fails; its message
    names the rule, the input, what was found and what is expected. Raises `VerificationError` if
    there is no R file or no function `bandwidth_rule` in it, and `RNotAvailableError` without R.

    Specified in check_bandwidth.1.

    Examples
    --------
    >>> check_bandwidth("nrd0")
    """
    found = RULES[rule]
    told, samples = f"bandwidth rule {rule}", _samples(seed)
    fitted = {what: _h(found, scores) for what, scores in samples.items()}
    for what, h in fitted.items():
        scores = samples[what]
        if h is None:
            continue
        require(h > 0, f"{told}: h is {h!r} for {what}; expected a number above 0")
        again = _h(found, scores)
        require(h == again, f"{told}: h is {h!r} and then {again!r} for {what}; expected the same")
        for a, b, share in ((4.0, 0.0, _OF_POWER), (0.3, 0.0, _OF_GRID), (1.0, 0.5, _OF_GRID)):
            other = _h(found, a * scores + b)
            require(
                other is not None and abs(other - a * h) <= share * a * h,
                f"{told}: h of {a:g} x + {b:g} is {other!r} for {what}; expected {a * h!r}, "
                f"{a:g} times that of x",
            )
        missing = np.append(scores, np.nan)
        other = _h(found, missing)
        require(h == other, f"{told}: h is {other!r} with a missing score; expected {h!r}")
    require(
        any(h is not None for h in fitted.values()),
        f"{told}: it refuses all samples; expected a bandwidth for one of them",
    )
    fitting = [samples[what] for what, h in fitted.items() if h is not None]
    pair = np.stack([fitting[0], np.full_like(fitting[0], 0.5)])
    h = found(pair, np.sort(pair))[:, 0].tolist()
    alone = _h(found, fitting[0])
    require(h == [alone, 0.0], f"{told}: h is {h} with a constant topic; expected [{alone!r}, 0.0]")
    if found.function is not None:
        if _h(found, Subject(Kernel(rule), (0.0, 1.0), seed).scores) is not None:
            _keeps_contract(Kernel(rule), seed)
        _check_twin_of_rule(found, fitted, samples)


def _integral(kernel: str, u: Array) -> Array:
    """Return K of the kernel with standard deviation 1 at each u."""
    return smoothed(kernel, u[np.newaxis], np.zeros((1, 1)), np.ones((1, 1))).ravel()


def _check_function(kernel: SmoothingKernel, u: Array, told: str) -> None:
    """Check the function of a kernel on both sides of 0, of which the scheme uses the left one."""
    own = kernel.function
    assert own is not None
    right, left = own(np.abs(u)), own(-np.abs(u))
    off = np.abs(1 - right - left)
    worst = int(np.nanargmax(np.where(np.isnan(off), np.inf, off)))
    require(
        off[worst] <= _OF_SYMMETRY,
        f"{told}: K({abs(u[worst]):g}) is {float(right[worst])!r} and K({-abs(u[worst]):g}) is "
        f"{float(left[worst])!r}; expected a sum of 1, as the density is symmetric",
    )
    if kernel.compact:
        beyond = own(np.array([-1.5, -1.0, 1.0, 1.5])).tolist()
        require(
            beyond == [0, 0, 1, 1],
            f"{told}: K is {beyond} at -1.5, -1, 1 and 1.5; expected 0, 0, 1 and 1, as it is "
            "declared compact",
        )


def _keeps_contract(scheme: Kernel, seed: int) -> None:
    for check in CHECKS:
        Subject(scheme, (0.0, 1.0), seed).run(check)


def _check_twin_of_kernel(kernel: SmoothingKernel, u: Array) -> None:
    session = RSession()
    twin = session.function_of(twin_of(kernel), kernel.in_r)
    for h in (0.01, 1.0, 30.0):
        y = smoothed(kernel.name, u[np.newaxis] * h, np.zeros((1, 1)), np.full((1, 1), h))[0]
        by_r = np.array(twin(session.vector(u * h), session.vector(np.array([h]))))
        _agree(f"kernel {kernel.name}: K at bandwidth {h:g}", u * h, y, by_r, kernel.tolerance)


def _check_twin_of_rule(
    rule: BandwidthRule, fitted: dict[str, float | None], samples: dict[str, Array]
) -> None:
    session = RSession()
    twin = session.function_of(twin_of(rule), rule.in_r)
    for what, h in fitted.items():
        try:
            by_r = float(twin(session.vector(samples[what]))[0])
        except session.error as error:
            require(
                h is None, f"bandwidth rule {rule.name}: R stops for {what} ({error}); h is {h}"
            )
            continue
        require(
            h is not None and abs(h - by_r) <= _OF_GRID * 1e-6 * by_r,
            f"bandwidth rule {rule.name}: h is {h!r} and in R {by_r!r} for {what}; expected the "
            "same to 5e-8 of it",
        )


def _agree(what: str, x: Array, y: Array, by_r: Array, tolerance: Tolerance) -> None:
    ulp = tolerance.distance(y, by_r)
    place = int(ulp.argmax())
    require(
        ulp[place] <= tolerance.ulp,
        f"{what}: at {float(x[place])!r} it is {float(y[place])!r} and in R "
        f"{float(by_r[place])!r}, {ulp[place]:.3g} ulp apart; expected at most {tolerance.ulp:g}",
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
