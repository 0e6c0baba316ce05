"""The pictures of the site, drawn when it is built: by the commands that the pages show.

The papers' figures are drawn from the numbers that `validation.papers` keeps.

``python -m validation.documentation.pictures FOLDER`` draws them into a folder.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from contextlib import chdir
from pathlib import Path

from cdfscore import datasets, write_scores
from cdfscore.cli import command as cdfscore
from validation.papers.pictures import draw as draw_papers

#: The folder of the pictures, in the site.
FOLDER = "pictures"
#: Each picture by its file, and the arguments of ``cdfscore plot``. Scores are AP of the bundled
#: collection, of all systems or of the first twelve (``few.csv``).
PICTURES: dict[str, tuple[str, ...]] = {
    "scores.svg": ("scores", "ap.csv"),
    "per_topic.svg": ("per_topic", "ap.csv", "--scheme", "raw", "--scheme", "empirical"),
    "standardized.png": ("standardized", "ap.csv", "--scheme", "uniform", "--scheme", "empirical"),
    "mapping.png": ("mapping", "ap.csv", "--scheme", "normal", "--scheme", "empirical"),
    "dkw.svg": ("dkw", "ap.csv", "--scheme", "normal"),
    "pit.svg": ("pit", "ap.csv", "--scheme", "normal"),
    "critical_difference.svg": ("critical_difference", "few.csv", "--test", "tukey_hsd"),
    "means.svg": ("means", "few.csv", "--scheme", "empirical", "--test", "tukey_hsd"),
    "pairs.svg": ("pairs", "ap.csv", "--scheme", "empirical", "--test", "paired_t"),
    "volcano.svg": ("volcano", "ap.csv", "--scheme", "empirical", "--test", "paired_t"),
    "slope.svg": ("slope", "ap.csv", "--scheme", "empirical"),
    "sensitivity.svg": (
        *("sensitivity", "few.csv", "--scheme", "raw", "--scheme", "empirical"),
        *("--test", "paired_t", "--test", "sign"),
    ),
}


def draw(folder: Path, names: Sequence[str] = tuple(PICTURES)) -> None:
    """Draw the pictures that the folder does not have yet; raises if a command fails."""
    folder.mkdir(parents=True, exist_ok=True)
    if absent := [name for name in names if not (folder / name).exists()]:
        folder = folder.resolve()
        with tempfile.TemporaryDirectory() as scores, chdir(scores):
            ap = datasets.load_cranfield("ap")
            write_scores(ap, Path(scores, "ap.csv"))
            write_scores(ap.iloc[:, :12], Path(scores, "few.csv"))
            for name in absent:
                command = ["plot", *PICTURES[name], "-o", str(folder / name)]
                cdfscore()(command, standalone_mode=False)


if __name__ == "__main__":
    draw(Path(sys.argv[1]))
    draw_papers(Path(sys.argv[1]))
