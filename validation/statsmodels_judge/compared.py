"""Both sides on all cases, and the judges where they differ most, or on the first cases."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from mpmath import mp, mpf

import cdfscore.models
from cdfscore.r.session import RSession
from cdfscore.stats.numerics.types import Array
from validation.statsmodels_judge.counterpart import Counterpart, Given, Numbers, size_of
from validation.statsmodels_judge.data import Source
from validation.statsmodels_judge.distributions import DIGITS
from validation.statsmodels_judge.outcome import LIMIT, Difference, Errors, Outcome, Tally

#: How many cases of each number are judged: those with the largest differences, then the first.
JUDGED = 3
_R = Path(__file__).with_name("judge.R")
_TWINS = [
    Path(cdfscore.models.__file__).parent / f"{name}.R"
    for name in ("long_frame", "anova", "mixed_model")
]


def beside_statsmodels(counterpart: Counterpart, source: Source) -> Outcome:
    """Compute all cases on both sides."""
    outcome = Outcome()
    source = replace(source, count=-(-source.count // counterpart.slow))
    for what, given in counterpart.cases(source):
        outcome.cases += 1
        ours = _arrays(counterpart.by_us(**given))
        try:
            theirs = _arrays(quietly(counterpart.by_statsmodels, given))
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
    if both.any():
        distance = np.where(both, _distance(a, b, size), -1.0)
        tally.beyond += int((distance > LIMIT).sum())
        places = np.argsort(-distance, kind="stable")[: both.sum()].tolist()
        found = Difference(float(distance[places[0]]), tuple(places), what, given)
        tally.largest = sorted([*tally.largest, found], key=lambda d: -d.size)[:JUDGED]


def _distance(a: Array, b: Array, size: Array) -> Array:
    with np.errstate(all="ignore"):
        return np.where(a == b, 0.0, np.abs(a - b) / np.maximum(size, np.abs(b)))


def judge(counterpart: Counterpart, outcome: Outcome, session: RSession) -> None:
    """Let 50 digits say how far each side and R are off where they differ most.

    Where fewer cases differ than are judged, the first ones are judged too.
    """
    found: dict[int, Sides] = {}  # by case, as one may be the worst of several numbers
    for name, tally in outcome.numbers.items():
        for each in tally.largest:
            if id(each.given) not in found:
                found[id(each.given)] = _sides(counterpart, each.given, session)
            tally.errors.append(_errors(name, each.places, found[id(each.given)]))


class Sides(NamedTuple):
    """The numbers of a case: ours, those of statsmodels and of R, and the true ones."""

    ours: dict[str, Array]
    statsmodels: dict[str, Array]
    r: Mapping[str, Array]
    true: Numbers


def _sides(counterpart: Counterpart, given: Given, session: RSession) -> Sides:
    with mp.workdps(DIGITS):
        true = counterpart.truth(**given)
    return Sides(
        _arrays(counterpart.by_us(**given)),
        _arrays(quietly(counterpart.by_statsmodels, given)),
        numbers_in_r(session, counterpart.in_r, given),
        true,
    )


def _errors(name: str, places: tuple[int, ...], sides: Sides) -> Errors:
    ours = sides.ours[name]
    size = np.broadcast_to(size_of(name, sides.ours), ours.shape)
    in_r = sides.r.get(name, np.full(len(ours), np.nan))
    with mp.workdps(DIGITS):
        true = _true(sides.true[name], places)
        return Errors(*(_largest(s, true, size) for s in (ours, sides.statsmodels[name], in_r)))


def _true(value: Any, places: tuple[int, ...]) -> dict[int, mpf]:
    """Return the true numbers by place; what is computed when asked for, of the first place."""
    if callable(value):
        return {places[0]: value(places[0])}
    return {place: value[place] if isinstance(value, list) else value for place in places}


def _largest(values: Array, true: Mapping[int, mpf], size: Array) -> float:
    """Return the largest error of a side; NaN if it has none of the numbers."""
    errors = [
        _error(float(values[place]), each, float(size[place]))
        for place, each in true.items()
        if not np.isnan(values[place])
    ]
    return max(errors, default=np.nan)


def _error(value: float, true: mpf, size: float) -> float:
    if mp.isnan(true):
        raise ValueError(f"the truth beside {value} is no number")
    if np.isinf(value) or mp.isinf(true):
        return 0.0 if mpf(value) == true else float("inf")
    return float(abs(mpf(value) - true) / max(mpf(size), abs(mpf(value))))


def numbers_in_r(session: RSession, name: str, given: Given) -> Mapping[str, Array]:
    """Return R's numbers of a case, without those that are NULL.

    An error of R is raised: it must not pass as no number.
    """
    function, doubles = (session.function(each, *_TWINS, _R) for each in (name, "doubles"))
    found = doubles(function(**{key: _in_r(session, value) for key, value in given.items()}))
    names = map(str, found.do_slot("names"))
    return {n: np.array(values) for n, values in zip(names, found, strict=True) if len(values)}


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


def quietly(function: Callable[..., Numbers], given: Given) -> Numbers:
    """Call statsmodels, which warns of divisions by 0 and of much else."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return function(**given)
