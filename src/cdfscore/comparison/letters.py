"""Compact letter display: systems that share a letter do not differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import count, product
from string import ascii_lowercase

import numpy as np

from cdfscore.errors import SignificanceError, did_you_mean


def compact_letters(systems: Sequence[str], apart: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the letters of each system: two share one if and only if they do not differ.

    Parameters
    ----------
    systems
        The systems in the order of the display, best first: the best system has an "a".
    apart
        The pairs of systems that differ.

    Returns
    -------
    dict
        Letters by system, a letter for each of `groups`: "a" to "z", then "aa", "ab", ...
        Those of a system follow one another, as in "abc"; where there are more than 26 in
        all, with a space between them.

    Raises
    ------
    SignificanceError
        For a pair of what are not two different systems, and a system named twice.

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
    """Return groups of systems without a pair that differs, which hold every other pair.

    Each group is as large as it can be, as after the step "absorb" of Piepho (2004), and
    none can be left out. Groups and their systems are in the order of `systems`. The
    arguments are those of `compact_letters`.

    Notes
    -----
    Source: Piepho (2004), An algorithm for a letter-based representation of all-pairwise
    comparisons. Insert-and-absorb ends with every such group, which can be thousands of
    letters, most of them redundant: 400 for 110 systems of a TREC track with Holm's
    correction, 4,600 on 25 of its topics. Here a group is grown around each pair
    that is in none yet, and redundant groups are left out at the end (Gramm et al. 2007).

    Examples
    --------
    >>> groups(["A", "B", "C"], [("A", "C")])
    [['A', 'B'], ['B', 'C']]
    """
    alike = _alike(systems, apart)
    # A set of systems is an integer whose bit i stands for system i.
    uncovered = list(alike)
    found: list[int] = []
    for system in range(len(systems)):
        while uncovered[system] or not any(group >> system & 1 for group in found):
            group = _grown(system, alike, uncovered)
            found.append(group)
            for member in _members(group):
                uncovered[member] &= ~group
    needed = _without_redundant([list(_members(group)) for group in found], len(systems))
    return [[systems[member] for member in group] for group in sorted(needed)]


def _alike(systems: Sequence[str], apart: Iterable[tuple[str, str]]) -> list[int]:
    """Return for each system the set of the other ones that it does not differ from."""
    position = {system: i for i, system in enumerate(systems)}
    if len(position) < len(systems):
        twice = next(system for system in position if list(systems).count(system) > 1)
        raise SignificanceError(f"the system {twice!r} is named twice; expected different names")
    everything = (1 << len(systems)) - 1
    alike = [everything & ~(1 << i) for i in range(len(systems))]
    for pair in apart:
        for name in pair:
            if name not in position:
                hint = did_you_mean(str(name), systems)
                raise SignificanceError(
                    f"the pair {pair!r} names {name!r}, which is not one of the systems{hint}"
                )
        a, b = (position[name] for name in pair)
        if a == b:
            raise SignificanceError(f"the pair {pair!r} is one system; expected two")
        alike[a] &= ~(1 << b)
        alike[b] &= ~(1 << a)
    return alike


def _grown(system: int, alike: list[int], uncovered: list[int]) -> int:
    """Return a largest group around a system, by the member that covers most pairs each time."""
    group, candidates = 1 << system, alike[system]
    while candidates:
        # The first member is a partner that `system` has no group with yet, where there is one.
        best = max(_members(candidates), key=lambda i: (uncovered[i] & group).bit_count())
        group |= 1 << best
        candidates &= alike[best]
    return group


def _members(group: int) -> Iterator[int]:
    while group:
        lowest = group & -group
        yield lowest.bit_length() - 1
        group ^= lowest


def _without_redundant(found: list[list[int]], systems: int) -> list[list[int]]:
    """Leave out each group all of whose pairs are in other groups, the latest first."""
    times = np.zeros((systems, systems), dtype=np.int64)
    for group in found:
        times[np.ix_(group, group)] += 1
    needed = []
    for group in reversed(found):
        if (times[np.ix_(group, group)] > 1).all():
            times[np.ix_(group, group)] -= 1
        else:
            needed.append(group)
    return needed


def _labels() -> Iterator[str]:
    """Yield a, ..., z, aa, ab, ..., zz, aaa, ..."""
    for length in count(1):
        yield from map("".join, product(ascii_lowercase, repeat=length))
