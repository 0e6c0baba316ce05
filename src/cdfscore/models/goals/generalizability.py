"""Reliability of the order of systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cdfscore.models.goals._reliability import Reliability


@dataclass(frozen=True)
class Generalizability(Reliability):
    """The generalizability coefficient, E rho^2, reaches this: the reliability of the order.

    E rho^2 = var_system / (var_system + var_residual / n); see `cdfscore.models.d_study`.

    Raises `ModelError` for a reliability out of (0, 1).
    """

    kind: ClassVar[str] = "relative"
    what: ClassVar[str] = "the order of the systems"
