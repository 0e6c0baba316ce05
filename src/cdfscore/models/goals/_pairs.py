"""What the goals of a difference of two systems have in common."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from cdfscore.models.goals._goal import Goal, spread_of_pairs
from cdfscore.models.pilot import Pilot
from cdfscore.numerics.types import Array


class OfPairs(Goal):
    """Goal for the difference of two systems, with the mean variance of all pairs of the pilot."""

    within_topics: ClassVar[bool] = True

    def notes(self, topics: int, pilot: Pilot) -> list[str]:
        """Say how far the variances of pairs are from their mean."""
        return spread_of_pairs(self, topics, pilot)


def differences(centred: Array, topics: int, rng: np.random.Generator) -> Array:
    """Return the differences of two systems drawn at random, on topics drawn with replacement."""
    systems = centred.shape[1]
    i = int(rng.integers(systems))
    j = (i + 1 + int(rng.integers(systems - 1))) % systems
    rows = rng.integers(len(centred), size=topics)
    found: Array = centred[rows, i] - centred[rows, j]
    return found
