"""Cautions on tests of fit that cannot reject: too few scores, or too few resamples."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.diagnosis.draws import Draws
from cdfscore.diagnosis.goodness_of_fit import STATISTICS, statistics
from cdfscore.io.text import written
from cdfscore.numerics.moments import mean_and_sd
from cdfscore.numerics.normal_cdf import normal_cdf
from cdfscore.numerics.types import Array
from cdfscore.standardization.reference_systems import FEW_SYSTEMS

if TYPE_CHECKING:
    import pandas as pd

# Samples of each distribution, in `detected`; their error is below 0.003 at a level of 0.05.
_SAMPLES = 20_000
_AD = list(STATISTICS).index("ad")


def can_pass(tested: int, draws: Draws, alpha: float) -> bool:
    """Tell whether a p value of `tested` topics can be at most alpha after Holm's correction.

    The least p value is 1 / (most + 1), and Holm's correction multiplies the smallest by the
    number of topics.
    """
    return tested / (draws.most + 1) <= alpha * (1 + 1e-12)


def resamples_to_pass(tested: int, alpha: float) -> int:
    """Return the least number of resamples with which a p value can pass: tested / alpha - 1.

    Examples
    --------
    >>> resamples_to_pass(50, 0.05)
    999
    """
    return math.ceil(tested / alpha * (1 - 1e-12)) - 1


def detected(n: int, level: float) -> float:
    """Return the power of the test of normal against n scores of an exponential distribution.

    The test is that of Anderson and Darling at a `level`. The power depends on neither the
    location nor the scale of the scores, and shows what tests with n scores can detect. It is
    simulated from a fixed seed.

    Examples
    --------
    >>> round(detected(5, 0.05), 2), round(detected(50, 0.05), 2)
    (0.17, 1.0)
    """
    rng = np.random.default_rng([n, _SAMPLES])
    null = _normal_distance(rng.standard_normal((_SAMPLES, n)))
    found = _normal_distance(rng.standard_exponential((_SAMPLES, n)))
    # Two scores always have the same distance except for rounding; those are ties.
    below = np.searchsorted(np.sort(null), found * (1 - 1e-9))
    p = (_SAMPLES - below + 1) / (_SAMPLES + 1)
    return float((p <= level).mean())


def _normal_distance(samples: Array) -> Array:
    ordered = np.sort(samples, axis=-1)
    mean, sd = mean_and_sd(ordered)
    reached = normal_cdf((ordered - mean) / sd)
    distances: Array = statistics(reached, reached)[_AD]
    return distances


def judged(own: pd.DataFrame, rejected: int, draws: Draws, alpha: float) -> bool:
    """Tell whether a number of rejections says anything about a scheme.

    It says nothing where no p value can pass, nor where nothing is rejected in topics that
    all have fewer than `FEW_SYSTEMS` scores. `own` are the tested rows of `Diagnosis.fits`.
    """
    if not len(own) or not can_pass(len(own), draws, alpha):
        return False
    return rejected > 0 or bool((own["n"] >= FEW_SYSTEMS).any())


def cautions(fits: pd.DataFrame, draws: Draws, alpha: float) -> tuple[str, ...]:
    """Return the cautions on the rejections: sentences without a period."""
    tested = fits[fits["ad_p"].notna()].groupby("scheme", sort=False).size()
    found = []
    short = tested[[not can_pass(int(number), draws, alpha) for number in tested]]
    if len(short):
        most = int(short.max())
        whom = (
            "no distribution" if len(short) == len(tested) else "none of " + ", ".join(short.index)
        )
        least = 1 / (draws.most + 1)
        found.append(
            f"{whom} can be rejected, whatever the scores are: with at most {draws.most} "
            f"resamples per topic, the smallest possible p value is {least:.3g}, and "
            f"{min(most * least, 1):.3g} after Holm's correction over {_count(most, 'topic')}; "
            f"rejection at {written(alpha)} needs a maximum of {resamples_to_pass(most, alpha)} "
            "or more, or no maximum"
        )
    topics = fits[fits["fitted"]].drop_duplicates("topic")
    few = topics.loc[topics["n"] < FEW_SYSTEMS, "n"]
    if len(few):
        n = int(few.max())
        sentence = (
            f"{_count(len(few), 'topic')} of {len(topics)} {'has' if len(few) == 1 else 'have'} "
            f"{'' if few.min() == n else 'at most '}{_count(n, 'score')}, fewer than "
            f"{FEW_SYSTEMS}: so few scores can hardly distinguish one distribution from another"
        )
        if len(tested):
            most = int(tested.max())
            sentence += (
                f", and a distribution that is not rejected may be wrong; with {n} scores, the "
                "power of a test of normal against an exponential distribution is "
                f"{_share(detected(n, alpha))} at {written(alpha)}"
            )
            if most > 1:
                corrected = _share(detected(n, alpha / most))
                sentence += f", and {corrected} after Holm's correction over {most} topics"
        found.append(sentence)
    return tuple(found)


def _share(value: float) -> str:
    return "less than 0.01" if value < 0.01 else f"{value:.2f}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
