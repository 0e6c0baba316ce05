"""Reliability of the scores of systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cdfscore.models.goals._reliability import Reliability


@dataclass(frozen=True)
class Dependability(Reliability):
    """Goal: the index of dependability, Phi, the reliability of the mean scores of systems.

    Phi = var_system / (var_system + (var_topic + var_residual) / n); see `cdfscore.models.d_study`.

    Parameters
    ----------
    reliability
        The index to reach, between 0 and 1.

    Raises
    ------
    ModelError
        If the reliability is not between 0 and 1.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.models import plan
    >>> from cdfscore.models.goals import Dependability
    >>> plan(datasets.load_cranfield("ap").iloc[:, :12], Dependability(reliability=0.9)).topics
    2503
    """

    kind: ClassVar[str] = "absolute"
    what: ClassVar[str] = "the mean score of a system"
