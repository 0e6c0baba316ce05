"""The measure whose scores are read."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.errors import ScoresError, did_you_mean
from cdfscore.io.results.names import is_same_measure, usual_name
from cdfscore.io.text import counted
from cdfscore.numerics.types import BoolArray
from cdfscore.spelling import argument, option

if TYPE_CHECKING:
    from cdfscore.io.results.coded import Coded

#: What trec_eval writes beside scores, as text.
NO_SCORES = frozenset({"relstring", "runid"})
#: Values of topics whose mean says nothing, by the usual names of their measures, as in JSON of
#: pytrec_eval.
_NO_MEANS = {
    **dict.fromkeys(("gm_map", "gm_bpref"), "logarithms, whose mean is not the geometric mean"),
    "numq": "1 for each topic, and no score",
}
# Number of measures in a message.
_SHOWN = 10


def chosen_measure(
    source: str, measures: Coded | None, summary: BoolArray, asked: str | None
) -> str | None:
    """Return the measure to read: the one that is asked for, or the only one.

    One that is asked for by the name of another tool, "AP" for "map", is read if one name there is
    of the same measure. Measures that only the rows of a `summary` have, such as num_q, are none.
    Raises `ScoresError` if there are several or if there is no such measure; None if the file names
    none.
    """
    if measures is None:
        return None
    counts = np.bincount(measures.codes[~summary], minlength=len(measures.names))
    there = [name for name in compress(measures.names, counts) if name not in NO_SCORES]
    known = [name for name in there if no_mean(name) is None]
    if asked is None:
        doubtful = there[0] if there and not known else None
    else:
        doubtful = next((name for name in there if is_same_measure(name, asked)), None)
    if doubtful is not None and (what := no_mean(doubtful)):
        others = f": {_listed(known)}" if known else ""
        raise ScoresError(
            f"{source} has {what} as {doubtful}; expected a measure with scores of topics{others}"
        )
    if asked is not None:
        if asked in known:
            return asked
        if asked in measures.names:
            what = "text" if asked in NO_SCORES else "one number for all topics"
            raise ScoresError(
                f"{source} has {what} as {asked}; expected a measure with scores of topics: "
                f"{_listed(known)}"
            )
        same = [name for name in known if is_same_measure(name, asked)]
        if len(same) == 1:
            return same[0]
        raise ScoresError(
            f"{source} has no measure {asked!r}{did_you_mean(asked, known)}; it has "
            f"{_listed(known)}"
        )
    if len(known) != 1:
        raise ScoresError(
            f"{source} has scores of {len(known)} measures: {_listed(known)}; choose one by "
            f"{option('measure')}, as in {argument('measure', _example(known))}"
            if known
            else f"{source} has no measure with scores of topics; expected one"
        )
    return known[0]


def no_mean(name: str) -> str | None:
    """Return what a measure has for each topic if the mean of that is no score of the system."""
    return _NO_MEANS.get(usual_name(name.removeprefix("Z")))


def _example(names: list[str]) -> str:
    """Return a measure that is no count, if there is one."""
    return next((name for name in names if "num_" not in name), names[0])


def _listed(names: list[str]) -> str:
    more = f" and {counted(len(names) - _SHOWN, 'other')}" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
