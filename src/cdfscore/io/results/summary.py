"""Rows of the topic "all": compared with the topics, and left out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.errors import ScoresError
from cdfscore.io.scores.cautions import What, error_of_rounding, error_of_sums, last_decimals
from cdfscore.io.text import listed
from cdfscore.numerics.types import Array, IntArray
from cdfscore.spelling import argument

if TYPE_CHECKING:
    from cdfscore.io.results.coded import Coded
    from cdfscore.io.results.results import Results

#: Measures of trec_eval and ir_measures that are added up over topics.
_COUNTS = r"Z?num_|Num(Q|Rel|Ret)\b"


def checked_summary(
    results: Results,
    measure: str | None,
    matrix: Array,
    systems: Coded,
    rows: IntArray,
    found: Array,
) -> list[str]:
    """Return the note on the rows "all" of a measure, which agree with the topics.

    `found` are their numbers. Raises `ScoresError` for a number that is not the mean of the topics,
    or their sum (num_rel and others), to the decimals that are written. Where trec_eval has counted
    more topics than there are (-c), each as 0, the note says so.
    """
    averaged: dict[tuple[int, int], list[str]] = {}
    what: What = "sum" if re.match(_COUNTS, measure or "") else "mean"
    of_systems = results.of_systems()
    codes = of_systems.codes[rows].tolist()
    for row, code, value in zip(rows.tolist(), codes, found.tolist(), strict=True):
        name = of_systems.names[code]
        scores = matrix[:, systems.names.index(name)]
        scores = scores[~np.isnan(scores)]
        if not len(scores) or np.isnan(value):  # nothing to compare
            continue
        level = scores.sum() if what == "sum" else scores.mean()
        margin = float(error_of_sums(what, scores)) + _rounding(results, row, scores, what)
        if abs(value - level) <= margin:
            continue
        counted = None if what == "sum" else results.counted_topics(code)
        more = 0 if counted is None else int(counted) - len(scores)
        if more > 0 and abs(value - scores.sum() / (len(scores) + more)) <= margin:
            averaged.setdefault((len(scores) + more, more), []).append(name)
            continue
        raise ScoresError(
            f"{results.cell(row)}: {value:g} is not the {what} of the {len(scores)} topics, which "
            f"is {level:.6g}, and off by {abs(value - level):.2g}; expected the file as it was "
            f"written, or {argument('drop_topics', ['all'])} if it is of other topics"
        )
    n = len(matrix)
    topics = f"the {n} topics" if n > 1 else "the only topic"
    has = f"the {what} of {topics}" if not averaged else "a mean of topics"
    notes = [_averaged(systems, names, *topics) for topics, names in averaged.items()]
    return [
        f"{results.source}: {note}"
        for note in (f"the topic 'all' has {has} and is left out", *notes)
    ]


def _averaged(systems: Coded, names: list[str], topics: int, absent: int) -> str:
    """Return the note on systems that ``trec_eval -c`` averaged over more topics than there are."""
    those = "" if len(names) == len(systems.names) else f" of {listed(names)}"
    are = "is not in the file and counts" if absent == 1 else "are not in the file and count"
    return (
        f"trec_eval -c averaged the scores{those} over {topics} topics, {absent} of which {are} "
        "as 0 there, but not here"
    )


def _rounding(results: Results, row: int, scores: Array, what: What) -> float:
    """Return how far off a summary may be because it and the scores were rounded.

    Sums of whole numbers are exact.
    """
    text = results.scores[row]
    if _is_number(text):
        unit = float(last_decimals(np.array([[float(text)]]))[0])
    else:
        written = re.fullmatch(r"[-+]?\d*(?:\.(\d*))?(?:[eE]([-+]?\d+))?", text.as_py().strip())
        unit = float(f"1e{int(written[2] or 0) - len(written[1] or '')}") if written else 0.0
    if what == "sum" and unit == 1:
        return 0.0
    of_scores = min(unit, float(last_decimals(scores[np.newaxis])[0]))
    return 0.5 * unit + float(error_of_rounding(what, len(scores), of_scores))


def _is_number(cell: object) -> bool:
    return isinstance(cell, float)  # and so is NumPy's
