"""How many reference systems there are, and what that means for the scores."""

from __future__ import annotations

#: Reference systems below which results depend on which they are; see docs/reference_systems.md.
FEW_SYSTEMS = 10


def few_systems(count: int | None) -> list[str]:
    """Return a sentence if a scheme is fitted to few systems; `count` is None if not known.

    Examples
    --------
    >>> few_systems(9)
    ['9 reference systems: with fewer than 10, results depend on which systems they are']
    >>> few_systems(10)
    []
    """
    if count is None or count >= FEW_SYSTEMS:
        return []
    if count == 2:
        return [
            "2 reference systems: on each topic they get the same two scores, whatever their "
            "difference, so that a test of the two is a sign test"
        ]
    return [
        f"{count} reference system{'s' * (count > 1)}: with fewer than {FEW_SYSTEMS}, results "
        "depend on which systems they are"
    ]
