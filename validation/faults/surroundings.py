"""Settings of others: variables, and files in the current folder; the bytes are the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from validation.faults.commands import Command, emptied, run
from validation.faults.judge import Row, ended, sound

TOLD = "another page, and a sentence"
_VARIABLES = {
    "nothing: the same command twice": {},
    "MPLBACKEND of a notebook": {"MPLBACKEND": "module://matplotlib_inline.backend_inline"},
    "MPLBACKEND of a window": {"MPLBACKEND": "TkAgg"},
    "PYTHONHASHSEED, PYTHONOPTIMIZE, PYTHONWARNINGS": {
        "PYTHONHASHSEED": "5",
        "PYTHONOPTIMIZE": "2",
        "PYTHONWARNINGS": "ignore",
    },
    "LC_ALL=C without UTF-8": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"},
    "TZ and LANG": {"TZ": "Asia/Kathmandu", "LANG": "tr_TR.UTF-8"},
    "OMP_NUM_THREADS and COLUMNS": {"OMP_NUM_THREADS": "7", "COLUMNS": "20"},
}
_FILES = {
    "a broken .numba_config.yaml": {".numba_config.yaml": "bad: ["},
    ".Rprofile and .Renviron that stop R": {
        ".Rprofile": 'stop("a profile")\n',
        ".Renviron": "R_PROFILE_USER=.Rprofile\n",
    },
    "matplotlibrc": {"matplotlibrc": "backend: TkAgg\nsavefig.dpi: 7\nlines.linewidth: 9\n"},
}


def settings(command: Command, folder: Path) -> Iterator[Row]:
    """Run a command under each setting; its files have the same bytes."""
    expected = sound(command, folder)
    for name, variables in _VARIABLES.items():
        row = Row(f"settings of others: {name}", command.name)
        with row.case():
            row.outcomes[ended(run(command, emptied(folder), **variables), expected)] += 1
        yield row
    for name, contents in _FILES.items():
        row = Row(f"settings of others: {name}", command.name)
        for file, content in contents.items():
            (folder / file).write_text(content, encoding="utf-8")
        with row.case():
            found = run(command, emptied(folder))
            named = [line for line in found.said.splitlines() if next(iter(contents)) in line]
            # Without numba, a report does not diagnose, and says so.
            told = command.name == "report" and found.status == 0 and named
            row.outcomes[TOLD if told else ended(found, expected)] += 1
            row.said.update(line.removeprefix("cdfscore: ") for line in named)
        for file in contents:
            (folder / file).unlink()
        yield row
