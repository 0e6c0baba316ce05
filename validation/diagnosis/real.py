"""``python -m validation.diagnosis.real docs/what_fits.md``: what fits the real matrices.

It reads the folder of evaluation data, ``../shared/data`` or what CDFSCORE_DATA names. Without
a file it prints the page.
"""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from cdfscore import Diagnosis, Sensitivity, Standardizer, diagnose, read_scores, sensitivity
from validation.diagnosis.real_page import text

BESIDE = Path(__file__).resolve().parents[3] / "shared" / "data"
BOOTSTRAP, JOBS = 199, 2
# Families are tested on about so many topics, evenly over the matrix: for p values that hold
# after Holm's correction each topic is fitted up to 40 times as often as there are topics.
TOPICS_TESTED = 25

# Families of scores that are, or nearly are, continuous, and of scores on a grid, and those
# that are tested for goodness of fit.
TESTED = (
    "normal",
    "exponential",
    "truncated_normal",
    "beta:ends=shrink",
    "kumaraswamy:ends=shrink",
    "logit_normal:ends=shrink",
    "zero_inflated:family=beta(ends=shrink)",
)
CONTINUOUS = (
    *TESTED,
    "uniform",
    "minmax",
    "johnson_su",
    "mixture",
    "logspline",
    "kernel",
    "kernel:bandwidth=sj",
    "kernel:bandwidth=polansky_baker",
    "kernel:boundary=reflection",
    "empirical",
)
GRID_TESTED = ("normal", "truncated_normal", "beta:ends=shrink", "beta_binomial:size={size}")
GRID = (
    *GRID_TESTED,
    "zero_inflated:family=beta_binomial(size={size})",
    "mixture",
    "kernel",
    "kernel:boundary=beta",
    "empirical",
)
CHOSEN = ("raw", "normal", "uniform", "empirical", "kernel", "truncated_normal", "beta:ends=shrink")


@dataclass(frozen=True)
class Collection:
    """A matrix; `size` is that of the ranking where scores are on a grid of 1 / size."""

    name: str
    path: str
    size: int | None = None

    def spelled(self, schemes: tuple[str, ...]) -> list[str]:
        return [scheme.format(size=self.size) for scheme in schemes]


@dataclass(frozen=True)
class Result:
    """What was found of a matrix."""

    collection: Collection
    all: Diagnosis
    tested: Diagnosis
    changes: Sensitivity


COLLECTIONS = (
    Collection("Robust 2004, AP", "robust2004/robust2004_ap.csv"),
    Collection("Robust 2004, P@10", "robust2004/robust2004_p10.csv", 10),
    Collection("Terabyte 2006, AP", "urbano2019/data/terabyte2006_ap.csv"),
    Collection("Terabyte 2006, nDCG", "urbano2019/data/terabyte2006_ndcg.csv"),
    Collection("Web 2010, nDCG@20", "web/web2010_ndcg20.csv"),
    Collection("Web 2011, nDCG@20", "web/web2011_ndcg20.csv"),
    Collection("Web 2012, nDCG@20", "web/web2012_ndcg20.csv"),
    Collection("Web 2012, ERR@20", "web/web2012_err20.csv"),
    Collection("Web 2012, P@20", "web/web2012_p20.csv", 20),
)


def result(collection: Collection, data: Path) -> Result:
    scores = read_scores(data / collection.path)
    families, tested = (GRID, GRID_TESTED) if collection.size else (CONTINUOUS, TESTED)
    spelled = collection.spelled
    return Result(
        collection,
        diagnose(scores, spelled(families), bootstrap=0, jobs=JOBS),
        diagnose(
            scores.iloc[:: max(1, len(scores) // TOPICS_TESTED)],
            spelled(tested),
            bootstrap=BOOTSTRAP,
            jobs=JOBS,
        ),
        sensitivity(scores, [Standardizer(s, unfitted="drop_topic") for s in CHOSEN], most=3),
    )


def main() -> None:
    data, results = Path(os.environ.get("CDFSCORE_DATA", BESIDE)), []
    for collection in COLLECTIONS:
        start = time.perf_counter()
        results.append(result(collection, data))
        print(f"{collection.name}: {time.perf_counter() - start:.0f} s", file=sys.stderr)
    page = text(results)
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(page, encoding="utf-8")
    else:
        sys.stdout.write(page)


if __name__ == "__main__":
    main()
