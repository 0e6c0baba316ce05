"""docs/statsmodels.md, from what was found beside statsmodels, R and 50 digits."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from cdfscore.stats.judge.effects import EFFECTS
from cdfscore.stats.judge.tests import TESTS
from validation import pages
from validation.statsmodels_judge.claims import page_claims
from validation.statsmodels_judge.compared import JUDGED
from validation.statsmodels_judge.counterparts import COUNTERPARTS
from validation.statsmodels_judge.expected import WITHOUT
from validation.statsmodels_judge.nist import SETS, Digits
from validation.statsmodels_judge.outcome import Outcome, Tally

PAGE = Path(__file__).parents[2] / "docs" / "statsmodels.md"
_SIDES = {"statsmodels": "statsmodels", "r": "R", "ours": "cdfscore"}


class Row(NamedTuple):
    """A row of the first table."""

    ours: str
    theirs: str
    outcome: Outcome
    off: str


def text(r_version: str, found: Mapping[str, Outcome], digits: Mapping[str, Digits]) -> str:
    """Return the page."""
    theirs = {each.ours: each.theirs for each in COUNTERPARTS}
    return pages.rendered(
        "statsmodels_judge/page.md.jinja",
        page_claims(found, digits),
        setting=_setting(r_version),
        rows=[Row(ours, theirs[ours], outcome, who(outcome)) for ours, outcome in found.items()],
        differing=list(_differing(found)),
        digits=digits,
        levels={name: each.level for name, each in SETS.items()},
        judged=JUDGED,
        tests={name: each.by for name, each in (TESTS | EFFECTS).items()},
        without=sorted(WITHOUT),
    )


def who(outcome: Outcome) -> str:
    """Return which packages are inaccurate."""
    return ", ".join(name for side, name in _SIDES.items() if outcome.off(side)) or "none"


def _differing(found: Mapping[str, Outcome]) -> list[tuple[str, str, Tally]]:
    return [
        (ours, name, tally)
        for ours, outcome in found.items()
        for name, tally in outcome.numbers.items()
        if tally.beyond
    ]


def _setting(r_version: str) -> str:
    libraries = ", ".join(
        f"{name} {version(name)}" for name in ("statsmodels", "scipy", "numpy", "mpmath")
    )
    return f"Python {platform.python_version()}, {libraries}, {r_version}"
