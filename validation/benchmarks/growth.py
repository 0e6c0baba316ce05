"""How time and memory of whole commands grow with the scores.

``python -m validation.benchmarks --growth`` prints this table alone. The exponent is that of
the processor's time in the number of topics, or of systems, from one size to the next: 1 is
linear. In systems it may be 2 where the result, or what is asked for, has a part for each pair
of systems: compare, diagnose, experiments, and leave-one-out, which fits to all systems but one.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from cdfscore import write_scores

TITLE = "Whole commands on scores of any size"
HEADINGS = ("", "topics", "systems", "seconds", "CPU seconds", "peak MB", "exponent")
#: Topics and systems. The exponent is of a size to the one before it.
IN_TOPICS = ((1_000, 50), (10_000, 50), (100_000, 50))
IN_SYSTEMS = ((50, 100), (50, 300), (50, 1_000))
_SEED = 7
# That of before R was started in this process, which leads programs to other libraries.
_ENVIRONMENT = dict(os.environ)
# Linux counts what a process was before it became the command as its own memory, so that a
# small one starts it.
_LAUNCHER = """
import json, os, subprocess, sys, time
start = time.perf_counter()
child = subprocess.Popen(sys.argv[1:])
_, status, usage = os.wait4(child.pid, 0)
seconds = time.perf_counter() - start
print()
print(json.dumps([seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss]))
sys.exit(os.waitstatus_to_exitcode(status))
"""


@dataclass(frozen=True)
class Cost:
    """What one process took: seconds by the clock and of the processor, and bytes at most."""

    seconds: float
    processor: float
    peak: int


def rows() -> Iterator[tuple[str, ...]]:
    """Yield a row a command and size, as it is measured."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for label, arguments in _commands().items():
            for sizes in (IN_TOPICS, IN_SYSTEMS):
                yield from _rows_of(label, arguments, sizes, folder)


def _rows_of(
    label: str,
    arguments: Callable[[str], list[str]],
    sizes: tuple[tuple[int, int], ...],
    folder: Path,
) -> Iterator[tuple[str, ...]]:
    before: tuple[int, float] | None = None
    changes = 0 if sizes is IN_TOPICS else 1
    for size in sizes:
        topics, systems = size
        stem = _files(folder, topics, systems)
        cost = measured(arguments(stem), folder)
        exponent = ""
        if before is not None:
            growth = math.log(size[changes] / before[0])
            exponent = f"{math.log(cost.processor / before[1]) / growth:.2f}"
        before = size[changes], cost.processor
        yield (
            label,
            f"{topics:,}",
            f"{systems:,}",
            f"{cost.seconds:.2f}",
            f"{cost.processor:.2f}",
            f"{cost.peak / 2**20:,.0f}",
            exponent,
        )


def measured(arguments: list[str], folder: Path) -> Cost:
    """Run a command of cdfscore in a process of its own."""
    command = [sys.executable, "-c", "from cdfscore.cli import main; main()", *arguments]
    return process_cost(command, folder)


def process_cost(
    command: list[str], folder: Path, environment: Mapping[str, str] | None = None
) -> Cost:
    """Run a command in the folder, also in this environment, and return what it took."""
    own = environment or {}
    *_, last = process_lines([sys.executable, "-c", _LAUNCHER, *command], folder, own)
    seconds, processor, peak = json.loads(last)
    return Cost(seconds, processor, peak * (1 if sys.platform == "darwin" else 1024))


def process_lines(
    command: list[str], folder: Path | None = None, environment: Mapping[str, str] | None = None
) -> list[str]:
    """Run a command, and return the lines that it prints."""
    own = _ENVIRONMENT | dict(environment or {})
    done = subprocess.run(command, cwd=folder, env=own, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout.splitlines()


def _commands() -> dict[str, Callable[[str], list[str]]]:
    """Return the arguments of each command for the stem of its files."""

    def standardize(scheme: str, ending: str, *options: str) -> Callable[[str], list[str]]:
        out = ["-o", f"out{ending}", *options]
        return lambda stem: ["standardize", f"{stem}{ending}", "--scheme", scheme, *out]

    def on_csv(*words: str) -> Callable[[str], list[str]]:
        command = 2 if words[0] == "experiment" else 1
        return lambda stem: [*words[:command], f"{stem}.csv", *words[command:]]

    def experiment(kind: str) -> Callable[[str], list[str]]:
        schemes = ("--scheme", "raw", "--scheme", "normal")
        return on_csv("experiment", kind, *schemes, "--trials", "2", "--out", kind)

    return {
        **{
            f"standardize {scheme}, {ending[1:]}": standardize(scheme, ending)
            for scheme in ("normal", "empirical")
            for ending in (".parquet", ".csv")
        },
        "standardize --save-factors": standardize("normal", ".csv", "--save-factors", "saved.json"),
        "standardize empirical --save-factors": standardize(
            "empirical", ".csv", "--save-factors", "saved.json"
        ),
        "standardize --leave-one-out": standardize("normal", ".csv", "--leave-one-out"),
        "apply": lambda stem: ["apply", f"{stem}.json", f"{stem}.csv", "-o", "out.csv"],
        "compare": on_csv("compare", "--test", "paired_t", "--scheme", "normal", "-o", "pairs.csv"),
        "correlate": lambda stem: ["correlate", f"{stem}.csv", f"{stem}.parquet"],
        "diagnose": on_csv(
            "diagnose", "--scheme", "normal", "--bootstrap", "0", "-o", "diagnosis.csv"
        ),
        "verify": on_csv("verify", "--scheme", "normal"),
        "experiment within": experiment("within"),
        "experiment between": experiment("between"),
        "experiment reference-size": experiment("reference-size"),
    }


def _files(folder: Path, topics: int, systems: int) -> str:
    """Write the scores and their factors unless they are there; return the stem of the names."""
    stem = folder / f"{topics}x{systems}"
    if not stem.with_suffix(".csv").exists():
        values = np.random.default_rng(_SEED).beta(0.8, 2.5, (topics, systems)).round(4)
        index = pd.Index([f"t{i + 1}" for i in range(topics)], name="topic")
        scores = pd.DataFrame(values, index, [f"s{j + 1}" for j in range(systems)])
        write_scores(scores, stem.with_suffix(".parquet"))
        write_scores(scores, stem.with_suffix(".csv"))
        saved = ["--save-factors", f"{stem}.json"]
        measured(
            ["standardize", f"{stem}.csv", "--scheme", "normal", "-o", "out.csv", *saved], folder
        )
    return str(stem)
