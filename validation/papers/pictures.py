"""The papers' figures on the site, drawn when it is built, from the numbers that are kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from matplotlib import style
from matplotlib.figure import Figure

from cdfscore.experiments.papers.urbano2019.figures import figure_2, figure_3
from cdfscore.experiments.papers.urbano2019.run import TRIALS
from cdfscore.experiments.papers.webber2008.figures import drawings
from cdfscore.plots.canvas import encode_figure
from validation.papers import recorded_urbano2019, recorded_webber2008
from validation.papers.beside_urbano2019 import label


def draw(folder: Path, names: Sequence[str] | None = None) -> None:
    """Draw the pictures that the folder does not have yet: all, or those with these names."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = pictures()
    with style.context("default"):
        for name in drawn if names is None else names:
            path = folder / name
            if not path.exists():
                path.write_bytes(drawn[name](path))


def pictures() -> dict[str, Callable[[Path], bytes]]:
    """Return what makes the content of each picture from its path, by its file."""
    return {
        **{
            f"webber2008_{each.name}.svg": partial(_encoded, each.draw, *each.given)
            for each in drawings(recorded_webber2008.figure_frames())
        },
        "urbano2019_figure1.png": lambda _: recorded_urbano2019.PICTURE.read_bytes(),
        "urbano2019_figure2.svg": partial(_of_trials, figure_2, "within"),
        "urbano2019_figure3.svg": partial(_of_trials, figure_3, "between"),
    }


def _encoded(figure: Callable[..., Figure], *given: Any) -> bytes:
    *tables, path = given
    return encode_figure(figure(*tables), path)


def _of_trials(figure: Callable[..., Figure], experiment: str, path: Path) -> bytes:
    found = recorded_urbano2019.results(experiment)
    results = {label(matrix): frames for matrix, frames in found.items()}
    return encode_figure(figure(results, f"{TRIALS:,} trials"), path)
