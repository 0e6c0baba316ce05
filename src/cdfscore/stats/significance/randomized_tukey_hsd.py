"""Randomized Tukey HSD test: all pairs of systems against the largest range."""

import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cdfscore.common.costs import check_cost
from cdfscore.stats.numerics.compiled import compiled, in_blocks, njit
from cdfscore.stats.numerics.moments import mean
from cdfscore.stats.numerics.tails import p_value
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance import contract
from cdfscore.stats.significance._means import without_topics
from cdfscore.stats.significance.resampling import COUNTED, MOST_ENUMERATED, least_p_value, rounding

# --- Largest range of system means when scores are shuffled within topics, compiled ---
#
# Each trial has a generator of its own, so that its numbers depend on the seed and it alone:
# xoshiro256++ of Blackman and Vigna (2021), Scrambled linear pseudorandom number generators, its
# state from their splitmix64.

# Trials that are taken at a time.
_BLOCK = 1 << 9
_U = np.uint64
_GOLDEN = _U(0x9E3779B97F4A7C15)
_LOW_HALF = _U(0xFFFFFFFF)


def enumerable(topics: int, systems: int) -> bool:
    """Tell whether all shuffles within topics are few enough to be enumerated."""
    return topics * math.lgamma(systems + 1) <= math.log(MOST_ENUMERATED) + 1e-9


def all_ranges(scores: Array) -> Array:
    """Return the range of the sums of systems for all (systems!)^topics shuffles."""
    places = np.array(list(itertools.permutations(range(scores.shape[1]))))
    sums = np.zeros((1, scores.shape[1]))
    for topic in scores:
        sums = (sums[:, np.newaxis] + topic[places]).reshape(-1, scores.shape[1])
    return np.asarray(np.ptp(sums, axis=1))


def drawn_ranges(scores: Array, B: int, seed: int) -> Array:
    """Return the range of the sums of systems for B random shuffles of scores (topics, systems)."""
    key = _key(seed)
    scores = np.ascontiguousarray(scores)
    check_cost(
        f"{B:,} resamples",
        "fewer resamples",
        score_of_a_resample=B,
        shuffled_score=B * scores.size,
    )
    ranges = np.empty(B)

    def fill(some: slice) -> None:
        _fill(scores, key, some.start, ranges[some])

    in_blocks(fill, B, scores.size, _BLOCK * scores.size)
    return ranges


def drawn(sizes: contract.NumbersOfTopics, B: int, seed: int) -> contract.Draws | None:
    """Return the random shuffles: the systems whose scores the first gets, by topic, and so on."""
    topics, systems = sizes
    if enumerable(topics, systems):
        return None
    return contract.Draws(
        B, topics * systems, systems - 1, lambda: _orders(topics, systems, B, seed)
    )


def _orders(topics: int, systems: int, B: int, seed: int) -> Iterator[NDArray[Any]]:
    key, kind = _key(seed), np.min_scalar_type(systems - 1)
    for start in range(0, B, _BLOCK):
        orders = np.empty((min(_BLOCK, B - start), systems, topics), dtype=kind)
        _fill_orders(key, start, orders)
        yield orders.reshape(len(orders), -1)


def _key(seed: int) -> np.uint64:
    return np.uint64(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])


@njit(inline="always")
def _mixed(x: np.uint64) -> np.uint64:
    """Return the output of splitmix64 for a state."""
    x = (x ^ (x >> _U(30))) * _U(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> _U(27))) * _U(0x94D049BB133111EB)
    return x ^ (x >> _U(31))


@njit(inline="always")
def _rotated(x: np.uint64, k: int) -> np.uint64:
    return (x << _U(k)) | (x >> _U(64 - k))


@njit(inline="always")
def _start(key: np.uint64, trial: int) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    origin = _mixed(key + _U(trial) * _GOLDEN)
    return (
        _mixed(origin + _GOLDEN),
        _mixed(origin + _U(2) * _GOLDEN),
        _mixed(origin + _U(3) * _GOLDEN),
        _mixed(origin + _U(4) * _GOLDEN),
    )


@njit(inline="always")
def _limits(systems: int) -> NDArray[np.uint64]:
    """Return what a draw below each i must not fall under, so that i values are equally likely."""
    limits = np.zeros(systems + 1, dtype=np.uint64)
    for i in range(1, systems + 1):
        limits[i] = (_U(1) << _U(32)) % _U(i)
    return limits


@njit(inline="always")
def _place(
    s0: np.uint64, s1: np.uint64, s2: np.uint64, s3: np.uint64, left: int, limit: np.uint64
) -> tuple[np.int64, np.uint64, np.uint64, np.uint64, np.uint64]:
    """Return a random number below `left`, and the next state."""
    while True:
        word = _rotated(s0 + s3, 23) + s0
        moved = s1 << _U(17)
        s2 ^= s0
        s3 ^= s1
        s1 ^= s2
        s0 ^= s3
        s2 ^= moved
        s3 = _rotated(s3, 45)
        # Lemire (2019), Fast random integer generation in an interval.
        product = (word >> _U(32)) * _U(left)
        if (product & _LOW_HALF) >= limit:
            break
    return np.int64(product >> _U(32)), s0, s1, s2, s3


@compiled
def _fill(scores: Array, key: np.uint64, start: int, ranges: Array) -> None:
    topics, systems = scores.shape
    limits = _limits(systems)
    row = np.empty(systems)
    sums = np.empty(systems)
    for trial in range(len(ranges)):
        s0, s1, s2, s3 = _start(key, start + trial)
        sums[:] = 0.0
        for topic in range(topics):
            row[:] = scores[topic]
            # Fisher and Yates from the end: the last of `left` scores is one drawn from them.
            for left in range(systems, 0, -1):
                place, s0, s1, s2, s3 = _place(s0, s1, s2, s3, left, limits[left])
                sums[left - 1] += row[place]
                row[place] = row[left - 1]
        ranges[trial] = sums.max() - sums.min()


@compiled
def _fill_orders(key: np.uint64, start: int, orders: NDArray[Any]) -> None:
    """Write the orders (trials, systems, topics) of the same trials."""
    trials, systems, topics = orders.shape
    limits = _limits(systems)
    row = np.empty(systems, dtype=orders.dtype)
    for trial in range(trials):
        s0, s1, s2, s3 = _start(key, start + trial)
        for topic in range(topics):
            for system in range(systems):
                row[system] = system
            for left in range(systems, 0, -1):
                place, s0, s1, s2, s3 = _place(s0, s1, s2, s3, left, limits[left])
                orders[trial, left - 1, topic] = row[place]
                row[place] = row[left - 1]


# --- The test ---


def _least_p(sizes: contract.Sizes, settings: Mapping[str, Any]) -> float:
    """Return the p value where the same two systems are at the ends of every topic."""
    if sizes.n == 1:
        return 1.0
    systems = sizes.systems
    if not enumerable(sizes.n, systems):
        return least_p_value(settings["B"])
    return float(systems * (systems - 1)) ** (1 - sizes.n)


@contract.simultaneous(
    source="Carterette (2012); Sakai (2018), chapter 4",
    label="randomized Tukey HSD test",
    minimum=1,
    of_all=True,
    tolerances={"p_value": COUNTED},
    drawn=drawn,
    least_p=_least_p,
    in_unit=(*contract.DIFFERENCE, "statistic"),
    shifts="topics",
    null="within each topic, all orders of the systems' scores are equally likely",
    assumes="error rate controlled only if no systems differ",
    choose_for="all pairs by the range of means, without normal errors",
    complete_null=True,
)
def randomized_tukey_hsd(
    scores: Array,
    first: contract.Indices,
    second: contract.Indices,
    *,
    B: int = 10_000,
    seed: contract.Seed = 0,
) -> contract.Rows:
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
        The seed of the random shuffles. Shuffle k depends on the seed and k alone, and not on
        the threads, as many as there are processors.

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
    information retrieval experiments, ACM TOIS 30(1). The familywise error rate is controlled only
    if no systems differ (weak control). Systems that differ change q* for all pairs; this is not so
    in `max_t`. Neither SciPy nor statsmodels has the test.

    Examples
    --------
    >>> from cdfscore.stats.significance import randomized_tukey_hsd
    >>> scores = [[0.5, 0.4, 0.1], [0.3, 0.3, 0.2], [0.8, 0.5, 0.3], [0.7, 0.6, 0.2]]
    >>> result = randomized_tukey_hsd(scores)
    >>> [round(float(p), 4) for p in result.p_value]
    [0.75, 0.0093, 0.2963]
    """

    assert isinstance(seed, int)  # the contract draws the number from a generator
    topics, systems = scores.shape
    apart, _ = without_topics(scores)
    exact = enumerable(topics, systems)
    if exact:
        ranges = all_ranges(apart)
        method = f"all ({systems}!)^{topics} shuffles within topics"
    else:
        ranges = drawn_ranges(apart, B, seed)
        method = f"shuffles within topics, B = {B}, seed {seed}"
    # No difference of a topic, however shuffled, is larger than the range of its scores.
    size = rounding(np.ptp(apart, axis=1))
    sums = apart.sum(axis=0)
    difference = np.abs(sums[first] - sums[second])
    extreme = len(ranges) - np.searchsorted(np.sort(ranges), difference - size)
    p, stderr = p_value(extreme.astype(np.float64), len(ranges), exact)
    means = mean(np.ascontiguousarray(apart.T))[:, 0]
    estimate = means[first] - means[second]
    return contract.Rows(
        statistic=estimate, p_value=p, estimate=estimate, p_value_stderr=stderr, method=method
    )
