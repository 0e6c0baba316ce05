"""Names of systems beside a figure, as long and as many as there is room for."""

from __future__ import annotations

import math
from collections.abc import Sequence

from cdfscore.plots.canvas import SMALL, plain, text_width

# Characters of a name; the middle of a longer name is omitted, as names differ at their ends.
_LONGEST = 64
#: Inches that a line of names takes.
LINE = 0.115


def name_of(system: str) -> str:
    """Return a name for matplotlib; the middle of a name over 64 characters is omitted.

    Examples
    --------
    >>> name_of("bm25"), len(name_of("bm25" * 100))
    ('bm25', 64)
    """
    if len(system) > _LONGEST:
        begin, end = (_LONGEST - 1) // 2, _LONGEST // 2
        system = f"{system[:begin]}\u2026{system[-end:]}"
    return plain(system)


def points_of(labels: Sequence[str], room: float) -> float:
    """Return the font size at which labels fit into this width: the size of ticks, or smaller.

    Names of 60 wide letters, such as W, would make a page too wide, and are smaller instead.
    """
    return SMALL * min(1.0, room / text_width(labels))


def every(count: int, height: float) -> int:
    """Return the step by which names have a line each in a column of `count` systems.

    1 if all have, and 4 if each fourth has; `height` is that of the column in inches.
    """
    return max(1, math.ceil(count * LINE / height))
