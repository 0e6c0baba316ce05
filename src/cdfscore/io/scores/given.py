"""What users give as scores: data frames, arrays, dictionaries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from cdfscore.errors import ScoresError
from cdfscore.io.scores.arrays import frame_of_array
from cdfscore.io.scores.checked import part_of_any, searched
from cdfscore.io.scores.dictionaries import Level, frame_of_dictionary
from cdfscore.io.scores.frame import part_of_frame
from cdfscore.io.scores.how import How, Labels
from cdfscore.io.scores.kinds import as_pandas
from cdfscore.io.scores.memory import notes_of, remember
from cdfscore.io.scores.selection import asked_notes
from cdfscore.spelling import argument

if TYPE_CHECKING:
    import pandas as pd
    from narwhals.typing import IntoFrame


def as_scores(
    frame: IntoFrame | np.ndarray[Any, Any] | Mapping[Any, Any],
    *,
    topic_column: str | Literal[False] | None = None,
    systems_as_rows: bool | None = None,
    source: str = "scores",
    keep_topics: Sequence[str] = (),
    keep_systems: Sequence[str] = (),
    drop_topics: Sequence[str] = (),
    drop_systems: Sequence[str] = (),
    systems: Iterable[object] | None = None,
    topics: Iterable[object] | None = None,
    levels: Sequence[Level] | None = None,
    measure: str | None = None,
    system: str | None = None,
) -> pd.DataFrame:
    """Check scores and return them as a score matrix of pandas, topics x systems, in float64.

    `frame` is a data frame of any library that narwhals knows (pandas, polars, pyarrow, modin), a
    lazy frame or a relation of DuckDB, which is collected, an array or a dictionary. It is not
    modified. All functions that take scores take such data frames as they are. A data frame may
    also have a row a score, in columns of topic, system and score, or of topic, system, and
    measures such as ap and ndcg, as files may; see `read_scores`.

    Summaries are refused, such as the row ``all`` of trec_eval and a column of averages: rows
    and columns with such a name, or whose numbers are the mean, the sum or the geometric mean of
    the others and hardly so by chance. The result remembers in its `attrs` that it was searched,
    and is searched again once its labels or scores have changed. Where rows are systems, columns
    may be no tasks, as in a leaderboard: columns of words, and the average of the others, are left
    out with a note, and others are refused until they are kept or dropped; see `read_scores`.

    Parameters
    ----------
    frame
        The scores.
    topic_column
        The column of topics of a data frame. Without it, topics are the index as it is, unless
        there is none or it only numbers the rows. Then topics are the first column if it holds
        labels (as for `read_scores`), else they are numbered from 1. The default index of pandas
        only numbers the rows, and so does an index of integers next to a first column headed
        topic.
    systems_as_rows
        Take the rows of a data frame or an array as systems and the columns as topics. If it is
        None, rows are systems if their labels are headed system, run, model, method, classifier
        or the like; words under another header are refused until `topic_column` or this says
        what they are.
    source
        What messages call the scores.
    keep_topics, keep_systems
        Labels that only look like those of summaries, to keep; the result remembers them.
    drop_topics, drop_systems
        Labels to leave out, whatever they hold.
    systems, topics
        The labels of an array. Topics without labels are numbered from 1. All labels become text,
        whole numbers without a decimal point: 301.0 is topic 301, in data frames too.
    levels
        What the keys of a dictionary are, from the outside in: "system", "topic", "measure".
    measure, system
        The measure to take from a dictionary with a level of measures, or from a data frame with a
        row a score and several measures, and the name of the system where none is named. With
        both, and two levels, `levels` need not be given: the measure is a key of one of them.

    Raises
    ------
    ScoresError
        With topic and system, for what is not a score matrix, for an argument that is of another
        kind of scores, and where nothing says what is a topic and what a system.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> as_scores(pd.DataFrame({"topic": [301, 302], "bm25": [0.25, 0.5]})).index.tolist()
    ['301', '302']
    >>> as_scores(np.array([[0.25, 0.75], [0.5, 1.0]]), systems=["bm25", "lsa"], topics=[301, 302])
           bm25   lsa
    topic
    301    0.25  0.75
    302    0.50  1.00
    >>> per_query = {"301": {"map": 0.25, "P_10": 0.3}, "302": {"map": 0.5, "P_10": 0.4}}
    >>> as_scores(per_query, measure="map", system="bm25")
           bm25
    topic
    301    0.25
    302    0.50
    """
    for name, text in (("measure", measure), ("system", system)):
        if not isinstance(text, str | None):
            raise ScoresError(f"{name}={text!r} of {source} is not accepted; expected text")
    of_array = {"systems": systems, "topics": topics}
    of_dictionary = {"levels": levels, "measure": measure, "system": system}
    if isinstance(frame, np.ndarray):
        _refuse_idle(source, "an array", topic_column=topic_column, **of_dictionary)
        turned = bool(systems_as_rows)
        found = frame_of_array(frame, systems, topics, source, systems_as_rows=turned)
        systems_as_rows = False
    elif isinstance(frame, Mapping):
        _refuse_idle(source, "a dictionary", topic_column=topic_column, **of_array)
        _refuse_idle(source, "a dictionary", systems_as_rows=systems_as_rows)
        dropped = Labels.given("drop", drop_topics, drop_systems)
        found = frame_of_dictionary(frame, levels, measure, system, source, dropped)
        if measure is not None:
            remember(found, measure=measure)
    else:
        found = as_pandas(frame, source)
        _refuse_idle(source, "a data frame", **of_array, levels=levels)
    how = How(
        topic_column,
        systems_as_rows,
        kept=Labels.given("keep", keep_topics, keep_systems),
        dropped=Labels.given("drop", drop_topics, drop_systems),
    )
    how.check()
    if isinstance(frame, np.ndarray | Mapping):
        part = part_of_frame(found, how, source)
    else:
        part = part_of_any(found, replace(how, measure=measure), source, system)
        idle = {} if part.measures else {"measure": measure}
        idle |= {} if part.named_as_file else {"system": system}
        _refuse_idle(source, "a data frame", **idle)
    checked = searched(part, how, before=found)
    how.refuse_unknown(source, part.topics, part.systems)
    if left := asked_notes(part, how):
        remember(checked.frame, notes=list(dict.fromkeys([*left, *notes_of(checked.frame)])))
    return checked.frame


def _refuse_idle(source: str, kind: str, **given: object) -> None:
    """Raise `ScoresError` for an argument that is of another kind of scores."""
    for name, value in given.items():
        if value is not None:
            raise ScoresError(f"{source} is {kind}, which {argument(name, value)} says nothing of")
