"""Rank correlation of two score matrices, by the means of the same systems."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import pandas as pd

from cdfscore.common.catalogue import note_of
from cdfscore.common.text import listed, part_of, worded
from cdfscore.errors import CdfscoreError, ScoresError
from cdfscore.scores.dataframes import IntoFrame, taken
from cdfscore.standardization import standardizer
from cdfscore.standardization.policies import ScoreMatrix
from cdfscore.standardization.standardized import ExtraTopics, Factors, Standardized
from cdfscore.stats.numerics.offset import pearson_r
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.rank_correlation.coefficients import (
    drmse,
    drmse_geometric,
    rmse,
    tau,
    tau_ap_b,
    tau_b,
)


@dataclass(frozen=True, eq=False, repr=False)
class Correlation:
    """Result of `correlate`.

    `table` has one row for each of tau, tau_b, tau_ap_b, pearson, rmse, drmse and drmse_geometric,
    with the columns ``measure``, ``value``, ``systems`` (their number) and ``reason``: why the
    value is NaN, with x for the means of the first scores and y for those of the second, or "".
    `notes` are sentences on what the policies changed in each matrix. `first` and `second` are the
    standardized matrices.
    """

    table: pd.DataFrame
    notes: list[str]
    first: Standardized
    second: Standardized

    def __repr__(self) -> str:
        return repr(self.table)

    def _repr_html_(self) -> str:
        return self.table.to_html()


@worded(anew=True)
def correlate(
    a: IntoFrame,
    b: IntoFrame,
    *,
    scheme: standardizer.How = "raw",
    extra_topics: ExtraTopics = "refuse",
    names: tuple[str, str] = ("the first scores", "the second scores"),
) -> Correlation:
    """Correlate the system means of two score matrices that have the same systems.

    Specified in correlate.1.

    Parameters
    ----------
    a, b
        Scores, topics x systems, as `read_scores` returns them or in other data frames. Systems are
        matched by their names; the topics may differ.
    scheme
        Standardization of each matrix before its means: a scheme, or a `Standardizer` with its
        policies, fitted to the matrix itself; or `Factors`. "raw" is the scores as they are. Topics
        of `Standardizer.lower_is_better` must be in at least one of the matrices.
    extra_topics
        What to do with topics that `Factors` lack: "refuse" (an error) or "drop".
    names
        Names of the matrices, for errors and notes.

    Raises
    ------
    ScoresError
        For different systems, fewer than two, or a system without a finite mean.
    CdfscoreError
        For an unknown scheme or policy, for scores that `Standardizer` or `Factors` refuse, and
        for `extra_topics` "drop" without `Factors`, which would have no effect.

    Notes
    -----
    Means are those of `Standardized.means`: exact for E-std, so that tied systems are tied.
    tau_ap is not in the table because it allows no ties; see `cdfscore.stats.tau_ap`.

    Examples
    --------
    >>> import pandas as pd
    >>> a = pd.DataFrame({"bm25": [0.2, 0.6], "lsa": [0.4, 0.5], "ql": [0.3, 0.7]})
    >>> b = pd.DataFrame({"ql": [0.5, 0.4], "lsa": [0.3, 0.1], "bm25": [0.2, 0.3]})
    >>> correlate(a, b).table[["measure", "value"]].round(3)
               measure  value
    0              tau  0.333
    1            tau_b  0.333
    2         tau_ap_b  0.500
    3          pearson  0.756
    4             rmse  0.171
    5            drmse  1.874
    6  drmse_geometric  2.100
    """
    how = scheme if isinstance(scheme, Factors) else standardizer.standardizer_of(scheme)
    standardizer.check_extra_of((how,), None, extra_topics)
    matrices = taken(a, names[0])[0], taken(b, names[1])[0]
    ways: list[standardizer.How] = [how] * len(matrices)
    if how.lower_is_better:
        checked = []
        for scores, name in zip(matrices, names, strict=True):
            with _concerning(name):
                checked.append(ScoreMatrix.of(scores))
        ways = standardizer.of_each(how, checked)
    found = []
    for own, scores, name in zip(ways, matrices, names, strict=True):
        with _concerning(name):
            found.append(standardizer.standardize(scores, own, extra_topics=extra_topics))
    first, second = (each.means["mean"] for each in found)
    for means, name in zip((first, second), names, strict=True):
        for system, mean in means.items():
            if not np.isfinite(mean):
                raise ScoresError(
                    f"{name}: system {system!r} has the mean {mean}; expected a finite mean"
                )
    _check_systems(list(first.index), list(second.index), names)
    x, y = (np.array(means[first.index], dtype=np.float64) for means in (first, second))
    rows = []
    for name, measure in _MEASURES.items():
        try:
            rows.append((name, float(measure(x, y)), len(x), ""))
        except CdfscoreError as error:  # undefined; system means have no other error
            rows.append((name, np.nan, len(x), str(error)))
    table = pd.DataFrame(rows, columns=["measure", "value", "systems", "reason"])
    notes = (note_of(name, n) for each, name in zip(found, names, strict=True) for n in each.notes)
    return Correlation(table, [*dict.fromkeys(notes)], *found)


@contextmanager
def _concerning(name: str) -> Iterator[None]:
    try:
        yield
    except CdfscoreError as error:
        error.args = (f"{name}: {error}",)  # its class, and its rows, stay
        raise


def _check_systems(first: list[str], second: list[str], names: tuple[str, str]) -> None:
    for these, those, (name, other) in (
        (first, set(second), names),
        (second, set(first), names[::-1]),
    ):
        if only := [system for system in these if system not in those]:
            raise ScoresError(
                f"{name}: {part_of(len(only), len(these), 'system')} "
                f"{'is' if len(only) == 1 else 'are'} not in {other}: "
                f"{listed(list(map(repr, only)))}; expected the same systems in both"
            )
    if len(first) < 2:
        raise ScoresError(f"there is only system {first[0]!r} to rank; expected at least 2")


def _pearson(x: Array, y: Array) -> np.float64:
    r = pearson_r(x[np.newaxis], y[np.newaxis])[0]
    if np.isnan(r):
        raise CdfscoreError(
            "pearson is undefined: expected at least two different values in x, and in y"
        )
    return np.float64(r)


_MEASURES: dict[str, Callable[[Array, Array], Array | np.float64]] = {
    "tau": tau,
    "tau_b": tau_b,
    "tau_ap_b": tau_ap_b,
    "pearson": _pearson,
    "rmse": rmse,
    "drmse": drmse,
    "drmse_geometric": drmse_geometric,
}
