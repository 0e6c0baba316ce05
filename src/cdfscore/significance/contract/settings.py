"""Settings that several tests have, checked in one place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, get_args

import numpy as np

from cdfscore.errors import SignificanceError
from cdfscore.numerics.numbers import finite_number, shown, whole_number

Alternative = Literal["two-sided", "less", "greater"]
ALTERNATIVES: tuple[str, ...] = get_args(Alternative)
#: A seed, or a generator from which one is drawn.
Seed = int | np.random.Generator


def checked(test: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings with the common ones checked, and the seed as a number."""
    return {
        name: _CHECKS[name](test, value) if name in _CHECKS else value
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
    level = finite_number(value)
    if level is None or not 0 < level < 1:
        raise SignificanceError(
            f"{test}: conf_level={shown(value)} is not accepted; expected a number between 0 and "
            "1, such as 0.95"
        )
    return level


def _null_value(test: str, value: Any) -> Any:
    number = finite_number(value)
    if number is None:
        raise SignificanceError(
            f"{test}: null_value={shown(value)} is not accepted; expected a finite number"
        )
    return number


def _resamples(test: str, value: Any) -> Any:
    whole = whole_number(value)
    if whole is None or whole < 1:
        raise SignificanceError(
            f"{test}: B={shown(value)} is not accepted; expected the number of resamples, a whole "
            "number of 1 or more"
        )
    return whole


def _seed(test: str, value: Any) -> Any:
    if isinstance(value, np.random.Generator):
        return int(value.integers(2**63))
    whole = whole_number(value)
    if whole is None or whole < 0:
        raise SignificanceError(
            f"{test}: seed={shown(value)} is not accepted; expected a whole number of 0 or more, "
            "or a numpy.random.Generator"
        )
    return whole


_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "alternative": _alternative,
    "conf_level": _conf_level,
    "null_value": _null_value,
    "B": _resamples,
    "seed": _seed,
}
