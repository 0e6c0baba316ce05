"""``cdfscore compile``: compile the numerical code in advance."""

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
        typer.Option(metavar="N", min=1, help="Number of processes. Default: one for each core."),
    ] = None,
) -> None:
    """Compile the numerical code in advance.

    Otherwise schemes, tests and experiments compile their code when they are first used. Compiling
    takes about a minute. The result is kept on this machine until the version of cdfscore, Python
    or numba changes. The environment variable NUMBA_CACHE_DIR names another folder for it.

    Example: cdfscore compile
    """
    from cdfscore.compilation import compile_all

    is_announced()
    with (
        shown_progress("the rest of the code will be compiled when it is first used") as begin,
        process_pool(jobs or cores()) as pool,
    ):
        compile_all(pool, begin("compiling"))
