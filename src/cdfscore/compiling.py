"""What is done before numba compiles what its cache does not have, which may take 20 s."""

from __future__ import annotations

from collections.abc import Callable

_to_call: list[Callable[[], None]] = []


def before_compiling(call: Callable[[], None]) -> None:
    """Have a function called once in this process, before the first compilation."""
    _to_call.append(call)


def begins() -> None:
    """Call the functions, each once."""
    while _to_call:
        _to_call.pop()()


def is_announced() -> None:
    """Call no function: the user has asked for the compilation."""
    _to_call.clear()
