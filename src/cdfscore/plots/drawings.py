"""Several figures at once, one process each, as matplotlib draws in one thread only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cdfscore.plots.saving import encode_figure
from cdfscore.threads import process_pool

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ENDINGS = (".svg", ".pdf")


@dataclass(frozen=True)
class Drawing:
    """A figure to draw: the name of its files, the drawing function, and its arguments."""

    name: str
    draw: Callable[..., Figure]
    given: tuple[Any, ...]

    def files(self) -> dict[str, bytes]:
        """Draw the figure, and return an SVG and a PDF file by name.

        The user's settings of matplotlib are ignored, so that the files are always the same.
        """
        from matplotlib import style

        with style.context("default"):
            figure = self.draw(*self.given)
            names = [f"{self.name}{ending}" for ending in ENDINGS]
            return {name: encode_figure(figure, Path(name)) for name in names}


def draw_all(
    drawings: Sequence[Drawing], processes: int, progress: Callable[[int, int], None]
) -> dict[str, bytes]:
    """Return the files of all drawings; `progress` is called with the numbers done and in all.

    A single process is the calling one. Several are new processes, which import the drawing
    functions.
    """
    files: dict[str, bytes] = {}
    with process_pool(processes) as pool:
        each = (pool.map if pool else map)(Drawing.files, drawings)
        for done, drawn in enumerate(each, start=1):
            files |= drawn
            progress(done, len(drawings))
    return files
