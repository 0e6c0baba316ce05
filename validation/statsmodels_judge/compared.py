"""Both sides on all cases, and the judges where they differ most."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from mpmath import mp, mpf

import cdfscore.models
from cdfscore.numerics.types import Array
from cdfscore.r.session import RSession
from validation.statsmodels_judge.counterpart import Counterpart, Given, Numbers, size_of
from validation.statsmodels_judge.data import Source
from validation.statsmodels_judge.distributions import DIGITS

#: A relative difference from here on is for the judges, and an error from here on is one.
LIMIT = 1e-9
#: How many of the largest differences of each number are judged.
JUDGED = 3
_R = Path(__file__).with_name("judge.R")
_TWIN = Path(cdfscore.models.__file__).with_name("anova.R")


@dataclass(frozen=True)
class Errors:
    """How far each side is from 50 digits; `r` is NaN where R has no number or stops."""

    ours: float
    statsmodels: float
    r: float


@dataclass(frozen=True)
class Difference:
    """A number that differs, and its case."""

    size: float
    place: int
    what: str
    given: Given = field(repr=False)


@dataclass
class Tally:
    """One number over all cases: how many, how many beyond the limit, and the largest differences.

    `absolute` is the largest difference as such. `absent` counts what is a number on one side
    alone: (not ours, not that of statsmodels).
    """

    count: int = 0
    beyond: int = 0
    absolute: float = 0.0
    absent: tuple[int, int] = (0, 0)
    largest: list[Difference] = field(default_factory=list)
    errors: list[Errors] = field(default_factory=list)

    @property
    def difference(self) -> float:
        """The largest difference, in terms of the number's size."""
        return self.largest[0].size if self.largest else 0.0

    def worst(self, side: str) -> float:
        """The largest error of a side among what was judged; NaN if it has no number at all."""
        known = [e for each in self.errors if not np.isnan(e := getattr(each, side))]
        return max(known, default=np.nan)


@dataclass
class Outcome:
    """What was found for a counterpart: cases, those on which a side stopped, and each number."""

    cases: int = 0
    stopped: int = 0
    numbers: dict[str, Tally] = field(default_factory=dict)

    @property
    def difference(self) -> float:
        """The largest difference of any number."""
        return max((each.difference for each in self.numbers.values()), default=0.0)

    @property
    def widest(self) -> str:
        """The number with the largest difference."""
        return max(self.numbers, key=lambda name: self.numbers[name].difference)

    @property
    def count(self) -> int:
        """How many numbers were compared."""
        return sum(each.count for each in self.numbers.values())

    @property
    def absent(self) -> tuple[int, int]:
        """In how many cases, at most, a number is missing: on our side, on that of statsmodels."""
        of_us, of_them = zip(*(each.absent for each in self.numbers.values()), strict=True)
        return max(of_us), max(of_them) + self.stopped

    def off(self, side: str) -> set[str]:
        """Return the numbers of which a side has an error beyond the limit."""
        return {name for name, each in self.numbers.items() if each.worst(side) > LIMIT}


def beside_statsmodels(counterpart: Counterpart, source: Source) -> Outcome:
    """Compute all cases on both sides."""
    outcome = Outcome()
    source = replace(source, count=-(-source.count // counterpart.slow))
    for what, given in counterpart.cases(source):
        outcome.cases += 1
        ours = _arrays(counterpart.by_us(**given))
        try:
            theirs = _arrays(_quietly(counterpart.by_statsmodels, given))
        except (ValueError, ZeroDivisionError, np.linalg.LinAlgError):
            outcome.stopped += 1
            continue
        for name, values in theirs.items():
            tally = outcome.numbers.setdefault(name, Tally())
            _add(tally, ours[name], values, size_of(name, ours), what, given)
    return outcome


def _add(tally: Tally, a: Array, b: Array, size: Array, what: str, given: Given) -> None:
    none_a, none_b = np.isnan(a), np.isnan(b)
    tally.absent = (
        tally.absent[0] + int((none_a & ~none_b).sum()),
        tally.absent[1] + int((none_b & ~none_a).sum()),
    )
    both = ~(none_a | none_b)
    tally.count += int(both.sum())
    with np.errstate(invalid="ignore"):  # of equal infinite ends
        tally.absolute = max(tally.absolute, float(np.abs(a - b)[both & (a != b)].max(initial=0)))
    distance = np.where(both, _distance(a, b, size), 0.0)
    tally.beyond += int((distance > LIMIT).sum())
    place = int(distance.argmax())
    found = Difference(float(distance[place]), place, what, given)
    if found.size > 0:
        tally.largest = sorted([*tally.largest, found], key=lambda d: -d.size)[:JUDGED]


def _distance(a: Array, b: Array, size: Array) -> Array:
    with np.errstate(all="ignore"):
        return np.where(a == b, 0.0, np.abs(a - b) / np.maximum(size, np.abs(b)))


def judge(counterpart: Counterpart, outcome: Outcome, session: RSession | None) -> None:
    """Let 50 digits say how far each side, and R if it runs, is off where they differ most."""
    for name, tally in outcome.numbers.items():
        tally.errors = [_errors(counterpart, name, each, session) for each in tally.largest]


def _errors(
    counterpart: Counterpart, name: str, found: Difference, session: RSession | None
) -> Errors:
    given, place = found.given, found.place
    ours = _arrays(counterpart.by_us(**given))
    theirs = _arrays(_quietly(counterpart.by_statsmodels, given))
    in_r = {} if session is None else numbers_in_r(session, counterpart.in_r, given)
    size = size_of(name, ours)
    size_here = float(np.broadcast_to(size, ours[name].shape)[place])
    with mp.workdps(DIGITS):
        true = _true(counterpart.truth(**given)[name], place)
        return Errors(
            _error(float(ours[name][place]), true, size_here),
            _error(float(theirs[name][place]), true, size_here),
            _error(float(in_r[name][place]), true, size_here) if name in in_r else np.nan,
        )


def _true(value: Any, place: int) -> mpf:
    if callable(value):
        return value(place)
    return value[place] if isinstance(value, list) else value


def _error(value: float, true: mpf, size: float) -> float:
    if np.isinf(value) or mp.isinf(true):
        return 0.0 if mpf(value) == true else float("inf")
    return float(abs(mpf(value) - true) / max(mpf(size), abs(mpf(value))))


def numbers_in_r(session: RSession, name: str, given: Given) -> Mapping[str, Array]:
    """Return R's numbers of a case; none where it stops."""
    function = session.function(name, _TWIN, _R)
    values = {key: _in_r(session, value) for key, value in given.items()}
    try:
        found = function(**values)
    except session.error:
        return {}
    names = map(str, found.do_slot("names"))
    return {n: np.array(value, dtype=np.float64) for n, value in zip(names, found, strict=True)}


def _in_r(session: RSession, value: Any) -> Any:
    if isinstance(value, str):
        return session.strings([value])
    if isinstance(value, bool):
        return session.rinterface.BoolSexpVector([value])
    if isinstance(value, int | float):
        return session.vector(np.array([value], dtype=np.float64))
    return session.matrix(value) if value.ndim == 2 else session.vector(value)


def _arrays(numbers: Numbers) -> dict[str, Array]:
    return {n: np.atleast_1d(np.asarray(v, dtype=np.float64)).ravel() for n, v in numbers.items()}


def _quietly(function: Callable[..., Numbers], given: Given) -> Numbers:
    """Call statsmodels, which warns of divisions by 0 and of much else."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return function(**given)
