"""``make validate``: the diagnosis on topics simulated from each family.

``python -m validation.diagnosis --page`` writes docs/diagnosis-validation.md as well.
"""

from __future__ import annotations

import sys
from pathlib import Path

from rich.console import Console

from validation.diagnosis.laws import FAMILIES, LAWS
from validation.diagnosis.page import page, rates
from validation.diagnosis.recovery import recover

TOPICS = 100
SYSTEMS = (50, 110)
JOBS = 2
PAGE = Path(__file__).parents[2] / "docs" / "diagnosis-validation.md"


def main() -> None:
    console, found = Console(), []
    for systems in SYSTEMS:
        for law in LAWS:
            each = recover(law, FAMILIES, topics=TOPICS, systems=systems, jobs=JOBS)
            found.append(each)
            picked = each.picks[law.scheme]
            console.print(
                f"{law.scheme} ({law.setting}), {systems} systems: picked in "
                + ", ".join(f"{picked[name]:.0%} by {name}" for name in picked.index)
                + f"; {each.near:.0%} near the best AIC",
                markup=False,
            )
    if "--page" in sys.argv:
        PAGE.write_text("\n".join(page(found)) + "\n", encoding="utf-8")
    failures = [
        rate
        for systems in SYSTEMS
        for rate in rates([each for each in found if each.systems == systems])
        if rate.too_often
    ]
    for rate in failures:
        console.print(f"{rate.family} is rejected too often: {rate.found} of {rate.tested}")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
