"""``make validate``: every significance test on 10,000 inputs in R, all real pairs, calibration.

``python -m validation.significance --page`` writes docs/significance-validation.md as well.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from rich.console import Console

from cdfscore.comparison.pairs import needs_baseline
from cdfscore.r.session import RSession
from cdfscore.stats.effect_size.effects import effect_sizes
from cdfscore.stats.significance.contract import PairsTogether, SignificanceTest, significance_tests
from validation.significance import page
from validation.significance.calibration import Rate, effect_rate, rates
from validation.significance.parity import Outcome, beside_r, merged, variants
from validation.significance.real_pairs import on_real_pairs

INPUTS, TRIALS, FAMILIES = 10_000, 20_000, 500


def main() -> None:
    session, console = RSession(), Console()
    random: dict[str, Outcome] = {}
    real: dict[str, Outcome] = {}
    failures: list[str] = []
    for found, outcomes in ((random, _on_random_inputs(session)), (real, on_real_pairs(session))):
        for test, outcome in outcomes:
            found[test.name] = outcome
            console.print(said(test.name, outcome), markup=False)
            failures += outcome.failures(test)
    found_rates = []
    for rate in _calibration():
        found_rates.append(rate)
        console.print(str(rate), markup=False)
        if not rate.inside:
            failures.append(f"calibration: {rate}")
    if "--page" in sys.argv:
        page.PAGE.write_text(
            page.text(session.version, random, real, found_rates), encoding="utf-8"
        )
    for failure in failures:
        console.print(failure, markup=False)
    sys.exit(bool(failures))


def _on_random_inputs(session: RSession) -> Iterator[tuple[SignificanceTest[Any], Outcome]]:
    for name in significance_tests.names():
        test: SignificanceTest[Any] = significance_tests.load(name)
        chosen = list(variants(test))
        count = -(-INPUTS // len(chosen))
        if isinstance(test, PairsTogether) and not test.draws:
            # A matrix has about a hundred pairs, and ten with one of its systems.
            count = -(-count // (10 if needs_baseline(test) else 100))
        outcomes = (
            beside_r(session, each, seed=100 + seed, count=count)
            for seed, each in enumerate(chosen)
        )
        yield test, merged(outcomes)


def _calibration() -> Iterator[Rate]:
    for name in significance_tests.names():
        test = significance_tests.load(name)
        yield from rates(
            name, FAMILIES if isinstance(test, PairsTogether) or test.draws else TRIALS
        )
    for name in effect_sizes.names():
        yield effect_rate(name, TRIALS)


def said(name: str, outcome: Outcome) -> str:
    distances = ", ".join(f"{number} {outcome.worst[number].ulp:.3g}" for number in page.SHOWN)
    without = f"; R stops on {outcome.without_root}" if outcome.without_root else ""
    return f"{name}: {outcome.inputs} inputs, ulp from R: {distances}{without}"


if __name__ == "__main__":
    main()
