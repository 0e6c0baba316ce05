"""``make validate``: every law of `from_scipy` on bundled topics, beside R's own optimizers.

Rewrites a table of docs/r-parity.md; exits with 1 where y differs by more than the tolerance, R
finds a likelihood that is higher by more than `HIGHER`, or only one side has a fit.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from cdfscore.datasets import load_cranfield
from cdfscore.errors import FitError
from cdfscore.r.session import RSession
from cdfscore.standardization.policies import fit_where_possible
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes import FromScipy
from cdfscore.stats.schemes.from_scipy import LAWS
from validation import pages

MEASURES, TOPICS, HIGHER = ("ap", "ndcg10", "p10", "rr"), 10, 1e-6
PAGE = Path(__file__).parents[2] / "docs/r-parity.md"
# What has to be held, for scores from 0 to 1.
HELD = {"floc": -0.01, "fscale": 1.02, "f0": 2.0, "f1": 10.0}


@dataclass
class Tally:
    """What became of the topics of a law; times in ms a topic."""

    scheme: FromScipy
    topics: int = 0
    ours: float = 0.0
    in_r: float = 0.0
    farthest: float = 0.0
    higher: float = -np.inf
    refused: int = 0
    apart: list[str] = field(default_factory=list)

    @property
    def fails(self) -> bool:
        allowed = self.scheme.tolerance.ulp * 2**-52
        return bool(self.apart) or not self.farthest <= allowed or self.higher > HIGHER


def main() -> None:
    r, found = RSession(), []
    topics = list(_topics())
    for dist in LAWS:
        found.append(_tally(r, dist, topics))
        sys.stdout.write(f"{_line(found[-1])}\n")
        sys.stdout.flush()
    measured = pages.rendered(
        "laws/page.md.jinja", tallies=found, topics=TOPICS, measures=MEASURES, higher=HIGHER
    )
    PAGE.write_text(pages.rewritten(PAGE.read_text(encoding="utf-8"), measured), encoding="utf-8")
    if any(tally.fails for tally in found):
        sys.exit("a law differs from R's")


def _topics() -> Iterator[tuple[str, Array]]:
    """Yield topics of the bundled matrices, evenly spaced, of which the scores vary."""
    for measure in MEASURES:
        table = load_cranfield(measure)
        varied = table[table.nunique(axis=1) > 1]
        chosen = np.linspace(0, len(varied) - 1, TOPICS).astype(int)
        for topic, row in varied.iloc[chosen].iterrows():
            yield f"{measure} {topic}", row.to_numpy()


def _tally(r: RSession, dist: str, topics: list[tuple[str, Array]]) -> Tally:
    scheme = FromScipy(dist, **{name: HELD[name] for name in LAWS[dist].needs})
    tally = Tally(scheme, len(topics))
    rows = np.stack([row for _, row in topics])
    fit_where_possible(scheme, rows[:2])  # imports, and compiles
    start = time.perf_counter()
    fit_where_possible(scheme, rows)
    tally.ours = 1e3 * (time.perf_counter() - start) / len(rows)
    fit_in_r = r.function_of(FromScipy.twin(), "estimate")
    evaluate_in_r = r.function_of(FromScipy.twin(), "evaluate")
    for name, row in topics:
        try:
            fitted = scheme.fit(row)
        except FitError as error:
            fitted, said = None, str(error)
        start = time.perf_counter()
        try:
            by_r: Any = fit_in_r(r.vector(row), **_in_r(r, scheme))
        except r.error as error:
            by_r, said = None, str(error)
        tally.in_r += 1e3 * (time.perf_counter() - start) / len(rows)
        if fitted is None and by_r is None:
            tally.refused += 1
        elif fitted is None or by_r is None:
            tally.apart.append(f"{name}: {said}")
        else:
            own = dict(zip(by_r.names, by_r, strict=True))
            y = np.array(evaluate_in_r(r.vector(row), dist=r.strings([dist]), **own))
            tally.farthest = max(tally.farthest, float(np.abs(fitted(row) - y).max()))
            ours = [float(v[0]) for v in list(fitted.parameters.values())[1:]]
            theirs = [float(v[0]) for v in list(by_r)[1:]]
            law = getattr(stats, dist)
            with np.errstate(all="ignore"):
                gain = law.logpdf(row, *theirs).sum() - law.logpdf(row, *ours).sum()
            # A support that ends at a score is missed by R's rounding.
            tally.higher = max(tally.higher, float(gain))
    return tally


def _in_r(r: RSession, scheme: FromScipy) -> dict[str, Any]:
    return {
        name: r.strings([v]) if isinstance(v, str) else v for name, v in scheme.settings().items()
    }


def _line(tally: Tally) -> str:
    return (
        f"{tally.scheme}: {tally.ours:.3f} ms, in R {tally.in_r:.0f} ms; |y - R's| at most "
        f"{tally.farthest:.1e}; R's log-likelihood higher by at most {tally.higher:.1e}; refused "
        f"{tally.refused} of {tally.topics}; by one side only {tally.apart or 'none'}"
    )


if __name__ == "__main__":
    main()
