"""What computes the trials of an experiment: the code of cdfscore, and the libraries under it."""

from __future__ import annotations

import hashlib
import inspect
import platform
import sys
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path

from cdfscore._version import __version__

_PACKAGE = Path(__file__).parents[2]
# Their last bits may differ from version to version.
_LIBRARIES = ("numpy", "scipy", "numba")


@cache
def code_versions() -> dict[str, str]:
    """Return the software that numbers depend on: Python, libraries, and our own code.

    The code of cdfscore has a digest beside its version, since it may be edited under one version.
    """
    found = hashlib.sha256()
    for path in sorted(_PACKAGE.rglob("*.py")):
        name = path.relative_to(_PACKAGE)
        if any(part.startswith(".") for part in name.parts):  # what editors and systems leave
            continue
        content = path.read_bytes().replace(b"\r\n", b"\n")  # as git may write it on Windows
        found.update(f"{name.as_posix()} {len(content)}\n".encode() + content)
    return {
        "cdfscore": __version__,
        "code of cdfscore": found.hexdigest()[:12],
        "Python": ".".join(platform.python_version_tuple()[:2]),
        **{name: version(name) for name in _LIBRARIES},
    }


def code_of(kind: type) -> bytes:
    """Return the module of a class outside of cdfscore, or its own code, as in a notebook.

    Nothing where neither is known.
    """
    if kind.__module__.partition(".")[0] == "cdfscore":
        return b""
    path = getattr(sys.modules.get(kind.__module__), "__file__", None)
    with suppress(OSError, TypeError):  # in a zip archive, for example, or typed at a prompt
        return inspect.getsource(kind).encode() if path is None else Path(path).read_bytes()
    return b""
