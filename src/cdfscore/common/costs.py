"""What a command tells before it is done: what a result costs, and that code is compiled."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable

from cdfscore.common.cautions import warn_of
from cdfscore.common.threads import limits_of_cgroup
from cdfscore.errors import CdfscoreError

#: Bytes of memory, and seconds of a core, that one takes. In the seconds, tests, schemes and
#: machines differ by up to ten times.
COSTS = {
    "pair of systems": (2_400, 5e-5),  # in a comparison and its file, and in a table of contrasts
    "score of a pair": (0, 1.5e-7),
    "score of a resample": (24, 0),  # with what is made of the random words
    "shuffled score": (0, 4e-9),
    "score of a resampled pair": (0, 3e-11),
    "second of fits": (0, 1),
    "diagnosed topic": (10_000, 1e-3),
    "coefficient of a system": (80, 0),
    "product of coefficients": (0, 1e-9),
}
# Bytes that every machine has; bytes and seconds from which on the user is told.
_FEW, _MANY, _LONG = 1e8, 2e9, 60
_LIMITS = {"": ("memory.max",), "memory": ("memory.limit_in_bytes",)}
#: What tells the user; and what was told in this process already.
_say: list[Callable[[str], None]] = []
_told: set[str] = set()


def tell_by(say: Callable[[str], None]) -> None:
    """Have a function called with what is to be told; without one there are warnings."""
    _say[:] = [say]


def tell(text: str, *, warn: bool = True) -> None:
    """Tell the user once in a process; if nothing is there that tells, `warn`."""
    if text not in _told and (_say or warn):
        _told.add(text)
        if _say:
            _say[0](text)
        else:
            warn_of([text])


def check_cost(what: str, instead: str, **of: float) -> None:
    """Raise `CdfscoreError` for more memory than there is; tell of much. `of` counts `COSTS`."""
    size = seconds = 0.0
    for each, count in of.items():
        own_size, own_seconds = COSTS[each.replace("_", " ")]
        size += own_size * float(count)
        seconds += own_seconds * float(count)
    memory = f"up to {size / 1e9:,.0f} GB of memory"
    if size > _FEW and size > (most := _memory()):
        raise CdfscoreError(
            f"{what} take {memory}, and there are {most / 1e9:,.0f} GB; expected {instead}"
        )
    told = [memory] * (size >= _MANY)
    if seconds >= _LONG:
        units = {"years": 365 * 86400, "days": 86400, "hours": 3600, "minutes": 60, "seconds": 1}
        unit = next(name for name, one in units.items() if seconds >= 2 * one)
        told.append(f"roughly {seconds / units[unit]:,.0f} {unit}")
    if told:
        tell(f"{what} take {' and '.join(told)}; {instead} would take less")


def _memory() -> float:
    """Return the bytes of the machine, or fewer where its container or the shell limits them."""
    found = [math.inf, *(each[0] for each in limits_of_cgroup(_LIMITS) if each)]
    if sys.platform != "win32":
        import resource

        own = (resource.getrlimit(each)[0] for each in (resource.RLIMIT_AS, resource.RLIMIT_DATA))
        found += [size for size in own if size != resource.RLIM_INFINITY]
        found.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    return min(found)
