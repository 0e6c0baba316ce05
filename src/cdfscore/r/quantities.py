"""Numbers that are compared with those of R."""

from __future__ import annotations

from dataclasses import dataclass

from cdfscore.numerics.types import Array


@dataclass(frozen=True)
class Quantity:
    """Numbers of one kind: one value for each topic and system.

    A mean over all topics has a single topic, ``""``.
    """

    name: str
    topics: list[str]
    systems: list[str]
    values: Array
