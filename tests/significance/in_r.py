"""Results of a test beside R's, by the tolerances that the test states."""

from __future__ import annotations

from typing import Any

import numpy as np

from cdfscore.numerics.types import Array
from cdfscore.r.tests import InR
from cdfscore.significance.contract import SignificanceTest, TestResult
from cdfscore.significance.contract.result import QUANTITIES


def assert_as_in_r(
    test: SignificanceTest[Any],
    result: TestResult,
    found: InR,
    rows: Array | slice = slice(None),
    quantities: tuple[str, ...] = (),
) -> None:
    """Fail unless each number is within its tolerance of R's; NaN equals NaN."""
    for name in quantities or QUANTITIES:
        tolerance = test.tolerances[name]
        theirs = np.atleast_1d(found.numbers[name])
        ours, terms = (
            np.atleast_1d(values) for values in (getattr(result, name), result.terms(name))
        )
        assert ours.shape == theirs.shape, f"{test.name}.{name}: {ours.shape}, R {theirs.shape}"
        ours, terms = ours[rows], terms[rows]
        distance = tolerance.distance(ours, theirs[rows], terms)
        assert distance.size, f"{test.name}.{name}: nothing is compared"
        worst = int(distance.argmax())
        assert distance.max() <= tolerance.ulp, (
            f"{test.name}.{name}: {ours[worst]!r}, R {theirs[rows][worst]!r}, {distance[worst]} ulp"
        )
