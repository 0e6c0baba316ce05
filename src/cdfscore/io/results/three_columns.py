"""Lines of three fields with tabs between them: the output of trec_eval and ir_measures."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cdfscore.errors import ScoresError
from cdfscore.io.results.coded import Coded
from cdfscore.io.scores.delimited import decoded
from cdfscore.io.text import counted


class ThreeColumns(NamedTuple):
    """Labels of the first two columns, the text of the third, and the place of a row."""

    first: Coded
    second: Coded
    third: Any
    place: Callable[[int], str]


def parse_three_columns(source: str, content: bytes, fields: str) -> ThreeColumns:
    """Parse lines of three fields, which `fields` names in messages.

    Fields of a first line without tabs are apart by spaces, as in text that was copied. Raises
    `ScoresError` with the line where there are more or fewer.
    """
    if b"\t" not in re.split(rb"[\r\n]", content, maxsplit=1)[0]:
        content = re.sub(rb"[ \t]+", b"\t", re.sub(rb"(?m)^[ \t]+|[ \t\r]+$", b"", content))
    return _quickly(source, content) or _exactly(source, content, fields)


def _quickly(source: str, content: bytes) -> ThreeColumns | None:
    """Parse by pyarrow; None where there is a line with other fields, or a blank one."""
    import pyarrow as pa
    from pyarrow import csv

    labels = pa.dictionary(pa.int32(), pa.string())
    types = {"first": labels, "second": labels, "third": pa.string()}
    try:
        table = csv.read_csv(
            pa.BufferReader(content),
            read_options=csv.ReadOptions(column_names=list(types)),
            parse_options=csv.ParseOptions(delimiter="\t", quote_char=False),
            convert_options=csv.ConvertOptions(column_types=types, strings_can_be_null=False),
        ).combine_chunks()
    except pa.ArrowException:
        return None
    lines = content.count(b"\n") + (not content.endswith(b"\n"))
    if len(table) != lines or content.count(b"\r") != content.count(b"\r\n"):
        return None
    first, second = (Coded.of_arrow(table[name]) for name in ("first", "second"))
    (third,) = table["third"].chunks or [pa.array([], pa.string())]
    return ThreeColumns(first, second, third, lambda row: f"{source}, line {row + 1}")


def _exactly(source: str, content: bytes, fields: str) -> ThreeColumns:
    """Parse line by line; blank lines are left out."""
    import pyarrow as pa

    rows, lines = [], []
    for line, text in enumerate(re.split(r"\r\n?|\n", decoded(source, content)), start=1):
        if not text.strip():
            continue
        cells = text.split("\t")
        if len(cells) != 3:
            raise ScoresError(
                f"{source}, line {line} has {counted(len(cells), 'field')}; expected 3: {fields}"
            )
        rows.append(cells)
        lines.append(line)
    first, second, third = zip(*rows, strict=True)
    numbers = np.array(lines)
    return ThreeColumns(
        Coded.of_list(first),
        Coded.of_list(second),
        pa.array(third, pa.string()),
        lambda row: f"{source}, line {numbers[row]}",
    )
