"""Settings of schemes: Python's numbers for NumPy's, and the error for what is not accepted."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore.errors import SchemeError
from cdfscore.numerics.numbers import shown

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def python_value(value: Any) -> Any:
    """Return the number, text or truth value of Python for one of NumPy, and others as they are.

    Examples
    --------
    >>> python_value(np.float16(0.5)), python_value(np.longdouble(2)), python_value("nrd0")
    (0.5, 2.0, 'nrd0')
    """
    if isinstance(value, np.floating):
        return float(value)  # the item of a long double is one again
    return value.item() if isinstance(value, np.generic) else value


def convert_settings(scheme: DataclassInstance) -> None:
    """Replace the settings of NumPy's types of a scheme that is being made by Python's.

    Arithmetic with them has the precision of their type, some overflow, and no file holds them.
    """
    for field in dataclasses.fields(scheme):
        object.__setattr__(scheme, field.name, python_value(getattr(scheme, field.name)))


def setting_error(scheme: str, name: str, value: object, expected: str) -> SchemeError:
    """Return the error for a setting of a scheme, which says what would be accepted."""
    return SchemeError(f"{scheme}: {name}={shown(value)} is not accepted; expected {expected}")


def check_word(scheme: str, name: str, value: object, words: Sequence[str]) -> None:
    """Raise `SchemeError` unless a setting is one of the words, which a Literal has."""
    if not isinstance(value, str) or value not in words:
        raise setting_error(scheme, name, value, " or ".join(map(repr, words)))
