"""Functions compiled by numba, which is imported at the first call of one.

What is compiled is kept in a file for each function and the types of its arguments, with a digest
of all that it uses. The files are our own: two processes may give one of numba's files to both, and
a damaged one ends the process.
"""

import math
import os
import pickle
import sys
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from ctypes import CDLL, c_double
from functools import cache, cached_property, update_wrapper
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar, cast

import numpy as np

from cdfscore.common.costs import tell
from cdfscore.common.files import write_whole
from cdfscore.common.threads import in_threads, threads_here
from cdfscore.errors import MissingDependencyError, OutputError
from cdfscore.stats.numerics.types import Array, IntArray

_Function = TypeVar("_Function", bound=Callable[..., Any])


def njit(**options: str | dict[str, bool]) -> Callable[[_Function], _Function]:
    """Return a decorator that compiles a function without the GIL; division by 0 is as in NumPy."""
    return lambda function: cast(Any, Compiled(function, {"error_model": "numpy", **options}))


class Compiled:
    """A function that is compiled at its first call for some types; numba's cache of it, too."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        update_wrapper(self, function)
        self.py_func, self.targetoptions = function, options

    def __call__(self, *args: Any) -> Any:
        """Call what is compiled."""
        return self.dispatcher(*args)

    @property
    def _numba_type_(self) -> Any:  # for functions that call it
        return self.dispatcher._numba_type_

    @cached_property
    def dispatcher(self) -> Any:
        """The function of numba; two threads that ask at once may each make one."""
        try:
            import numba
        except Exception as error:  # of a broken .numba_config.yaml in the folder, too
            why = " ".join(str(error).split())
            raise MissingDependencyError(f"numba cannot be imported: {why}") from error

        found = numba.njit(nogil=True, **self.targetoptions)(self.py_func)
        if found is self.py_func:
            return _plain(found)
        found._cache = self
        return found

    @cached_property
    def digest(self) -> str:
        """A digest of all that the compiled code depends on, but for the types and the machine."""
        self.__dict__["digest"] = ""  # where it calls itself
        code, known = self.py_func.__code__, self.py_func.__globals__
        named = [(name, known.get(name)) for name in code.co_names]
        # A function within it would be told by its address: it is compiled again in each process.
        told = [sorted(self.targetoptions.items()), code.co_code, code.co_consts]
        told += [(name, getattr(v, "digest", getattr(v, "__name__", v))) for name, v in named]
        return sha256(repr(told).encode()).hexdigest()[:24]

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return what is compiled for some types; None if no file has it, whole."""
        from numba.core.compiler import CompileResult

        context.refresh()
        name = self._file(signature, context.codegen())
        for folder in _folders():
            # What cannot be read is compiled again, such as a class that a library no longer has.
            with suppress(Exception):
                content = (folder / name).read_bytes()
                payload = content[sha256().digest_size :]
                if content == _sealed(name, payload) and _is_ours(folder / name):
                    return CompileResult._rebuild(context, *pickle.loads(payload))
        tell("numba compiles code, once on this machine", warn=False)
        return None

    def save_overload(self, signature: Any, found: Any) -> None:
        """Keep what was compiled for some types, whole or not at all, if it can be kept."""
        from numba.core.serialize import dumps

        name = self._file(signature, found.codegen)
        why = "other users can write to its folder; expected as after chmod go-w"
        for folder in _folders():
            try:
                # Only for this user to write to, whatever the umask.
                folder.mkdir(mode=0o755, parents=True, exist_ok=True)
                write_whole({folder / name: _sealed(name, dumps(found._reduce()))}, 0o644)
            except (OSError, OutputError) as error:
                why = f"{folder}: {error.strerror}" if isinstance(error, OSError) else str(error)
            else:
                return
        tell(
            f"compiled code cannot be kept, so that each process compiles again ({why}); "
            "the environment variable NUMBA_CACHE_DIR can name another folder for it",
        )

    def _file(self, signature: Any, codegen: Any) -> str:
        import numba

        built = codegen.magic_tuple(), numba.__version__, sys.version_info[:2]
        types = sha256(repr((*map(str, signature), *built)).encode()).hexdigest()[:16]
        return f"{self.py_func.__name__}-{self.digest}-{types}.nbc"


compiled = njit()


def _sealed(name: str, payload: bytes) -> bytes:
    return sha256(name.encode() + payload).digest() + payload


def _folders() -> list[Path]:
    """Return the folders of compiled code, which is run: those that no other user can write to."""
    from numba.misc.appdirs import AppDirs

    given = os.environ.get("NUMBA_CACHE_DIR")
    own = AppDirs(appname="cdfscore", appauthor=False).user_cache_dir
    named = [given] if given else [Path(__file__).parents[2] / "__pycache__", own]
    return [path for path in map(Path, named) if not path.exists() or _is_ours(path)]


def _is_ours(path: Path) -> bool:
    own, found = getattr(os, "geteuid", None), path.stat()
    return own is None or (found.st_uid in (0, own()) and not found.st_mode & 0o022)


# --- The same in plain Python, if numba is told not to compile ---


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    tell("NUMBA_DISABLE_JIT: fits take long")
    function.__globals__["math"] = _math_of_c()
    return np.errstate(all="ignore")(function)


@cache
def _math_of_c() -> SimpleNamespace:
    """Return `math` as compiled code has it: functions of C, which do not raise, and no floats."""
    c, own = CDLL("ucrtbase" if os.name == "nt" else None), vars(math).copy()
    for name in ("exp", "expm1", "log", "log1p", "pow", "sqrt", "tgamma"):
        of_c = c[name]
        of_c.restype, of_c.argtypes = c_double, [c_double] * (1 + (name == "pow"))
        own[name.removeprefix("t")] = lambda *x, of_c=of_c: np.float64(of_c(*x))
    return SimpleNamespace(**own)


# --- Work on blocks of rows, in threads where the rows have many scores ---


_Values = TypeVar("_Values", Array, IntArray)

#: Scores above which a second thread saves more than it costs.
MANY = 1 << 19
# Steps up to which compiled code is not worth half a second, in which numba is imported and reads
# it: at once, and in all calls so far.
_FEW, _OFTEN = 1 << 22, 1 << 27
_so_far = 0
# Scores at a time: few enough that those of all cores stay in their common cache.
_BLOCK = 1 << 20


def as_rows(values: _Values) -> _Values:
    """Return an array (..., n) as (rows, n), where n may be 0."""
    return values.reshape(math.prod(values.shape[:-1]), values.shape[-1])


def in_blocks(
    function: Callable[[slice], None], rows: int, width: int, block: int = _BLOCK
) -> None:
    """Call a function that fills in rows, `block` scores at a time; a row has `width` scores."""
    threads = threads_here() if rows * width > MANY else 1
    step = block // max(1, width)
    if threads > 1:  # a part for each at least
        step = min(step, -(-rows // threads))
    step = max(1, step)
    blocks = [slice(start, start + step) for start in range(0, rows, step)]
    if threads > 1:
        deque(in_threads(function, blocks, threads), maxlen=0)
    else:
        for part in blocks:
            function(part)


def is_compiled(steps: int, often: int = 1) -> bool:
    """Tell whether steps are so many as to compile, a step counting `often` in all calls so far."""
    global _so_far
    _so_far += often * steps
    return steps > _FEW or _so_far > _OFTEN


def all_finite(scores: Array) -> bool:
    """Tell whether no score is NaN or infinite."""
    # A sum with a NaN or an infinite score is not finite, and needs no memory.
    with np.errstate(over="ignore", invalid="ignore"):
        if math.isfinite(np.add.reduce(scores, axis=None)):
            return True
    return bool(np.isfinite(scores).all())
