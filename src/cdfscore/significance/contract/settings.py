"""Settings that several tests have, checked in one place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, get_args

import numpy as np

from cdfscore.errors import SignificanceError
from cdfscore.numerics.numbers import (
    MOST_RESAMPLES,
    between_0_and_1,
    finite_number,
    python_value,
    shown,
    whole_number_from,
)
from cdfscore.numerics.tolerance import Tolerance

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


def checked(test: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings as Python's values, of which the common ones are checked.

    A generator is replaced by a seed drawn from it.
    """
    return {
        name: python_value(_CHECKS[name](test, value) if name in _CHECKS else value)
        for name, value in settings.items()
    }


def _alternative(test: str, value: Any) -> Any:
    if not isinstance(value, str) or value not in ALTERNATIVES:
        raise SignificanceError(
            f"{test}: alternative={value!r} is not accepted; expected "
            f"{', '.join(map(repr, ALTERNATIVES))}"
        )
    return value


def _conf_level(test: str, value: Any) -> Any:
    return between_0_and_1(f"{test}: conf_level", value, SignificanceError)


def _null_value(test: str, value: Any) -> Any:
    number = finite_number(value)
    if number is None:
        raise SignificanceError(
            f"{test}: null_value={shown(value)} is not accepted; expected a finite number"
        )
    return number


def _resamples(test: str, value: Any) -> Any:
    return whole_number_from(f"{test}: B", value, 1, MOST_RESAMPLES, SignificanceError)


def _seed(test: str, value: Any) -> Any:
    if isinstance(value, np.random.Generator):
        return int(value.integers(2**63))
    return whole_number_from(
        f"{test}: seed", value, 0, None, SignificanceError, also="a numpy.random.Generator"
    )


_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "alternative": _alternative,
    "conf_level": _conf_level,
    "null_value": _null_value,
    "B": _resamples,
    "seed": _seed,
}


def with_usual(
    name: str, usual: Mapping[str, Tolerance], stated: Mapping[str, Tolerance] | None
) -> dict[str, Tolerance]:
    """Return the tolerances of all numbers of `name`: those stated, otherwise the usual ones.

    What is stated of the p value holds for the adjusted one, unless that is stated too.

    Raises `SignificanceError` for an unknown number, and for a tolerance with a fault.
    """
    for number, tolerance in (stated or {}).items():
        if number not in usual:
            raise SignificanceError(
                f"{name}: a tolerance is stated for {number!r}; expected one of {', '.join(usual)}"
            )
        if tolerance.fault:
            raise SignificanceError(f"{name}: the tolerance of {number}: {tolerance.fault}")
    given = dict(stated or {})
    if "p_value" in given:
        given.setdefault("p_adjusted", given["p_value"])
    return {**usual, **given}
