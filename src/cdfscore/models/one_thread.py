"""Linear algebra of one thread: matrices of systems are too small for several.

Threads of BLAS wait for each other, by spinning, after each product. The analysis of variance of
500 systems on 250 topics took 1.9 s of processor time with two threads, and takes 0.2 s with one;
on a machine that does something else too, 3.0 s and 0.3 s of a clock.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_R = TypeVar("_R")


def one_thread(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Return the function, in whose calls BLAS has one thread; it costs 2 ms a call."""

    @wraps(function)
    def called(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        from threadpoolctl import threadpool_limits

        with threadpool_limits(limits=1, user_api="blas"):
            return function(*args, **kwargs)

    return called
