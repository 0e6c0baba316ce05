"""Figures of experiments and of the papers beside their pictures in ``baseline``."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from matplotlib.figure import Figure

from cdfscore.experiments.papers.urbano2019.figures import figure_1, figure_2, figure_3
from cdfscore.experiments.papers.webber2008.figures import drawings
from cdfscore.plots import plot_densities, plot_rates
from cdfscore.plots.experiments import experiment_figure, halves_figure, reference_size_figure
from tests.papers.test_webber2008_figures import tables
from tests.plots.pictures import BASELINE, compared, of_this_matplotlib
from tests.plots.test_every_kind import LONG, scores
from tests.plots.test_experiments import BETWEEN, WITHIN
from tests.plots.test_halves import tables as of_halves
from tests.plots.test_reference_size import TABLES
from tests.uncertain import reference_uncertainty

pytestmark = of_this_matplotlib
WEBBER = {each.name: each for each in drawings(tables())}
SCHEMES = {"N-std": "normal", "U-std": "uniform", "E-std": "empirical"}
COLLECTIONS = {"Robust, AP": BETWEEN, "Robust, P@10": BETWEEN}


def uncertainty() -> Figure:
    matrix = scores(40, 20, LONG)
    return reference_uncertainty(
        matrix.iloc[:, :12], ["raw", "normal"], reference=matrix.iloc[:, 20:], resamples=200
    ).plot()


def of_axes(name: str) -> Figure:
    """Return the figure of one panel of an experiment."""
    if name == "tau":
        return plot_densities(BETWEEN[name]).get_figure(root=True)
    return plot_rates(BETWEEN[name], rate=name).get_figure(root=True)


FIGURES: dict[str, Callable[[], Figure]] = {
    "within": lambda: experiment_figure(WITHIN, "Robust, AP"),
    "between": lambda: experiment_figure(BETWEEN, "Robust, AP"),
    "halves": lambda: halves_figure(of_halves(["raw", "N-std", "E-std"], two=True), "Robust, AP"),
    "reference_size": lambda: reference_size_figure(TABLES, "Robust, AP"),
    "tau": lambda: of_axes("tau"),
    "power": lambda: of_axes("power"),
    "type1": lambda: of_axes("type1"),
    "uncertainty": uncertainty,
    "urbano_1": lambda: figure_1(scores(20, 12), SCHEMES, "Robust, AP"),
    "urbano_2": lambda: figure_2(COLLECTIONS, "40 trials"),
    "urbano_3": lambda: figure_3(COLLECTIONS, "40 trials"),
}


@pytest.mark.one_in(9)
@pytest.mark.parametrize("name", FIGURES)
@compared
def test_experiment(name: str) -> Figure:
    return FIGURES[name]()


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", WEBBER)
@compared
def test_webber2008(name: str) -> Figure:
    return WEBBER[name].draw(*WEBBER[name].given)


def test_each_picture_is_of_a_case() -> None:
    names = [f"test_experiment_{name}.png" for name in FIGURES]
    names += [f"test_webber2008_{name}.png" for name in WEBBER]
    there = [path.name for path in BASELINE.glob("*.png")]
    assert sorted(n for n in there if n.startswith(("test_exp", "test_web"))) == sorted(names)
