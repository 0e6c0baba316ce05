"""The kinds of figures of the command ``plot``, and the figure of each result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, singledispatch
from inspect import signature
from typing import TYPE_CHECKING, Any

from cdfscore.comparison.comparison import Comparison
from cdfscore.comparison.reference_uncertainty import ReferenceUncertainty
from cdfscore.comparison.sensitivity import ConclusionGrid, Sensitivity
from cdfscore.diagnosis import Diagnosis
from cdfscore.errors import PlotError, did_you_mean
from cdfscore.plots import comparison, scores, sensitivity
from cdfscore.plots.canvas import new_figure, settle, size_of
from cdfscore.standardization.standardized import Factors, Standardized

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from cdfscore.models.anova import Anova


@dataclass(frozen=True)
class Kind:
    """A kind of figure: the result that it draws, and the function."""

    of: type
    plot: Callable[..., Axes]
    #: The test that is drawn if none is named.
    test: str = "paired_t"

    @property
    def name(self) -> str:
        """The name, which is that of the function without ``plot_``."""
        return self.plot.__name__.removeprefix("plot_")

    @property
    def says(self) -> str:
        """What there is to see: the first line of the docstring of the function."""
        return (self.plot.__doc__ or "").partition("\n")[0]


# Width and height of a page of panels, in inches.
_PAGE = (8.8, 12.0)

#: A kind is a line here, a function, and a line in ``__init__.pyi``.
KINDS = (
    Kind(Standardized, scores.plot_scores),
    Kind(Standardized, scores.plot_per_topic),
    Kind(Standardized, scores.plot_standardized),
    Kind(Standardized, scores.plot_performance_profile),
    Kind(Standardized, scores.plot_topic_variance),
    Kind(Standardized, scores.plot_mapping),
    Kind(Standardized, scores.plot_dkw),
    Kind(Diagnosis, scores.plot_pit),
    Kind(Comparison, comparison.plot_critical_difference),
    Kind(Comparison, comparison.plot_means, test="tukey_hsd"),
    Kind(Comparison, comparison.plot_wins),
    Kind(Comparison, comparison.plot_pairs),
    Kind(Sensitivity, sensitivity.plot_schemes),
    Kind(ConclusionGrid, sensitivity.plot_sensitivity),
    Kind(Standardized, sensitivity.plot_slope),
    Kind(Comparison, comparison.plot_volcano),
)


def kind_of(name: str) -> Kind:
    """Return a kind by its name; raises `PlotError` for an unknown one."""
    for kind in KINDS:
        if kind.name == name.replace("-", "_"):
            return kind
    names = [kind.name for kind in KINDS]
    raise PlotError(
        f"there is no figure {name!r}{did_you_mean(name, names)}; expected one of "
        f"{', '.join(names)}"
    )


def panels(kind: Kind, results: Sequence[tuple[Any, dict[str, Any]]]) -> Figure:
    """Draw several results, or one by several keywords, in one figure; see `panels_of`."""
    return panels_of([(kind.plot, result, keywords) for result, keywords in results])


def panels_of(
    drawn: Sequence[tuple[Callable[..., Axes], Any, dict[str, Any]]], columns: int = 0
) -> Figure:
    """Draw results, each by its function with keywords, in one figure."""
    sizes = [size_of(plot, result, **keywords) for plot, result, keywords in drawn]
    width = max(width for width, _ in sizes)
    across = columns or min(len(sizes), max(1, int(_PAGE[0] // width)))
    while True:
        rows = (sizes[first : first + across] for first in range(0, len(sizes), across))
        heights = [max(height for _, height in row) for row in rows]
        if sum(heights) <= _PAGE[1] or across >= len(sizes):
            break
        across += 1
    figure = new_figure(width * across, sum(heights))
    grid = figure.subplots(len(heights), across, squeeze=False, height_ratios=heights)
    for axes, (plot, result, keywords) in zip(grid.flat, drawn, strict=False):
        plot(result, axes, **keywords)
    for axes in grid.flat[len(drawn) :]:
        axes.remove()
    return settle(figure)


def _drawn(plot: Callable[..., Axes], result: Any, **keywords: str) -> Figure:
    """Draw a result, a panel for each of its schemes if the function draws one scheme."""
    of_schemes = [keywords]
    if "scheme" in signature(plot).parameters:
        of_schemes = [{"scheme": scheme, **keywords} for scheme in result.schemes]
    return panels_of([(plot, result, each) for each in of_schemes])


@singledispatch
def figure_of(result: object) -> Figure:
    """Draw a result: here that of a model, as no other figure needs the models."""
    from cdfscore.plots import models

    for kind, plot in models.FIGURES.items():
        if isinstance(result, kind):
            return _drawn(plot, result)
    raise NotImplementedError(f"there is no figure of {type(result).__name__}")


figure_of.register(Standardized, partial(_drawn, scores.plot_standardized))
figure_of.register(Factors, partial(_drawn, scores.plot_mapping))
figure_of.register(Diagnosis, partial(_drawn, scores.plot_pit))
figure_of.register(Sensitivity, partial(_drawn, sensitivity.plot_schemes))
figure_of.register(ConclusionGrid, partial(_drawn, sensitivity.plot_sensitivity))
figure_of.register(ReferenceUncertainty, partial(_drawn, sensitivity.plot_reference_uncertainty))


@figure_of.register(Comparison)
def _(result: Comparison) -> Figure:
    few = len(result.systems) <= comparison.MOST
    return _drawn(comparison.plot_critical_difference if few else comparison.plot_pairs, result)


def figure_of_means(result: Anova, term: str) -> Figure:
    """Draw the marginal means of a term, a panel for each scheme."""
    from cdfscore.plots import models

    models.factors_drawn(term)
    return _drawn(models.plot_marginal_means, result, term=term)


def figure_of_residuals(result: Anova) -> Figure:
    """Draw the residuals, a row of two panels for each scheme."""
    from cdfscore.plots import models

    plots = (models.plot_residuals, models.plot_normal_quantiles)
    drawn = [(plot, result, {"scheme": scheme}) for scheme in result.schemes for plot in plots]
    return panels_of(drawn, columns=len(plots))
