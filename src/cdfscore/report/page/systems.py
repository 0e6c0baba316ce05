"""The table of systems of a page: ranks, means, and letters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cdfscore.comparison import ranking
from cdfscore.errors import SignificanceError
from cdfscore.io.text import written
from cdfscore.numerics.moments import mean
from cdfscore.report.captioned import NO_NUMBER, Captioned, Column
from cdfscore.report.number_cells import fixed, interval

if TYPE_CHECKING:
    from cdfscore.numerics.types import Array
    from cdfscore.report.page.analysis import Analysis


def systems_table(analysis: Analysis) -> Captioned:
    """Return one row per system, best mean first; tied systems have the average of their ranks."""
    means = analysis.standardized.frame_of_means
    mean, names = means["mean"].to_numpy(), [str(name) for name in means.index]
    order = np.argsort(-mean, kind="stable")  # NaN last
    ranks, intervals = ranks_of(mean), _intervals(analysis)
    columns = [
        Column("rank", True, [ranks[i] for i in order]),
        Column("system", False, [names[i] for i in order]),
        Column("mean", True, [fixed(mean[i], 4) for i in order]),
        Column("interval", True, [intervals[i] for i in order]),
    ]
    level = f"{100 * analysis.comparison.chosen.conf_level:.12g} %"
    told = [
        "Systems, ordered by mean",
        "Tied systems have the average of their ranks",
        f"Each interval is the {level} t interval of one mean, over the topics of the system. It "
        "is not an interval of a difference",
    ]
    if not analysis.is_raw:
        raw = raw_means(analysis)
        raw_ranks = ranks_of(raw)
        columns += [
            Column("raw mean", True, [fixed(raw[i], 4) for i in order]),
            Column("rank by raw", True, [raw_ranks[i] for i in order]),
        ]
        told.append("Raw means are means over the same topics, before standardization")
    if reversal := analysis.standardized.reversal:
        which = "Means" if analysis.is_raw else "Raw means"
        told.append(f"{which} are of scores that were {reversal}, because lower is better")
    columns.append(Column("topics", True, [str(means["topics"].iloc[i]) for i in order]))
    letters = letters_of(analysis)
    if (of_topics := analysis.comparison.mean_ranks) is not None:
        own = of_topics.iloc[:, 0].to_numpy()
        columns.append(Column("mean rank", True, [fixed(own[i], 4) for i in order]))
        told.append(
            f"The tests{' and the letters' if letters else ''} use the mean rank, not the mean. "
            "Within a topic, the lowest score has rank 1"
        )
    if letters:
        columns.append(Column("letters", False, [letters[names[i]] for i in order]))
        told.append(
            "Systems that share a letter do not differ significantly at level "
            f"{written(analysis.comparison.alpha)}. This does not show that they are equal"
        )
    return Captioned("", "", columns).with_caption("Systems", *told)


def raw_means(analysis: Analysis) -> Array:
    """Return the mean of each system's scores before standardization, NaN without a score."""
    return mean(analysis.standardized.used.values.T)[:, 0]


def ranks_of(means: Array) -> list[str]:
    """Return the rank of each mean as text, 1 for the largest, averages for tied means."""
    there = np.flatnonzero(~np.isnan(means))
    found = [NO_NUMBER] * len(means)
    if len(there):
        for i, rank in zip(there, ranking.ranks(means[there]), strict=True):
            found[i] = f"{rank:g}"
    return found


def _intervals(analysis: Analysis) -> list[str]:
    """Return the interval of the mean of each system, in the order of the scores."""
    (own,) = analysis.comparison.mean_intervals.values()
    ends = (own[end].to_numpy(dtype=np.float64).tolist() for end in ("low", "high"))
    return [interval(low, high) for low, high in zip(*ends, strict=True)]


def letters_of(analysis: Analysis) -> dict[str, str]:
    """Return the letters of systems; none where a baseline leaves pairs out."""
    if analysis.comparison.family.baselines:
        return {}
    try:
        return analysis.comparison.letters()
    except SignificanceError:
        return {}
