"""Score matrices in a text file: one row for each topic, or for each system."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore.errors import ScoresError
from cdfscore.io.scores.how import How
from cdfscore.io.scores.labels import (
    assumed_sides,
    check_labels,
    heads_labels,
    holds_labels,
    is_nameless,
    names_labels,
    refuse_labels_elsewhere,
    refuse_unsaid_rows,
    rows_are_systems,
)
from cdfscore.io.scores.part import Part
from cdfscore.io.scores.selection import selected
from cdfscore.io.scores.table import Table, refuse_missing_header
from cdfscore.numerics.types import Array

if TYPE_CHECKING:
    import pandas as pd


def part_of_table(table: Table, how: How) -> Part:
    """Return the scores of a table; raises `ScoresError` if it is not a score matrix."""
    import pandas as pd

    of_systems = systems_in_rows(table, how)
    labelled = has_labels(table, how, of_systems=of_systems)
    if labelled:
        columns, values = table.other_columns(), table.values
        rows: pd.Index[Any] = pd.Index(table.labels, dtype=str)
    else:
        columns, values = table.header, table.with_labels_as_scores()
        rows = pd.RangeIndex(1, len(table.labels) + 1)
    first = table.header[0]
    if how.topic_column is None and not names_labels(first, of_systems=of_systems):
        refuse_labels_elsewhere(
            table.source, columns, of_systems=of_systems, unnamed=is_nameless(first)
        )
    row_kind, column_kind = ("system", "topic") if of_systems else ("topic", "system")
    if not columns:
        raise ScoresError(
            f"{table.source} has a column of {row_kind}s and no scores; expected columns "
            "separated by commas or tabs"
        )
    # The first column of labels is one of topics if the user names it so.
    asked = how.topic_column is None or table.label_column > 0
    given = how.rows_under(own := table.header[table.label_column])
    if labelled and asked and given is None:
        refuse_unsaid_rows(table.source, own, table.labels)
    places = [f"column {i + 1}" for i in range(len(table.header))]
    numbering = _numbering(columns, values) if labelled and table.label_column else None
    if labelled:
        del places[table.label_column]
    if numbering is not None:
        del places[numbering], columns[numbering]
        values = np.delete(values, numbering, axis=1)
    if columns and not columns[-1] and np.isnan(values[:, -1]).all():
        raise ScoresError(
            f"{table.source}: the last column has no header and no scores; expected no comma or "
            "tab at the end of a line"
        )
    check_labels(table.source, column_kind, columns, places)
    if labelled:
        check_labels(table.source, row_kind, table.labels, (f"line {n}" for n in table.lines))
    elif of_systems:
        raise ScoresError(
            f"{table.source} has no column of system names; expected one, headed system or run"
        )
    frame = pd.DataFrame(values, index=rows, columns=pd.Index(columns, dtype=str))
    frame = (frame.T.copy() if of_systems else frame).rename_axis(index="topic", columns=None)
    header = own if given is None else None
    part = selected(
        table.source, frame, how, of_systems=of_systems, header=header, words=table.words
    ).read_by(own, how)
    if labelled and not of_systems and (how.topic_column, how.systems_as_rows) == (None, None):
        headed = not is_nameless(own)
        told = assumed_sides(table.source, table.labels, columns, headed=headed, ask=True)
        part = replace(part, notes=(*told, *part.notes))
    if numbering is None:
        return part
    note = f"{table.source}: the first column numbers the rows, and is left out"
    return replace(part, notes=(note, *part.notes), whole=False)


def _numbering(columns: list[str], values: Array) -> int | None:
    """Return the column without a name that numbers the rows, as pandas writes it, if there is one.

    It is the first, before a column of labels that is not.
    """
    if is_nameless(columns[0]) and np.array_equal(values[:, 0], np.arange(len(values))):
        return 0
    return None


def systems_in_rows(table: Table, how: How) -> bool:
    """Tell whether the rows of a table are systems, as the user or the header says."""
    if how.topic_column is False:
        return bool(how.systems_as_rows)
    header = table.header[table.label_column]
    return rows_are_systems(header, table.labels, how.rows_under(header))


def has_labels(table: Table, how: How, *, of_systems: bool) -> bool:
    """Tell whether the label column of `table` holds labels, and check that line 1 has names."""
    names, first = table.other_columns(), table.header[0]
    if how.topic_column is False:
        names = table.header
    elif how.topic_column is not None or heads_labels(first, of_systems=of_systems):
        return True
    if not of_systems and not heads_labels(first, of_systems=True):
        refuse_missing_header(table, names or table.header)
    return how.topic_column is None and holds_labels(
        table.source, first, table.labels, of_systems=of_systems
    )
