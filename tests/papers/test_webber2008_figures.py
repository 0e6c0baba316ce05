"""Figures 1 to 7: what is drawn is what is in the tables, and the bytes of a file are fixed."""

import pickle

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from cdfscore.experiments.papers.webber2008.figures import (
    drawings,
    figure_1,
    figure_2,
    figure_3,
    figure_4,
    figure_5,
    figure_6,
    figure_7,
)
from cdfscore.plots.canvas import draw_all

NEEDS = "relevance judgments"
FORMS = ["raw", "normalized", "standardized"]
COLORS = {"raw": "#e69f00", "normalized": "#009e73", "standardized": "#0072b2"}


def bars(**columns: list[float]) -> pd.DataFrame:
    """Return three measures in three forms; the second has no values, nor have two forms."""
    measures = np.repeat(["P@10", "DCG", "SP/AP"], 3)
    values = {name: [v[0], np.nan, v[1], *[np.nan] * 4, v[2], v[3]] for name, v in columns.items()}
    table = pd.DataFrame({"measure": measures, "form": FORMS * 3, "partitions": 1000, **values})
    return table.assign(needs=[NEEDS if np.isnan(v) else "" for v in next(iter(values.values()))])


def tables() -> dict[str, pd.DataFrame]:
    """Return tables of a few numbers by the names of the figures."""
    matrix = pd.DataFrame(np.linspace(0, 1, 24).reshape(4, 6), columns=map(str, range(405, 411)))
    matrix.insert(0, "system", [f"run{i}" for i in range(1, 5)])
    edges = np.arange(5) / 5
    return {
        "figure1": matrix,
        "figure2": pd.DataFrame(
            {
                "rank": [1, 2, 3],
                "system": list("abc"),
                "mean": [0.4, 0.3, 0.1],
                "conf_low": [0.3, 0.25, -0.01],
                "conf_high": [0.5, 0.35, 0.21],
            }
        ),
        "figure3": pd.DataFrame(
            {
                "from": edges,
                "to": edges + 0.2,
                "AP": [0.5, 0.3, 0.1, 0.1, 0.0],
                "sAP": [0.2, 0.2, 0.2, 0.3, 0.1],
            }
        ),
        "figure3_quartiles": pd.DataFrame(
            {"percentile": [25, 50, 75], "AP": [0.1, 0.2, 0.3], "sAP": [0.26, 0.5, 0.74]}
        ),
        "figure4": pd.DataFrame(
            {
                "collection": "T03.rob",
                "systems": 78,
                "size": [2, 10, 50],
                "samples": 2000,
                "constant_policy": "limit",
                "median": [0.8, 0.9, 0.99],
                "lowest_95": [0.7, 0.85, 0.98],
                "lowest_99": [0.6, 0.8, 0.97],
                "raw_and_standardized": 0.91,
                "between": 0.77,
            }
        ),
        "figure5": bars(
            **{
                "mean": [0.8, 0.55, 0.6, 0.33],
                "percentile_2.5": [0.4, 0.4, 0.3, 0.2],
                "percentile_97.5": [1.6, 0.7, 1.4, 0.5],
            }
        ),
        "figure6": bars(
            **{
                "mean": [0.05, 0.049, 0.055, 0.051],
                "percentile_97.5": [0.4, 0.154, 0.536, 0.17],
                "percentile_97.5_low": [0.36, 0.14, 0.48, 0.16],
                "percentile_97.5_high": [0.45, 0.16, 0.6, 0.19],
            }
        ),
        "figure7": bars(
            **{"without_T03.rob": [0.55, 0.61, 0.92, 0.36], "all_pairs": [0.58, 0.63, 1.1, 0.37]}
        ),
    }


@pytest.fixture(scope="module")
def frames() -> dict[str, pd.DataFrame]:
    return tables()


def heights(axes) -> dict[str, list[float]]:
    """Return the heights of the bars of each colour."""
    found: dict[str, list[float]] = {}
    for patch in axes.patches:
        found.setdefault(to_hex(patch.get_facecolor()), []).append(patch.get_height())
    return found


@pytest.mark.clause("webber2008.5")
def test_figure_1_is_the_matrix(frames) -> None:
    axes = figure_1(frames["figure1"]).axes[0]
    (image,) = axes.images
    np.testing.assert_array_equal(
        image.get_array(), frames["figure1"].set_index("system").to_numpy()
    )
    assert image.get_clim() == (0, 1)
    black, white = (sum(image.get_cmap()(value)[:3]) for value in (0.0, 1.0))
    assert black < white
    ticks = dict(zip(axes.get_xticks(), axes.get_xticklabels(), strict=True))
    assert {x: text.get_text() for x, text in ticks.items()} == {5: "410"}


@pytest.mark.clause("webber2008.5")
def test_figure_2_has_an_interval_and_a_mean_for_each_system(frames) -> None:
    axes = figure_2(frames["figure2"]).axes[0]
    segments = [segment.tolist() for segment in axes.collections[0].get_segments()]
    assert segments == [[[1, 0.3], [1, 0.5]], [[2, 0.25], [2, 0.35]], [[3, -0.01], [3, 0.21]]]
    means = axes.lines[0]
    assert (means.get_xdata().tolist(), means.get_ydata().tolist()) == ([1, 2, 3], [0.4, 0.3, 0.1])


@pytest.mark.clause("webber2008.5")
def test_figure_3_has_both_distributions_and_their_quartiles(frames) -> None:
    figure = figure_3(frames["figure3"], frames["figure3_quartiles"])
    for axes, name in zip(figure.axes, ("AP", "sAP"), strict=True):
        shares = [patch.get_height() for patch in axes.patches]
        assert shares == pytest.approx((100 * frames["figure3"][name]).tolist())
        assert [patch.get_x() for patch in axes.patches] == frames["figure3"]["from"].tolist()
        quartiles = frames["figure3_quartiles"][name].tolist()
        assert [line.get_xdata()[0] for line in axes.lines] == quartiles
        labels = [f"{p}%: {x:.2f}" for p, x in zip((25, 50, 75), quartiles, strict=True)]
        assert [text.get_text() for text in axes.texts] == labels


@pytest.mark.clause("webber2008.6")
def test_figure_4_has_a_line_for_each_percentile(frames) -> None:
    table = frames["figure4"]
    (axes,) = figure_4(table).axes
    lines = {line.get_label(): set(line.get_ydata()) for line in axes.lines}
    assert lines == {
        "50th percentile (median)": set(table["median"]),
        "95th percentile lowest": set(table["lowest_95"]),
        "99th percentile lowest": set(table["lowest_99"]),
        "AP and standardized AP on T03.rob": {0.91},
        "AP on T03.rob and on T04.rob": {0.77},
    }
    assert len({line.get_marker() for line in axes.lines[:3]}) == 3
    for words in ("2,000 samples", "78 TREC 2003 Robust systems", "constant topics: limit"):
        assert words in axes.get_title()


@pytest.mark.clause("webber2008.7")
@pytest.mark.parametrize(
    ("name", "draw", "column", "scale"),
    [
        ("figure5", figure_5, "mean", 1),
        ("figure6", figure_6, "percentile_97.5", 100),
        ("figure7", figure_7, "all_pairs", 1),
    ],
)
def test_bars_and_what_is_missing(frames, name, draw, column, scale) -> None:
    axes = draw(frames[name]).axes[0]
    table = frames[name]
    known = table[table[column].notna()]
    for form, drawn in heights(axes).items():
        expected = known.loc[known["form"].map(COLORS) == form, column]
        assert drawn == pytest.approx((scale * expected).tolist())
    assert [text.get_text() for text in axes.get_xticklabels()] == ["P@10", "SP/AP"]
    assert axes.get_xlabel() == "measure (DCG: no scores published)"
    texts = [text.get_text() for text in axes.texts]
    assert texts.count(f"needs {NEEDS}") == 2
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert set(FORMS) < set(labels)


def test_marks_on_the_bars(frames) -> None:
    five, six, seven = (
        draw(frames[name]).axes[0]
        for draw, name in ((figure_5, "figure5"), (figure_6, "figure6"), (figure_7, "figure7"))
    )
    assert ends(five) == [[0.4, 1.6], [0.4, 0.7], [0.3, 1.4], [0.2, 0.5]]
    assert np.ravel(ends(six)) == pytest.approx([36, 45, 14, 16, 48, 60, 16, 19])
    assert [text.get_text() for text in six.texts][:4] == ["40", "15", "54", "17"]
    means = next(line for line in six.lines if line.get_label() == "mean")
    assert means.get_ydata().tolist() == pytest.approx([5, 4.9, 5.5, 5.1])
    level = next(line for line in six.lines if line.get_label() == "level of the test")
    assert set(level.get_ydata()) == {5}
    (pairs,) = seven.lines
    assert pairs.get_ydata().tolist() == [0.55, 0.61, 0.92, 0.36]
    before = frames["figure6"]["mean"].dropna().tolist()
    assert before == [0.05, 0.049, 0.055, 0.051]  # the table is not changed by drawing it


def ends(axes) -> list[list[float]]:
    """Return the ends of the vertical lines, the only collection of lines."""
    return [segment[:, 1].tolist() for segment in axes.collections[0].get_segments()]


def drawn(frames) -> dict[str, bytes]:
    return draw_all(drawings(frames), 1, lambda done, of: None)


@pytest.fixture(scope="module")
def first(frames) -> dict[str, bytes]:
    """Return the files of all figures."""
    return drawn(frames)


@pytest.mark.long
def test_the_same_numbers_make_the_same_bytes(frames, first) -> None:
    names = [f"figure{k}" for k in range(1, 8)]
    assert list(first) == [f"{name}.{kind}" for name in names for kind in ("svg", "pdf")]
    with mpl.rc_context({"font.size": 30, "svg.hashsalt": "other", "axes.facecolor": "red"}):
        assert drawn(frames) == first
    for name, content in first.items():
        assert content.startswith(b"<?xml" if name.endswith("svg") else b"%PDF")
        assert b"CreationDate" not in content
        assert b"<dc:date>" not in content


def test_drawings_can_be_sent_to_another_process(frames) -> None:
    for each in drawings(frames):
        assert pickle.loads(pickle.dumps(each)).draw is each.draw
