"""``cdfscore compile``: compile ahead what would be compiled at its first use."""

from __future__ import annotations

from typing import Annotated

import typer

from cdfscore.cli.processes import process_pool
from cdfscore.cli.running import shown_progress
from cdfscore.compiling import is_announced
from cdfscore.threads import cores


def compile_ahead(
    *,
    jobs: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Processes; one for each core if not given."),
    ] = None,
) -> None:
    """Compile now what schemes, tests and experiments compile at their first use.

    It takes about a minute, and is kept for the next commands on this machine, until cdfscore,
    Python or numba is another version. NUMBA_CACHE_DIR names another folder to keep it in.

    Example: cdfscore compile
    """
    from cdfscore.compilation import compile_all

    is_announced()
    with (
        shown_progress("what is not compiled yet will be at its first use") as begin,
        process_pool(jobs or cores()) as pool,
    ):
        compile_all(pool, begin("compiling"))
