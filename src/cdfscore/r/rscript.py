"""Running a stand-alone script with Rscript."""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from cdfscore.errors import RNotAvailableError, VerificationError
from cdfscore.r.analysis import Quantity
from cdfscore.r.session import HOW_TO_INSTALL

_HALTED = "Execution halted"  # what R adds to every error


def run_script(script: bytes, files: list[Path]) -> tuple[list[Quantity], str]:
    """Run a script of `encode_script` on its files; return its numbers and R's version.

    Raises `RNotAvailableError` without Rscript, and `VerificationError` where R stops.
    """
    rscript = shutil.which("Rscript")
    if rscript is None:
        raise RNotAvailableError(f"Rscript is not installed; {HOW_TO_INSTALL}")
    with tempfile.TemporaryDirectory(prefix="cdfscore-") as folder:
        path = Path(folder, "script.R")
        path.write_bytes(script)
        done = subprocess.run(
            [rscript, "--vanilla", str(path), *map(str, files)],
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
    said = done.stderr.splitlines()
    version = next((line for line in said if line.startswith("R version")), "R")
    if done.returncode:
        reason = " ".join(line.strip() for line in said if line not in (version, _HALTED))
        raise VerificationError(f"R stops: {reason}")
    return _quantities(done.stdout), version


def _quantities(text: str) -> list[Quantity]:
    """Read quantity, topic, system, value, by columns as R lays out a matrix."""
    rows: dict[str, list[list[str]]] = {}
    for name, *row in list(csv.reader(io.StringIO(text, newline="")))[1:]:
        rows.setdefault(name, []).append(row)
    quantities = []
    for name, cells in rows.items():
        topics = list(dict.fromkeys(topic for topic, _, _ in cells))
        systems = list(dict.fromkeys(system for _, system, _ in cells))
        values = np.array([np.nan if value == "NA" else float(value) for *_, value in cells])
        shape = (len(topics), len(systems))
        quantities.append(Quantity(name, topics, systems, values.reshape(shape, order="F")))
    return quantities
