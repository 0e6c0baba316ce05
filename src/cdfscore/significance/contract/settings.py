"""Settings that several tests have, checked in one place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, get_args

import numpy as np

from cdfscore.errors import SignificanceError

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
    if not is_number(value) or not 0 < value < 1:
        raise SignificanceError(
            f"{test}: conf_level={value!r} is not accepted; expected a number between 0 and 1, "
            "such as 0.95"
        )
    return float(value)


def _null_value(test: str, value: Any) -> Any:
    if not is_number(value) or not np.isfinite(value):
        raise SignificanceError(
            f"{test}: null_value={value!r} is not accepted; expected a finite number"
        )
    return float(value)


def _resamples(test: str, value: Any) -> Any:
    if not _is_whole(value) or value < 1:
        raise SignificanceError(
            f"{test}: B={value!r} is not accepted; expected the number of resamples, 1 or more"
        )
    return int(value)


def _seed(test: str, value: Any) -> Any:
    if isinstance(value, np.random.Generator):
        return int(value.integers(2**63))
    if not _is_whole(value) or value < 0:
        raise SignificanceError(
            f"{test}: seed={value!r} is not accepted; expected a whole number of 0 or more, or "
            "a numpy.random.Generator"
        )
    return int(value)


def is_number(value: Any) -> bool:
    """Tell whether a setting is a number of Python or NumPy, and no truth value."""
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    return is_number(value) and float(value).is_integer()


_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "alternative": _alternative,
    "conf_level": _conf_level,
    "null_value": _null_value,
    "B": _resamples,
    "seed": _seed,
}
