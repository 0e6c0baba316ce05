"""One test beside its R twin on many inputs: the largest distance of each number."""

from __future__ import annotations

import typing
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from cdfscore.r.session import RSession
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance.contract import (
    QUANTITIES,
    AllSystems,
    ChosenTest,
    OneSample,
    PairsTogether,
    SignificanceTest,
    TestResult,
)
from tests.significance.in_r import InR, matrix_in_r, rows_in_r
from validation.significance.inputs import Batch, batches, matrices

NUMBERS = {"null_value": 0.05, "conf_level": 0.8}
# wilcox.test stops so if the largest difference is rounded: it looks for an estimate between the
# smallest and the largest one, and at both the same sign is left.
R_FINDS_NO_ROOT = "f() values at end points not of opposite sign"


@dataclass
class Worst:
    """The largest distance seen of one number of a test, and where."""

    ulp: float = 0.0
    ours: float = np.nan
    r: float = np.nan
    where: str = ""


@dataclass
class Outcome:
    """What was found for a test: distances, how many inputs, and where only one has a number.

    Of inputs for which R's search for a root fails, their number is kept: R has no number there.
    """

    inputs: int = 0
    worst: dict[str, Worst] = field(default_factory=lambda: {q: Worst() for q in QUANTITIES})
    unlike: list[str] = field(default_factory=list)
    without_root: int = 0

    def failures(self, test: SignificanceTest[Any]) -> list[str]:
        """Return a line for each number beyond its tolerance, and for each missing one."""
        beyond = [
            f"{test.name}.{name}: {w.ulp:.3g} ulp, ours {w.ours!r}, R {w.r!r}, {w.where}"
            for name, w in self.worst.items()
            if w.ulp > test.tolerances[name].ulp
        ]
        return beyond + self.unlike


def merged(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the outcomes of one test as one."""
    whole = Outcome()
    for outcome in outcomes:
        whole.inputs += outcome.inputs
        whole.unlike += outcome.unlike
        whole.without_root += outcome.without_root
        for name, worst in outcome.worst.items():
            if worst.ulp > whole.worst[name].ulp:
                whole.worst[name] = worst
    return whole


def variants(test: SignificanceTest[Any]) -> Iterator[ChosenTest]:
    """Yield a test by default and with each setting changed on its own."""
    yield test.chosen_example()
    hints = test.hints()
    for name, default in test.defaults.items():
        accepted = typing.get_args(hints[name]) or (hints[name],)
        words = [w for each in accepted for w in typing.get_args(each) or (each,)]
        values: list[Any] = [v for v in words if isinstance(v, str) and v != default]
        if bool in accepted:
            values = [v for v in (True, False) if v is not default]
        if name in NUMBERS:
            values = [NUMBERS[name]]
        for value in values:
            yield test.chosen({**test.example, name: value})


def beside_r(
    session: RSession, chosen: ChosenTest, seed: int, count: int, rows: int = 20
) -> Outcome:
    """Run a test on `count` inputs in Python and in R; pairs of samples `rows` at a time."""
    test, outcome = chosen.test, Outcome()
    whole = isinstance(test, AllSystems | PairsTogether)
    draw = matrices if whole else partial(batches, rows=rows)
    # An exact distribution of large samples takes R minutes.
    largest = 30 if chosen.settings.get("exact") is True else 100
    of_two_sizes = test.samples == "unpaired"
    for number, batch in enumerate(draw(seed, count, small=test.draws, largest=largest)):
        if of_two_sizes:
            batch = shortened(batch, seed + number)
        ours, theirs = _both(session, chosen, batch)
        lay_beside(outcome, test, ours, theirs, f"{chosen}, {batch.kind}", batch)
    return outcome


def shortened(batch: Batch, seed: int) -> Batch:
    """Leave out scores of the second samples, so that most pairs have two sizes."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, batch.y.shape[1], endpoint=True))
    return replace(batch, y=rng.permuted(batch.y, axis=1)[:, :size])


def _both(session: RSession, chosen: ChosenTest, batch: Batch) -> tuple[TestResult, InR]:
    test, settings, given = chosen.test, chosen.settings, chosen.given
    if isinstance(test, PairsTogether):
        first, second = pairs_for(test, batch.x.shape[1])
        ours = test.over_pairs(batch.x, first, second, **given)
        return ours, matrix_in_r(session, test, settings, batch.x, first, second)
    if isinstance(test, AllSystems):
        return test(batch.x[np.newaxis], **given), matrix_in_r(session, test, settings, batch.x)
    if isinstance(test, OneSample):
        return test(batch.x - batch.y, **given), rows_in_r(
            session, test, settings, batch.x - batch.y
        )
    return test(batch.x, batch.y, **given), rows_in_r(session, test, settings, batch.x, batch.y)  # type: ignore[operator]


def pairs_for(test: SignificanceTest[Any], systems: int) -> tuple[Any, Any]:
    """Return all pairs, or those with the first system for a many-to-one test."""
    if isinstance(test, PairsTogether) and test.one_baseline:
        return np.arange(1, systems), np.zeros(systems - 1, dtype=np.intp)
    return np.triu_indices(systems, 1)


def lay_beside(
    outcome: Outcome,
    test: SignificanceTest[Any],
    ours: TestResult,
    theirs: InR,
    where: str,
    batch: Batch,
) -> None:
    """Add the numbers of a batch in Python and in R to the outcome."""
    p, p_in_r = np.atleast_1d(ours.p_value), theirs.numbers["p_value"]
    outcome.inputs += len(p)
    for row in np.flatnonzero(np.isnan(p) != np.isnan(p_in_r)):
        if R_FINDS_NO_ROOT in (theirs.stopped[row] or ""):
            outcome.without_root += 1
            continue
        outcome.unlike.append(
            f"{test.name}: p {p[row]!r}, in R {p_in_r[row]!r} ({theirs.stopped[row]}), {where}, "
            f"{_shown(batch, int(row))}"
        )
    both = ~np.isnan(p) & ~np.isnan(p_in_r)
    for name, worst in outcome.worst.items():
        a, b = np.atleast_1d(getattr(ours, name)), theirs.numbers[name]
        tolerance, terms = test.tolerances[name], np.atleast_1d(ours.terms(name))
        distance = np.where(both, tolerance.distance(a, b, terms), 0)
        row = int(distance.argmax())
        if distance[row] > worst.ulp:
            worst.ulp, worst.ours, worst.r = float(distance[row]), float(a[row]), float(b[row])
            worst.where = f"{where}, {_shown(batch, row)}"


def _shown(batch: Batch, row: int) -> str:
    rows: list[Array] = [m[min(row, len(m) - 1)] for m in (batch.x, batch.y)]
    return f"x={rows[0].tolist()} y={rows[1].tolist()}" if rows[0].size <= 12 else f"row {row}"
