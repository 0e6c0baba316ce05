"""Figures of experiments: every number of the tables is drawn where it belongs."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.legend import Legend
from matplotlib.lines import Line2D

from cdfscore.plots import plot_densities, plot_rates
from cdfscore.plots.canvas import plain
from cdfscore.plots.experiments import density, experiment_figure
from tests.plots.legibility import problems

LONG = "a scheme with a label of sixty letters, which someone chose $"
LABELS = ["raw", "E-std", LONG]
ALPHAS = [0.001, 0.01, 0.05, 0.1]
RANDOM = np.random.default_rng(5)


def trials() -> pd.DataFrame:
    return pd.DataFrame(RANDOM.uniform(0.7, 0.95, (40, 3)), columns=LABELS)


def rates() -> pd.DataFrame:
    found = pd.DataFrame(np.sort(RANDOM.uniform(size=(4, 3)), axis=0), columns=LABELS)
    found.insert(0, "alpha", ALPHAS)
    return found


WITHIN = {"tau": trials(), "tauAP": trials(), "r": trials(), "power": rates()}
TYPE1 = rates()
OF_SAMPLES = {name: 1 - trials() for name in ("drmse", "swap_rate")}
BETWEEN = {**{name: WITHIN[name] for name in ("tau", "tauAP", "r")}, **OF_SAMPLES}
BETWEEN |= {"power": WITHIN["power"], "type1": TYPE1}


def line_of(axes: Axes, label: str) -> Line2D:
    (line,) = (each for each in axes.lines if each.get_label() == label.replace("$", r"\$"))
    return line


@pytest.mark.parametrize("tables", [WITHIN, BETWEEN], ids=["within", "between"])
def test_an_experiment_is_drawn_and_legible(tables: dict[str, pd.DataFrame]) -> None:
    figure = experiment_figure(tables, "Robust, $AP$")
    assert problems(figure) == []
    assert len(figure.axes) == len(tables)
    between = "type1" in tables
    for name, axes in zip(tables, figure.axes, strict=True):
        for label in LABELS:
            if "alpha" in tables[name]:
                np.testing.assert_array_equal(line_of(axes, label).get_ydata(), tables[name][label])
            elif label == "raw" and not between:  # correlates with itself at 1
                assert "raw" not in [line.get_label() for line in axes.lines]
            else:
                expected = density(tables[name][label].to_numpy())
                np.testing.assert_allclose(line_of(axes, label).get_data(), expected)
    of_what = "between two samples of topics" if between else "with the ranking by raw scores"
    what = "statistics" if between else "correlations"
    assert figure.get_suptitle() == f"Robust, \\$AP\\$\n40 trials, {what} {of_what}"
    (legend,) = (each for sub in [figure, *figure.subfigs] for each in sub.legends)
    labels = [text.get_text().replace(r"\$", "$") for text in legend.get_texts()]
    assert labels == ["raw scores", *LABELS[1:]]


@pytest.mark.clause("plot_rates.1")
@pytest.mark.parametrize("rate", ["power", "type1"])
def test_rates_by_level_on_axes_of_their_own(rate: str) -> None:
    axes = plot_rates(BETWEEN[rate], rate=rate)
    assert problems(axes.figure) == []  # type: ignore[arg-type]
    for label in LABELS:
        np.testing.assert_array_equal(line_of(axes, label).get_xdata(), ALPHAS)
        np.testing.assert_array_equal(line_of(axes, label).get_ydata(), BETWEEN[rate][label])
    assert axes.get_yscale() == ("log" if rate == "type1" else "linear")
    expected = [line for line in axes.lines if line.get_color() == "0.7"]
    assert [list(line.get_ydata()) for line in expected] == [ALPHAS] * (rate == "type1")


@pytest.mark.clause("plot_densities.1")
def test_densities_on_axes_of_their_own() -> None:
    table = WITHIN["tau"].copy()
    table.loc[:4, "E-std"] = np.nan
    axes = plot_densities(table)
    assert problems(axes.figure) == []  # type: ignore[arg-type]
    assert axes.get_xlabel() == r"Kendall's $\tau_b$"
    expected = density(table["E-std"].dropna().to_numpy())
    np.testing.assert_allclose(line_of(axes, "E-std").get_data(), expected)
    words = [text.get_text() for each in axes.get_children() for text in texts(each)]
    assert "E-std: 5 undefined" in words
    legend = axes.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()][:2] == LABELS[:2]


def texts(artist: object) -> list[object]:
    return list(artist.get_texts()) if hasattr(artist, "get_texts") else []


@pytest.mark.clause("plot_densities.1")
def test_a_scheme_without_a_trial_has_no_density_and_a_note() -> None:
    table = WITHIN["tau"].copy()
    table["E-std"] = np.nan
    axes = plot_densities(table)
    labels = {line.get_label() for line in axes.lines}
    assert "E-std" not in labels
    assert labels >= {plain(name) for name in table.columns if name != "E-std"}
    (note,) = (a for a in axes.get_children() if isinstance(a, Legend) and a.get_title().get_text())
    assert [text.get_text() for text in note.get_texts()] == [f"E-std: {len(table)} undefined"]
