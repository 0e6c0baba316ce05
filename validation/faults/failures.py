"""What ends a command, each by a status and a sentence of its own."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

from validation.faults.commands import CDFSCORE, PATIENCE, Ended, emptied, environment
from validation.faults.judge import Row, require, sentence

_TEST = "--scheme normal --test paired_t"
_COMPILED = "standardize scores.csv --scheme kernel:kernel=logistic -o out/y.csv"
# Of each: what is done before, the command, its status, and what it says.
_CASES = (
    ("more memory than `ulimit -v` permits", "ulimit -v 9000000", "compare wide.csv", 2, "9 GB"),
    ("R is not installed", "PATH=", f"verify scores.csv {_TEST} --via rscript", 3, "not installed"),
    (
        "R_HOME names a folder without R",
        "export R_HOME=/none",
        f"verify scores.csv {_TEST} --via rpy2",
        3,
        "R cannot be started",
    ),
    (
        "a published number differs from R's",
        f"cdfscore -q compare scores.csv {_TEST} -o p.csv; sed -i 's/,0\\./,0.9/' p.csv",
        f"verify scores.csv {_TEST} --published p.csv",
        1,
        "",
    ),
    ("the reader has gone", "exec > >(true)", "standardize many.csv --scheme z", 141, ""),
    ("standard output is on a full disk", "exec > /dev/full", "schemes", 2, "No space left"),
    ("standard output is closed", "exec >&-", "schemes", 2, "standard output is closed"),
    (
        "a broken .numba_config.yaml in the folder",
        "echo 'bad: [' > .numba_config.yaml",
        _COMPILED,
        2,
        "numba cannot be imported",
    ),
    (
        "a cache of compiled code that others can write to",
        "mkdir -m 777 c; export NUMBA_CACHE_DIR=$PWD/c",
        _COMPILED,
        0,
        "other users can write to its folder",
    ),
    (
        "a cache of compiled code that a group can write to",
        "mkdir -p g; chmod 775 g; chgrp staff g; export NUMBA_CACHE_DIR=$PWD/g",
        _COMPILED,
        0,
        "other users can write to its folder",
    ),
    (
        "a file with a name of 5,000 characters",
        "",
        f"compare {'x' * 5000}.csv",
        2,
        "cannot be read",
    ),
)


def failures(folder: Path) -> Iterator[Row]:
    """Make each failure; the status and the last sentence are the outcome."""
    scores = (folder / "scores.csv").read_text(encoding="utf-8").splitlines()
    names = ",".join(f"s{i}" for i in range(4_000))
    numbers = ",".join(f"0.{i:04}" for i in range(4_000))
    wide = [f"topic,{names}", *(f"{topic},{numbers}" for topic in range(1, 4))]
    (folder / "wide.csv").write_text("\n".join(wide) + "\n", encoding="utf-8")
    many = [scores[0], *(f"{i},{scores[1].partition(',')[2]}" for i in range(150_000))]
    (folder / "many.csv").write_text("\n".join(many) + "\n", encoding="utf-8")
    for name, before, command, status, said in _CASES:
        row = Row(name, command if len(command) < 200 else f"{command[:20]}...")
        with row.case():
            found = _run(f"{before}\ncdfscore {command}", emptied(folder))
            require("Traceback" not in found.said, f"a traceback: {found.said[-300:]}")
            told = [line for line in found.said.splitlines() if said in line] or [""]
            require(
                found.status == status and said in told[-1],
                f"the status is {found.status}: {found.said[-300:]}",
            )
            require(len(told[-1]) < 500, f"it says {len(told[-1])} characters")
            own = sentence(Ended(status, told[-1] if said else "", {}))
            row.outcomes[f"status {status}" + f": {own}" * bool(own)] += 1
        (folder / ".numba_config.yaml").unlink(missing_ok=True)
        yield row


def _run(lines: str, folder: Path) -> Ended:
    function = f'cdfscore() {{ {shlex.join(CDFSCORE)} "$@"; }}\n'
    done = subprocess.run(
        ["/bin/bash", "-c", function + lines],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return Ended(done.returncode, done.stderr, {})
