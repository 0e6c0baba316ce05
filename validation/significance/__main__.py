"""``make validate``: every significance test on 10,000 inputs in R, all real pairs, calibration.

``python -m validation.significance --page`` writes docs/significance-validation.md as well.
"""

from __future__ import annotations

import platform
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from cdfscore.effect_size.registry import effect_sizes
from cdfscore.r.session import RSession
from cdfscore.significance.contract.contract import SignificanceTest, Simultaneous
from cdfscore.significance.registry import significance_tests
from validation.significance.calibration import Rate, effect_rate, rates
from validation.significance.parity import Outcome, beside_r, merged, variants
from validation.significance.real_pairs import on_real_pairs

INPUTS, TRIALS, FAMILIES = 10_000, 20_000, 500
PAGE = Path(__file__).parents[2] / "docs" / "significance-validation.md"
SHOWN = ("statistic", "parameter", "p_value", "conf_low", "conf_high")
INTRODUCTION = """# Significance tests, measured

Written by `python -m validation.significance --page`; `make validate` runs the same. The numbers
of each test beside those of R's own function, its R twin: the largest distance in ulp (1e-13 of a
number is 450 to 900 ulp) and how many inputs were compared, over the default settings and each
other setting on its own. Then all pairs of the TREC 2004 Robust systems, and simulations.
"""


def main() -> None:
    session, console = RSession(), Console()
    lines = [INTRODUCTION, f"{_setting(session)}.\n", "## Random inputs\n", *_heading()]
    failures = []
    for name in significance_tests.names():
        test: SignificanceTest[Any] = significance_tests.load(name)
        outcome = _random(session, test)
        lines.append(_row(name, outcome))
        console.print(lines[-1], markup=False)
        failures += outcome.failures(test)
    lines += ["\n## All pairs of Robust 2004 (AP, 249 topics, 5,995 pairs)\n", *_heading()]
    for test, outcome in on_real_pairs(session):
        lines.append(_row(test.name, outcome))
        console.print(lines[-1], markup=False)
        failures += outcome.failures(test)
    lines += _calibration(console, failures)
    if "--page" in sys.argv:
        PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    for failure in failures:
        console.print(failure, markup=False)
    sys.exit(bool(failures))


def _random(session: RSession, test: SignificanceTest[Any]) -> Outcome:
    chosen = list(variants(test))
    count = -(-INPUTS // len(chosen))
    if isinstance(test, Simultaneous) and not test.draws:
        count = -(-count // 100)  # a matrix has about a hundred pairs
    return merged(
        beside_r(session, each, seed=100 + seed, count=count) for seed, each in enumerate(chosen)
    )


def _calibration(console: Console, failures: list[str]) -> list[str]:
    lines = [
        "\n## Calibration\n",
        "Under the null hypothesis: the share of p values up to alpha, the share expected (the",
        "largest p value up to alpha that occurs; the p values of rank tests are discrete), the",
        "coverage of the intervals, and bounds that a correct test leaves once in 100,000 times.\n",
        "| test | | trials | found | expected | bounds |",
        "| --- | --- | --: | --: | --: | --- |",
    ]
    for name in significance_tests.names():
        test = significance_tests.load(name)
        trials = FAMILIES if isinstance(test, Simultaneous) or test.draws else TRIALS
        for found in rates(name, trials):
            lines.append(_rate_row(found))
            console.print(lines[-1], markup=False)
            if not found.inside:
                failures.append(f"calibration: {lines[-1]}")
    for name in effect_sizes.names():
        found = effect_rate(name, TRIALS)
        lines.append(_rate_row(found))
        console.print(lines[-1], markup=False)
        if not found.inside:
            failures.append(f"calibration: {lines[-1]}")
    return lines


def _setting(session: RSession) -> str:
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "statsmodels"))
    return f"Python {platform.python_version()}, {libraries}, {session.version}"


def _heading() -> list[str]:
    return [
        "| test | inputs | " + " | ".join(SHOWN) + " |",
        "| --- | --: | " + " | ".join("--:" for _ in SHOWN) + " |",
    ]


def _row(name: str, outcome: Outcome) -> str:
    cells = [f"{outcome.worst[quantity].ulp:.3g}" for quantity in SHOWN]
    return f"| {name} | {outcome.inputs} | " + " | ".join(cells) + " |"


def _rate_row(found: Rate) -> str:
    return (
        f"| {found.test} | {found.what} | {found.trials} | {found.found:.4f} | "
        f"{found.expected:.4f} | {found.low:.4f} to {np.minimum(found.high, 1):.4f} |"
    )


if __name__ == "__main__":
    main()
