"""Columns of a table with replicates, after checks: systems, and levels of replicates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from cdfscore.errors import ModelError, ScoresError, did_you_mean
from cdfscore.io.scores.frame_labels import texts
from cdfscore.io.scores.summary_names import named_summaries
from cdfscore.io.text import listed
from cdfscore.models.components import SYSTEM
from cdfscore.models.formula import RESPONSE, TOPIC
from cdfscore.spelling import argument

if TYPE_CHECKING:
    import pandas as pd


def names_of(replicate: object) -> list[str]:
    """Return the names of one or more columns; raises `ModelError` for anything else."""
    names = [replicate] if isinstance(replicate, str) else replicate
    if not isinstance(names, Iterable) or not all(isinstance(name, str) for name in names):
        names = []
    found = list(map(str, names))
    taken = any(n in (TOPIC, SYSTEM, RESPONSE) or found.count(n) > 1 for n in found)
    if taken or not found:
        raise ModelError(
            f"{argument('replicate', replicate)} is not accepted; expected names of one or more "
            f"columns beside {TOPIC}, {SYSTEM} and {RESPONSE}, such as 'shard', each once"
        )
    return found


def levels_of(frame: pd.DataFrame, name: str, source: str) -> list[str]:
    """Return the level of each row as text.

    Raises `ModelError` for a column that is missing or is there twice, for a missing level, and for
    a level that summarizes the others, such as ``all``: its scores are not replicates.
    """
    names = list(map(str, frame.columns))
    if names.count(name) != 1:
        raise ModelError(
            f"{source} has {'two columns' if name in names else 'no column'} {name!r}"
            f"{did_you_mean(name, set(names) - {name})}; expected one with the replicate of each "
            f"score; found {listed(names)}"
        )
    levels = texts(frame.iloc[:, names.index(name)].tolist())
    if "" in levels:
        raise ModelError(
            f"{source}, row {levels.index('') + 1} has no {name}; expected a level, such as 'none'"
        )
    for label in named_summaries("topic", list(dict.fromkeys(levels))):
        raise ModelError(
            f"{source} has the {name} {label!r}, row {levels.index(label) + 1}, the name of a "
            "summary and not of a replicate; leave its rows out, or, if it is a replicate, rename "
            "it"
        )
    return levels


def check_systems(
    systems: Sequence[str], keep: frozenset[str], drop: frozenset[str], source: str
) -> None:
    """Raise `ScoresError` for a row without a system, and for a system that is a summary."""
    if "" in systems:
        raise ScoresError(
            f"{source}, row {systems.index('') + 1}: the system has no name; expected a label"
        )
    for label in named_summaries("system", list(dict.fromkeys(systems))):
        if label not in keep | drop:
            raise ScoresError(
                f"{source} has a system {label!r}, the name of a summary and not of a system; "
                f"leave it out by {argument('drop_systems', [label])}, or, if it is a system, keep "
                f"it by {argument('keep_systems', [label])}"
            )
