"""``make bench``: this package beside its peers, one table a job.

``python -m validation.benchmarks docs/speed.md`` writes the tables as a page, too;
``--growth`` measures how commands grow with the scores, and nothing else.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from rich.console import Console
from rich.table import Table

from validation.benchmarks import commands, experiments, growth, significance, standardization
from validation.benchmarks.timing import Job, milliseconds

HEADINGS = ("", "median ms", "fastest ms", "ratio")
#: The heading of one more column, of experiments.
TRIALS = "trials a second"
INTRODUCTION = """# Speed

Written by `python -m validation.benchmarks docs/speed.md`; `make bench` prints the same on your
machine. Alternatives take turns, and each row is the median of its turns. The ratio is to the
first row: above 1, the other takes longer. R times itself, so that no conversion is counted.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path, nargs="?", help="file to write the tables to, too")
    parser.add_argument("--growth", action="store_true", help="only how commands grow")
    given = parser.parse_args()
    console = Console()
    setting = describe_setting()
    console.print(setting)
    page = [INTRODUCTION, f"{setting}.\n"]
    modules = (standardization, significance, experiments, commands)
    for job in [] if given.growth else [job for module in modules for job in module.jobs()]:
        headings = (*HEADINGS, TRIALS) if job.trials else HEADINGS
        rows = measured_rows(job)
        console.print(as_terminal_table(job.title, headings, rows))
        page.append(as_markdown(job.title, headings, rows))
    rows = list(growth.rows())
    console.print(as_terminal_table(growth.TITLE, growth.HEADINGS, rows))
    page.append(as_markdown(growth.TITLE, growth.HEADINGS, rows))
    if given.page is not None:
        given.page.write_text("\n".join(page), encoding="utf-8")


def describe_setting() -> str:
    libraries = ", ".join(
        f"{name} {version(name)}" for name in ("numpy", "scipy", "pandas", "statsmodels")
    )
    return (
        f"Python {platform.python_version()}, {libraries}, {standardization.r_version()}, "
        f"{platform.system()} {platform.machine()}"
    )


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


def as_terminal_table(title: str, headings: Sequence[str], rows: list[tuple[str, ...]]) -> Table:
    table = Table(title=title, title_justify="left")
    for heading in headings:
        table.add_column(heading, justify="right" if heading else "left", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    return table


def as_markdown(title: str, headings: Sequence[str], rows: list[tuple[str, ...]]) -> str:
    lines = [headings, ("---", *["--:"] * (len(headings) - 1)), *rows]
    return "\n".join([f"## {title}\n", *("| " + " | ".join(line) + " |" for line in lines), ""])


if __name__ == "__main__":
    main()
