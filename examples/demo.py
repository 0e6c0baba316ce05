"""The main job on the bundled example: ``python examples/demo.py [FOLDER]``.

Standardizes the average precision of 67 retrieval systems on the 225 topics of the Cranfield
collection with four schemes, prints the systems' means, and writes the standardized scores
and a picture into FOLDER (``demo`` if not given).
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from cdfscore import Standardizer, datasets, write_scores
from cdfscore.plots import plot_per_topic

SCHEMES = {"E-std": "empirical", "N-std": "normal", "U-std": "uniform", "z-std": "z"}


def main(folder: Path) -> None:
    """Run the example and write its results into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    scores = datasets.load_cranfield("ap")
    written = [folder / "cranfield_ap.csv"]
    write_scores(scores, written[0])
    results = {"raw": Standardizer("raw").fit(scores, measure="AP").standardize(scores)}
    for label, scheme in SCHEMES.items():
        results[label] = Standardizer(scheme).fit(scores, measure="AP").standardize(scores)
        written.append(folder / f"cranfield_ap_{scheme}.csv")
        write_scores(results[label].scores, written[-1])
    means = {label: result.means["mean"] for label, result in results.items()}
    figure = Figure(figsize=(8.4, 5.8), layout="constrained")
    drawn = ("raw", "N-std", "U-std", "E-std")
    for label, panel in zip(drawn, figure.subplots(2, 2).flat, strict=True):
        plot_per_topic(results[label], panel)
    written.append(folder / "cranfield_ap_per_topic.png")
    figure.savefig(written[-1], dpi=150)
    written.append(folder / "cranfield_ap_system_means.csv")
    pd.DataFrame(means).to_csv(written[-1])

    shown = pd.DataFrame({label: means[label] for label in ("raw", "E-std", "N-std", "U-std")})
    title = f"Mean AP of {len(shown)} systems on {len(scores)} topics: the first 15 by raw mean"
    best = shown.sort_values("raw", ascending=False, kind="stable").head(15)
    print(title, best.to_string(float_format="{:.4f}".format), sep="\n")
    print("Written:", *written, sep="\n  ")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))
