"""Critical difference of tests by the studentized range, one for all pairs of systems."""

from __future__ import annotations

import math

import numpy as np

from cdfscore.significance.contract.result import TestResult


def of_studentized_range(found: TestResult, systems: int, alpha: float) -> float:
    """Return the difference whose p value is alpha: q_alpha(k, df) * stderr / sqrt(2).

    `stderr` is that of a difference, the same for all pairs, and df is infinite where the test has
    none. For `nemenyi` it is CD of Demsar (2006), section 3.2.2, whose q_alpha has the sqrt(2); for
    `tukey_hsd` it is half of the simultaneous interval at the level 1 - alpha. NaN where the test
    is undefined.
    """
    from cdfscore.significance.null import studentized_range

    df = float(np.max(found.parameter))
    quantile = studentized_range.upper_quantile(alpha, systems, np.inf if np.isnan(df) else df)
    return quantile * float(np.max(found.stderr)) / math.sqrt(2)
