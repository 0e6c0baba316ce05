"""How far two right computations of the standard errors may be apart."""

from __future__ import annotations

import numpy as np

from cdfscore.comparison.reference_uncertainty.variances import Variances
from cdfscore.numerics import student_t
from cdfscore.numerics.types import Array


def bounds(
    found: Variances, moved: float, *, exact: bool, resamples: int, conf_level: float
) -> dict[str, Array]:
    """Return a bound of the difference of each number, by its column; 0 where there is none.

    If no mean of a resample moves by more than m, which is `moved`, then

    - a standard error from the topics moves by at most m / sqrt(T - 1), on T topics, as the
      standard deviation is a distance from the constant vectors;
    - the one from the reference systems, by the same reason, by at most m sqrt(W / (W - 1)), for W
      resamples, or by m if they are all;
    - the one from both, which is the distance of these two from 0, by at most theirs.

    To these the rounding of the sums is added. The share is the square of a ratio r of standard
    errors, which moves by at most d = (d_reference + r d_both) / (both - d_both), and the share by
    2 r d + d^2; the degrees of freedom lie between those at the ends of the share, and their
    maximum. An end of the interval moves with the difference, and with the margin, which is largest
    at the fewest degrees of freedom and smallest at the most.
    """
    numbers = found.columns(exact, conf_level)
    of_reference, within = found.rounding(exact, resamples)
    with np.errstate(invalid="ignore", divide="ignore"):
        topics = moved / np.sqrt(found.given.n - 1)
        of_reference += moved * (1.0 if exact else np.sqrt(found.weight / (found.weight - 1)))
        of_both = np.hypot(of_reference, within + moved / np.sqrt(found.fewest - 1))
        both, share = numbers["stderr_both"], numbers["reference_share"]
        ratio = np.sqrt(share)
        smallest = np.fmax(both - of_both, 0)
        of_ratio = np.where(both == 0, 0.0, (of_reference + ratio * of_both) / smallest)
        of_share = np.fmin(2 * ratio * of_ratio + of_ratio**2, 1.0)
        lowest, highest = np.fmax(share - of_share, 0), np.fmin(share + of_share, 1)
        # The share with the most degrees of freedom, n + k - 2.
        best = (found.systems - 1) / (found.given.n + found.systems - 2)
        shares = np.array([lowest, highest, np.clip(best, lowest, highest)])
        df = np.array([found.degrees_of_freedom(each) for each in shares])
        own = found.degrees_of_freedom(share)
        of_df = np.abs(df - own).max(axis=0)
        zero = np.zeros_like(both)
        margins = [
            student_t.interval(zero, stderr, freedom, "two-sided", conf_level)[1]
            for stderr, freedom in (
                (both, own),
                (both + of_both, df.min(axis=0)),
                (smallest, df.max(axis=0)),
            )
        ]
    of_end = moved + np.abs(np.array(margins[1:]) - margins[0]).max(axis=0)
    bound = {
        "stderr_topics": topics,
        "stderr_reference": of_reference,
        "stderr_both": of_both,
        "reference_share": of_share,
        "both_df": of_df,
        "both_low": of_end,
        "both_high": of_end,
    }
    return {name: np.nan_to_num(values, posinf=0.0) for name, values in bound.items()}
