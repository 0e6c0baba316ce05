"""Type I error rates: how often each test rejects a true null hypothesis, by topics and ties.

``python -m validation.significance.levels`` simulates every test anew (10 minutes) and compares
with the record, levels.json, to the last rejection; ``make validate`` does the same. ``--record``
writes the record and docs/levels.md, ``--page`` the page alone, ``--only NAME`` is for one test.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from cdfscore.comparison.pairs import adjustment_of
from cdfscore.stats.adjustment import adjust
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance.contract import (
    CHECKED,
    AllSystems,
    OneSample,
    PairsTogether,
    SignificanceTest,
    significance_tests,
)
from validation.significance.parity import pairs_for

RECORD = Path(__file__).with_name("levels.json")
ALPHAS = (0.05, 0.01)
#: Simulated data sets; families of pairs of `SYSTEMS` in a test of pairs together.
TRIALS, FAMILIES, SYSTEMS = 10_000, 4_000, 4
#: Of tests that take long: a studentized range, a multivariate t, or all divisions of 10 and 10.
FEWER = {"tukey_hsd": 1_000, "dunnett": 2_000, "permutation_unpaired": 5_000}
SEED = 61
#: Resamples of tests that draw them, and of simultaneous ones.
RESAMPLES, FEWER_RESAMPLES = 999, 199
#: Trials that share their resamples.
TOGETHER = 250
#: Of 20 topics these enumerate 2^20 flips, a second for each family; of 21 they are drawn.
_DRAWN_AT = {"max_t": {20: 21}, "max_t_baseline": {20: 21}}
#: One of its bounds is the true difference, and the other one far away.
_SETTINGS: dict[str, dict[str, Any]] = {"equivalence_t": {"margin": 100.0, "centre": -100.0}}

Generator = np.random.Generator
Sampler = Callable[[Generator, tuple[int, ...]], Array]


def _normal(rng: Generator, shape: tuple[int, ...]) -> Array:
    return rng.normal(size=shape)


def _skewed(rng: Generator, shape: tuple[int, ...]) -> Array:
    return rng.exponential(size=shape)


def _tied(rng: Generator, shape: tuple[int, ...]) -> Array:
    """Return multiples of 0.1, as of P@10; the last axis but one is the topics, and has a mean."""
    difficulty = rng.beta(1, 2, (*shape[:-1], 1))
    return rng.binomial(10, difficulty, shape) / 10


#: Scores of shape (trials, topics, systems) in which no two systems of a topic differ.
KINDS: dict[str, Sampler] = {"untied": _normal, "tied": _tied, "skewed": _skewed}


@dataclass(frozen=True)
class Cell:
    """Rejections at each alpha among the trials of a test, on n topics of one kind."""

    test: str
    kind: str
    n: int
    trials: int
    rejected: tuple[int, ...]

    def rate(self, alpha: float = ALPHAS[0]) -> float:
        return self.rejected[ALPHAS.index(alpha)] / self.trials

    def error(self, alpha: float = ALPHAS[0]) -> float:
        """Return the Monte Carlo standard error of the rate."""
        rate = self.rate(alpha)
        return float(np.sqrt(max(rate * (1 - rate), alpha * (1 - alpha)) / self.trials))


def cells(name: str) -> Iterator[Cell]:
    """Simulate a test for every kind and number of topics."""
    test = significance_tests.load(name)
    for number, kind in enumerate(KINDS):
        for n in CHECKED:
            at = _DRAWN_AT.get(name, {}).get(n, n)
            rng = np.random.default_rng([SEED, sum(map(ord, name)), number, n])
            p = np.concatenate(list(_p_values(test, kind, at, rng)))
            rejected = tuple(int((p <= alpha).sum()) for alpha in ALPHAS)
            yield Cell(name, kind, n, len(p), rejected)


def _p_values(test: SignificanceTest[Any], kind: str, n: int, rng: Generator) -> Iterator[Array]:
    """Yield p values of trials in blocks, NaN where a test is undefined: it rejects nothing."""
    call: Any = test
    settings = _SETTINGS.get(test.name, {})
    if isinstance(test, PairsTogether):
        settings = settings | ({"B": FEWER_RESAMPLES} if test.draws else {})
        first, second = pairs_for(test, SYSTEMS)
        for trial in range(FEWER.get(test.name, FAMILIES)):
            seed = {"seed": trial} if test.draws else {}
            scores = KINDS[kind](rng, (n, SYSTEMS))
            p = test.over_pairs(scores, first, second, **settings, **seed).p_value
            p = adjust(p, adjustment_of(test.chosen_example(), None))
            yield np.array([np.nanmin(np.append(p, 1.0))])
        return
    for block in range(FEWER.get(test.name, TRIALS) // TOGETHER):
        seed = {"seed": block, "B": RESAMPLES} if test.draws else {}
        if isinstance(test, AllSystems):
            samples = [KINDS[kind](rng, (TOGETHER, n, SYSTEMS))]
        else:
            samples = _two_samples(test, kind, n, rng)
        yield call(*samples, **settings, **seed).p_value


def _two_samples(test: SignificanceTest[Any], kind: str, n: int, rng: Generator) -> list[Array]:
    shape = (TOGETHER, n, 2)
    if test.samples == "unpaired" or test.shows == "correlation":
        # Each system has topics of its own.
        return [KINDS[kind](rng, (*shape[:2], 1))[..., 0] for _ in range(2)]
    if kind == "skewed":  # two alike have differences that are not; these have a mean of 0
        difference = KINDS[kind](rng, shape[:2]) - 1
        return [difference] if isinstance(test, OneSample) else [difference, 0 * difference]
    x, y = np.moveaxis(KINDS[kind](rng, shape), -1, 0)
    return [x - y] if isinstance(test, OneSample) else [x, y]


def recorded() -> list[Cell]:
    """Return the cells of the record."""
    return [
        Cell(test, kind, int(n), trials, tuple(rejected))
        for test, kinds in json.loads(RECORD.read_text("utf-8")).items()
        for kind, by_n in kinds.items()
        for n, (trials, *rejected) in by_n.items()
    ]


def _record(found: list[Cell]) -> None:
    nested: dict[str, dict[str, dict[str, list[int]]]] = {}
    for cell in sorted(found, key=lambda c: c.test):
        by_n = nested.setdefault(cell.test, {}).setdefault(cell.kind, {})
        by_n[str(cell.n)] = [cell.trials, *cell.rejected]
    lines = []
    for test, kinds in nested.items():
        inner = ",\n".join(f'  "{kind}": {json.dumps(by_n)}' for kind, by_n in kinds.items())
        lines.append(f' "{test}": {{\n{inner}\n }}')
    RECORD.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def main() -> int:
    from validation.significance import levels_page

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--page", action="store_true", help="write the page of the record")
    parser.add_argument("--only", default="", help="names of tests, with commas between them")
    given = parser.parse_args()
    console = Console()
    found: list[Cell] = []
    if not given.page:
        for name in given.only.split(",") if given.only else significance_tests.names():
            found += cells(name)
            console.print(f"{name}: {[round(c.rate(), 4) for c in found if c.test == name]}")
    if given.record:
        names = {cell.test for cell in found}
        kept = recorded() if RECORD.exists() else []
        _record([cell for cell in kept if cell.test not in names] + found)
    if given.record or given.page:
        levels_page.PAGE.write_text(levels_page.text(recorded()), encoding="utf-8")
        return 0
    known = set(recorded())
    unlike = [cell for cell in found if cell not in known]
    for cell in unlike:
        console.print(f"not as recorded: {cell}", markup=False)
    return int(bool(unlike))


if __name__ == "__main__":
    sys.exit(main())
