"""Figures of Urbano et al. (2019): what is drawn is what was given, for any schemes."""

import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection, PolyCollection
from matplotlib.figure import Figure
from numpy.testing import assert_allclose, assert_array_equal

from cdfscore import Standardizer
from cdfscore.errors import (
    CdfscoreError,
    ExperimentError,
    MissingDependencyError,
    MissingScoreError,
    OutputError,
)
from cdfscore.experiments.papers.urbano2019.figures import (
    encode_figure,
    figure_1,
    figure_2,
    figure_3,
    mapping_lines,
)
from cdfscore.plots.canvas import styles
from cdfscore.plots.experiments import density

RANDOM = np.random.default_rng(2019)
SCORES = pd.DataFrame(
    RANDOM.beta(1, 3, size=(12, 20)),
    index=[f"t{i}" for i in range(12)],
    columns=[f"s{i}" for i in range(20)],
)
SCHEMES = {"N-std": "normal", "z-std": "z", "mine": "uniform:A=0.2,B=0.5", "E-std": "empirical"}
ALPHAS = [0.001, 0.01, 0.05, 0.1]
NAMES = ["raw", "N-std", "cost$ of $x", "_own"]


def _trials(names: list[str] = NAMES, rows: int = 300) -> pd.DataFrame:
    return pd.DataFrame(RANDOM.beta(20, 4, size=(rows, len(names))), columns=names)


def _rates(names: list[str] = NAMES) -> pd.DataFrame:
    rates = np.sort(RANDOM.uniform(0.001, 0.5, size=(len(ALPHAS), len(names))), axis=0)
    return pd.DataFrame(rates, columns=names).assign(alpha=ALPHAS)


def _frames(names: list[str] = NAMES) -> dict[str, pd.DataFrame]:
    return {
        "tau": _trials(names).assign(raw=1.0) if "raw" in names else _trials(names),
        "tauAP": _trials(names),
        "type1": _rates(names),
        "power": _rates(names),
    }


def _lines(axes: Axes) -> dict[str, Any]:
    return {str(line.get_label()).strip().replace(r"\$", "$"): line for line in axes.lines}


def _notes(axes: Axes) -> list[str]:
    legend = axes.get_legend()
    return [] if legend is None else [text.get_text().strip() for text in legend.get_texts()]


@pytest.fixture(scope="module")
def first() -> Figure:
    return figure_1(SCORES, SCHEMES, title="cost$ of $x")


@pytest.fixture(scope="module")
def rows(first: Figure) -> tuple[list[Axes], list[Axes]]:
    """Return the panels of the mappings and of the boxes, those of the raw scores first."""
    panels = [axes for axes in first.axes if axes.get_title()]
    return panels[: len(SCHEMES)], panels[len(SCHEMES) :]


ORDER = SCORES.mean(axis=1).sort_values().index


@pytest.mark.clause("urbano2019.3")
@pytest.mark.parametrize("i", range(len(SCHEMES)))
def test_points_of_figure_1_are_the_scores(rows: tuple[list[Axes], list[Axes]], i: int) -> None:
    (points,) = [c for c in rows[0][i].collections if isinstance(c, PathCollection)]
    expected = Standardizer(list(SCHEMES.values())[i]).fit_transform(SCORES).loc[ORDER]
    x, y = np.asarray(points.get_offsets()).T
    assert_array_equal(x, SCORES.loc[ORDER].to_numpy().ravel())
    assert_array_equal(y, expected.to_numpy().ravel())
    assert points.get_rasterized()
    low, high = rows[0][i].get_ylim()
    assert low < y.min() <= y.max() < high


@pytest.mark.clause("urbano2019.3")
@pytest.mark.parametrize("i", range(len(SCHEMES)))
def test_lines_of_figure_1_go_over_the_axis_and_through_every_point(
    rows: tuple[list[Axes], list[Axes]], i: int
) -> None:
    lines = rows[0][i].lines
    assert len(lines) == len(SCORES)
    factors = Standardizer(list(SCHEMES.values())[i]).fit(SCORES)
    for topic, line in zip(ORDER, lines, strict=True):
        x, y = np.asarray(line.get_xydata()).T
        assert (x.min(), x.max()) == (0, 1)
        assert (np.diff(x) >= 0).all()
        assert (np.diff(y) >= -1e-14).all()  # neighbouring doubles, rounded
        drawn = dict(zip(x, y, strict=True))
        raw = SCORES.loc[[topic]]
        expected = factors.transform(raw).to_numpy()[0]
        assert_array_equal([drawn[score] for score in raw.to_numpy()[0]], expected)


def test_steps_of_the_empirical_distribution_are_vertical(
    rows: tuple[list[Axes], list[Axes]],
) -> None:
    for line in rows[0][list(SCHEMES).index("E-std")].lines:
        x, y = np.asarray(line.get_xydata()).T
        assert set(np.round(y * 20, 9)) == set(range(21))
        assert np.diff(x)[np.diff(y) > 0].max() < 1e-15


@pytest.mark.clause("urbano2019.3")
@pytest.mark.parametrize("i", range(len(SCHEMES) + 1))
def test_boxes_of_figure_1(rows: tuple[list[Axes], list[Axes]], i: int) -> None:
    axes = rows[1][i]
    scheme = ["raw", *SCHEMES.values()][i]
    y = Standardizer(scheme).fit_transform(SCORES).loc[ORDER].to_numpy()
    means = _lines(axes)["mean"].get_xydata()
    assert_array_equal(means[:, 0], range(1, len(y) + 1))
    assert_allclose(means[:, 1], y.mean(axis=1), rtol=1e-12, atol=1e-15)
    q1, median, q3 = np.quantile(y, [0.25, 0.5, 0.75], axis=1)
    (boxes,) = [c for c in axes.collections if isinstance(c, PolyCollection)]
    extents = np.array([path.get_extents().get_points() for path in boxes.get_paths()])
    assert_allclose(extents[:, :, 1], np.column_stack([q1, q3]), rtol=1e-12)
    assert_allclose(extents[:, :, 0].mean(axis=1), means[:, 0], rtol=1e-12)
    whiskers, medians = [c for c in axes.collections if isinstance(c, LineCollection)]
    assert_allclose([segment[0][1] for segment in medians.get_segments()], median, rtol=1e-12)
    fence = 1.5 * (q3 - q1)
    inside = (y >= (q1 - fence)[:, None]) & (y <= (q3 + fence)[:, None])
    ends = np.array(whiskers.get_segments())[:, :, 1]
    assert_array_equal(ends[: len(y), 0], np.where(inside, y, np.inf).min(axis=1))
    assert_array_equal(ends[len(y) :, 1], np.where(inside, y, -np.inf).max(axis=1))
    beyond = _lines(axes)["beyond the whiskers"].get_xydata()
    assert sorted(beyond[:, 1]) == sorted(y[~inside])


def test_topics_without_labels() -> None:
    figure_1(SCORES.reset_index(drop=True), {"E-std": "empirical"}, title="positions")


def test_figure_1_refuses() -> None:
    with pytest.raises(ExperimentError, match="schemes is empty; expected at least one"):
        figure_1(SCORES, {}, title="none")
    with pytest.raises(MissingScoreError):
        figure_1(SCORES.mask(SCORES.iloc[0, 0] == SCORES), SCHEMES, title="missing")


@pytest.mark.one_in(2)
@pytest.mark.clause("urbano2019.4", "urbano2019.5")
@pytest.mark.parametrize(
    ("draw", "statistics"),
    [(figure_2, ["tau", "tauAP", "power"]), (figure_3, ["tau", "tauAP", "type1", "power"])],
)
def test_a_column_a_data_set_and_a_row_a_statistic(draw: Any, statistics: list[str]) -> None:
    results = {"first": _frames(), "pay$ or $y": _frames()}
    figure = draw(results, "3 trials")
    panels = np.reshape(figure.axes, (len(statistics), len(results)))
    assert [axes.get_title() for axes in panels[0]] == ["first", r"pay\$ or \$y"]
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names == ["raw scores", "N-std", r"cost\$ of \$x", " _own"]
    for j, frames in enumerate(results.values()):
        for i, statistic in enumerate(statistics):
            lines, frame = _lines(panels[i, j]), frames[statistic]
            expected = [n for n in NAMES if n != "raw" or draw is figure_3 or i == 2]
            assert [n for n in lines if n in NAMES] == expected
            for name in expected:
                if statistic in ("type1", "power"):
                    assert_array_equal(lines[name].get_xdata(), ALPHAS)
                    assert_array_equal(lines[name].get_ydata(), frame[name])
                else:
                    mean = frame[name].mean()
                    assert_allclose(lines[f"{name}, mean"].get_xdata(), mean, rtol=1e-12)
                    assert lines[f"{name}, mean"].get_ydata()[0] == 0
                    x, y = lines[name].get_xydata().T
                    if name != "raw" or statistic != "tau":
                        assert np.trapezoid(y, x) == pytest.approx(1, abs=2e-3)


def test_lines_differ_without_colour_too() -> None:
    found = [str((s["linestyle"], s["marker"])) for s in styles(map(str, range(30))).values()]
    assert len(set(found)) == 30
    assert len({str(look) for look in styles(map(str, range(210))).values()}) == 210


@pytest.mark.clause("plot_rates.1")
def test_the_diagonal_and_levels_in_any_order() -> None:
    frames = _frames()
    shuffled = {**frames, "type1": frames["type1"].iloc[[2, 0, 3, 1]]}
    axes = figure_3({"a": shuffled}, "3 trials").axes[2]
    assert axes.get_xscale() == axes.get_yscale() == "log"
    x, y = np.asarray(axes.lines[0].get_xydata()).T
    assert x.tolist() == y.tolist() == ALPHAS
    assert_array_equal(_lines(axes)["N-std"].get_ydata(), frames["type1"]["N-std"])
    assert _notes(axes) == [r"rate = $\alpha$"]


@pytest.mark.clause("plot_densities.1")
def test_densities_are_those_of_r(rinterface: ModuleType) -> None:
    values = RANDOM.beta(8, 3, size=400)
    x, y = density(values)
    rinterface.globalenv["values"] = rinterface.FloatSexpVector(values)
    rinterface.globalenv["x"] = rinterface.FloatSexpVector(x)
    found = rinterface.evalr("approx(density(values, n = 4096), xout = x, rule = 2)$y")
    # R puts the values into bins, which is good for three digits.
    assert_allclose(y, np.array(found), atol=2e-3 * y.max())
    spread = rinterface.evalr("range(density(values)$x)")
    assert_allclose([x[0], x[-1]], np.array(spread), rtol=1e-8)


def _figures(frames: Any) -> list[Figure]:
    few = SCORES.iloc[:5]
    return [figure_1(few, {"E-std": "empirical"}, title="a"), figure_2(frames, "3 trials")]


@pytest.fixture(scope="module")
def frames() -> Any:
    return {"a": _frames()}


@pytest.fixture(scope="module")
def others(frames: Any) -> list[Figure]:
    """Return the same figures once more, which have been drawn into another file already."""
    figures = _figures(frames)
    for figure in figures:
        encode_figure(figure, Path("other.png"))
    return figures


@pytest.mark.clause("urbano2019.6")
@pytest.mark.long
@pytest.mark.one_in(3)
@pytest.mark.parametrize(("name", "start"), [("svg", b"<?xml"), ("PDF", b"%PDF"), ("png", b"\x89")])
def test_files_have_the_same_bytes_every_time(
    name: str, start: bytes, frames: Any, others: list[Figure]
) -> None:
    path = Path(f"a.{name}")
    for one, other in zip(_figures(frames), others, strict=True):
        content = encode_figure(one, path)
        assert content.startswith(start)
        assert encode_figure(other, path) == content


@pytest.mark.clause("urbano2019.6")
@pytest.mark.parametrize("name", ["a.gif", "a", "-", "a.svg.gz"])
def test_another_ending_is_refused(name: str) -> None:
    with pytest.raises(OutputError, match=r"expected \.svg, \.pdf or \.png"):
        encode_figure(Figure(), Path(name))


def _without(statistic: str) -> Any:
    return {"a": {k: f for k, f in _frames().items() if k != statistic}}


def _with(statistic: str, frame: object) -> Any:
    return {"a": _frames(), "b": {**_frames(), statistic: frame}}


ALL = "expected finite numbers in a column for each of raw, "
BAD: list[tuple[Any, str]] = [
    ({}, "results is empty; expected at least one data set"),
    (_without("tauAP"), f"'tauAP' of data set 'a' is not a frame as .*; {ALL}"),
    (_without("type1"), "'type1' of data set 'a' is not a frame"),
    (_with("tau", _trials().to_numpy()), f"'tau' of data set 'b' is not a frame as .*; {ALL}"),
    (_with("tau", _trials().head(0)), "'tau' of data set 'b'"),
    (_with("tau", _trials([*NAMES, "raw"])), "'tau' of data set 'b'"),
    (_with("tau", _trials().astype(str)), "'tau' of data set 'b'"),
    (_with("tau", _trials() * 1j), "'tau' of data set 'b'"),
    (_with("tau", _trials().assign(raw=np.inf)), "'tau' of data set 'b'"),
    (_with("tau", _trials(["raw", "N-std"])), "'tau' of data set 'b'"),
    (_with("tau", _trials([*NAMES, "new"])), "'tau' of data set 'b'"),
    (_with("power", _rates([*NAMES, "new"])), "'power' of data set 'b'"),
    (_with("power", _rates().drop(columns="alpha")), "levels above 0 and up to 1 in 'alpha'"),
    (_with("type1", _rates().assign(alpha=0.0)), "levels above 0 and up to 1 in 'alpha'"),
    (_with("type1", _rates().assign(alpha=5)), "levels above 0 and up to 1 in 'alpha'"),
    (_with("type1", _rates().assign(alpha=np.nan)), "levels above 0 and up to 1 in 'alpha'"),
    ({"a": _frames([])}, "expected finite numbers in a column for each of the schemes"),
]


@pytest.mark.clause("urbano2019.4")
@pytest.mark.parametrize(("results", "message"), BAD)
def test_results_that_cannot_be_drawn(results: Any, message: str) -> None:
    with pytest.raises(ExperimentError, match=message) as caught:
        figure_3(results, "3 trials")
    assert isinstance(caught.value, CdfscoreError)
    assert not re.search(r"\n|\.$|\. ", str(caught.value))


def test_raw_alone_is_nothing_to_draw_within() -> None:
    with pytest.raises(ExperimentError, match="'tauAP' of data set 'a' is not a frame"):
        figure_2({"a": _frames(["raw"])}, "3 trials")


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    for draw in (
        lambda: figure_1(SCORES, SCHEMES, title=""),
        lambda: figure_2({"a": _frames()}, "3 trials"),
    ):
        with pytest.raises(MissingDependencyError, match="pip install 'cdfscore"):
            draw()


def test_lines_of_a_constant_topic_have_the_step_at_its_score() -> None:
    scores = SCORES.copy()
    scores.loc["t3"] = 0.25
    factors = Standardizer("normal").fit(scores)
    x, y = (each[list(scores.index).index("t3")] for each in mapping_lines(factors, scores))
    assert y[x < 0.25].max() == 0
    assert set(y[x == 0.25]) == {0.5}
    assert y[x == np.nextafter(0.25, 1)].tolist() == [1.0] * scores.shape[1]
    assert np.nextafter(0.25, 0) in x
