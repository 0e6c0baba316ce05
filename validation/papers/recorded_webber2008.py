"""Results of ``cdfscore reproduce webber2008`` that the project keeps, so that the site shows them.

The score files are not part of the project; numbers computed from them are. Figure 1 draws every
score, and is kept in 16 shades of gray.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from cdfscore.experiments.papers import webber2008
from cdfscore.scores.tables import encode_frame

FOLDER = Path(__file__).with_name("recorded") / "webber2008"
#: The tables of printed numbers beside computed ones.
TABLES = ("table1", "table2", "table3", "table4", "table5", "table6", "text", "randomized")
#: The numbers that figures draw, except those of Figure 1.
FIGURES = (
    "figure2",
    "figure3",
    "figure3_quartiles",
    "figure4",
    "figure5",
    "figure6",
    "figure7",
)
_SHADES = FOLDER / "figure1.txt"
_WHITE = 15  # the shade of a score of 1, in hexadecimal digits


def computed(data: Path) -> dict[str, bytes]:
    """Return the files to keep, by name."""
    collections = webber2008.read_collections(data)
    frames = webber2008.tables(collections) | webber2008.figure_tables(collections)
    files = {f"{name}.csv": encode_frame(frames[name]) for name in (*TABLES, *FIGURES)}
    return {**files, _SHADES.name: shades(frames["figure1"])}


def shades(scores: pd.DataFrame) -> bytes:
    """Return the topics on one line, then a line per system with a shade for each topic."""
    matrix = scores.set_index("system")
    levels = np.rint(matrix.to_numpy() * _WHITE).astype(int)
    lines = [" ".join(matrix.columns), *("".join(f"{x:x}" for x in row) for row in levels)]
    return "".join(f"{line}\n" for line in lines).encode()


def frame(name: str) -> pd.DataFrame:
    """Return a table that is kept."""
    return pd.read_csv(
        FOLDER / f"{name}.csv", dtype={"printed": str}, na_values=["NA"], keep_default_na=False
    )


def figure_frames() -> Mapping[str, pd.DataFrame]:
    """Return the tables that the figures are drawn from; those of Figure 1 in shades."""
    topics, *rows = _SHADES.read_text(encoding="utf-8").splitlines()
    levels = np.array([[int(x, 16) for x in row] for row in rows]) / _WHITE
    matrix = pd.DataFrame(levels, columns=topics.split())
    matrix.insert(0, "system", [f"run{i}" for i in range(1, len(matrix) + 1)])
    return {"figure1": matrix, **{name: frame(name) for name in FIGURES}}


def numbers() -> pd.DataFrame:
    """Return every printed number of the paper, with the computed one, in the paper's order."""
    found = pd.concat([frame(name) for name in TABLES], ignore_index=True)
    return found.assign(note=found["note"].fillna(""), words=found["words"].fillna(""))
