"""Figures 1 to 3: the scores of the TREC 8 AdHoc systems."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from cdfscore.plots.webber2008.palette import BLUE, GREY, ORANGE

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    Frames = Mapping[str, pd.DataFrame]


def figure1(figure: Figure, frames: Frames) -> None:
    """Draw the matrix of scores: a system a row, a topic a column, lighter where higher."""
    scores = frames["figure1"].set_index("system")
    figure.set_size_inches(4.6, 7.2)
    axes = figure.subplots()
    image = axes.imshow(
        scores.to_numpy(), cmap="gray", vmin=0, vmax=1, aspect="auto", interpolation="none"
    )
    topics = [i for i, topic in enumerate(scores.columns) if int(topic) % 10 == 0]
    axes.set_xticks(topics, [str(scores.columns[i]) for i in topics])
    systems = [0, *range(19, len(scores), 20)]
    axes.set_yticks(systems, [str(scores.index[i]) for i in systems])
    axes.set_xlabel("topic")
    axes.set_ylabel("system, in the order of the published file")
    axes.set_title("Figure 1: AP of TREC 8 AdHoc runs")
    figure.colorbar(image, ax=axes, label="AP", fraction=0.05)


def figure2(figure: Figure, frames: Frames) -> None:
    """Draw 95% intervals of the means of systems, by rank."""
    systems = frames["figure2"]
    axes = figure.subplots()
    axes.vlines(
        systems["rank"], systems["conf_low"], systems["conf_high"], color=BLUE, linewidth=1.2
    )
    axes.plot(systems["rank"], systems["mean"], "o", color="black", markersize=2.2, label="mean")
    axes.plot([], [], color=BLUE, label="95% t interval")
    axes.axhline(0, color=GREY, linewidth=0.6)
    axes.set_xlim(0, len(systems) + 1)
    axes.set_xlabel("system, by rank of mean AP")
    axes.set_ylabel("mean AP")
    axes.set_title("Figure 2: mean AP of TREC 8 AdHoc systems")
    axes.legend(frameon=False)


def figure3(figure: Figure, frames: Frames) -> None:
    """Draw how scores are spread, and their quartiles, raw beside standardized."""
    shares, quartiles = frames["figure3"], frames["figure3_quartiles"]
    panels = figure.subplots(1, 2, sharex=True, sharey=True)
    for axes, name, color, title in zip(
        panels, ("AP", "sAP"), (ORANGE, BLUE), ("AP", "standardized AP"), strict=True
    ):
        axes.bar(
            shares["from"],
            100 * shares[name],
            width=shares["to"] - shares["from"],
            align="edge",
            color=color,
            edgecolor="white",
            linewidth=0.5,
        )
        top = 100 * shares[["AP", "sAP"]].to_numpy().max()
        for percentile, x in zip(quartiles["percentile"], quartiles[name], strict=True):
            axes.axvline(x, color="black", linewidth=0.9, linestyle="--")
            axes.annotate(
                f"{percentile}%: {x:.2f}",
                (x, top * (1.0 - 0.0024 * percentile)),
                xytext=(3, 0),
                textcoords="offset points",
                fontsize=8,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
            )
        axes.set_title(title)
        axes.set_xlabel("score of a run on a topic")
        axes.set_xlim(0, 1)
    panels[0].set_ylabel("runs (%)")
    figure.suptitle("Figure 3: scores of TREC 8 AdHoc runs, with their quartiles", fontsize=9)
