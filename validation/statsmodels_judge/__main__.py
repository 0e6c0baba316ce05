"""``make validate``: what statsmodels computes too, beside ours; R and 50 digits judge.

``python -m validation.statsmodels_judge --page`` writes docs/statsmodels.md as well.
"""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

from rich.console import Console

from cdfscore.errors import CdfscoreWarning
from cdfscore.r.session import RSession
from validation.statsmodels_judge import nist, page
from validation.statsmodels_judge.compared import beside_statsmodels, judge
from validation.statsmodels_judge.counterparts import COUNTERPARTS
from validation.statsmodels_judge.data import Source
from validation.statsmodels_judge.expected import failures
from validation.statsmodels_judge.outcome import Outcome

COUNT = 400


def main() -> None:
    warnings.simplefilter("ignore", CdfscoreWarning)  # of scores that are random
    beside = Path(__file__).resolve().parents[3] / "shared" / "data"
    source = Source(COUNT, folder=Path(os.environ.get("CDFSCORE_DATA", beside)))
    session, console = RSession(), Console()
    found: dict[str, Outcome] = {}
    for counterpart in COUNTERPARTS:
        outcome = beside_statsmodels(counterpart, source)
        judge(counterpart, outcome, session)
        found[counterpart.ours] = outcome
        console.print(
            f"{counterpart.ours}: {outcome.cases} cases, largest difference "
            f"{outcome.difference:.2g} ({outcome.widest})",
            markup=False,
        )
    failed = failures(found)
    for failure in failed:
        console.print(failure, markup=False)
    if "--page" in sys.argv:
        digits = nist.digits(session)
        page.PAGE.write_text(page.text(session.version, found, digits), encoding="utf-8")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
