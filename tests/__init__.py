"""The tests: a package, so that no library that installs one of this name hides it."""

from collections.abc import Callable
from typing import Any

from hypothesis import settings


def a_tenth(test: Callable[..., Any]) -> Callable[..., Any]:
    """Draw a tenth of the usual number of examples of a property, at least 10: each takes long.

    The usual number is not known before tests are read.
    """
    return settings(max_examples=max(10, settings().max_examples // 10))(test)
