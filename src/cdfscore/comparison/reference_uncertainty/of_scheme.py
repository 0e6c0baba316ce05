"""Variances of means and differences by one scheme, over all resamples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cdfscore.comparison.pairs import Family
from cdfscore.comparison.reference_uncertainty import notes
from cdfscore.comparison.reference_uncertainty.refits import Refits
from cdfscore.comparison.reference_uncertainty.resampling import Progress
from cdfscore.comparison.reference_uncertainty.variances import Estimates, Variances
from cdfscore.numerics.moments import mean_and_sd
from cdfscore.numerics.types import Array, IntArray
from cdfscore.significance import paired_t
from cdfscore.significance.resampling import bootstrap
from cdfscore.standardization.standardized import Standardized


@dataclass(frozen=True)
class Bar:
    """Progress of one of several schemes, which have as many resamples each."""

    progress: Progress | None
    place: int
    schemes: int

    def update(self, done: int, of: int) -> None:
        """Tell how many of the resamples of this scheme are done."""
        if self.progress is not None:
            self.progress(self.place * of + done, self.schemes * of)


class OfScheme(NamedTuple):
    """Variances by one scheme, notes on the policies, and the largest standardized score."""

    means: Variances
    pairs: Variances
    notes: list[str]
    largest: float


def variances_of(
    found: Standardized, refits: Refits, family: Family, drawn: bootstrap.Resamples, bar: Bar
) -> OfScheme:
    """Return the variances of means and of differences over all resamples."""
    factors, y = found.factors, found.frame.to_numpy()
    systems, pairs = np.arange(y.shape[1]), np.arange(len(family))
    of_means = Variances(_means(y[np.newaxis]).take(0, systems), refits.resampled(systems))
    of_pairs = Variances(
        _differences(y[np.newaxis], family, 0 * pairs, pairs),
        refits.resampled(family.first, family.second),
    )
    largest = float(np.nanmax(np.abs(y), initial=0.0))
    if not factors.fitted.parameters:  # nothing is fitted, so that all resamples are the same
        of_means.add(of_means.given, systems, np.full(len(systems), drawn.total))
        of_pairs.add(of_pairs.given, pairs, np.full(len(pairs), drawn.total))
        bar.update(len(drawn.counts), len(drawn.counts))
        return OfScheme(of_means, of_pairs, [], largest)
    stay = refits.stay(drawn.counts)
    used = stay.any(axis=1)
    stay, counts, weights = stay[used], drawn.counts[used], drawn.weights[used]
    constant, unfitted, left_out = np.zeros((3, len(counts)))
    done = 0
    for batch in refits.batches(counts, len(family)):
        largest = float(np.nanmax(np.abs(batch.y), initial=largest))
        block = slice(done, done + len(batch.y))
        own, weight = stay[block], weights[block]
        rows, systems = np.nonzero(own)
        without = of_means.add(_means(batch.y).take(rows, systems), systems, weight[rows])
        left_out[block][rows[without]] = weight[rows[without]]
        rows, pairs = np.nonzero(own[:, family.first] & own[:, family.second])
        without = of_pairs.add(_differences(batch.y, family, rows, pairs), pairs, weight[rows])
        left_out[block][rows[without]] = weight[rows[without]]
        constant[block], unfitted[block] = batch.constant, batch.unfitted
        done = block.stop
        bar.update(len(drawn.counts) - len(counts) + done, len(drawn.counts))
    constant -= len(set(factors.constant_topics) & set(refits.topics))
    scheme = factors.fitted.scheme
    said = notes.on_policies(scheme, factors.constant, constant, unfitted, weights)
    said += notes.on_resamples_left_out(left_out.sum() / weights.sum())
    return OfScheme(of_means, of_pairs, said, largest)


def _means(y: Array) -> Estimates:
    """Return the means of all systems of scores (resamples, topics, systems)."""
    rows = np.ascontiguousarray(y.swapaxes(1, 2))
    n = np.count_nonzero(~np.isnan(rows), axis=2)
    with np.errstate(invalid="ignore", divide="ignore"):  # NaN for fewer than 2 topics
        mean, sd = (each[..., 0] for each in mean_and_sd(rows))
        return Estimates(mean, np.where(n > 1, sd / np.sqrt(n), np.nan), n)


def _differences(y: Array, family: Family, rows: IntArray, pairs: IntArray) -> Estimates:
    """Return the differences of the means of some pairs, in rows of y (resamples, ...)."""
    columns = y.swapaxes(0, 1).reshape(y.shape[1], -1)
    start = rows * y.shape[2]
    first, second = (start + own[pairs] for own in (family.first, family.second))
    return Estimates.of(paired_t.over_pairs(columns, first, second))
