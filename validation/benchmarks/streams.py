"""Time and memory of ``cdfscore standardize --stream``, of scores that are drawn at random.

``python -m validation.benchmarks --streams`` prints this table alone. It needs 8 GB on the disk of
the temporary folder (TMPDIR).
"""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from validation.benchmarks.growth import measured

TITLE = "Out of core"
HEADINGS = ("standardize --stream", "scores", "seconds", "CPU seconds", "peak MB")
#: Topics, of 100 systems each.
TOPICS = (100_000, 1_000_000)
_SYSTEMS = [f"s{i:03d}" for i in range(100)]
_STEP = 100_000
_ROWS_OF_A_GROUP = 1_000_000
_SCHEMES = ("empirical", "normal", "uniform")


def rows() -> Iterator[tuple[str, ...]]:
    """Yield a row for each form of a file, scheme and size, as it is measured."""
    for form, (tables, schemes) in FORMS.items():
        for topics in TOPICS:
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                _write(tables(topics), folder / "x.parquet")
                for scheme in schemes:
                    command = ["standardize", "x.parquet", "--scheme", scheme, "--stream"]
                    cost = measured([*command, "-o", "y.parquet"], folder)
                    yield (
                        f"{scheme}, {form}",
                        f"{topics * len(_SYSTEMS):,}",
                        f"{cost.seconds:.1f}",
                        f"{cost.processor:.1f}",
                        f"{cost.peak / 2**20:,.0f}",
                    )


def wide(topics: int) -> Iterator[Any]:
    """Yield tables with a row a topic and a column a system."""
    for start, scores in _parts(topics):
        yield pa.table([_labels(start, len(scores)), *scores.T.copy()], ["topic", *_SYSTEMS])


def by_topic(topics: int) -> Iterator[Any]:
    """Yield tables with a row a score, topic by topic."""
    for start, scores in _parts(topics):
        places = np.arange(len(scores), dtype=np.int32).repeat(len(_SYSTEMS))
        systems = np.tile(np.arange(len(_SYSTEMS), dtype=np.int32), len(scores))
        yield _rows(_labels(start, len(scores)), places, systems, scores.ravel())


def by_system(topics: int) -> Iterator[Any]:
    """Yield tables with a row a score, system by system."""
    labels, places = _labels(0, topics), np.arange(topics, dtype=np.int32)
    for system in range(len(_SYSTEMS)):
        scores = np.random.default_rng([2, system]).beta(1, 3, topics)
        yield _rows(labels, places, np.full(topics, system, dtype=np.int32), scores)


#: By the name of a form: its tables, and the schemes that are measured.
FORMS: dict[str, tuple[Callable[[int], Iterator[Any]], tuple[str, ...]]] = {
    "one column per system": (wide, _SCHEMES),
    "one row per score, sorted by topic": (by_topic, _SCHEMES),
    "one row per score, sorted by system": (by_system, _SCHEMES[:1]),
}


def _parts(topics: int) -> Iterator[tuple[int, Any]]:
    rng = np.random.default_rng(1)
    for start in range(0, topics, _STEP):
        yield start, rng.beta(1, 3, size=(min(_STEP, topics - start), len(_SYSTEMS)))


def _labels(start: int, topics: int) -> Any:
    return pa.array([f"t{i:07d}" for i in range(start, start + topics)])


def _rows(topics: Any, places: Any, systems: Any, scores: Any) -> Any:
    coded = {"topic": (topics, places), "system": (pa.array(_SYSTEMS), systems)}
    columns = {
        name: pa.DictionaryArray.from_arrays(codes, labels).cast(pa.string())
        for name, (labels, codes) in coded.items()
    }
    return pa.table({**columns, "score": scores})


def _write(tables: Iterator[Any], path: Path) -> None:
    first = next(tables)
    labels = [name for name in first.schema.names if name in ("topic", "system")]
    with pq.ParquetWriter(path, first.schema, use_dictionary=labels) as writer:
        for table in itertools.chain([first], tables):
            writer.write_table(table, row_group_size=_ROWS_OF_A_GROUP)
