"""Settings of schemes: the error for what is not accepted."""

from __future__ import annotations

from collections.abc import Sequence

from cdfscore.errors import SchemeError
from cdfscore.numerics.numbers import shown


def setting_error(scheme: str, name: str, value: object, expected: str) -> SchemeError:
    """Return the error for a setting of a scheme, which says what would be accepted."""
    return SchemeError(f"{scheme}: {name}={shown(value)} is not accepted; expected {expected}")


def check_word(scheme: str, name: str, value: object, words: Sequence[str]) -> None:
    """Raise `SchemeError` unless a setting is one of the words, which a Literal has."""
    if not isinstance(value, str) or value not in words:
        raise setting_error(scheme, name, value, " or ".join(map(repr, words)))
