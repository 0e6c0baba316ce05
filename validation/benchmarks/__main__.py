"""``make bench``: this package beside its peers, one table a job.

``python -m validation.benchmarks docs/speed.md`` writes the tables as a page, too;
``--commands`` measures whole commands, and nothing else; ``--growth`` how they grow with the
scores; ``--runs`` how runs are measured; ``--merging`` how they are merged; ``--sizes`` how schemes
grow with the scores; ``--streams`` files larger than the memory.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from rich.console import Console
from rich.table import Table

from validation import pages
from validation.benchmarks import (
    commands,
    experiments,
    growth,
    merging,
    runs,
    significance,
    sizes,
    standardization,
    streams,
)
from validation.benchmarks.timing import Job, milliseconds

HEADINGS = ("", "median ms", "fastest ms", "ratio")
#: The heading of one more column, of experiments.
TRIALS = "trials per second"


@dataclass(frozen=True)
class Measured:
    """The times of a job, as they are shown."""

    title: str
    headings: Sequence[str]
    rows: list[tuple[str, ...]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path, nargs="?", help="file to write the tables to, too")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--commands", action="store_true", help="only whole commands")
    only.add_argument("--growth", action="store_true", help="only how commands grow")
    only.add_argument("--runs", action="store_true", help="only how runs are measured")
    only.add_argument("--sizes", action="store_true", help="only how schemes grow with the scores")
    only.add_argument("--merging", action="store_true", help="only how runs are merged")
    only.add_argument("--streams", action="store_true", help="only scores out of core")
    given = parser.parse_args()
    # A file, or a pipe, would get 80 columns, and numbers cut off.
    console = Console(width=None if sys.stdout.isatty() else 160)
    setting = describe_setting()
    console.print(setting)
    tables = []
    modules = (standardization, significance, experiments)
    some = any(value for name, value in vars(given).items() if name != "page")
    for job in [] if some else [job for module in modules for job in module.jobs()]:
        headings = (*HEADINGS, TRIALS) if job.trials else HEADINGS
        tables.append(Measured(job.title, headings, measured_rows(job)))
        console.print(as_terminal_table(tables[-1]))
    for chosen, module in (
        (given.commands, commands),
        (given.sizes, sizes),
        (given.runs, runs),
        (given.merging, merging),
        (given.growth, growth),
        (given.streams, streams),
    ):
        if chosen or not some:
            tables.append(Measured(module.TITLE, module.HEADINGS, list(module.rows())))
            console.print(as_terminal_table(tables[-1]))
    if given.page is not None:
        given.page.write_text(text(setting, tables), encoding="utf-8")


def text(setting: str, tables: Sequence[Measured]) -> str:
    """Return the page."""
    return pages.rendered("benchmarks/speed.md.jinja", setting=setting, tables=tables)


def describe_setting() -> str:
    libraries = ", ".join(
        f"{name} {version(name)}" for name in ("numpy", "scipy", "pandas", "statsmodels")
    )
    return (
        f"Python {platform.python_version()}, {libraries}, {standardization.r_version()}, "
        f"{platform.system()} {platform.machine()}, {_processor()}, {os.cpu_count()} cores"
    )


def _processor() -> str:
    """Return the name of the processor, as Linux has it."""
    known = Path("/proc/cpuinfo")
    lines = known.read_text(encoding="utf-8").splitlines() if known.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def measured_rows(job: Job) -> list[tuple[str, ...]]:
    times = milliseconds(job)
    ours = next(iter(times.values())).median
    return [
        (
            name,
            f"{time.median:.2f}",
            f"{time.fastest:.2f}",
            f"{time.median / ours:.2f}",
            *([f"{1e3 * job.trials / time.median:,.2f}"] if job.trials else []),
        )
        for name, time in times.items()
    ]


def as_terminal_table(measured: Measured) -> Table:
    table = Table(title=measured.title, title_justify="left")
    for heading in measured.headings:
        table.add_column(heading, justify="right" if heading else "left", no_wrap=True)
    for row in measured.rows:
        table.add_row(*row)
    return table


if __name__ == "__main__":
    main()
