"""Compilation by numba, and the digests that keep its cache up to date and undamaged."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import event

from cdfscore import compiling
from cdfscore.numerics._compiled_files import CheckedCache

_Function = TypeVar("_Function", bound=Callable[..., Any])


def njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator: numba's, without the GIL, and with a cache whose files are checked.

    The function may call compiled functions of its own file alone. `options` are numba's.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        dispatcher = numba.njit(nogil=True, **options)(function)
        dispatcher._cache = CheckedCache(function)
        return dispatcher

    return decorate


def compiled(function: _Function) -> _Function:
    """Compile a function by numba, without the GIL, and cache it; division by 0 is as in NumPy.

    The function may call compiled functions of other files in its folder, and use their constants:
    what is cached is compiled again when one of these files changes. numba looks at the file of
    the function alone; the cache is named by the function, so that its name takes a digest of all
    files.
    """
    digest = _digest(Path(function.__code__.co_filename).parent)
    function.__qualname__ = f"{function.__qualname__}-{digest}"
    return cast(_Function, njit(error_model="numpy")(function))


@cache
def _digest(folder: Path) -> str:
    """Return a digest of all modules in a folder, and of this module, which has the options."""
    found = hashlib.sha256()
    for path in (Path(__file__), *sorted(folder.glob("*.py"))):
        found.update(path.read_bytes())
    return found.hexdigest()[:12]


class _Announced(event.Listener):
    """Tells of what is compiled, and not of what the cache has."""

    def on_start(self, event: object) -> None:
        compiling.begins()

    def on_end(self, event: object) -> None:
        pass


event.register("numba:compile", _Announced())
