"""A rule beside R's function, sample by sample."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from cdfscore.errors import FitError
from cdfscore.r.session import RSession
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes.bandwidths import RULES, pair_counts, rows_of, search, upper_end

FUNCTIONS = Path(__file__).with_name("rules.R")
#: The rules that are functions of base R.
IN_BASE_R = ("nrd0", "nrd", "ucv", "bcv", "sj", "sj_dpi")
CROSS_VALIDATION = ("ucv", "bcv")


@dataclass
class Tally:
    """What the samples gave for one rule.

    Attributes
    ----------
    samples, compared, same_bits, largest
        Samples; those where both have a number; where all its bits agree; and the largest
        relative difference.
    refused
        Samples that the rule refuses here.
    several
        Of those compared, samples where the criterion has several minima.
    apart
        The numbers of the samples that only one side takes.
    """

    samples: int = 0
    compared: int = 0
    same_bits: int = 0
    largest: float = 0.0
    refused: int = 0
    several: int = 0
    apart: list[int] = field(default_factory=list)


def bandwidth(rule: str, scores: Array) -> tuple[float, bool]:
    """Return h of one sample and whether the rule takes it.

    Where cross-validation refuses, h is where its search stopped; NaN under other rules.
    """
    ordered = np.sort(scores)
    try:
        return float(RULES[rule](scores, ordered).item()), True
    except FitError:
        if rule not in CROSS_VALIDATION:
            return float("nan"), False
        rows = rows_of(scores[np.newaxis], ordered[np.newaxis])
        largest = upper_end(rows.sd, rows.n)
        h, _ = search(rule == "bcv", rows.ordered, rows.n, largest)
        return float(rows.bandwidths(h).item()), False


def in_r(r: RSession, rule: str, scores: Array) -> tuple[float, bool]:
    """Return R's bandwidth of one sample, NaN where it stops, and whether it took it quietly.

    A bandwidth of 0 for scores that vary, as bw.nrd gives, is none.
    """
    function = r.function("bandwidth_in_r", FUNCTIONS)
    vector = r.rinterface.FloatSexpVector.from_memoryview(np.ascontiguousarray(scores).data)
    h, quiet = function(r.strings([rule]), vector)
    return (float(h), bool(quiet)) if h else (float("nan"), False)


def compare(r: RSession, rule: str, samples: Iterable[tuple[int, Array]]) -> Tally:
    """Compare numbered samples."""
    tally = Tally()
    for number, scores in samples:
        (ours, taken), (theirs, quiet) = bandwidth(rule, scores), in_r(r, rule, scores)
        tally.samples += 1
        tally.refused += not taken
        if taken != quiet or np.isnan(ours) != np.isnan(theirs):
            tally.apart.append(number)
        elif not np.isnan(ours):
            tally.compared += 1
            tally.same_bits += ours == theirs
            tally.largest = max(tally.largest, abs(ours / theirs - 1))
            if rule in CROSS_VALIDATION:
                tally.several += minima(rule, scores) > 1
    return tally


def minima(rule: str, scores: Array) -> int:
    """Count the minima of a criterion of cross-validation on 200 points of R's interval."""
    n = len(scores)
    largest = 1.144 * scores.std(ddof=1) * n**-0.2
    h = np.linspace(0.1 * largest, largest, 200)[:, np.newaxis]
    distances, counts = pair_counts(np.sort(scores))
    delta = (distances / h) ** 2
    if rule == "ucv":
        terms = np.exp(-delta / 4) - np.sqrt(8) * np.exp(-delta / 2)
        values = (0.5 + terms @ counts / n) / h[:, 0]
    else:
        terms = np.exp(-delta / 4) * (delta**2 - 12 * delta + 12)
        values = (1 + terms @ counts / (32 * n)) / h[:, 0]
    inner = values[1:-1]
    return int(((inner < values[:-2]) & (inner < values[2:])).sum())
