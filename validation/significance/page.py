"""docs/significance-validation.md, from what was found beside R and by simulation."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

from validation import pages
from validation.significance.calibration import ERROR, Rate
from validation.significance.parity import Outcome

PAGE = Path(__file__).parents[2] / "docs" / "significance-validation.md"
SHOWN = ("statistic", "parameter", "p_value", "conf_low", "conf_high")
#: All pairs of the systems of Robust 2004, and those with one of them.
PAIRS, WITH_BASELINE = 5995, 109


def text(
    r_version: str,
    random: Mapping[str, Outcome],
    real: Mapping[str, Outcome],
    rates: Sequence[Rate],
) -> str:
    """Return the page: outcomes by test on random inputs and on all real pairs, and rates."""
    return pages.rendered(
        "significance/page.md.jinja",
        page_claims(real),
        setting=_setting(r_version),
        random=random,
        real=real,
        rates=rates,
        shown=SHOWN,
        error=ERROR,
    )


def page_claims(real: Mapping[str, Outcome]) -> dict[str, bool]:
    """Return what the page says in words, and whether it is so."""
    inputs = {outcome.inputs for outcome in real.values()}
    return {
        f"{PAIRS:,} pairs, {WITH_BASELINE} with one baseline": inputs <= {1, WITH_BASELINE, PAIRS},
    }


def _setting(r_version: str) -> str:
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "statsmodels"))
    return f"Python {platform.python_version()}, {libraries}, {r_version}"
