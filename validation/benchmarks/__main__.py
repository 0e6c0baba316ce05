"""``make bench``: print one table a job, this package first, with the ratio of each peer to it.

Each row is the median of its runs, which take turns, so that a slow moment of the machine
falls on all. A ratio above 1 means that the peer takes longer.
"""

from __future__ import annotations

import platform
from importlib.metadata import version

from rich.console import Console
from rich.table import Table

from validation.benchmarks import commands, standardization
from validation.benchmarks.timing import Job, milliseconds


def main() -> None:
    console = Console()
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "pandas"))
    console.print(f"Python {platform.python_version()}, {libraries}, {platform.machine()}")
    for job in [*standardization.jobs(), *commands.jobs()]:
        console.print(table_of(job))


def table_of(job: Job) -> Table:
    table = Table("", title=job.title, title_justify="left")
    for heading in ("median ms", "fastest ms", "ratio"):
        table.add_column(heading, justify="right")
    times = milliseconds(job)
    ours = next(iter(times.values())).median
    for name, time in times.items():
        table.add_row(
            name, f"{time.median:.3f}", f"{time.fastest:.3f}", f"{time.median / ours:.2f}"
        )
    return table


if __name__ == "__main__":
    main()
