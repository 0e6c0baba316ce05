"""Reliability of the scores of systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cdfscore.models.goals._reliability import Reliability


@dataclass(frozen=True)
class Dependability(Reliability):
    """The index of dependability, Phi, reaches this: the reliability of the mean scores.

    Phi = var_system / (var_system + (var_topic + var_residual) / n); see `cdfscore.models.d_study`.

    Raises `ModelError` for a reliability out of (0, 1).
    """

    kind: ClassVar[str] = "absolute"
    what: ClassVar[str] = "the mean score of a system"
