"""Critical difference of a test: what it is a function of."""

from __future__ import annotations

from collections.abc import Callable

from cdfscore.significance.contract.result import TestResult

#: The least difference, in the unit of the estimate, whose p value is at most a level, where all
#: pairs of systems have the same: of the result of a test, the number of systems, and the level.
CriticalDifference = Callable[[TestResult, int, float], float]
