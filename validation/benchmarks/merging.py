"""Merging of runs: ``cdfscore merge`` beside ranx, reading and writing included.

``python -m validation.benchmarks --merging`` prints this table alone. Each program reads the same
files in a process of its own, and writes one run; the start of the process counts. ranx, which
takes minutes, is run once, on some of the topics.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from validation.benchmarks.growth import process_cost
from validation.benchmarks.runs import write_run

SOURCES = 30
TITLE = f"{SOURCES} sources merged by MinMax, from files to a file"
#: `growth` is to lists of a tenth of the documents, `ratio` to cdfscore merge on the same files.
HEADINGS = ("", "topics", "documents", "seconds", "CPU seconds", "peak MB", "growth", "ratio")
#: Documents of a source that its lists are drawn from.
_POOL = 20_000
_SEED, _TURNS = 9, 3
_MERGE = "cdfscore merge"
_OURS = "from cdfscore.cli import main; main()"
_RANX = """
import sys
from ranx import Run, fuse
runs = [Run.from_file(path, kind="trec") for path in sys.argv[1:]]
fuse(runs, norm="min-max", method="sum").save("merged.run", kind="trec")
"""


class Size(NamedTuple):
    """Topics, and documents of each list."""

    topics: int
    documents: int


SHORT, LONG, SOME = Size(225, 100), Size(225, 1_000), Size(20, 1_000)


def rows() -> Iterator[tuple[str, ...]]:
    """Yield a row a program and size."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = {size: write_files(folder, size) for size in (SHORT, LONG, SOME)}
        seconds: dict[tuple[str, Size], float] = {}
        for label, size, turns, arguments in (
            *((_MERGE, size, _TURNS, _ours(files[size])) for size in files),
            (f"{_MERGE} --keep 1000", LONG, _TURNS, _ours(files[LONG], "--keep", "1000")),
            ("ranx fuse", SOME, 1, [_RANX, *files[SOME]]),
        ):
            costs = [process_cost([sys.executable, "-c", *arguments], folder) for _ in range(turns)]
            own = seconds[label, size] = statistics.median(cost.seconds for cost in costs)
            growth = own / seconds[_MERGE, SHORT]
            yield (
                label,
                f"{size.topics:,}",
                f"{size.documents:,}",
                f"{own:.2f}",
                f"{statistics.median(cost.processor for cost in costs):.2f}",
                f"{max(cost.peak for cost in costs) / 2**20:,.0f}",
                f"{growth:.2f}" if (label, size) == (_MERGE, LONG) else "",
                f"{own / seconds[_MERGE, size]:.2f}",
            )


def write_files(folder: Path, size: Size) -> list[str]:
    """Write the run of each source, and return their names in the folder."""
    rng = np.random.default_rng(_SEED)
    inside = Path(f"{size.topics}x{size.documents}")
    (folder / inside).mkdir()
    names = []
    for source in range(SOURCES):
        names.append(str(inside / f"s{source + 1:02d}"))
        pool = [f"S{source:02d}-{number % 9}-{number:05d}" for number in range(_POOL)]
        scores = -np.sort(-rng.gamma(2.0, 3.0, (size.topics, size.documents)).round(6), axis=1)
        drawn = (rng.choice(_POOL, size.documents, replace=False) for _ in range(size.topics))
        documents = ([pool[number] for number in row.tolist()] for row in drawn)
        write_run(folder / names[-1], documents, scores)
    return names


def _ours(files: list[str], *options: str) -> list[str]:
    return [_OURS, "merge", *files, "-o", "merged.run", *options]
