"""Checks of what the methods of a scheme return: arrays of numbers, of the right shape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from cdfscore.errors import SchemeError
from cdfscore.numerics.types import Array, BoolArray, IntArray

if TYPE_CHECKING:
    from cdfscore.schemes.base import Scheme

_NUMBERS = "fiub"


def parameters(scheme: Scheme, found: Any, shape: tuple[int, ...]) -> Mapping[str, Any]:
    """Return the parameters of `estimate` for scores of a shape (..., n).

    They are in the order of `parameter_names`, so that equal factors make equal files. Raises
    `SchemeError` if they are not arrays (..., k) with the names that `evaluate` takes.
    """
    names = scheme.parameter_names()
    if not isinstance(found, Mapping):
        raise SchemeError(
            f"{scheme.name}: estimate returned {_told(found)}; expected a dict of arrays "
            f"({', '.join(names)})"
        )
    if set(found) != set(names):
        raise SchemeError(
            f"{scheme.name}: estimate returned the parameters {_listed(found)}, and evaluate takes "
            f"{_listed(names)}; expected the same names"
        )
    for name, values in found.items():
        array = np.asarray(values)
        if array.dtype.kind not in _NUMBERS or array.shape[:-1] != shape[:-1] or not array.ndim:
            raise SchemeError(
                f"{scheme.name}: estimate returned {_told(values)} for {name}, for scores of shape "
                f"{shape}; expected numbers of shape {_spelled(*shape[:-1], 'k')}, where k is 1 "
                "for one number per topic"
            )
    return {name: found[name] for name in names}


def own(values: ArrayLike, scores: Array) -> Array:
    """Return a parameter as an array of its own, which shares no memory with the scores."""
    found = np.asarray(values, dtype=np.float64)
    shared = not found.flags.owndata or np.may_share_memory(found, scores)
    return found.copy() if shared else found


def scores(scheme: Scheme, method: str, found: Any, shape: tuple[int, ...]) -> Array:
    """Return what a method computed for scores of this shape; raises `SchemeError` if it cannot be.

    The methods are `evaluate`, `inverse` and `crps`.
    """
    return _checked(scheme, method, found, shape, f"numbers of shape {shape}, that of its input")


def ends(scheme: Scheme, found: Any, shape: tuple[int, ...]) -> tuple[Array, Array]:
    """Return the two ends that `support` returned, each of this shape (..., 1)."""
    if not isinstance(found, tuple) or len(found) != 2:
        raise SchemeError(
            f"{scheme.name}: support returned {_told(found)}; expected a tuple of two arrays of "
            f"shape {shape}"
        )
    low, high = (
        _checked(scheme, "support", end, shape, f"two arrays of numbers of shape {shape}")
        for end in found
    )
    return low, high


def truths(scheme: Scheme, found: Any, shape: tuple[int, ...]) -> BoolArray:
    """Return what `constant` returned, of this shape (..., 1), or (1,) for all topics."""
    right = isinstance(found, np.ndarray) and found.dtype == np.bool_
    if right and found.shape in (shape, (1,)):
        told: BoolArray = found
        return told
    raise SchemeError(
        f"{scheme.name}: constant returned {_told(found)}; expected an array of bool of shape "
        f"{shape}"
    )


def whole_numbers(scheme: Scheme, found: Any, shape: tuple[int, ...]) -> IntArray:
    """Return what `denominators` returned, of this shape (..., 1)."""
    whole: Any = _checked(
        scheme, "denominators", found, shape, f"whole numbers of shape {shape}, or None"
    )
    return np.asarray(whole)


def _checked(
    scheme: Scheme, method: str, found: Any, shape: tuple[int, ...], expected: str
) -> Array:
    if isinstance(found, np.ndarray) and found.shape == shape and found.dtype.kind in _NUMBERS:
        return found
    raise SchemeError(f"{scheme.name}: {method} returned {_told(found)}; expected {expected}")


def _told(found: Any) -> str:
    """Say what was returned: an array by its type and shape."""
    if isinstance(found, np.ndarray):
        return f"an array of {found.dtype} of shape {found.shape}"
    if found is None or isinstance(found, (str, int, float)):
        return repr(found)
    return f"a {type(found).__name__}"


def _listed(names: Any) -> str:
    return ", ".join(map(str, names)) or "(none)"


def _spelled(*shape: int | str) -> str:
    return f"({', '.join(map(str, shape))}{',' * (len(shape) == 1)})"
