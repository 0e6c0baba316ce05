"""Share of the variance of raw means by topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cdfscore.io.scores.cautions import Matrix, shares_of_variance
from cdfscore.standardization.matrix import ScoreMatrix

if TYPE_CHECKING:
    import pandas as pd
    from narwhals.typing import IntoFrame


def variance_by_topic(scores: IntoFrame) -> pd.DataFrame:
    """Return the share of each topic in the sum of the variances between systems.

    share_t = s_t^2 / (s_1^2 + ... + s_T^2), where s_t^2 is the variance of the raw scores of topic
    t, with divisor n_t - 1, in the unit of the scores squared. A topic with a large share decides
    the raw means and their order; standardization by N-std or the z score makes all shares equal.

    `scores` is topics x systems. Returns a frame with the columns ``variance`` and ``share``, a row
    a topic, the largest share first; both are 0 where fewer than two systems have a score.

    Raises `ScoresError` if `scores` is not a score matrix. Specified in disorder.4.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame({"a": [1.0, 10.0], "b": [2.0, 40.0]}, index=["pong", "atlantis"])
    >>> variance_by_topic(scores).round(4)
              variance   share
    topic
    atlantis     450.0  0.9989
    pong           0.5  0.0011
    """
    import pandas as pd

    given = ScoreMatrix.of(scores)
    matrix = Matrix(given.topics, given.systems, given.values)
    index = pd.Index(given.topics, dtype=str, name="topic")
    _, squares, n, units = matrix.spread
    with np.errstate(over="ignore"):  # of scores of 1e160 and more
        variance = np.where(n > 1, squares / np.maximum(n - 1, 1) * units**2, 0.0)[:, 0]
    found = pd.DataFrame({"variance": variance, "share": shares_of_variance(matrix)}, index=index)
    return found.sort_values("share", ascending=False, kind="stable")
