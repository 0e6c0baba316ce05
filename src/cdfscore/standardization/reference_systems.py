"""How many reference systems there are, and what that means for the scores."""

from __future__ import annotations

import numpy as np

from cdfscore.errors import FitError
from cdfscore.schemes.base import Scheme

#: Reference systems below which results depend on which they are; see docs/reference_systems.md.
FEW_SYSTEMS = 10

# Two scores of a topic, at different places and distances: a scheme that fits a location and a
# scale gives the same two y to each.
_PAIRS = np.array([[0.25, 0.75], [0.5, 0.53125], [0.125, 0.9375]])


def few_systems(count: int | None, scheme: Scheme | None = None) -> list[str]:
    """Return a sentence if a scheme is fitted to few systems; `count` is None if not known.

    `scheme` is the one that is fitted to the systems and applied to them, if it is known.

    Examples
    --------
    >>> few_systems(9)
    ['9 reference systems: with fewer than 10, results depend on which systems they are']
    >>> few_systems(10)
    []
    """
    if count is None or count >= FEW_SYSTEMS:
        return []
    if count == 2 and scheme is not None and _gives_any_two_the_same(scheme):
        return [
            "2 reference systems: on each topic they get the same two standardized scores for "
            "any difference of their scores, so that a test of the two is a sign test"
        ]
    return [
        f"{count} reference system{'s' * (count > 1)}: with fewer than {FEW_SYSTEMS}, results "
        "depend on which systems they are"
    ]


def _gives_any_two_the_same(scheme: Scheme) -> bool:
    """Tell whether two scores become the same two y, whatever their place and difference."""
    try:
        y = scheme.fit(_PAIRS)(_PAIRS)
    except FitError:
        return False
    return bool(np.allclose(y, y[0], rtol=1e-9, atol=1e-12))
