"""``make validate``: the diagnosis on topics simulated from each family.

``python -m validation.diagnosis --page`` writes docs/diagnosis-validation.md as well.
"""

from __future__ import annotations

import sys
from pathlib import Path

from rich.console import Console

from validation.diagnosis.laws import FAMILIES, LAWS
from validation.diagnosis.page import page_claims, rates, text
from validation.diagnosis.recovery import Recovery, recover

TOPICS, TOPICS_OF_RATES = 60, 200
SYSTEMS = (50, 110)
JOBS = 2
PAGE = Path(__file__).parents[2] / "docs" / "diagnosis-validation.md"


def main() -> None:
    console, found, alone = Console(soft_wrap=True), [], []
    for systems in SYSTEMS:
        for law in LAWS:
            of_true = recover(
                law, [law.scheme], topics=TOPICS_OF_RATES, systems=systems, seed=1, jobs=JOBS
            )
            each = recover(law, FAMILIES, topics=TOPICS, systems=systems, jobs=JOBS)
            found.append(each)
            alone.append(of_true)
            console.print(said(each, of_true), markup=False)
    if "--page" in sys.argv:
        PAGE.write_text(text(found, alone, page_claims(found)), encoding="utf-8")
    failures = [
        rate
        for systems in SYSTEMS
        for rate in rates([each for each in alone if each.systems == systems])
        if rate.too_often
    ]
    for rate in failures:
        console.print(f"{rate.family} is rejected too often: {rate.found} of {rate.tested}")
    sys.exit(bool(failures))


def said(each: Recovery, alone: Recovery) -> str:
    family = each.law.scheme
    picked, rejected = each.picks[family], alone.rejected[family]
    return (
        f"{family} ({each.law.setting}), {each.systems} systems: picked in "
        + ", ".join(f"{picked[name]:.0%} by {name}" for name in picked.index)
        + f"; {each.near:.0%} near the best AIC; rejected in "
        + ", ".join(f"{rejected[name]:.1%} by {name}" for name in rejected.index)
    )


if __name__ == "__main__":
    main()
