"""Common part of the two coefficients of reliability."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cdfscore.errors import ModelError
from cdfscore.io.text import written
from cdfscore.models.generalizability import GStudy, d_study
from cdfscore.models.goals._goal import Goal, check_probability
from cdfscore.models.pilot import Pilot
from cdfscore.numerics.types import Array


@dataclass(frozen=True)
class Reliability(Goal):
    """The means of systems have this reliability, a coefficient of `d_study`."""

    quantity: ClassVar[str] = "reliability"
    fewest: ClassVar[int] = 1
    example: ClassVar[str] = "0.95"
    on_the_scale: ClassVar[str] = ""
    can_be_checked: ClassVar[bool] = False
    #: Column of the results of `d_study`, and what has this reliability.
    kind: ClassVar[str]
    what: ClassVar[str]

    reliability: float

    def __post_init__(self) -> None:
        check_probability(self, "reliability", self.reliability)

    @property
    def wanted(self) -> float:
        """The reliability."""
        return self.reliability

    @property
    def easier(self) -> str:
        """Changes of the goal that need fewer topics."""
        return "a lower reliability, or a pilot whose systems differ more"

    def refusal(self, pilot: Pilot) -> str | None:
        """Return the refusal of several pilots."""
        if pilot.study is not None:
            return None
        return (
            f"{self.name} needs one pilot, and there are {len(pilot.matrices)}; expected one pilot"
        )

    def variances(self, pilot: Pilot) -> dict[str, float]:
        """Return the components of variance of the G-study."""
        found = _study(pilot).components["variance"].tolist()
        return dict(zip(("systems", "topics", "residual"), found, strict=True))

    def resampled(self, centred: Array, topics: int, rng: np.random.Generator) -> float:
        """Raise an error: there is no check of a reliability."""
        raise NotImplementedError

    def notes(self, topics: int, pilot: Pilot) -> list[str]:
        """Return the notes of the G-study."""
        return list(_study(pilot).notes)

    def at(self, topics: int, pilot: Pilot) -> float:
        """Return the reliability with this number of topics."""
        return self.curve([topics], pilot)[0]

    def curve(self, topics: Sequence[int], pilot: Pilot) -> list[float]:
        """Return the reliability with each of some numbers of topics."""
        return list(d_study(_study(pilot), topics).reliability[self.kind])

    def topics(self, pilot: Pilot) -> int:
        """Return the smallest number of topics; raises `ModelError` if none is enough."""
        needed = d_study(_study(pilot), reliabilities=[self.reliability]).topics_needed
        found = float(needed[self.kind].iloc[0])
        if math.isinf(found):
            raise ModelError(
                f"{self.name}: no number of topics reaches a reliability of "
                f"{written(self.reliability)}, because the estimated variance of "
                "systems is 0, and with it the reliability of means over any number of topics; "
                "expected a pilot whose systems differ more"
            )
        return self.found(found)

    def sentence(self, topics: int, pilot: Pilot) -> str:
        """Return the result in one sentence, with its assumptions."""
        needed = d_study(_study(pilot), reliabilities=[self.reliability]).topics_needed.iloc[0]
        low, high = needed[f"{self.kind}_low"], needed[f"{self.kind}_high"]
        ends = f"{low:,.0f} or more" if math.isinf(high) else f"{low:,.0f} to {high:,.0f}"
        return (
            f"With {topics:,} topics (95 % interval {ends}) {self.what} has a "
            f"reliability of {written(self.reliability)}, if systems and topics are samples of the "
            "same populations as the pilot"
        )


def _study(pilot: Pilot) -> GStudy:
    assert pilot.study is not None  # as `refusal` has made sure
    return pilot.study
