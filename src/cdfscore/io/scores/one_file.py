"""Scores of one file in any form, before the search for summaries."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from cdfscore.errors import ScoresError
from cdfscore.io.content import bytes_of, without_marks
from cdfscore.io.files import source_name
from cdfscore.io.results.recognition import reader_of
from cdfscore.io.scores.checked import part_of_any
from cdfscore.io.scores.delimited import parse_delimited
from cdfscore.io.scores.frame_labels import labels_of
from cdfscore.io.scores.how import How
from cdfscore.io.scores.memory import measure_of, remember, remembered, same_measure
from cdfscore.io.scores.parquet.frame import frame_of_parquet
from cdfscore.io.scores.part import Part
from cdfscore.io.scores.selection import without
from cdfscore.io.scores.wide import part_of_table
from cdfscore.io.scores.writing import ENDINGS
from cdfscore.spelling import option

# Endings that say what a file is, not whose scores it has.
_FILES = frozenset(
    {
        *filter(None, ENDINGS),
        *(".json", ".jsonl", ".ndjson", ".txt", ".tab", ".dat", ".log", ".out", ".res"),
        *(".eval", ".trec_eval", ".treceval", ".ir_measures", ".results", ".scores", ".gz", ".zst"),
    }
)


def part_of_file(path: str | Path, how: How, name: str | None) -> Part:
    """Read a file; `name` is that of its only system, None for its own or that of the file.

    Raises `ScoresError` for a name where there are several systems.
    """
    part = _read(path, how, stem_of(path) if name is None else name.strip())
    if name is None or part.frame.empty:  # all of it is left out
        return part
    systems = labels_of(part.frame)[1]
    if len(systems) != 1:
        raise ScoresError(
            f"{part.source} has {len(systems)} systems, and {name!r} is to be the name of one; "
            "expected the file alone"
        )
    named = part.renamed(name.strip())
    return replace(named, frame=without(named.frame, frozenset(), how.dropped.systems))


def _read(path: str | Path, how: How, system: str | None) -> Part:
    """Read a file; `system` is the name of the only one, if the file names none."""
    source = source_name(path)
    if Path(path).suffix.lower() == ".parquet":
        import pyarrow as pa

        frame = frame_of_parquet(Path(path))
        try:
            part = part_of_any(frame, how, source, system)
        except (UnicodeDecodeError, pa.ArrowException) as error:  # text is decoded on access
            raise ScoresError(f"{path} is damaged: it has text that is not UTF-8") from error
        remember(part.frame, **remembered(frame))  # such as labels to keep
        known = measure_of(frame)
        if part.measure is not None or known is None:
            return part
        same_measure([(known, source), (how.measure, option("measure"))])
        return replace(part, measure=known, measures=(known,))
    content = without_marks(bytes_of(path, ScoresError, "a score matrix"))
    reader = reader_of(source, content, how)
    if reader is not None:
        return reader(source, content, how, system).part(how)
    return part_of_table(parse_delimited(source, content, how), how)


def stem_of(path: str | Path) -> str | None:
    """Return the name of a file without its endings, which may name a system; None if unknown.

    Other dots are of the name: qwen2.5.eval, bm25_k1.2.csv, input.bm25.
    """
    if str(path) == "-":
        return None
    name = Path(path)
    while name.suffix.lower() in _FILES:
        name = name.with_suffix("")
    return name.name
