"""What computes the trials of an experiment: the code of cdfscore, and the libraries under it."""

from __future__ import annotations

import hashlib
import platform
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path

from cdfscore._version import __version__

_PACKAGE = Path(__file__).parents[2]
# Their last bits may differ from version to version.
_LIBRARIES = ("numpy", "scipy", "numba")


@cache
def code_versions() -> dict[str, str]:
    """Return what numbers depend on besides an experiment: Python, libraries, and our own code.

    The code of cdfscore has a digest beside its version, since it may be edited under one version.
    """
    found = hashlib.sha256()
    for path in sorted(_PACKAGE.rglob("*.py")):
        content = path.read_bytes()
        found.update(f"{path.relative_to(_PACKAGE).as_posix()} {len(content)}\n".encode() + content)
    return {
        "cdfscore": __version__,
        "code of cdfscore": found.hexdigest()[:12],
        "Python": platform.python_version(),
        **{name: version(name) for name in _LIBRARIES},
    }


def code_of(kind: type) -> bytes:
    """Return the module of a class outside of cdfscore; nothing where there is no file of it."""
    module = sys.modules.get(kind.__module__)
    path = getattr(module, "__file__", None)
    if path is None or kind.__module__.partition(".")[0] == "cdfscore":
        return b""
    try:
        return Path(path).read_bytes()
    except OSError:  # in a zip archive, for example
        return b""
