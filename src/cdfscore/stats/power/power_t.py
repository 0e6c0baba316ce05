"""Power of Student's t tests: any one of five quantities from the other four."""

from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from scipy import special

from cdfscore.errors import SignificanceError, check_one_of
from cdfscore.stats.numerics.numbers import finite_number, shown
from cdfscore.stats.numerics.student_t import lower_tail
from cdfscore.stats.numerics.types import Array

Type = Literal["two_sample", "one_sample", "paired"]
Sides = Literal["two-sided", "one-sided"]

_FEWEST, _MOST = 2.0, 1e7
#: How far a difference is looked for, in standard deviations.
_SMALLEST, _LARGEST = 1e-7, 1e7
#: The levels that are looked at; R's ``uniroot`` goes below 1e-10 too where it has to. stdtrit
#: is +inf from 1e-300 on.
_LOWEST_LEVEL, _HIGHEST_LEVEL = 1e-200, 1 - 1e-10


@dataclass(frozen=True)
class PowerOfT:
    """Result of `power_t`: all five quantities, including the one that was computed."""

    n: float
    delta: float
    sd: float
    sig_level: float
    power: float
    type: Type
    alternative: Sides
    strict: bool


def power_t(
    n: float | None = None,
    delta: float | None = None,
    sd: float | None = 1.0,
    sig_level: float | None = 0.05,
    power: float | None = None,
    *,
    type: Type = "two_sample",
    alternative: Sides = "two-sided",
    strict: bool = False,
) -> PowerOfT:
    """Compute one quantity of a power analysis of a t test from the other four.

    Exactly one of n, delta, sd, sig_level and power is None.

    power = P(T > q), where T has the noncentral t distribution on k degrees of freedom with
    noncentrality sqrt(n) delta / sd (one sample, paired) or sqrt(n / 2) delta / sd (two samples),
    k is n - 1 or 2 (n - 1), and q is the upper point of Student's t of sig_level, or of half of
    it if two-sided.

    Parameters
    ----------
    n
        The number of scores in each sample, 2 or more; pairs (topics) for "paired".
    delta
        The true difference of the means.
    sd
        The standard deviation of the scores, of the differences for "paired".
    sig_level
        The level of the test.
    power
        The probability that the test rejects.
    type
        "two_sample", "one_sample" or "paired".
    alternative
        "two-sided", where the sign of delta does not matter, or "one-sided".
    strict
        Whether a two-sided test may also reject in the wrong direction, P(T < -q).

    Returns
    -------
    PowerOfT
        All five quantities; n is not rounded up.

    Raises
    ------
    SignificanceError
        If not exactly one quantity is None, one is out of range, or none has this power.

    Notes
    -----
    Source: R's ``power.t.test``, which solves by ``uniroot``. The search for the level goes down to
    1e-200. Below 1e-10, R has fewer digits, because the tolerance of ``uniroot`` is not relative.
    R's ``pt`` uses a normal approximation above a noncentrality of 37.62.
    ``statsmodels.stats.power`` always counts both tails of a two-sided test.

    Examples
    --------
    >>> from cdfscore.stats.power import power_t
    >>> print(f"{power_t(n=50, delta=0.1, sd=0.2).power:.4f}")
    0.6969
    >>> print(f"{power_t(delta=0.02, sd=0.1, power=0.8, type='paired').n:.1f} topics")
    198.2 topics
    """
    quantities = {"n": n, "delta": delta, "sd": sd, "sig_level": sig_level, "power": power}
    unknown = [name for name, value in quantities.items() if value is None]
    if len(unknown) != 1:
        raise SignificanceError(
            f"power_t: {', '.join(unknown) or 'no quantity'} {'are' * (len(unknown) > 1) or 'is'} "
            "None; expected exactly one of n, delta, sd, sig_level and power to be None"
        )
    check_one_of("power_t: type", type, get_args(Type), SignificanceError)
    check_one_of("power_t: alternative", alternative, get_args(Sides), SignificanceError)
    for name, value in quantities.items():
        if value is not None:
            words, above, below = _ACCEPTED[name]
            number = finite_number(value)
            if number is None or not above < number < below:
                raise SignificanceError(
                    f"power_t: {name}={shown(value)} is not accepted; expected {words}"
                )
    given = {name: np.nan if value is None else float(value) for name, value in quantities.items()}
    if alternative == "two-sided":
        given["delta"] = abs(given["delta"])
    design = PowerOfT(**given, type=type, alternative=alternative, strict=strict)
    if unknown == ["power"]:
        return replace(design, power=_power(design))
    return _solved(design, unknown[0])


def _power(design: PowerOfT) -> float:
    samples = 2 if design.type == "two_sample" else 1
    sides = 2 if design.alternative == "two-sided" else 1
    df = (design.n - 1) * samples
    noncentrality: Array = np.asarray(np.sqrt(design.n / samples) * design.delta / design.sd)
    minus_q: Array = np.asarray(special.stdtrit(df, design.sig_level / sides))
    # P(T > q) of a noncentrality is P(T < -q) of its negative
    power = float(lower_tail(minus_q, df, -noncentrality))
    if design.strict and sides == 2:
        power += float(lower_tail(minus_q, df, noncentrality))
    return power


def _solved(design: PowerOfT, name: str) -> PowerOfT:
    ends = {
        "n": (_FEWEST, _MOST),
        "delta": (_SMALLEST * design.sd, _LARGEST * design.sd),
        "sd": (_SMALLEST * abs(design.delta), _LARGEST * abs(design.delta)),
        "sig_level": (_LOWEST_LEVEL, _HIGHEST_LEVEL),
    }
    if name == "sd" and design.delta == 0:
        raise SignificanceError(
            "power_t: delta=0.0 gives the same power for every sd; expected a delta other than 0"
        )
    low, high = (float(np.log(end)) for end in ends[name])

    def at(logarithm: float) -> PowerOfT:
        changes: dict[str, Any] = {name: float(np.exp(logarithm))}
        return replace(design, **changes)

    def miss(logarithm: float) -> float:
        return _power(at(logarithm)) - design.power

    if not miss(low) * miss(high) <= 0:
        least, most = sorted((_power(at(low)), _power(at(high))))
        raise SignificanceError(
            f"power_t: no {name} from {np.exp(low):.3g} to {np.exp(high):.3g} gives the power "
            f"{design.power:g}; expected a power from {least:.3g} to {most:.3g}"
        )
    from scipy import optimize

    return at(float(optimize.brentq(miss, low, high, xtol=1e-15, rtol=1e-15)))


_ACCEPTED: dict[str, tuple[str, float, float]] = {
    "n": ("a number of 2 or more", np.nextafter(_FEWEST, 0), np.inf),
    "delta": ("a finite number", -np.inf, np.inf),
    "sd": ("a finite number above 0", 0, np.inf),
    "sig_level": ("a number between 0 and 1", 0, 1),
    "power": ("a number between 0 and 1", 0, 1),
}
