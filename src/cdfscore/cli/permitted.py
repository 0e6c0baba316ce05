"""Permitted values of the settings of schemes and tests, from their types and checks."""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, Union

import numpy as np

from cdfscore.errors import CdfscoreError
from cdfscore.schemes.base import Scheme
from cdfscore.significance.contract import SignificanceTest

# No setting accepts this text, and the error message states the permitted values.
_REFUSED = "?"
_Use = Callable[[dict[str, Any]], Any]
_SAMPLE = [0.1, 0.25, 0.3, 0.45, 0.7, 0.8]
_OTHER = [0.2, 0.15, 0.5, 0.55, 0.6, 0.9]


def of_scheme(scheme: type[Scheme]) -> dict[str, str]:
    """Return what each setting of a scheme accepts.

    Examples
    --------
    >>> from cdfscore.schemes import Uniform
    >>> of_scheme(Uniform)
    {'A': 'a number above 0', 'B': 'a number in [0, 1]'}
    """
    hints = typing.get_type_hints(scheme)
    return {
        name: _accepted(hints[name], name, field.default, lambda settings: scheme(**settings))
        for name, field in scheme.__dataclass_fields__.items()
    }


def of_test(test: SignificanceTest[Any]) -> dict[str, str]:
    """Return what each setting of a test accepts.

    Examples
    --------
    >>> from cdfscore.significance import permutation
    >>> of_test(permutation)["alternative"]
    'two-sided, less, greater'
    """
    hints = test.hints()
    return {
        name: _accepted(
            hints[name], name, test.defaults.get(name), lambda settings: _run(test, settings)
        )
        for name in test.setting_names
    }


def lines(accepted: Mapping[str, str], defaults: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each setting: its name, the permitted values, and its default."""
    for name, values in accepted.items():
        default = f"default {defaults[name]}" if name in defaults else "required"
        yield f"        {name}: {values} ({default})"


def _accepted(hint: Any, name: str, default: Any, use: _Use) -> str:
    """Return the words that a type permits, or the expectation in the message of the check."""
    members = _members(hint)
    if all(_words(each) for each in members):
        return ", ".join(_names(members))
    expected = _by_type(members)
    # Some settings must be numbers, and a later check requires that they are above 0.
    for refused in [_REFUSED, *([-default] if _is_positive(default) else [])]:
        expected = _expected(name, refused, use) or expected
    if type(None) in members and "None" not in expected:
        expected += ", or None"
    return expected


def _expected(name: str, value: Any, use: _Use) -> str:
    """Return the expectation in the error message for a refused value, or "" without an error."""
    try:
        use({name: value})
    except CdfscoreError as error:
        found = re.search(r"expected (?P<expected>.+)$", str(error))
        return found["expected"].replace("'", "") if found else ""
    except (TypeError, ValueError):  # a plug-in may compute with it unchecked
        return ""
    return ""


def _is_positive(default: Any) -> bool:
    return isinstance(default, int | float) and default > 0 and not isinstance(default, bool)


def _run(test: SignificanceTest[Any], given: dict[str, Any]) -> None:
    """Run a test as far as the checks of its settings."""
    settings = {**test.example, **given}
    test.settings(settings)
    if test.samples in ("paired", "unpaired"):
        sample, other = np.array([_SAMPLE]), np.array([_OTHER])
        test.function(sample, other, **{**test.defaults, **settings})


def _by_type(members: tuple[Any, ...]) -> str:
    kinds = {float: "a number", int: "a whole number", bool: "True or False", str: "a text"}
    said = [kind for each, kind in kinds.items() if each in members]
    return ", ".join([*said, *_names(members)])


def _names(members: tuple[Any, ...]) -> list[str]:
    return [str(word) for each in members for word in _words(each)]


def _members(hint: Any) -> tuple[Any, ...]:
    union = typing.get_origin(hint) in (Union, types.UnionType)
    return typing.get_args(hint) if union else (hint,)


def _words(hint: Any) -> tuple[Any, ...]:
    return typing.get_args(hint) if typing.get_origin(hint) is Literal else ()
