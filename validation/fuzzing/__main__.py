"""``make fuzz``: every target for 600 seconds, one after another; a line of figures for each.

``python -m validation.fuzzing [TARGET...] [--seconds N] [--folder FOLDER]``. What a target has
learned stays in the folder, for the next time, and so do inputs that were found. Exits with 1 if
there is one: mend the reader, and put the input among the seeds, which a test reads.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from validation.fuzzing.corpus import seeds_of, targets
from validation.fuzzing.target import MEMORY

#: Seconds that one input may take.
TIMEOUT = 5
# What the process may have at once, in MB: libraries, coverage, and one input.
_RESIDENT = 1024 + MEMORY // 2**20


class Outcome(NamedTuple):
    """What a run of one target has given."""

    executions: int
    branches: int
    found: list[Path]
    log: str


def main(arguments: Sequence[str] | None = None) -> int:
    """Fuzz targets, and print a table; return 1 if an input was found."""
    parser = argparse.ArgumentParser(prog="validation.fuzzing", description=__doc__)
    parser.add_argument("target", nargs="*", help=", ".join(targets()))
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--folder", type=Path, default=Path(".fuzzing"))
    given = parser.parse_args(arguments)
    if unknown := sorted(set(given.target).difference(targets())):
        parser.error(f"there is no target {unknown[0]!r}; expected {', '.join(targets())}")
    found: list[Path] = []
    _say(f"{'target':<18}{'executions':>12}{'branches':>10}{'findings':>10}")
    for name in given.target or targets():
        outcome = fuzz(name, given.seconds, given.folder)
        figures = f"{outcome.executions:>12,}{outcome.branches:>10,}{len(outcome.found):>10}"
        _say(f"{name:<18}{figures}")
        if outcome.found:
            _say(outcome.log)
        found += outcome.found
    for path in found:
        _say(f"found: {path}")
    return 1 if found else 0


def fuzz(name: str, seconds: int, folder: Path) -> Outcome:
    """Fuzz one target for some seconds, or until an input is found."""
    corpus, seeds, found = (folder / name / part for part in ("corpus", "seeds", "found"))
    for each in (corpus, seeds, found):
        each.mkdir(parents=True, exist_ok=True)
    for place, content in enumerate(seeds_of(name)):
        (seeds / str(place)).write_bytes(content)
    earlier = set(found.iterdir())
    command = [sys.executable, "-m", "validation.fuzzing.target", name]
    options = {
        "max_total_time": seconds,
        "timeout": TIMEOUT,
        "rss_limit_mb": _RESIDENT,
        "print_final_stats": 1,
        "artifact_prefix": f"{found.resolve()}/",
    }
    finished = subprocess.run(
        [*command, *(f"-{key}={value}" for key, value in options.items()), corpus, seeds],
        capture_output=True,
        check=False,
        text=True,
        errors="replace",
    )
    log = finished.stderr + finished.stdout
    (folder / name / "log.txt").write_text(log, encoding="utf-8")
    counts = re.findall(r"^#(\d+)\t.* cov: (\d+) ", log, re.MULTILINE)
    executions, branches = map(int, counts[-1]) if counts else (0, 0)
    new = sorted(set(found.iterdir()) - earlier)
    if finished.returncode and not new:
        sys.exit(f"{name} has ended with {finished.returncode}:\n{log[-3000:]}")
    return Outcome(executions, branches, new, _excerpt(log))


def _excerpt(log: str) -> str:
    """Return what a log has of what was raised."""
    lines = [line for line in log.splitlines() if not re.match(r"#\d+\t", line)]
    return "\n".join(lines[-40:])


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
