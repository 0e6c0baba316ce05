"""Cautions: sentences on results that may be misread, as warnings.

A result has its cautions in `notes`, and so has its caption. The functions that users call warn
of them as well; the command line prints the notes.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path

from cdfscore.errors import CdfscoreWarning

_PACKAGE = f"{Path(__file__).parent}{os.sep}"


def warn_of(cautions: Iterable[str]) -> None:
    """Warn of each caution, at the line outside of this package that made the call."""
    for caution in cautions:
        warnings.warn(caution, CdfscoreWarning, stacklevel=_level())


def _level() -> int:
    """Return the `stacklevel` of the first frame outside of this package for `warn_of`."""
    # Python 3.12 has skip_file_prefixes for this, and 3.11 is supported.
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    return level
