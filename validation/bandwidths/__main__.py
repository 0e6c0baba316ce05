"""``make validate``: the bandwidth rules of R on 10,000 samples each, `ks::hpi.kcde` on 1,000.

Rewrites results.md beside this file; exits with 1 where a number is more than 1e-8 from R's, or
only one side has one.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from cdfscore.r.session import RSession
from validation.bandwidths.compare import CROSS_VALIDATION, IN_BASE_R, Tally, compare
from validation.bandwidths.real import section
from validation.bandwidths.samples import KINDS, sample

SAMPLES, SEED = 10_000, 6
# hpi.kcde takes its sums in interpreted loops.
KS_SAMPLES, KS_LARGEST = 1000, 200
LIMIT = 1e-8
PAGE = Path(__file__).with_name("results.md")

TITLE = """# Bandwidth rules beside R

Written by `python -m validation.bandwidths`. Samples of 4 to {largest} scores of {kinds} kinds
(samples.py), seed {seed}; NumPy {numpy}, {r}. Refused here are
the samples where R stops or warns, or gives 0 for scores that vary; where it warns, as it does of
a minimum at an end of its range, the numbers are compared nevertheless. Several minima: samples
whose criterion has more than one minimum in the interval that R searches.

| rule | R | samples | compared | equal bits | largest relative difference | refused | refused by one side only | several minima |
|---|---|---|---|---|---|---|---|---|
"""  # noqa: E501
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
        numbered = ((k, sample(SEED, k)[1]) for k in range(SAMPLES))
        tallies[rule] = compare(r, rule, numbered)
    numbered = ((k, sample(SEED, k, KS_LARGEST)[1]) for k in range(KS_SAMPLES))
    tallies["polansky_baker"] = compare(r, "polansky_baker", numbered)
    version = r.rinterface.baseenv["R.version.string"][0]
    title = TITLE.format(largest=1000, kinds=len(KINDS), seed=SEED, numpy=np.__version__, r=version)
    PAGE.write_text(title + "".join(map(_line, tallies.items())) + section(), encoding="utf-8")
    sys.stdout.write(PAGE.read_text(encoding="utf-8"))
    if any(tally.apart or tally.largest > LIMIT for tally in tallies.values()):
        sys.exit("a bandwidth differs from R's")


def _line(item: tuple[str, Tally]) -> str:
    rule, t = item
    several = t.several if rule in CROSS_VALIDATION else ""
    return (
        f"| {rule} | `{NAMES[rule]}` | {t.samples} | {t.compared} | {t.same_bits} | "
        f"{t.largest:.1e} | {t.refused} | {len(t.apart)} | {several} |\n"
    )


if __name__ == "__main__":
    main()
