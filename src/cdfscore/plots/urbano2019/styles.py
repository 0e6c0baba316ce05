"""How the line of each scheme looks, alike in all panels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

# The colours of Okabe and Ito (2008), told apart by the colour-blind; yellow is left out, too
# light for a thin line.
_COLORS = ("#000000", "#0072B2", "#E69F00", "#CC79A7", "#009E73", "#D55E00", "#56B4E9")
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
    """Return a style for each scheme; 7 colours, 6 dashes, 5 markers: the first 210 differ."""
    return {
        scheme: {
            "color": _COLORS[i % len(_COLORS)],
            "linestyle": _DASHES[i % len(_DASHES)],
            "marker": _MARKERS[i % len(_MARKERS)],
        }
        for i, scheme in enumerate(schemes)
    }
