"""p values of goodness of fit by parametric bootstrap: the parameters are estimated."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass

import numpy as np

from cdfscore.diagnosis.goodness_of_fit import STATISTICS, statistics
from cdfscore.diagnosis.resolution import Resolution
from cdfscore.numerics.inversion import invert
from cdfscore.numerics.resampling import p_value
from cdfscore.numerics.types import Array
from cdfscore.schemes import Fitted
from cdfscore.unfitted import fit_where_possible

# Scores simulated at a time: enough for a batch to be fast, and little memory.
_BLOCK = 1 << 17
#: Fewer resamples than this at least as far away as the scores, and more are drawn.
FEW = 5
# Statistics closer than this share of them are ties.
_TIE = 1e-9


@dataclass(frozen=True)
class Draws:
    """How many resamples are drawn, and of which stream.

    `resamples` are drawn for every topic. Where fewer than `FEW` of them are as far away as
    the scores, `most` are drawn in all, so that the least p value can hold after Holm's
    correction. The p value is valid at every level: a topic goes on only if its p value was
    small, and none that stops has a p value below (FEW + 1) / (resamples + 1).

    The numbers of a topic depend on the seed and its label alone, and are the same for all
    distributions: neither other topics nor other distributions change a result.
    """

    resamples: int
    most: int
    seed: int

    @classmethod
    def of(cls, resamples: int, seed: int, topics: int, alpha: float) -> Draws:
        """Return draws whose least p value is at most alpha / 2 after Holm over `topics`."""
        times = math.ceil(2 * topics / (alpha * (resamples + 1))) if resamples else 1
        return cls(resamples, max(times, 1) * (resamples + 1) - 1, seed)

    def generator(self, topic: str) -> np.random.Generator:
        """Return the stream of a topic."""
        digest = hashlib.sha256(topic.encode()).digest()
        return np.random.default_rng([self.seed, int.from_bytes(digest[:16], "big")])


@dataclass(frozen=True)
class Bootstrap:
    """p values of the `STATISTICS` (3,), their Monte Carlo standard errors, and the resamples.

    `resamples` were fitted and `refused` were not, for the `reason` of the first.
    """

    p: Array
    stderr: Array
    resamples: int
    refused: int
    reason: str


def follows_the_sample(fitted: Fitted, n: int) -> bool:
    """Tell whether a fit holds the n scores themselves, as empirical and kernel do.

    It is then near them whatever they are, and its distance from them tells nothing.
    """
    held = any(values.shape[-1] == n > 1 for values in fitted.parameters.values())
    return held and fitted.scheme.free_parameters is None


def bootstrap(
    fitted: Fitted, sample: Array, resolution: Resolution, draws: Draws, topic: str
) -> Bootstrap:
    """Return the p values of one topic: `fitted` has one row, `sample` its n scores, sorted.

    Samples of n scores are drawn from the fitted distribution by its quantiles, rounded as
    the scores are, and fitted anew: p = (b + 1) / (B + 1), where b of B resamples have a
    statistic at least that of the scores; Stute, Gonzalez Manteiga and Presedo Quindimil
    (1993), Bootstrap based goodness-of-fit-tests. Quantiles are the scheme's own, or else
    found by inverting its cdf.

    The scores are known to be such that the distribution can be fitted, and so must the
    resamples be: one that is constant or refused does not count. Where the refused ones have
    scores at an end of the scheme's domain at which no score of the topic is (a beta takes
    no zeros), they are drawn again from the distribution without that end.
    """
    generator = draws.generator(topic)
    lower, upper = resolution.cells(fitted, sample[np.newaxis])
    limit = statistics(lower, upper) * (1 - _TIE)
    counts, fitting, refused, reason = _extreme(
        fitted, sample, resolution, generator, draws.resamples, limit
    )
    p, stderr = p_value(counts, fitting, exact=False)
    few = counts < FEW
    if draws.most > draws.resamples and few.any() and fitting:
        more = _extreme(fitted, sample, resolution, generator, draws.most - draws.resamples, limit)
        counts, fitting, refused = counts + more[0], fitting + more[1], refused + more[2]
        p, stderr = np.where(few, p_value(counts, fitting, exact=False), (p, stderr))
    if fitting < refused:
        p, stderr = np.full((2, len(STATISTICS)), np.nan)
        reason = f"{refused} of {fitting + refused} resamples cannot be fitted: {reason}"
    return Bootstrap(p, stderr, fitting, refused, reason)


def _extreme(
    fitted: Fitted,
    sample: Array,
    resolution: Resolution,
    generator: np.random.Generator,
    resamples: int,
    limit: Array,
) -> tuple[Array, int, int, str]:
    """Count the resamples whose statistics reach `limit`, those fitted and those refused."""
    counts, fitting, reason = np.zeros(len(STATISTICS)), 0, ""
    step = max(1, _BLOCK // len(sample))
    for start in range(0, resamples, step):
        # 0 has no finite quantile
        u = np.maximum(generator.random((min(step, resamples - start), len(sample))), 2.0**-54)
        found = _statistics(fitted, u, resolution)
        if found.refused:
            inside = _without_ends(fitted, sample, resolution)
            if inside != (0.0, 1.0):
                low, high = inside
                rows = list(found.refused)
                again = _statistics(fitted, low + u[rows] * (high - low), resolution)
                found.values[:, rows] = again.values
                found.refused = {rows[row]: why for row, why in again.refused.items()}
        reached = found.values >= limit
        counts += reached.sum(axis=-1)
        fitting += len(u) - len(found.refused)
        reason = reason or next(iter(found.refused.values()), "")
    return counts, fitting, resamples - fitting, reason


@dataclass
class _Simulated:
    """The statistics of resamples (3, rows), NaN where one was refused, and the reasons."""

    values: Array
    refused: dict[int, str]


def _statistics(fitted: Fitted, u: Array, resolution: Resolution) -> _Simulated:
    drawn = resolution.rounded(quantiles(fitted, u.reshape(1, -1))).reshape(u.shape)
    drawn.sort(axis=-1)
    values = np.full((len(STATISTICS), len(u)), np.nan)
    spread = drawn[:, 0] < drawn[:, -1]
    refused = {int(row): "all scores are equal" for row in np.flatnonzero(~spread)}
    rows = np.flatnonzero(spread)
    if rows.size:
        again, kept, why = fit_where_possible(fitted.scheme, drawn[rows])
        refused |= {int(rows[row]): reason for row, reason in why.items()}
        rows = rows[kept]
    if rows.size:
        values[:, rows] = statistics(*resolution.cells(again, drawn[rows]))
    return _Simulated(values, refused)


def quantiles(fitted: Fitted, p: Array) -> Array:
    """Return the quantiles of a fit, by its scheme or by inverting the cdf."""
    if hasattr(fitted.scheme, "inverse"):
        return fitted.quantile(p)
    low, high = fitted.support
    return invert(fitted, p, low[:, np.newaxis], high[:, np.newaxis])


def _without_ends(fitted: Fitted, sample: Array, resolution: Resolution) -> tuple[float, float]:
    """Return F at the ends of the domain that are not among the scores, its cells left out."""
    low, high = fitted.scheme.domain
    half = resolution.width / 2
    below, above = 0.0, 1.0
    if math.isfinite(low) and sample[0] > low:
        below = float(fitted(np.array([[low + half]]))[0, 0])
    if math.isfinite(high) and sample[-1] < high:
        above = float(fitted(np.array([[high - half]]))[0, 0])
    return below, above
