"""Results of a test beside R's, by the tolerances that the test states."""

from __future__ import annotations

from typing import Any

import numpy as np

from cdfscore.numerics.types import Array
from cdfscore.r.tests import InR
from cdfscore.significance.contract import SignificanceTest, TestResult


def assert_as_in_r(
    test: SignificanceTest[Any],
    result: TestResult,
    found: InR,
    rows: Array | slice = slice(None),
    quantities: tuple[str, ...] = (),
) -> None:
    """Fail unless each number is within its tolerance of R's; no number is like no number."""
    for name in quantities or tuple(found.numbers):
        tolerance = test.tolerances[name]
        theirs = np.atleast_1d(found.numbers[name])
        ours, terms = (
            np.broadcast_to(values, theirs.shape)[rows]
            for values in (getattr(result, name), result.terms(name))
        )
        distance = tolerance.distance(ours, theirs[rows], terms)
        worst = int(distance.argmax()) if distance.size else 0
        assert distance.max(initial=0) <= tolerance.ulp, (
            f"{test.name}.{name}: {ours[worst]!r}, R {theirs[rows][worst]!r}, {distance[worst]} ulp"
        )
