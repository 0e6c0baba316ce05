"""Inputs that take more than a minute, 2 GB or all memory: an estimate, or an error message."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from validation.faults.commands import PATIENCE, Command, finish, start
from validation.faults.judge import REFUSED, Row, require, sentence

ESTIMATED = "an estimate, before the work"
_SHAPES = {
    "1x100000": (1, 100_000, 4),
    "3x20000": (3, 20_000, 4),
    "5x5000": (5, 5_000, 4),
    "10x2000": (10, 2_000, 4),
    "1000x1000": (1_000, 1_000, 0),
    "100000x3": (100_000, 3, 4),
    "20x12": (20, 12, 4),
    "2000x40": (2_000, 40, 4),
}
# Each with the file of scores, whether it is refused everywhere, and what is told.
_CASES = (
    ("compare 1x100000.csv -o out/p.csv --test paired_t", REFUSED),
    ("compare 3x20000.csv -o out/p.csv --test paired_t", REFUSED),
    ("compare 10x2000.csv -o out/p.json --test paired_t", ESTIMATED),
    ("compare 10x2000.csv -o out/p.html --test paired_t", ESTIMATED),
    ("compare 10x2000.csv -o out/p.csv --test tukey_hsd", ESTIMATED),
    ("compare 10x2000.csv -o out/p.csv --test max_t", ESTIMATED),
    ("report 10x2000.csv -o out/r.html --scheme normal", ESTIMATED),
    ("verify 10x2000.csv --scheme normal --test paired_t", ESTIMATED),
    ("compare 1000x1000.csv -o out/p.csv --test wilcoxon_signed_rank", ESTIMATED),
    (
        "compare 20x12.csv --test paired_t --scheme normal --reference-uncertainty 100000000",
        ESTIMATED,
    ),
    (f"compare 20x12.csv --test permutation:B={10**20}", REFUSED),
    ("compare 20x12.csv --test bootstrap_studentized:B=1000000000", REFUSED),
    ("compare 20x12.csv --test bootstrap_studentized:B=10000000", ESTIMATED),
    ("diagnose 100000x3.csv --scheme normal -o out/d.csv", ESTIMATED),
    ("diagnose 2000x40.csv --scheme zero_inflated -o out/d.csv", ESTIMATED),
    (
        "compare 2000x40.csv --test paired_t --scheme johnson_su --reference-uncertainty 1000",
        ESTIMATED,
    ),
    ("report 100000x3.csv -o out/r.html --scheme normal", ESTIMATED),
    ("model 3x20000.csv --formula score~topic+system -o out/m.csv", REFUSED),
)


def large(folder: Path) -> Iterator[Row]:
    """Begin each command, and end it when it has told what it takes."""
    random = np.random.default_rng(1)
    for name, (topics, systems, digits) in _SHAPES.items():
        header = ",".join(["topic", *(f"s{i}" for i in range(systems))])
        rows = np.column_stack([np.arange(topics), random.random((topics, systems)).round(digits)])
        np.savetxt(folder / f"{name}.csv", rows, "%.16g", ",", header=header, comments="")
    for text, expected in _CASES:
        command = Command(text.partition(" ")[0], tuple(text.split()), ())
        row = Row(
            f"more than a minute, 2 GB or memory: {' '.join(command.words[1:])}", command.name
        )
        with row.case():
            said, found = _said(command, folder)
            require(found == expected, f"{found}: {said}")
            row.said[said] += 1
            row.outcomes[found] += 1
        yield row


def _said(command: Command, folder: Path) -> tuple[str, str]:
    """Return what a command says of its costs, and how."""
    process = start(command, folder)
    assert process.stderr is not None
    begun, last = time.monotonic(), ""
    for line in process.stderr:
        if " would take less" in line:
            process.send_signal(signal.SIGKILL)
            process.wait()
            return line.strip().removeprefix("cdfscore: "), ESTIMATED
        if time.monotonic() - begun > PATIENCE:
            process.kill()
        last = line.strip().removeprefix("cdfscore: ")
    ended = finish(process, command, folder)
    return last, REFUSED if ended.status == 2 else f"status {ended.status}, {sentence(ended)}"
