"""Runs of a stand-alone script with Rscript."""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from cdfscore.errors import RNotAvailableError, VerificationError
from cdfscore.io.spreadsheets import unguarded
from cdfscore.r.analysis import AnalysisInR
from cdfscore.r.distances import Quantity
from cdfscore.r.draws import DrawsFile
from cdfscore.r.published import Compared
from cdfscore.r.script import STOPPED
from cdfscore.r.session import HOW_TO_INSTALL, unreadable, without_function

_NOTE = "note: "
_HALTED = "Execution halted"  # what R adds to every error


def run_script(
    script: bytes,
    files: list[Path],
    draws: DrawsFile,
    twins: Mapping[Path, str],
    published: Mapping[str, Path] | None = None,
) -> AnalysisInR:
    """Run a script of `encode_script` on its files and draws; return its numbers.

    `twins` are the R files that the script contains and that may be wrong, each with the name of
    its function: if R stops, and one of them is the cause, the error names it.

    Raises `RNotAvailableError` without Rscript, and `VerificationError` if R stops.
    """
    rscript = shutil.which("Rscript")
    if rscript is None:
        raise RNotAvailableError(f"Rscript is not installed; {HOW_TO_INSTALL}")
    with tempfile.TemporaryDirectory(prefix="cdfscore-") as folder:
        path = Path(folder, "script.R")
        path.write_bytes(script)
        # Absolute paths, as the names stdin and clipboard have a special meaning in R.
        names = [str(file.absolute()) for file in files]
        if draws.size:
            names.append(str(Path(folder, "script.draws")))
            draws.write(Path(names[-1]))
        command = [rscript, "--vanilla", str(path), *names]
        try:
            done = subprocess.run(command, capture_output=True, check=False)
            tables = list(map(str, (published or {}).values()))
            if tables:
                ran = subprocess.run([*command, *tables], capture_output=True, check=False)
        except OSError as error:
            raise RNotAvailableError(f"{rscript} cannot be run: {error.strerror}") from error
    # Not decoded by subprocess, which would convert a carriage return in a label.
    out, said = _decoded(done.stdout), _decoded(done.stderr).splitlines()
    version = next((line for line in said if line.startswith("R version")), "R")
    notes = [line.removeprefix(_NOTE) for line in said if line.startswith(_NOTE)]
    reasons = [note.removeprefix(STOPPED).strip() for note in notes if note.startswith(STOPPED)]
    stopped = next(iter(reasons), "")
    if done.returncode and not stopped:
        for path, name in twins.items():
            _check_twin(rscript, path, name)
        own = (version, _HALTED, *(_NOTE + note for note in notes))
        reason = " ".join(line.strip() for line in said if line not in own)
        raise VerificationError(f"R stops: {reason or f'exit status {done.returncode}'}")
    try:
        quantities = _quantities(out)
    except ValueError as error:
        raise VerificationError(
            f"the output of the R script cannot be read ({error}); expected lines of quantity, "
            "topic, system and value, and nothing else, such as output of a twin"
        ) from error
    compared = tuple(
        _compared(name, path, _decoded(ran.stdout), _decoded(ran.stderr))
        for name, path in (published or {}).items()
    )
    notes = [note for note in notes if not note.startswith(STOPPED)]
    return AnalysisInR(quantities, version, stopped, notes, compared)


def _compared(name: str, path: Path, out: str, said: str) -> Compared:
    """Read the differences and notes that a script writes about a published table."""
    rows = [row for row in csv.reader(io.StringIO(out, newline="")) if row[0] == str(path)]
    lines = said.splitlines()
    count = re.search(rf"^{re.escape(str(path))}: (\d+) cells compared", said, re.M)
    if count is None:
        own = f"{path}: "
        reasons = [line.removeprefix(own) for line in lines if line.startswith(own)]
        raise VerificationError(f"{name}: {' '.join(reasons or lines)}")
    note = f"note: {path}: "
    notes = [line.removeprefix(note) for line in lines if line.startswith(note)]
    return Compared(int(count[1]), [tuple(unguarded(row[1:])) for row in rows], notes)


def _check_twin(rscript: str, path: Path, name: str) -> None:
    """Raise `VerificationError` if R cannot read a twin, or it does not define its function."""
    code = (
        "given <- commandArgs(TRUE); own <- new.env(); tryCatch(sys.source(given[1], own), error = "
        "function(e) {message(conditionMessage(e)); quit(status = 8)}); "
        'if (!exists(given[2], own, mode = "function", inherits = FALSE)) quit(status = 9)'
    )
    done = subprocess.run(
        [rscript, "--vanilla", "-e", code, str(path.absolute()), name],
        capture_output=True,
        check=False,
    )
    if done.returncode == 9:
        raise without_function(path, name)
    if done.returncode == 8:  # another status is not that of this code
        raise unreadable(path, _decoded(done.stderr))


def _decoded(output: bytes) -> str:
    return output.decode("utf-8", errors="replace")


def _quantities(text: str) -> list[Quantity]:
    """Read quantity, topic, system, value; values are by columns, as in a matrix of R."""
    rows: dict[str, list[list[str]]] = {}
    header, *lines = list(csv.reader(io.StringIO(text, newline=""))) or [[]]
    if header != ["quantity", "topic", "system", "value"] or not lines:
        raise ValueError(f"it begins with {text[:40]!r}")
    for name, *row in lines:
        rows.setdefault(name, []).append(unguarded(row))
    quantities = []
    for name, cells in rows.items():
        topics = list(dict.fromkeys(topic for topic, _, _ in cells))
        systems = list(dict.fromkeys(system for _, system, _ in cells))
        values = np.array([np.nan if value == "NA" else float(value) for *_, value in cells])
        shape = (len(topics), len(systems))
        quantities.append(Quantity(name, topics, systems, values.reshape(shape, order="F")))
    return quantities
