"""Options, progress bars and interruption of commands that run experiments."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from cdfscore import threads
from cdfscore.cli.terminal import console_of_notes, say
from cdfscore.errors import OutputError

#: The folder that caches finished trials until all files are written.
CACHE = "cached-trials"
#: Begins a progress bar with a title, and returns its update, which takes the steps done and all.
Begin = Callable[[str], Callable[[int, int], None]]
_GOES_ON = "finished trials are cached, and --resume continues from them"

OutFolderOption = Annotated[
    Path, typer.Option(metavar="DIR", help="Output folder. It is created if it does not exist.")
]
JobsOption = Annotated[
    int | None,
    typer.Option(metavar="N", help="Number of threads. Default: all cores."),
]
DaskOption = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Run the trials on the Dask cluster of this scheduler, such as tcp://127.0.0.1:8786.",
    ),
]
ResumeOption = Annotated[
    bool,
    typer.Option("--resume", help="Continue an interrupted run from its cached trials."),
]


def cores(jobs: int | None, dask: str | None) -> int | None:
    """Return the number of threads: `jobs`, or one per core if no cluster is given either."""
    return threads.cores() if jobs is None and dask is None else jobs


def make_folder(path: Path) -> Path:
    """Make a folder and its parents; raises `OutputError`."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise OutputError(f"--out {path} cannot be created as a folder: {reason}") from error
    return path


@contextmanager
def shown_progress(
    interrupted: str = _GOES_ON,
) -> Iterator[Begin]:
    """Yield a function that begins a progress bar and returns its update function.

    Bars are shown on a terminal only, each from its first update on. After Ctrl-C, print
    `interrupted` on stderr and exit with status 130.
    """
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    console = console_of_notes()
    try:
        with Progress(
            *columns, TimeRemainingColumn(), console=console, disable=not console.is_terminal
        ) as bars:

            def begin(title: str) -> Callable[[int, int], None]:
                task = bars.add_task(title, total=None, visible=False)
                return lambda done, total: bars.update(
                    task, completed=done, total=total, visible=True
                )

            yield begin
    except KeyboardInterrupt:
        say(f"interrupted; {interrupted}")
        raise typer.Exit(130) from None
