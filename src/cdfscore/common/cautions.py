"""Cautions: sentences on results that are easy to misunderstand, given as warnings.

The `notes` and the caption of a result contain its cautions. The functions that users call also
give them as warnings; the command line prints the notes.
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from cdfscore.errors import CdfscoreWarning, alternatives

_PACKAGE = f"{Path(__file__).parents[1]}{os.sep}"
# Arguments of reading, as sentences name them, and who takes them.
_ARGUMENT = re.compile(
    r"\b((?:topic|system|score)_column|systems_as_rows|(?:keep|drop)_(?:topics|systems)|replicate"
    r"|na|cells)="
)
_SAYS = "as_scores takes {}"


#: Cautions that were given within `each_once`; None outside of it.
_told: ContextVar[set[str] | None] = ContextVar("_told", default=None)


@contextmanager
def each_once() -> Iterator[None]:
    """Warn of each caution once in a call, even if several schemes have it."""
    before = _told.get()
    _told.set(set() if before is None else before)
    try:
        yield
    finally:
        _told.set(before)


def with_arguments(sentence: str, says: str = _SAYS, *taken: str) -> str:
    """Add to a sentence who takes the arguments that it names and the caller does not take."""
    names = dict.fromkeys(_ARGUMENT.findall(sentence))
    lacks = [f"{name}=..." for name in names if name not in taken]
    return f"{sentence}; {says.format(alternatives(lacks, 'and'))}" if lacks else sentence


def warn_of(cautions: Iterable[str], says: str = _SAYS, *taken: str) -> None:
    """Warn of each caution `with_arguments`, at the line outside of this package that called it."""
    told = _told.get()
    for caution in cautions:
        if told is not None:
            if caution in told:
                continue
            told.add(caution)
        warnings.warn(with_arguments(caution, says, *taken), CdfscoreWarning, stacklevel=_level())


def _level() -> int:
    """Return the `stacklevel` of the first frame outside of this package for `warn_of`."""
    # Python 3.12 has skip_file_prefixes for this, and 3.11 is supported.
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    return level
