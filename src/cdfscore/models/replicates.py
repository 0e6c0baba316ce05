"""Scores with replicates: several of a system on a topic, such as one of each shard."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import TypedDict, Unpack

import pandas as pd

from cdfscore.common.files import path_of, source_name
from cdfscore.common.text import listed
from cdfscore.errors import ModelError, ScoresError, did_you_mean
from cdfscore.models.formula import RESPONSE, SYSTEM, TOPIC, Factor, factor_of
from cdfscore.scores.cautions import named_summaries
from cdfscore.scores.dataframes import IntoFrame, remember, taken
from cdfscore.scores.delimited import cells_of, is_json, text_table
from cdfscore.scores.frame import frame_with_joint_labels, scores_of_frame
from cdfscore.scores.how import Headers
from cdfscore.scores.how import How as ReadSettings
from cdfscore.scores.labels import Labels, texts
from cdfscore.scores.parquet import frame_of_parquet
from cdfscore.scores.reading import opened, refuse_sheet
from cdfscore.scores.results.dictionaries import frame_of_json
from cdfscore.scores.results.results import columns_of_frame, flat


@dataclass(frozen=True, eq=False)
class Replicates:
    """Result of `as_replicates` and `read_replicates`: several scores of a system on a topic.

    Attributes
    ----------
    scores
        Scores (topics, slots), NaN where a score is missing. A slot is a system with the levels of
        a replicate; its label is, for example, ``bm25 [shard=1]``.
    systems
        The system of each slot.
    factors
        The levels of each slot, by the name of the replicate.
    """

    scores: pd.DataFrame
    systems: tuple[str, ...]
    factors: dict[str, Factor] = field(default_factory=dict)


class RecordSettings(TypedDict, total=False):
    """Settings of `read_scores` for a table with a row for each score, but the replicates."""

    topic_column: Headers | None
    measure: str | None
    keep_topics: Sequence[str]
    keep_systems: Sequence[str]
    drop_topics: Sequence[str]
    drop_systems: Sequence[str]
    system_column: Headers | None
    score_column: str | None
    na: Sequence[str]
    cells: Sequence[str]


def _how(settings: RecordSettings, sheet: str | None = None) -> ReadSettings:
    if unknown := settings.keys() - RecordSettings.__annotations__.keys():
        raise TypeError(f"unexpected keyword argument {min(unknown)!r} for scores with replicates")
    return ReadSettings.given(sheet=sheet, **settings)


def as_replicates(
    frame: IntoFrame,
    replicate: str | Sequence[str],
    *,
    source: str = "scores",
    **settings: Unpack[RecordSettings],
) -> Replicates:
    """Return scores with replicates from a data frame with one row for each score.

    Parameters
    ----------
    frame
        A data frame of any kind with columns of topics, systems and scores, under the headers that
        `read_scores` accepts, and with the columns of the replicates. Each combination of topic,
        system and levels has one score.
    replicate
        The name of the column of replicates, such as ``"shard"``, or several names. Each is a
        factor, whose levels are text.
    source, settings
        As of `as_scores`: topic_column, measure, keep_topics, keep_systems, drop_topics,
        drop_systems, system_column, score_column, na and cells.

    Raises
    ------
    ModelError
        If a column is missing or has the name of another column; for a missing level; for a table
        without one row for each score, and for rows that summarize replicates, such as ``all``.
    ScoresError
        For input that `as_scores` refuses, such as a second score of a combination.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("q1", "bm25", "a", 0.25), ("q1", "bm25", "b", 0.5), ("q1", "lsa", "a", 0.75)]
    >>> frame = pd.DataFrame(rows, columns=["topic", "system", "shard", "score"])
    >>> as_replicates(frame, "shard").scores
           bm25 [shard=a]  bm25 [shard=b]  lsa [shard=a]
    topic
    q1               0.25             0.5           0.75
    """
    how = _how(settings)
    return _replicates_of(taken(frame, source)[0], replicate, source, how)


def _replicates_of(
    frame: pd.DataFrame, replicate: str | Sequence[str], source: str, how: ReadSettings
) -> Replicates:
    given = flat(frame)
    own = _names_of(replicate)
    labels = {name: _levels_of(given, name, source) for name in own}
    rest = given.loc[:, [str(name) not in own for name in given.columns]]
    is_named = how.system_column is not None or how.score_column is not None
    rest, how = frame_with_joint_labels(source, rest, how)
    columns = columns_of_frame(source, rest, how)
    if columns is None or columns.system is None:
        raise ModelError(
            f"{source} does not have one row for each score, which replicates need; expected "
            f"columns of topic, system, score and {', '.join(own)}; found "
            f"{listed(list(map(str, given.columns)))}"
        )
    systems = texts(rest.iloc[:, columns.system].tolist())
    _check_systems(systems, how.kept.systems | how.dropped.systems, source)
    keys = list(zip(systems, zip(*labels.values(), strict=True), strict=True))
    slots = {
        (system, levels): f"{system} [{', '.join(map('='.join, zip(own, levels, strict=True)))}]"
        for system, levels in dict.fromkeys(keys)
    }
    named = [slots[key] for key in keys]
    rest = rest.drop(columns=rest.columns[columns.system]).assign(**{SYSTEM: named})
    of_system: dict[str, list[str]] = {}
    for (system, _), label in slots.items():
        of_system.setdefault(system, []).append(label)
    kept, dropped = (
        Labels(labels.topics, frozenset(chain(*(of_system.get(n, [n]) for n in labels.systems))))
        for labels in (how.kept, how.dropped)
    )
    how = replace(how, kept=kept, dropped=dropped, system_column=SYSTEM if is_named else None)
    scores = scores_of_frame(rest, how, source)
    of_label = {label: key for key, label in slots.items()}
    there = [of_label[label] for label in scores.columns]
    factors = {
        name: factor_of(name, [levels[i] for _, levels in there]) for i, name in enumerate(own)
    }
    return Replicates(scores, tuple(system for system, _ in there), factors)


def read_replicates(
    path: str | Path,
    replicate: str | Sequence[str],
    *,
    sheet: str | None = None,
    **settings: Unpack[RecordSettings],
) -> Replicates:
    """Read scores with replicates from a file with one row for each score.

    The file is CSV, TSV, Parquet, a sheet of Excel or JSON records, as of `read_scores`.

    Parameters
    ----------
    path
        The file; ``-`` is standard input.
    replicate, settings
        As of `as_replicates`.
    sheet
        As of `read_scores`.

    Raises
    ------
    ModelError
        As `as_replicates`, and if a file has no rows, or other JSON than records.
    ScoresError
        As `as_replicates`, and if the file cannot be read.
    """
    how = _how(settings, sheet=sheet)
    source = source_name(path)
    if path_of(path, ModelError).suffix.lower() == ".parquet":
        refuse_sheet(source, how.sheet)
        frame = frame_of_parquet(Path(path))
    else:
        expected = "a header with topic, system, score and replicate, and a row for each score"
        content, told = opened(path, how.sheet, ModelError)
        how = replace(how, cells=cells_of(source, content, how))
        if is_json(content):
            frame = frame_of_json(source, content)
        else:
            frame = text_table(source, content, expected, ModelError)
        remember(frame, notes=told)
    return _replicates_of(frame, replicate, source, how)


def _names_of(replicate: object) -> list[str]:
    names = [replicate] if isinstance(replicate, str) else replicate
    if not isinstance(names, Iterable) or not all(isinstance(name, str) for name in names):
        names = []
    found = list(map(str, names))
    taken = any(n in (TOPIC, SYSTEM, RESPONSE) or found.count(n) > 1 for n in found)
    if taken or not found:
        raise ModelError(
            f"replicate={replicate!r} is not accepted; expected names of one or more columns "
            f"beside {TOPIC}, {SYSTEM} and {RESPONSE}, such as 'shard', each once"
        )
    return found


def _levels_of(frame: pd.DataFrame, name: str, source: str) -> list[str]:
    """Return the level of each row as text; `ModelError` where one is missing or a summary."""
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


def _check_systems(systems: Sequence[str], known: frozenset[str], source: str) -> None:
    if "" in systems:
        raise ScoresError(
            f"{source}, row {systems.index('') + 1}: the system has no name; expected a label"
        )
    for label in named_summaries("system", list(dict.fromkeys(systems))):
        if label not in known:
            raise ScoresError(
                f"{source} has a system {label!r}, the name of a summary and not of a system; "
                f"leave it out by drop_systems={[label]!r}, or, if it is a system, keep it by "
                f"keep_systems={[label]!r}"
            )
