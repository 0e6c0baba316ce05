"""The declaration of a scheme: settings in types of Python, attributes of the contract."""

from __future__ import annotations

import dataclasses
import functools
import sys
from collections.abc import Callable
from typing import Any, ClassVar, get_origin

from cdfscore.numerics.numbers import python_value


def convert_settings(scheme: Any) -> None:
    """Convert the settings of NumPy's types to Python's."""
    for field in dataclasses.fields(scheme):
        object.__setattr__(scheme, field.name, python_value(getattr(scheme, field.name)))


def on_python_values(check: Callable[..., None]) -> Callable[..., None]:
    """Return the `__post_init__` of a scheme, preceded by the conversion of the settings."""

    @functools.wraps(check)
    def converted_and_checked(self: Any, *args: Any, **kwargs: Any) -> None:
        convert_settings(self)
        check(self, *args, **kwargs)

    return converted_and_checked


def is_class_variable(annotation: object, module: str) -> bool:
    """Tell whether an annotation is ClassVar, under any name, as dataclasses does."""
    if isinstance(annotation, str):
        annotation = functools.reduce(
            lambda found, name: getattr(found, name, None),
            annotation.partition("[")[0].strip().split("."),
            sys.modules.get(module),
        )
    return annotation is ClassVar or get_origin(annotation) is ClassVar
