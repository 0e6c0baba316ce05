"""``make validate``: all 10,000 trials of every cell of Urbano et al. (2019).

The files of average precision have to be those that the authors published, byte by byte. Those
of nDCG are computed too; `test_reproduce_urbano2019` compares them with R, all with --long.
"""

from __future__ import annotations

import os
import platform
import resource
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path

from cdfscore.experiments import run_trials
from cdfscore.experiments.papers.urbano2019 import run as urbano2019
from cdfscore.experiments.rates import COEFFICIENTS
from cdfscore.experiments.trials import executor_for

BESIDE = Path(__file__).resolve().parents[3] / "shared" / "data"
DATA = Path(os.environ.get("CDFSCORE_DATA", BESIDE))
PUBLISHED = DATA / "urbano2019" / "published"


@dataclass
class Compared:
    """How many numbers, and files, were compared, and how many are not what was published."""

    numbers: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)

    def add(self, path: Path, content: bytes) -> None:
        """Compare a file with the published one of the same path."""
        published = (PUBLISHED / path).read_bytes()
        kind, first = ("statistics", 0) if path.stem in COEFFICIENTS else ("rates", 1)
        found = [line.split(b",")[first:] for line in content.splitlines()]
        expected = [line.split(b",")[first:] for line in published.splitlines()]
        self.numbers[kind] += sum(map(len, expected[1:]))
        self.wrong[kind] += sum(
            a != b
            for lines in zip_longest(found[1:], expected[1:], fillvalue=[])
            for a, b in zip_longest(*lines)
        )
        self.numbers["files"] += 1
        self.wrong["files"] += content != published

    def __str__(self) -> str:
        return ", ".join(
            f"{self.wrong[kind]:,} of {count:,} {kind} differ"
            for kind, count in self.numbers.items()
        )


def main() -> None:
    """Run all cells on all cores, print what differs, and exit with 1 if anything does."""
    total = Compared()
    cores = os.cpu_count()
    print(f"{urbano2019.TRIALS:,} trials of each cell, five schemes, {cores} threads", flush=True)
    start = time.perf_counter()
    with executor_for(cores) as executor:
        for cell in urbano2019.cells():
            begin = time.perf_counter()
            scores = urbano2019.matrices(DATA, cell.matrix, "rounded")
            run = urbano2019.experiment(cell, scores)
            results = run_trials(run, urbano2019.TRIALS, executor=executor)
            files = urbano2019.files(cell, run, results)
            seconds = time.perf_counter() - begin
            here = Compared()
            if cell.measure == "ap":  # the published files of nDCG are not among the data
                for path, content in files.items():
                    here.add(path, content)
                    total.add(path, content)
            outcome = str(here) or "computed, nothing published to compare with"
            print(f"{cell.folder}: {seconds:.1f} s, {outcome}", flush=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    megabytes = peak / (2**20 if platform.system() == "Darwin" else 2**10)
    print(f"All: {time.perf_counter() - start:.1f} s, peak memory {megabytes:.0f} MB, {total}")
    sys.exit(any(total.wrong.values()))


if __name__ == "__main__":
    main()
