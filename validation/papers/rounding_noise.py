"""Effect of rounding error on the published E-std numbers: writes docs/rounding-noise.md.

``python -m validation.papers.rounding_noise`` runs the experiments of Urbano et al. (2019) twice,
with means as R's ``colMeans`` rounds them and with exact means, and counts what differs.
"""

from __future__ import annotations

import os
import platform
from pathlib import Path

import numpy as np

from validation import pages
from validation.papers.rounding_noise_found import TRIALS, Found, measured

PAGE = Path(__file__).parents[2] / "docs" / "rounding-noise.md"
#: A mean difference that changes no density over the trials.
SMALL = 1e-4


def main() -> None:
    data = Path(os.environ.get("CDFSCORE_DATA", Path(__file__).parents[3] / "shared" / "data"))
    PAGE.write_text(text(measured(data)), encoding="utf-8")


def text(found: Found) -> str:
    """Return the page."""
    return pages.rendered(
        "papers/rounding_noise.md.jinja",
        page_claims(found),
        differences=found.differences,
        within=found.within,
        raw=found.raw,
        by_numpy=found.by_numpy,
        trials=TRIALS,
        python=platform.python_version(),
        numpy=np.__version__,
    )


def page_claims(found: Found) -> dict[str, bool]:
    """Return what the page says in words, and whether it is so."""
    differences = found.differences
    broken = found.within["robust2004_ap"].trials_with_broken
    return {
        "For the other four schemes, the numbers are the same in both": all(
            each.others_same for each in differences
        ),
        "The mean differences are therefore small": all(
            abs(each.mean) < SMALL for each in differences
        ),
        "Rates of rejected tests (power and type I error) do not depend on means that are equal "
        "except for rounding; they are the same in both": all(
            each.tests_same for each in differences
        ),
        "adds in double precision and breaks many more ties": found.by_numpy.trials > 2 * broken,
    }


if __name__ == "__main__":
    main()
