"""Functions compiled by numba, which is imported at the first call of one.

What is compiled is kept in a file for each function and the types of its arguments. Its name has a
digest of the code of the function, of the constants that it uses, and of the compiled functions
that it calls, in any file of the package: after a change of one of these there is another file.
The files are our own because two processes that compile one function for different types may give
one of numba's files to both, and because a damaged one ends the process.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import secrets
import stat
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cached_property, update_wrapper
from pathlib import Path
from threading import RLock
from types import CodeType
from typing import Any, TypeVar, cast

from cdfscore.errors import CdfscoreWarning

_Function = TypeVar("_Function", bound=Callable[..., Any])
_PACKAGE = Path(__file__).parents[1]
_DIGEST = hashlib.sha256().digest_size
_LOCK = RLock()


class _Told:
    """What tells the user, and what was told in this process already."""

    say: Callable[[str], None] | None = None
    seen: set[str] = set()


def tell_by(say: Callable[[str], None]) -> None:
    """Have a function told that compilation begins, and why its result cannot be kept.

    Without one, there is a `CdfscoreWarning` of the second alone.
    """
    _Told.say = say


def compiled(function: _Function) -> _Function:
    """Compile a function without the GIL; division by 0 is as in NumPy."""
    return njit(error_model="numpy")(function)


def njit(**options: Any) -> Callable[[_Function], _Function]:
    """Return a decorator that compiles a function without the GIL; `options` are numba's."""
    return lambda function: cast(_Function, Compiled(function, options))


class Compiled:
    """A function that is compiled at its first call, for the types of each call."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        update_wrapper(self, function)
        self.function, self.options = function, options
        self._begun: Any = None
        self._whole: Any = None

    def __call__(self, *args: Any) -> Any:
        """Call what is compiled."""
        return (self._whole or self.dispatcher())(*args)

    def dispatcher(self) -> Any:
        """Return the function of numba. Those that it calls are of numba as well then."""
        with _LOCK:
            if self._begun is None:  # a function may call itself
                import numba

                self._begun = numba.njit(nogil=True, **self.options)(self.function)
                self._begun._cache = _Kept(f"{self.function.__name__}-{self.digest}")
                for name, value in self._used():
                    if isinstance(value, Compiled):
                        self.function.__globals__[name] = value.dispatcher()
                self._whole = self._begun
            return self._begun

    @cached_property
    def digest(self) -> str:
        """A digest of all that the compiled code depends on, but for the types and the machine."""
        self.__dict__["digest"] = ""  # where it calls itself
        told: list[object] = [sorted(self.options.items())]
        for code in _codes(self.function.__code__):
            plain = [each for each in code.co_consts if not isinstance(each, CodeType)]
            told += [code.co_code, plain, code.co_names]
        told += [(name, _value(value)) for name, value in self._used()]
        return hashlib.blake2b(repr(told).encode(), digest_size=12).hexdigest()

    def _used(self) -> Iterator[tuple[str, object]]:
        """Yield the globals of the function."""
        own = self.function.__globals__
        for code in _codes(self.function.__code__):
            yield from ((name, own[name]) for name in code.co_names if name in own)


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of a function, and of the functions in it."""
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _codes(each)


def _value(value: object) -> object:
    """Return what a digest takes of a global."""
    if isinstance(value, Compiled):
        return value.digest
    cache = getattr(value, "_cache", None)
    if isinstance(cache, _Kept):  # a dispatcher, which has taken the place of a `Compiled`
        return cache.name.rpartition("-")[2]
    return getattr(value, "__name__", value)


class _Kept:
    """The cache of a function, as numba's dispatcher calls it."""

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def cache_path(self) -> str:
        """The first folder, which numba tells of."""
        return str(next(_folders(), ""))

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return what is compiled for some types; None if no file has it, whole."""
        from numba.core.compiler import CompileResult

        context.refresh()
        key = _key(signature, context.codegen())
        for folder in _folders():
            content = _content(self._path(folder, key))
            if content is not None:
                with suppress(Exception):  # as of a class that a library no longer has
                    own, payload = pickle.loads(content)
                    if own == key:
                        return CompileResult._rebuild(context, *payload)
        if _Told.say is not None:
            _tell("numba compiles code, once on this machine")
        return None

    def save_overload(self, signature: Any, found: Any) -> None:
        """Keep what was compiled for some types, whole or not at all, if it can be kept."""
        from numba.core.serialize import dumps

        key, why = _key(signature, found.codegen), "there is no folder that no other user can write"
        content = dumps((key, found._reduce()))
        for folder in _folders():
            path = self._path(folder, key)
            beside = path.with_name(f"{path.name}.tmp.{secrets.token_hex(8)}")
            try:
                folder.mkdir(parents=True, exist_ok=True)
                beside.write_bytes(hashlib.sha256(content).digest() + content)
                beside.replace(path)
                return
            except OSError as error:
                why = f"{folder}: {error.strerror or error}"
                with suppress(OSError):
                    beside.unlink()
        if "kept" not in _Told.seen:
            _Told.seen.add("kept")
            _tell(
                f"compiled code cannot be kept, so that each process compiles again ({why}); "
                "the environment variable NUMBA_CACHE_DIR can name another folder for it"
            )

    def _path(self, folder: Path, key: tuple[Any, ...]) -> Path:
        digest = hashlib.sha256(repr(key).encode()).hexdigest()
        return folder / f"{self.name}.{digest[:16]}.nbc"


def _tell(text: str) -> None:
    """Tell the user, once in this process."""
    if text in _Told.seen:
        return
    _Told.seen.add(text)
    if _Told.say is None:
        warnings.warn(text, CdfscoreWarning, stacklevel=2)
    else:
        _Told.say(text)


def _key(signature: Any, codegen: Any) -> tuple[Any, ...]:
    """Return what compiled code is for: types, processor, numba and Python."""
    import numba

    return (*map(str, signature), codegen.magic_tuple(), numba.__version__, sys.version_info[:2])


def _folders() -> Iterator[Path]:
    """Yield the folders that may have compiled code, which is run, and that none but us can write.

    That of the package may be compiled by an administrator, and serves all users.
    """
    from numba.core import config
    from numba.misc.appdirs import AppDirs

    own = AppDirs(appname="cdfscore", appauthor=False).user_cache_dir
    given = [Path(config.CACHE_DIR)] if config.CACHE_DIR else []
    for folder in given or [_PACKAGE / "__pycache__", Path(own)]:
        try:
            found = os.stat(folder)
        except OSError:
            yield folder
            continue
        ours = not hasattr(os, "geteuid") or found.st_uid in (0, os.geteuid())
        if ours and not found.st_mode & stat.S_IWOTH:
            yield folder


def _content(path: Path) -> bytes | None:
    """Return the content of a file, or None if it is absent or damaged."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    whole = hashlib.sha256(content[_DIGEST:]).digest() == content[:_DIGEST]
    return content[_DIGEST:] if whole else None
