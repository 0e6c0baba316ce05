"""Whole commands, from the start of the process to its end."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from cdfscore import write_scores
from validation.benchmarks.standardization import robust2004
from validation.benchmarks.timing import Job


def jobs() -> list[Job]:
    """Return the jobs; the bare interpreter shows what no command can be below."""
    folder = Path(tempfile.mkdtemp())
    write_scores(robust2004(), folder / "scores.csv")

    def standardize(scheme: str) -> Callable[[], None]:
        files = [str(folder / "scores.csv"), "-o", str(folder / "out.csv")]
        return _command("cdfscore", "standardize", "--scheme", scheme, *files)

    def verify(*options: str) -> Callable[[], None]:
        return _command("cdfscore", "verify", str(folder / "scores.csv"), "--scheme", *options)

    return [
        Job(
            "Whole commands",
            {
                "cdfscore --help": _command("cdfscore", "--help"),
                "cdfscore standardize --scheme empirical": standardize("empirical"),
                "cdfscore standardize --scheme normal": standardize("normal"),
                "cdfscore verify --scheme empirical": verify("empirical"),
                "cdfscore verify --scheme normal": verify("normal"),
                "cdfscore verify --scheme kernel": verify("kernel"),
                "cdfscore verify --scheme normal --via rscript": verify(
                    "normal", "--via", "rscript"
                ),
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
