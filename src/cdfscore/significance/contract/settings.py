"""Settings that several tests have, checked in one place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, get_args

import numpy as np

from cdfscore.errors import SignificanceError
from cdfscore.numerics.numbers import (
    between_0_and_1,
    finite_number,
    python_value,
    shown,
    whole_number_from,
)

Alternative = Literal["two-sided", "less", "greater"]
ALTERNATIVES: tuple[str, ...] = get_args(Alternative)
#: A seed, or a generator from which one is drawn.
Seed = int | np.random.Generator


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
    return whole_number_from(f"{test}: B", value, 1, None, SignificanceError)


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
