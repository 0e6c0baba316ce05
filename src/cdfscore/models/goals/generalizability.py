"""Reliability of the order of systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cdfscore.models.goals._reliability import Reliability


@dataclass(frozen=True)
class Generalizability(Reliability):
    """Goal: the generalizability coefficient, E rho^2, the reliability of the order of systems.

    E rho^2 = var_system / (var_system + var_residual / n); see `cdfscore.models.d_study`.

    Parameters
    ----------
    reliability
        The coefficient to reach, between 0 and 1.

    Raises
    ------
    ModelError
        If the reliability is not between 0 and 1.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.models import plan
    >>> from cdfscore.models.goals import Generalizability
    >>> plan(datasets.load_cranfield("ap").iloc[:, :12], Generalizability(reliability=0.9)).topics
    151
    """

    kind: ClassVar[str] = "relative"
    what: ClassVar[str] = "the order of the systems"
