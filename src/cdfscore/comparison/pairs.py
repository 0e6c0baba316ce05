"""Families of hypotheses: pairs of systems to compare, or all systems at once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cdfscore.costs import check_cost
from cdfscore.errors import ScoresError, SignificanceError, did_you_mean
from cdfscore.io.text import listed
from cdfscore.spelling import argument

#: The pairs of two collections that differ only by chance if the collections are comparable.
ITSELF = "pairs of a system with itself"


@dataclass(frozen=True, eq=False)
class Family:
    """Pairs of systems by position; each test is of the first against the second.

    A family `at_once` has no pairs: one test is of all systems. In a family of two collections,
    the first `split` systems are those of the first collection.
    """

    systems: tuple[str, ...]
    baselines: tuple[str, ...]
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    at_once: bool = False
    split: int = 0

    @classmethod
    def of(cls, systems: Sequence[str], baselines: Sequence[str] = ()) -> Family:
        """Return all pairs, or each other system against each baseline.

        Two baselines are compared with one another once. Raises `ScoresError` for fewer than
        two systems, `SignificanceError` for an unknown baseline, and `CdfscoreError` for more
        pairs than the memory of the machine holds.
        """
        _check_count(systems)
        if not baselines:
            _check_cost(math.comb(len(systems), 2), "fewer, or a baseline")
            first, second = np.triu_indices(len(systems), 1)
        else:
            positions = [_position(name, systems) for name in baselines]
            pairs = [
                (system, baseline)
                for rank, baseline in enumerate(positions)
                for system in range(len(systems))
                if system != baseline and system not in positions[:rank]
            ]
            first, second = np.array(pairs, dtype=np.intp).T
        return cls(tuple(systems), tuple(baselines), first, second)

    @classmethod
    def of_all(cls, systems: Sequence[str]) -> Family:
        """Return the family of one test of all systems; `ScoresError` for fewer than two."""
        _check_count(systems)
        none = np.array([], dtype=np.intp)
        return cls(tuple(systems), (), none, none, at_once=True)

    @classmethod
    def of_collections(cls, a: Sequence[str], b: Sequence[str]) -> Family:
        """Return each system of one collection against each of another, itself included."""
        _check_cost(len(a) * len(b), "fewer")
        first, second = np.divmod(np.arange(len(a) * len(b)), len(b))
        return cls((*a, *b), (), first, len(a) + second, split=len(a))

    @property
    def kinds(self) -> dict[str, NDArray[np.bool_]]:
        """The kinds of pairs, each with its pairs; each kind is corrected on its own."""
        if not self.split:
            return {"pairs": np.full(len(self), True)}
        same = np.array([a == b for a, b in zip(*self.names, strict=True)], dtype=np.bool_)
        kinds = {ITSELF: same, "pairs of different systems": ~same}
        return {kind: own for kind, own in kinds.items() if own.any()}

    def part(self, own: NDArray[np.bool_]) -> Family:
        """Return the family of some of the pairs."""
        return replace(self, first=self.first[own], second=self.second[own])

    @property
    def names(self) -> tuple[list[str], list[str]]:
        """The first and second systems by name; all systems at once are the first, without one."""
        if self.at_once:
            return ["all systems"], [""]
        return [self.systems[i] for i in self.first], [self.systems[i] for i in self.second]

    @property
    def labels(self) -> list[str]:
        """The pairs as text, "a - b"."""
        if self.at_once:
            return self.names[0]
        return [f"{a} - {b}" for a, b in zip(*self.names, strict=True)]

    def __len__(self) -> int:
        return 1 if self.at_once else len(self.first)

    def __str__(self) -> str:
        """Describe the hypotheses of the family."""
        count = f"{len(self)} {'hypothesis' if len(self) == 1 else 'hypotheses'}"
        if self.at_once:
            return f"all {len(self.systems)} systems at once, {count}"
        if self.split:
            kinds = " and ".join(f"{own.sum():,} {kind}" for kind, own in self.kinds.items())
            return (
                f"each of {self.split} systems of the first collection with each of "
                f"{len(self.systems) - self.split} of the second, {kinds}"
            )
        if not self.baselines:
            return f"all pairs of {len(self.systems)} systems, {count}"
        if len(self.baselines) == 1:
            return f"each other system against the baseline {self.baselines[0]}, {count}"
        return f"each other system against the baselines {', '.join(self.baselines)}, {count}"


def _check_cost(pairs: int, instead: str) -> None:
    check_cost(f"{pairs:,} pairs of systems", f"expected {instead}", pair_of_systems=pairs)


def _check_count(systems: Sequence[str]) -> None:
    if len(systems) < 2:
        number = "is 1 system" if len(systems) == 1 else f"are {len(systems)} systems"
        raise ScoresError(f"there {number} to compare; expected 2 or more")


def baseline_names(baselines: str | Sequence[str]) -> tuple[str, ...]:
    """Return the names of baselines, each once; raises `SignificanceError` if they are others."""
    if isinstance(baselines, str):
        return (baselines,)
    names = tuple(baselines) if isinstance(baselines, Iterable) else (baselines,)
    if not all(isinstance(name, str) for name in names):
        raise SignificanceError(
            f"{argument('baselines', baselines)} is not accepted; expected the name of a system, "
            "as text, or a list of names"
        )
    for name in names:
        if names.count(name) > 1:
            raise SignificanceError(f"the baseline {name!r} is given twice; expected each once")
    return names


def _position(name: str, systems: Sequence[str]) -> int:
    if name in systems:
        return list(systems).index(name)
    raise SignificanceError(
        f"the baseline {name!r} is not a system of the scores{did_you_mean(name, systems)}; "
        f"expected one of {listed([repr(system) for system in systems])}"
    )
