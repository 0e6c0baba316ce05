"""Rankings of systems by their means, and compact letter displays."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import count, product
from string import ascii_lowercase

import numpy as np

from cdfscore.errors import SignificanceError, did_you_mean
from cdfscore.stats.numerics.ranks import midranks
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray

_OF_RANGE = 1e-12
_OF_LARGEST = 8 * np.finfo(np.float64).eps


def tied(means: Array) -> Array:
    """Return means in units of the largest, equal where only rounding tells them apart."""
    inverse = np.argsort(np.argsort(means, kind="stable"), kind="stable")
    ordered = np.sort(means) / (float(np.abs(means).max()) or 1.0)
    bound = _OF_RANGE * np.ptp(ordered) + _OF_LARGEST
    first = np.diff(ordered, prepend=-np.inf) > bound
    return np.asarray(ordered[first][np.cumsum(first) - 1][inverse])


def ranks(means: Array) -> Array:
    """Return the rank of each mean, 1 for the largest; tied systems have their mean rank."""
    return np.asarray(midranks(-tied(means)[np.newaxis])[0][0])


def compact_letters(systems: Sequence[str], apart: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the letters of each system; only without a significant difference do two share one.

    `systems` are in the order of the display, best first; the best system has an "a". `apart` are
    the pairs that differ. There is a letter for each of `groups`: "a" to "z", then "aa", "ab", ...
    The letters of a system are joined, as in "abc"; if there are more than 26 in all, they are
    separated by spaces. Raises `SignificanceError` for a pair that is not two different systems,
    and for a system named twice.

    Examples
    --------
    >>> compact_letters(["A", "B", "C"], [("A", "C")])
    {'A': 'a', 'B': 'ab', 'C': 'b'}
    """
    found = groups(systems, apart)
    between = "" if len(found) <= len(ascii_lowercase) else " "
    names: dict[str, list[str]] = {system: [] for system in systems}
    for group, letter in zip(found, _labels(), strict=False):
        for system in group:
            names[system].append(letter)
    return {system: between.join(letters) for system, letters in names.items()}


def groups(systems: Sequence[str], apart: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Return groups of systems: no pair within a group differs, and all other pairs are in one.

    Each group is as large as possible, and none is redundant; all that insert-and-absorb (Piepho,
    2004) returns can be thousands. The arguments are those of `compact_letters`.
    """
    alike = _alike(systems, apart)
    uncovered, covered = alike.copy(), np.zeros(len(systems), dtype=np.bool_)
    found = list[IntArray]()
    for system in range(len(systems)):
        while uncovered[system].any() or not covered[system]:
            group, candidates = np.arange(len(systems)) == system, alike[system].copy()
            # Each new member covers the most pairs: the first is a system that shares no group with
            # `system` yet, if there is one.
            covers = uncovered[system].astype(np.int64)
            while candidates.any():
                best = int(np.where(candidates, covers, -1).argmax())
                group[best] = True
                candidates &= alike[best]
                covers += uncovered[best]
            uncovered[group] &= ~group
            covered |= group
            found.append(np.flatnonzero(group))
    needed = _without_redundant(found, len(systems))
    return [[systems[member] for member in group] for group in sorted(needed)]


def _alike(systems: Sequence[str], apart: Iterable[tuple[str, str]]) -> BoolArray:
    """Return which two systems are different ones that are not apart."""
    position = {system: i for i, system in enumerate(systems)}
    if len(position) < len(systems):
        twice = next(system for system in position if list(systems).count(system) > 1)
        raise SignificanceError(f"the system {twice!r} is named twice; expected different names")
    alike = ~np.eye(len(systems), dtype=np.bool_)
    for pair in apart:
        for name in pair:
            if name not in position:
                hint = did_you_mean(str(name), systems)
                raise SignificanceError(
                    f"the pair {pair!r} names {name!r}, which is not one of the systems{hint}"
                )
        a, b = map(position.__getitem__, pair)
        if a == b:
            raise SignificanceError(f"the pair {pair!r} is one system; expected two")
        alike[a, b] = alike[b, a] = False
    return alike


def _without_redundant(found: Sequence[IntArray], systems: int) -> list[list[int]]:
    """Remove each group whose pairs are all in other groups, last group first."""
    times = np.zeros((systems, systems), dtype=np.int64)
    for group in found:
        times[np.ix_(group, group)] += 1
    needed = []
    for group in reversed(found):
        if (times[np.ix_(group, group)] > 1).all():
            times[np.ix_(group, group)] -= 1
        else:
            needed.append(group.tolist())
    return needed


def _labels() -> Iterator[str]:
    for length in count(1):
        yield from map("".join, product(ascii_lowercase, repeat=length))
