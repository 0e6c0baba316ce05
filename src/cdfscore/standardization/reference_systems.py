"""How many reference systems there are, what they reach, and whether others are of their kind."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.errors import FitError
from cdfscore.io.text import counted, listed, part_of
from cdfscore.numerics.types import Array, IntArray
from cdfscore.schemes.base import Distribution, Fitted, Scheme

if TYPE_CHECKING:
    from cdfscore.standardization.matrix import ScoreMatrix


def beyond_ends(fitted: Fitted, x: Array) -> tuple[IntArray, IntArray]:
    """Return how many scores of each row are below and above the distribution of the row.

    `x` is (rows, m). Their standardized scores are 0 and 1, whatever their distance from the ends.
    None is where all reference scores are equal, nor of a scheme that is not a distribution.

    Specified in censored.1.

    Examples
    --------
    >>> from cdfscore.schemes import Uniform
    >>> fitted = Uniform().fit([[0.1, 0.2, 0.3], [0.4, 0.4, 0.4]])
    >>> below, above = beyond_ends(fitted, np.array([[0.0, 0.6, 0.9], [0.3, 0.4, 0.9]]))
    >>> below.tolist(), above.tolist()
    ([0, 0], [2, 0])
    """
    if not isinstance(fitted.scheme, Distribution):
        return np.zeros(len(x), dtype=np.int64), np.zeros(len(x), dtype=np.int64)
    low, high = (np.broadcast_to(end, len(x))[:, np.newaxis] for end in fitted.support)
    varies = ~np.broadcast_to(fitted.constant, len(x))
    below, above = ((x < low).sum(axis=1), (x > high).sum(axis=1))
    return below * varies, above * varies


#: Reference systems below which results depend on which they are; see docs/reference_systems.md.
FEW_SYSTEMS = 10

# Two scores of a topic, at different places and distances: a scheme that fits a location and a
# scale gives the same two y to each.
_PAIRS = np.array([[0.25, 0.75], [0.5, 0.53125], [0.125, 0.9375]])


def few_systems(count: int | None, scheme: Scheme | None = None) -> list[str]:
    """Return a sentence if a scheme is fitted to few systems; `count` is None if not known.

    `scheme` is the one that is fitted to the systems and applied to them, if it is known.

    Examples
    --------
    >>> few_systems(9)
    ['9 reference systems: with fewer than 10, results depend on which systems they are']
    >>> few_systems(10)
    []
    """
    if count is None or count >= FEW_SYSTEMS:
        return []
    if count == 2 and scheme is not None and _gives_any_two_the_same(scheme):
        return [
            "2 reference systems: on each topic they get the same two standardized scores for "
            "any difference of their scores, so that a test of the two is a sign test"
        ]
    return [
        f"{count} reference system{'s' * (count > 1)}: with fewer than {FEW_SYSTEMS}, results "
        "depend on which systems they are"
    ]


def _gives_any_two_the_same(scheme: Scheme) -> bool:
    """Tell whether two scores become the same two y, whatever their place and difference."""
    try:
        y = scheme.fit(_PAIRS)(_PAIRS)
    except FitError:
        return False
    return bool(np.allclose(y, y[0], rtol=1e-9, atol=1e-12))


# Of a random split of systems into new ones and reference systems, the largest probability of
# each caution on the new ones.
_CHANCE = 1e-3
# The smallest proportion of topics on which all new systems are on one side of the reference, and
# the proportion of reference systems that may be beyond them: most references have a few failures.
_APART, _BEYOND = 0.2, 0.1
# Scores of one system differ if it is by more than this part of the range of the reference.
_DIGITS = 1e-3
_QUESTION = "are they of the same measure, on the same judgments?"


def unlike_the_reference(given: ScoreMatrix, reference: ScoreMatrix) -> list[str]:
    """Return sentences on systems whose scores do not look like those of the reference systems.

    - A system with the same name has other scores in the reference.
    - On a fifth of the topics or more, all m new systems are below, or all above, nine tenths of
      the n reference systems.
    - All new systems agree less on the difficulty of topics than most of ten or more reference
      systems do, by the correlation with the means of the others: half of the median at most.

    If new and reference systems are a random split of one population, the second and the third each
    have a probability of at most 0.001; otherwise they are not looked at. Specified in reference.1.
    """
    there = {topic: row for row, topic in enumerate(reference.topics)}
    rows = [row for row, topic in enumerate(given.topics) if topic in there]
    theirs = reference.values[[there[given.topics[row]] for row in rows]]
    own, topics = given.values[rows], [given.topics[row] for row in rows]
    place = {name: column for column, name in enumerate(reference.systems)}
    shared = [column for column, name in enumerate(given.systems) if name in place]
    found = []
    if shared and len(topics):
        width = np.nanmax(theirs, initial=-np.inf) - np.nanmin(theirs, initial=np.inf)
        same = theirs[:, [place[given.systems[column]] for column in shared]]
        apart = np.abs(own[:, shared] - same) > _DIGITS * width
        if apart.any():
            names = [given.systems[shared[i]] for i in np.flatnonzero(apart.any(axis=0))]
            are = "is" if len(names) == 1 else "are"
            where = part_of(int(apart.any(axis=1).sum()), len(topics), "topic")
            found.append(
                f"{counted(len(names), 'system')} ({listed(names)}) {are} in the reference too, "
                f"with other scores on {where}: {_QUESTION}"
            )
    new = np.delete(own, shared, axis=1)
    complete = ~np.isnan(new).any(axis=1) & ~np.isnan(theirs).any(axis=1)
    return [*found, *_apart(new[complete], theirs[complete])]


def _apart(new: Array, reference: Array) -> list[str]:
    """Return the sentences on new systems (topics, m) beside reference systems (topics, n)."""
    (topics, m), n = new.shape, reference.shape[1]
    if not m or topics < 2 or n < 2:
        return []
    beyond, ordered, found = int(_BEYOND * n), np.sort(reference, axis=1), list[str]()
    for side, is_apart in (
        ("below", new.max(axis=1) < ordered[:, beyond]),
        ("above", new.min(axis=1) > ordered[:, n - 1 - beyond]),
    ):
        # Topics go together, but the expected share is this chance (Markov's inequality).
        if (share := is_apart.mean()) >= _APART and 2 * _chance(m, beyond, n) <= _CHANCE * share:
            found.append(
                f"all {m} new systems are {side} {n - beyond} or more of the {n} reference systems "
                f"on {part_of(int(is_apart.sum()), topics, 'topic')}: {_QUESTION}"
            )
    if n >= FEW_SYSTEMS:
        total = reference.sum(axis=1, keepdims=True)
        with_others = _correlations(reference, (total - reference) / (n - 1))
        own = np.nanmax(_correlations(new, total / n), initial=-1)
        lower, middle = int((with_others <= own).sum()), float(np.nanmedian(with_others))
        if own <= middle / 2 and _chance(m, lower, n) <= _CHANCE:
            found.append(
                f"the {m} new systems find other topics difficult than the reference systems do: "
                f"their correlation with its mean over topics is at most {own:.2f}, and that of a "
                f"reference system is {middle:.2f} in the median: {_QUESTION}"
            )
    return found


def _chance(m: int, lower: int, n: int) -> float:
    """Return the probability that m of m + n systems in a random order are the lowest but `lower`.

    C(m + lower, m) / C(m + n, m).
    """
    of = (math.lgamma(m + each + 1) - math.lgamma(each + 1) for each in (lower, n))
    return math.exp(next(of) - next(of))


def _correlations(x: Array, y: Array) -> Array:
    """Return the correlation of each column of x with that of y, NaN where one is constant."""
    x, y = (each - each.mean(axis=0) for each in (x, y))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((x * y).sum(axis=0) / np.sqrt((x**2).sum(axis=0) * (y**2).sum(axis=0)))
