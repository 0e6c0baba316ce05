"""Systems in two collections, or years, that one set of factors standardizes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.comparison.adjustment import adjust as adjusted
from cdfscore.errors import ScoresError
from cdfscore.io.text import counted
from cdfscore.standardization.notes import listed
from cdfscore.standardization.standardized import Standardized

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class TwoCollections:
    """Means of systems in two collections, and tests of the systems that are in both.

    `table` has one row per system, the best mean first: system, mean_a and topics_a, mean_b and
    topics_b (NaN and 0 if a collection lacks the system). A system in both collections also has the
    difference a minus b, conf_low, conf_high, statistic, parameter, p_value and p_adjusted, by
    Welch's t test and Holm's correction over these systems.

    `tau_b` is the correlation of the two rankings of the systems in both collections. It is NaN for
    fewer than two systems, if all are tied in one ranking, or if one has no mean. `in_both` is the
    number of these systems. `other_size` has the numbers of topics and systems of the second
    collection.

    Examples
    --------
    >>> from cdfscore import Standardizer, datasets
    >>> from cdfscore.comparison.two_collections import two_collections
    >>> scores = datasets.load_cranfield("ap").iloc[:, :20]
    >>> factors = Standardizer("normal").fit(scores)
    >>> parts = (factors.standardize(part) for part in (scores.iloc[:100], scores.iloc[100:]))
    >>> found = two_collections(*parts)
    >>> type(found).__name__, found.in_both, found.other_size
    ('TwoCollections', 20, (125, 20))
    """

    table: pd.DataFrame
    tau_b: float
    in_both: int
    conf_level: float
    other_size: tuple[int, int]
    notes: list[str] = field(default_factory=list)


def two_collections(a: Standardized, b: Standardized, conf_level: float = 0.95) -> TwoCollections:
    """Compare the means of systems in two collections, standardized by the same factors.

    The topics of the collections are two independent samples. Therefore the difference of a system
    between the collections is tested by `cdfscore.significance.welch_t`. If a topic is in both
    collections, there are no tests, and a note states this. The difference is relative to the
    reference systems.

    Parameters
    ----------
    a, b
        The two collections, standardized by the same factors.
    conf_level
        The level of the confidence intervals.

    Raises
    ------
    ScoresError
        If the collections are the same matrix of topics and systems by their names.

    Examples
    --------
    >>> from cdfscore import Standardizer, datasets
    >>> scores = datasets.load_cranfield("ap").iloc[:, :20]
    >>> factors = Standardizer("normal").fit(scores)
    >>> parts = scores.iloc[:100], scores.iloc[100:, 5:]
    >>> found = two_collections(*(factors.standardize(part) for part in parts))
    >>> len(found.table), found.in_both, round(found.tau_b, 2)
    (20, 15, 0.85)
    """
    import pandas as pd

    from cdfscore.rank_correlation import tau_b

    _check_different(a, b)
    means = pd.concat(
        [a.frame_of_means.add_suffix("_a"), b.frame_of_means.add_suffix("_b")], axis=1
    ).rename_axis("system")
    counts = [f"topics_{side}" for side in "ab"]
    means[counts] = means[counts].fillna(0).astype(int)
    both = [system for system in a.frame.columns if system in set(b.frame.columns)]
    shared = [topic for topic in a.used.topics if topic in set(b.used.topics)]
    notes = [f"of the other collection: {note}" for note in b.notes if note not in a.notes]
    if shared:
        notes.append(
            f"{listed(shared)} in both collections, so that the topics are not two independent "
            "samples, and no system is tested; use 'compare' with both files instead"
        )
    tests = pd.DataFrame(columns=_TESTS, dtype=float)
    if both and not shared:
        tests = _tested(a, b, both, conf_level)
    order = means[["mean_a", "mean_b"]].max(axis=1).sort_values(ascending=False, kind="stable")
    table = means.join(tests).loc[order.index].reset_index()
    x, y = (means.loc[both, f"mean_{side}"].to_numpy() for side in "ab")
    ranked = len(both) > 1 and not any((z == z[0]).all() or np.isnan(z).any() for z in (x, y))
    tau, size = float(tau_b(x, y)) if ranked else np.nan, (len(b.used.topics), b.frame.shape[1])
    return TwoCollections(table, tau, len(both), conf_level, size, notes)


_TESTS = ["difference", "conf_low", "conf_high", "statistic", "parameter", "p_value", "p_adjusted"]


def _tested(a: Standardized, b: Standardized, both: list[str], conf_level: float) -> pd.DataFrame:
    import pandas as pd

    from cdfscore.significance import welch_t

    x, y = (found.frame[both].to_numpy().T for found in (a, b))
    found = welch_t(x, y, conf_level=conf_level)
    numbers = [found.estimate, found.conf_low, found.conf_high, found.statistic, found.parameter]
    p = found.p_value
    columns = dict(zip(_TESTS, [*numbers, p, adjusted(p, "holm")], strict=True))
    return pd.DataFrame(columns, index=both)


def _check_different(a: Standardized, b: Standardized) -> None:
    """Raise `ScoresError` for two matrices that have the same topics and systems."""
    same_topics = set(a.used.topics) == set(b.used.topics)
    if same_topics and set(a.frame.columns) == set(b.frame.columns):
        raise ScoresError(
            f"both collections have the same {counted(len(a.used.topics), 'topic')} and "
            f"{counted(len(a.frame.columns), 'system')}; expected other topics or other systems"
        )
