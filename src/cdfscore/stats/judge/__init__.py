"""What statsmodels and SciPy compute of an analysis: arrays in, numbers out.

A second judge beside R, which every user has. Nothing of this room calls a computation of
cdfscore, and each counterpart is one function of scores and settings in the table of its kind.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
#: Numbers by their names: each of one sample, or of all of a family.
Numbers = Mapping[str, Any]


@dataclass(frozen=True)
class Counterpart:
    """What computes the numbers of one of our functions.

    `by` names the functions of statsmodels or SciPy, and `instead` what computes a number where
    statsmodels is inaccurate. `compute` returns the numbers: one that it leaves out, or that is
    NaN, has no counterpart. `apart` is how far a standardized score may be from that of cdfscore,
    where terms do not cancel.
    """

    by: str
    compute: Callable[..., Any]
    instead: Mapping[str, str] = field(default_factory=dict)
    apart: float = 1e-13

    def judge(self, number: str) -> str:
        """Return what computes this number."""
        return self.instead.get(number, self.by)

    def __call__(self, *samples: Any, **settings: Any) -> Any:
        """Compute the numbers; statsmodels warns of divisions by 0 and of much else."""
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return self.compute(*samples, **settings)
