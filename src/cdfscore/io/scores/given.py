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
    levels: Iterable[Level] | None = None,
    measure: str | None = None,
    system: str | None = None,
) -> pd.DataFrame:
    """Check scores and return them as a score matrix of pandas, topics x systems, in float64.

    `frame` is a data frame of pandas, polars, pyarrow or modin, a lazy frame or a relation of
    DuckDB, an array, or a dictionary. It is not modified. Lazy frames and relations are collected.
    A data frame can also have a row for each score, as files can; see `read_scores`. All functions
    that take scores call this function for data frames.

    Summaries are refused, such as the row ``all`` of trec_eval and a column of averages. These are
    rows and columns with such a name, or whose numbers are the mean, the sum or the geometric mean
    of the others, unless this may be chance. The result remembers in its `attrs` that it was
    searched. It is searched again after a change of its labels or scores.

    If rows are systems, as in a leaderboard, some columns may not be tasks. Columns of words and
    the average of the others are omitted with a note. Other such columns are refused until they are
    kept or dropped; see `read_scores`.

    Parameters
    ----------
    frame
        The scores.
    topic_column
        The column of topics of a data frame. Without it, the index has the topics, unless there is
        none or it only numbers the rows. Then the first column has the topics if it has labels (as
        for `read_scores`); else topics are numbered from 1. The default index of pandas only
        numbers the rows, and so does an index of integers beside a first column with the header
        topic.
    systems_as_rows
        True: the rows of a data frame or an array are systems, and the columns are topics. None:
        rows are systems if the header of their labels is system, run, model, method, classifier or
        the like. Words under another header are refused until `topic_column` or this argument says
        what they are.
    source
        The name of the scores in messages.
    keep_topics, keep_systems
        Labels to keep although they look like summaries. The result remembers them.
    drop_topics, drop_systems
        Labels to omit.
    systems, topics
        The labels of an array. Topics without labels are numbered from 1. All labels become text,
        whole numbers without a decimal point: 301.0 is topic 301, in data frames too.
    levels
        The keys of a dictionary, from the outer to the inner level: "system", "topic", "measure".
    measure, system
        The measure to choose, if a dictionary has a level of measures, or if a data frame with a
        row for each score has several; and the name of the system, if the scores do not name it.
        With both, a dictionary of two levels needs no `levels`.

    Raises
    ------
    ScoresError
        If the scores are not a score matrix, with topic and system; if an argument is for another
        kind of scores; and if nothing says what is a topic and what is a system.

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
    # Once, as an iterator has its labels only once.
    dropped = Labels.given("drop", drop_topics, drop_systems)
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
        dropped=dropped,
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
            raise ScoresError(
                f"{source} is {kind}, for which {argument(name, value)} is not accepted; expected "
                "a call without it"
            )
