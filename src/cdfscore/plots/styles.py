"""Line styles of schemes, the same in all panels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cdfscore.plots.palette import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY_BLUE, VERMILION

_COLORS = (BLACK, BLUE, ORANGE, PURPLE, GREEN, VERMILION, SKY_BLUE)
_DASHES: tuple[Any, ...] = (
    "solid",
    (0, (5, 1.5)),
    (0, (1, 1)),
    (0, (5, 1.5, 1, 1.5)),
    (0, (9, 2)),
    (0, (5, 1.5, 1, 1.5, 1, 1.5)),
)
_MARKERS = ("o", "s", "^", "v", "D")

#: Settings of `Axes.plot`: color, linestyle and marker.
Style = dict[str, Any]


def styles(schemes: Iterable[str]) -> dict[str, Style]:
    """Return a style for each scheme; 7 colors, 6 dashes, 5 markers: the first 210 differ."""
    return {
        scheme: {
            "color": _COLORS[i % len(_COLORS)],
            "linestyle": _DASHES[i % len(_DASHES)],
            "marker": _MARKERS[i % len(_MARKERS)],
        }
        for i, scheme in enumerate(schemes)
    }
