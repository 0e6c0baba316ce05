"""``make validate``: the bandwidth rules of R on 10,000 samples each, `ks::hpi.kcde` on 1,000.

Rewrites results.md beside this file; exits with 1 where a number is more than 1e-8 from R's, or
only one side has one.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from cdfscore.r.session import RSession
from cdfscore.stats.schemes.bandwidths import RULES
from validation import pages
from validation.bandwidths.compare import CROSS_VALIDATION, IN_BASE_R, Tally, compare
from validation.bandwidths.real import Matrix, read
from validation.bandwidths.samples import KINDS, sample

SAMPLES, LARGEST, SEED = 10_000, 1000, 6
# hpi.kcde takes its sums in interpreted loops.
KS_SAMPLES, KS_LARGEST = 1000, 200
LIMIT = 1e-8
PAGE = Path(__file__).with_name("results.md")

NAMES = {
    "nrd0": "bw.nrd0",
    "nrd": "bw.nrd",
    "ucv": "bw.ucv",
    "bcv": "bw.bcv",
    "sj": "bw.SJ",
    "sj_dpi": 'bw.SJ, method = "dpi"',
    "polansky_baker": "ks::hpi.kcde, binned = FALSE",
}


def main() -> None:
    r = RSession()
    tallies = {}
    for rule in IN_BASE_R:
        numbered = ((k, sample(SEED, k, LARGEST)[1]) for k in range(SAMPLES))
        tallies[rule] = compare(r, rule, numbered)
    numbered = ((k, sample(SEED, k, KS_LARGEST)[1]) for k in range(KS_SAMPLES))
    tallies["polansky_baker"] = compare(r, "polansky_baker", numbered)
    version = r.rinterface.baseenv["R.version.string"][0]
    PAGE.write_text(text(tallies, read(), version), encoding="utf-8")
    sys.stdout.write(PAGE.read_text(encoding="utf-8"))
    if any(tally.apart or tally.largest > LIMIT for tally in tallies.values()):
        sys.exit("a bandwidth differs from R's")


def text(tallies: Mapping[str, Tally], matrices: Sequence[Matrix], r_version: str) -> str:
    """Return the page: the rules beside R's, and on real matrices."""
    return pages.rendered(
        "bandwidths/results.md.jinja",
        tallies=tallies,
        matrices=matrices,
        rules=list(RULES),
        functions=NAMES,
        cross_validation=tuple(CROSS_VALIDATION),
        largest=LARGEST,
        kinds=len(KINDS),
        seed=SEED,
        numpy=np.__version__,
        r=r_version,
    )


if __name__ == "__main__":
    main()
