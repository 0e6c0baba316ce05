"""Results of ``cdfscore reproduce urbano2019`` that the project keeps, so that the site shows them.

The score files and the 10,000 trials are not part of the project. What is kept: means over the
trials, rates of rejected tests, how many trials have each coefficient to three decimals (which is
enough to draw their densities), numbers of Section 2, and Figure 1 as a picture.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib import style

from cdfscore import Standardizer
from cdfscore.experiments import run_trials
from cdfscore.experiments.papers.urbano2019 import run as urbano2019
from cdfscore.experiments.papers.urbano2019.figures import figure_1
from cdfscore.experiments.rates import COEFFICIENTS
from cdfscore.scores.tables import encode_frame
from cdfscore.stats.numerics.types import Array

FOLDER = Path(__file__).with_name("recorded") / "urbano2019"
#: The matrix of Figure 1 and of the numbers of Section 2, and the figure's title.
MATRIX, TITLE = "robust2004_ap", "TREC 2004 Robust, AP"
PICTURE = FOLDER / "figure1.png"
_DPI = 110
#: Coefficients are counted in steps of this.
_STEP = 0.001
#: Figures 2 and 3 draw these coefficients.
DRAWN = ("tau", "tauAP")
SCHEMES = tuple(urbano2019.SCHEMES)
#: Limits of which Sakai (2016) says that 89 % of the scores of a topic or more are between them.
_LIMITS = (0.05, 0.95)


def computed(data: Path) -> dict[str, bytes]:
    """Return the files to keep, by name: 10,000 trials of each experiment, a minute of a core."""
    means, rates, counts, files = [], [], [], []
    for cell in urbano2019.cells():
        labels = {"experiment": cell.experiment, "matrix": cell.matrix}
        for path, content in published_files(data, cell):
            table = pd.read_csv(io.BytesIO(content))
            files += _same_bytes(data, path, content, table)
            if path.stem in COEFFICIENTS:
                means.append({**labels, "statistic": path.stem, **table.mean().to_dict()})
            else:
                rates.append(table.assign(**labels, statistic=path.stem))
            if path.stem in DRAWN:
                counts += [{**labels, "statistic": path.stem, **row} for row in _counted(table)]
    scores = urbano2019.scores(data, MATRIX)
    frames = {
        "means": pd.DataFrame(means),
        "rates": pd.concat(rates)[["experiment", "matrix", "statistic", "alpha", *SCHEMES]],
        "counts": pd.DataFrame(counts),
        "files": pd.DataFrame(files),
        "section2": section2(scores),
    }
    return {
        **{f"{name}.csv": encode_frame(each) for name, each in frames.items()},
        PICTURE.name: picture(scores),
    }


def published_files(data: Path, cell: urbano2019.Cell) -> Iterator[tuple[Path, bytes]]:
    """Yield the files of an experiment as the authors publish them, by their paths."""
    run = urbano2019.experiment(cell, urbano2019.matrices(data, cell.matrix, "rounded"))
    yield from urbano2019.files(cell, run, run_trials(run, urbano2019.TRIALS)).items()


def section2(scores: pd.DataFrame) -> pd.DataFrame:
    """Return numbers of Section 2: least and largest means and sds of topics, by scheme."""
    rows = []
    for label, scheme in urbano2019.SCHEMES.items():
        if label in ("raw", "z-std"):
            continue
        y = Standardizer(scheme).fit_transform(scores).to_numpy()
        means, sds = np.sort(y.mean(axis=1)), np.sort(y.std(axis=1, ddof=1))
        within = ((y >= _LIMITS[0]) & (y <= _LIMITS[1])).mean(axis=1)
        rows.append(
            {
                "scheme": label,
                "topics": len(y),
                "systems": y.shape[1],
                "lowest_mean": means[0],
                "second_lowest_mean": means[1],
                "highest_mean": means[-1],
                "lowest_sd": sds[0],
                "highest_sd": sds[-1],
                "topics_at_0_or_1": int(((y == 0) | (y == 1)).any(axis=1).sum()),
                "least_share_within_limits": within.min(),
            }
        )
    return pd.DataFrame(rows)


def picture(scores: pd.DataFrame) -> bytes:
    """Return Figure 1 as a PNG file."""
    schemes = {label: s for label, s in urbano2019.SCHEMES.items() if label != "raw"}
    stream = io.BytesIO()
    with style.context("default"):
        figure_1(scores, schemes, TITLE).savefig(stream, format="png", dpi=_DPI, metadata={})
    return stream.getvalue()


def frame(name: str) -> pd.DataFrame:
    """Return a table that is kept."""
    return pd.read_csv(FOLDER / f"{name}.csv")


def results(experiment: str) -> Mapping[str, Mapping[str, pd.DataFrame]]:
    """Return what Figure 2 ("within") or 3 ("between") draws, by matrix and statistic."""
    counts, rates = frame("counts"), frame("rates")
    found: dict[str, dict[str, pd.DataFrame]] = {}
    for matrix in dict.fromkeys(counts["matrix"]):
        found[matrix] = {}
        for statistic in DRAWN:
            own = _of(counts, experiment, matrix, statistic)
            found[matrix][statistic] = pd.DataFrame(
                {row["scheme"]: _trials(row) for row in own.to_dict("records")}
            )
        for statistic in ("type1", "power"):
            own = _of(rates, experiment, matrix, statistic)
            if len(own):
                found[matrix][statistic] = own[["alpha", *SCHEMES]]
    return found


def _of(table: pd.DataFrame, experiment: str, matrix: str, statistic: str) -> pd.DataFrame:
    asked = {"experiment": experiment, "matrix": matrix, "statistic": statistic}
    chosen = np.logical_and.reduce([table[name] == value for name, value in asked.items()])
    return table[chosen]


def _counted(table: pd.DataFrame) -> Iterator[dict[str, object]]:
    """Yield for each scheme how many trials round to each step, from the lowest one on."""
    for scheme in table.columns:
        steps = np.rint(table[scheme].to_numpy() / _STEP).astype(int)
        counts = np.bincount(steps - steps.min())
        yield {
            "scheme": scheme,
            "lowest": int(steps.min()),
            "trials": " ".join(map(str, counts.tolist())),
        }


def _trials(row: Mapping[str, object]) -> Array:
    """Return a coefficient for each trial, to three decimals, in ascending order."""
    counts = [int(count) for count in str(row["trials"]).split()]
    return _STEP * (int(str(row["lowest"])) + np.repeat(np.arange(len(counts)), counts))


def _same_bytes(
    data: Path, path: Path, content: bytes, table: pd.DataFrame
) -> Iterator[dict[str, object]]:
    """Yield whether a file is the published one byte by byte, if that is among the data."""
    published = data / "urbano2019" / "published" / path
    if published.exists():
        numbers = len(table) * len([name for name in table.columns if name != "alpha"])
        same = published.read_bytes() == content
        yield {"file": path.as_posix(), "numbers": numbers, "bytes": len(content), "same": same}
