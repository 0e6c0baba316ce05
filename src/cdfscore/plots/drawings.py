"""Several figures at once, a process each: matplotlib draws in one thread alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cdfscore.plots.saving import encode_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ENDINGS = (".svg", ".pdf")


@dataclass(frozen=True)
class Drawing:
    """A figure to draw: the name of its files, the function that draws it, and of what."""

    name: str
    draw: Callable[..., Figure]
    given: tuple[Any, ...]

    def files(self) -> dict[str, bytes]:
        """Draw it, and return an SVG and a PDF file by their names.

        Settings that a user has made for matplotlib are left aside: the files are the same.
        """
        from matplotlib import style

        with style.context("default"):
            figure = self.draw(*self.given)
            names = [f"{self.name}{ending}" for ending in ENDINGS]
            return {name: encode_figure(figure, Path(name)) for name in names}


def draw_all(
    drawings: Sequence[Drawing], processes: int, progress: Callable[[int, int], None]
) -> dict[str, bytes]:
    """Return the files of all drawings; `progress` is called with what is done, and of how many.

    One process is the calling one. Others start anew, and import the functions that draw.
    """
    files: dict[str, bytes] = {}
    if processes == 1:
        for done, drawing in enumerate(drawings, start=1):
            files |= drawing.files()
            progress(done, len(drawings))
        return files
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        for done, drawn in enumerate(pool.map(Drawing.files, drawings), start=1):
            files |= drawn
            progress(done, len(drawings))
    return files
