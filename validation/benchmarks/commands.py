"""Whole commands, from the start of the process to its end."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from cdfscore import write_scores
from validation.benchmarks.timing import Job


def jobs() -> list[Job]:
    """Return the jobs; the bare interpreter shows what no command can be below."""
    folder = Path(tempfile.mkdtemp())
    scores = pd.DataFrame(
        np.random.default_rng(2019).beta(0.8, 2.2, size=(249, 110)).round(4),
        index=[f"t{i}" for i in range(249)],
    )
    write_scores(scores, folder / "scores.csv")

    def standardize(scheme: str) -> Callable[[], None]:
        files = [str(folder / "scores.csv"), "-o", str(folder / "out.csv")]
        return _command("cdfscore", "standardize", "--scheme", scheme, *files)

    return [
        Job(
            "Whole commands",
            {
                "cdfscore --help": _command("cdfscore", "--help"),
                "cdfscore standardize --scheme empirical": standardize("empirical"),
                "cdfscore standardize --scheme normal": standardize("normal"),
                "python -c ''": _command("python", "-c", ""),
                "python -c 'import pandas'": _command("python", "-c", "import pandas"),
            },
            runs=7,
        )
    ]


def _command(program: str, *arguments: str) -> Callable[[], None]:
    path = Path(sys.executable).with_name(program)

    def run() -> None:
        subprocess.run([path, *arguments], check=True, capture_output=True)

    return run
