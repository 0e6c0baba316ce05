"""The same scores through a scheme and through its R twin, refusals included."""

from __future__ import annotations

import numpy as np

from cdfscore.r.session import ROWS, RSession
from cdfscore.standardization.policies import fit_where_possible
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes.base import Scheme


def by_both(scheme: Scheme, x: Array, scores: Array, r: RSession) -> tuple[Array, Array]:
    """Return y of Python and of R, NaN for topics that both refuse; one alone is a failure."""
    fitted, rows, refused = fit_where_possible(scheme, scores)
    y = np.full_like(x, np.nan)
    y[rows] = fitted(x[rows])
    each_row = r.function("each_row_where_possible", ROWS)
    found = each_row(r.twin(scheme), r.matrix(x), r.matrix(scores), r.settings(scheme))
    said = enumerate(map(str, found.do_slot("stopped")))
    stopped = {row: message for row, message in said if message}
    assert refused.keys() == stopped.keys(), (refused, stopped)
    return y, r.array(found)
