"""Files of compiled functions: each has a digest of its content, and is read whole or not at all.

numba writes what it has compiled as pickles of machine code, with an index for each function. A
damaged index ends the process with a traceback, and machine code with another bit gives other
numbers, or ends the process. Two processes that compile a function for different types at the same
time may give one file to both. Here each type has a file of its own, which says what it is of.
"""

from __future__ import annotations

import hashlib
import pickle
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import FunctionCache
from numba.core.serialize import dumps

from cdfscore import compiling

_DIGEST = hashlib.sha256().digest_size


class CheckedCache:
    """The cache of a function, as numba's dispatcher calls it.

    numba finds the folder, and takes compiled functions apart and together again. A function that
    cannot be kept is compiled in each process, which is said once.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._numbas: Any = None
        try:
            self._numbas = FunctionCache(function)
        except RuntimeError:  # of all folders, none can be written
            return
        stamp = self._numbas._impl.locator.get_source_stamp()
        self._numbas._cache_file = CompiledFiles(
            Path(self._numbas.cache_path), self._numbas._impl.filename_base, stamp
        )

    @property
    def cache_path(self) -> str | None:
        """The folder, which numba tells of; None where none can be written."""
        return None if self._numbas is None else str(self._numbas.cache_path)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return what is compiled for some types, or None if it is not there, whole and current."""
        return None if self._numbas is None else self._numbas.load_overload(signature, context)

    def save_overload(self, signature: Any, found: Any) -> None:
        """Keep what was compiled for some types, if it can be kept."""
        if self._numbas is None:
            source = Path(self._function.__code__.co_filename).parent
            compiling.is_not_kept(
                f"neither {source / '__pycache__'} nor the user's folder for caches can be written"
            )
            return
        try:
            self._numbas.save_overload(signature, found)
        except OSError as error:
            compiling.is_not_kept(f"{self.cache_path}: {error.strerror or error}")

    def flush(self) -> None:
        """Remove the files, before numba compiles everything anew."""
        if self._numbas is not None:
            self._numbas.flush()


class CompiledFiles:
    """Files of one function in a folder, one for the types of each call."""

    def __init__(self, folder: Path, name: str, stamp: object) -> None:
        self._folder, self._name = folder, name
        self._about = numba.__version__, stamp

    def save(self, key: tuple[Any, ...], data: Any) -> None:
        """Write what was compiled for a key, whole or not at all; raises `OSError`."""
        content = dumps((*self._about, key, data))
        path = self._path(key)
        beside = path.with_name(f"{path.name}.tmp.{secrets.token_hex(8)}")
        try:
            beside.write_bytes(hashlib.sha256(content).digest() + content)
            beside.replace(path)
        except OSError:
            with suppress(OSError):
                beside.unlink()
            raise

    def load(self, key: tuple[Any, ...]) -> Any:
        """Return what was compiled for a key, or None if it is absent, damaged or of another."""
        try:
            content = self._path(key).read_bytes()
        except OSError:
            return None
        digest, content = content[:_DIGEST], content[_DIGEST:]
        if hashlib.sha256(content).digest() != digest:
            return None
        try:
            *about, data = pickle.loads(content)
        except Exception:  # as of a class that a library no longer has
            return None
        return data if about == [*self._about, key] else None

    def flush(self) -> None:
        """Remove all files of the function."""
        for path in self._folder.glob(f"{self._name}.*.nbc"):
            with suppress(OSError):
                path.unlink()

    def _path(self, key: tuple[Any, ...]) -> Path:
        """Return the file for a key, whatever the code of the function was."""
        types, machine, *_ = key
        digest = hashlib.sha256(repr((numba.__version__, types, machine)).encode()).hexdigest()
        return self._folder / f"{self._name}.{digest[:16]}.nbc"
