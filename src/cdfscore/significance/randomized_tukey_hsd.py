"""Randomized Tukey HSD test: all pairs of systems against the largest range."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.moments import mean
from cdfscore.numerics.resampling import p_value
from cdfscore.numerics.types import Array
from cdfscore.significance._least_p import of_topic_shuffles
from cdfscore.significance._two_way import topics_prevail, without_topics
from cdfscore.significance.contract import DIFFERENCE, Indices, Rows, Seed, simultaneous
from cdfscore.significance.resampling.common import COUNTED, rounding
from cdfscore.significance.resampling.draws import Draws, Sizes


def _drawn(sizes: Sizes, B: int, seed: int) -> Draws | None:
    # Imported here because numba takes half a second.
    from cdfscore.significance.resampling import topic_shuffles

    return topic_shuffles.drawn(sizes, B, seed)


@simultaneous(
    source="Carterette (2012); Sakai (2018), chapter 4",
    label="randomized Tukey HSD test",
    minimum=1,
    of_all=True,
    tolerances={"p_value": COUNTED},
    drawn=_drawn,
    least_p=of_topic_shuffles,
    in_unit=(*DIFFERENCE, "statistic"),
    null="within each topic, all orders of the systems' scores are equally likely",
    assumes="error rate controlled only if no systems differ",
    choose_for="all pairs by the range of means, without normal errors",
    complete_null=True,
)
def randomized_tukey_hsd(
    scores: Array,
    first: Indices,
    second: Indices,
    *,
    B: int = 10_000,
    seed: Seed = 0,
) -> Rows:
    """Test all pairs of systems simultaneously by shuffling the scores within each topic.

    Under the null hypothesis that no systems differ, all orders of the scores of a topic are
    equally likely. With m the means of the systems and q* = max(m*) - min(m*) after a shuffle of
    every topic, the p value of a pair is the proportion of shuffles with q* >= abs(m_i - m_j). All
    (systems!)^topics shuffles are used if these are at most 2^20, and p is exact. Otherwise B
    random shuffles are used, and p = (b + 1) / (B + 1) if b of them have such a q*.

    Specified in randomized_tukey_hsd.1 and randomized_tukey_hsd.2.

    Parameters
    ----------
    scores
        Scores of shape (topics, systems), none missing. All systems are shuffled, whichever
        pairs are asked for.
    first, second
        The pairs of systems.
    B
        The number of random shuffles.
    seed
        The seed of the random shuffles. Shuffle k depends on the seed and k alone: threads
        and blocks change no number.

    Returns
    -------
    TestResult
        A value for each pair: statistic and estimate m_i - m_j, and p values that need no
        correction; p_value_stderr their Monte Carlo standard error, 0 where they are exact.

    Raises
    ------
    SignificanceError
        For a matrix with a missing score.

    Notes
    -----
    Source: Carterette (2012), Multiple testing in statistical analysis of systems-based
    information retrieval experiments, ACM TOIS 30(1). The p value of random shuffles is that of
    Phipson and Smyth (2010). The familywise error rate is controlled only if no systems
    differ (weak control). Systems that differ change q* for all pairs; this is not so in `max_t`.

    A q* that equals a difference except for rounding error counts: n 2^-48 times the sum of the
    ranges of the topics. Identical systems have p = 1.

    Neither SciPy nor statsmodels has it. The loop is compiled and shared by as many threads as
    there are processors.

    Examples
    --------
    >>> from cdfscore.significance import randomized_tukey_hsd
    >>> scores = [[0.5, 0.4, 0.1], [0.3, 0.3, 0.2], [0.8, 0.5, 0.3], [0.7, 0.6, 0.2]]
    >>> result = randomized_tukey_hsd(scores)
    >>> [round(float(p), 4) for p in result.p_value]
    [0.75, 0.0093, 0.2963]
    """
    from cdfscore.significance.resampling import topic_shuffles

    assert isinstance(seed, int)  # the contract draws the number from a generator
    topics, systems = scores.shape
    apart = without_topics(scores)
    exact = topic_shuffles.enumerable(topics, systems)
    if exact:
        ranges = topic_shuffles.all_ranges(apart)
        method = f"all ({systems}!)^{topics} shuffles within topics"
    else:
        ranges = topic_shuffles.drawn_ranges(apart, B, seed)
        method = f"shuffles within topics, B = {B}, seed {seed}"
    # No difference of a topic, however shuffled, is larger than the range of its scores.
    size = rounding(np.ptp(apart, axis=1))
    sums = apart.sum(axis=0)
    difference = np.abs(sums[first] - sums[second])
    extreme = len(ranges) - np.searchsorted(np.sort(ranges), difference - size)
    p, stderr = p_value(extreme.astype(np.float64), len(ranges), exact)
    of_means = apart if topics_prevail(scores) else scores
    means = mean(np.ascontiguousarray(of_means.T))[:, 0]
    estimate = means[first] - means[second]
    return Rows(
        statistic=estimate, p_value=p, estimate=estimate, p_value_stderr=stderr, method=method
    )
