"""``cdfscore model``: analysis of variance of systems that are built of components."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdfscore.cli.direction import Direction, with_direction
from cdfscore.cli.exported import with_plain_labels
from cdfscore.cli.factors import uses_measure
from cdfscore.cli.fitted_to import FittedTo, with_fitted_to
from cdfscore.cli.form import Form, with_form
from cdfscore.cli.inputs import Inputs
from cdfscore.cli.options import (
    ComponentsOption,
    ContrastsOption,
    LevelOption,
    MeansAdjustOption,
    MeansOption,
    SchemesOption,
    ScoresArgument,
)
from cdfscore.cli.paths import check_outputs, check_paths, concerning
from cdfscore.cli.policies import Policies, with_policies
from cdfscore.cli.terminal import say
from cdfscore.io.tables import DELIMITERS

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@with_plain_labels
@with_direction
@with_form
@with_policies
@with_fitted_to
def model(
    scores: ScoresArgument,
    formula: Annotated[
        str,
        typer.Option(
            metavar="FORMULA",
            help="Terms of the model, such as 'score ~ topic + stemmer * model'; the factors are "
            "topic, system and the columns of --components.",
        ),
    ],
    components: ComponentsOption = None,
    sums_of_squares: Annotated[
        str,
        typer.Option(
            metavar="I|II|III",
            help="Type of the sums of squares: what a term adds to those before it (I), to those "
            "that it is not within (II), or to all others (III).",
        ),
    ] = "III",
    means: MeansOption = None,
    adjust: MeansAdjustOption = "tukey",
    scheme: SchemesOption = None,
    *,
    fitted_to: FittedTo,
    alpha: LevelOption = 0.05,
    out: Annotated[
        str,
        typer.Option(
            "-o",
            "--out",
            metavar="OUT",
            help="One row per scheme and term, as .csv, .tsv, .json, .tex, .md or .html; - is "
            "standard output.",
        ),
    ] = "-",
    contrasts: ContrastsOption = None,
    checks: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write checks of what the tests assume, with all digits, as .csv, .tsv: skewness "
            "and excess kurtosis of the residuals, additivity, and equal variances over topics and "
            "the levels of each factor. Compare the sizes: of many scores small departures are "
            "significant.",
        ),
    ] = None,
    plot_means: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Draw the marginal means of the one term of --means, of one or two factors, with "
            "their intervals, as .svg, .pdf or .png.",
        ),
    ] = None,
    plot_residuals: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Draw the residuals against fitted scores and normal quantiles, as .svg, .pdf or "
            ".png.",
        ),
    ] = None,
    policies: Policies,
    form: Form,
    direction: Direction,
) -> None:
    """Analyse the variance of scores by topics and the components of systems.

    Topics are fixed: results are about these topics. 'cdfscore mixed-model' has random topics.

    Example: cdfscore model scores.csv --components systems.csv --formula 'score ~ topic + stemmer'
    """
    from cdfscore.cli.means import check_adjust, check_drawn, check_means, contents_of_contrasts
    from cdfscore.comparison.choices import check_alpha
    from cdfscore.io.atomic import write_whole
    from cdfscore.io.tables import encode_frame
    from cdfscore.models.anova import anova
    from cdfscore.models.reading import read_components
    from cdfscore.models.sums_of_squares import check_type
    from cdfscore.plots.canvas import require_matplotlib
    from cdfscore.plots.saving import ENDINGS as OF_FIGURES
    from cdfscore.plots.saving import encode_figure
    from cdfscore.report.anova_export import encode_anova
    from cdfscore.report.comparison_export import ENDINGS

    given = Inputs.of(scores)
    outputs = {
        "--out": (out, ENDINGS),
        "--contrasts": (contrasts, DELIMITERS),
        "--checks": (checks, DELIMITERS),
        "--plot-means": (plot_means, OF_FIGURES),
        "--plot-residuals": (plot_residuals, OF_FIGURES),
    }
    check_paths(
        {**given.paths, "--components": components, **fitted_to.paths},
        {option: path for option, (path, _) in outputs.items()},
    )
    check_outputs(outputs)
    if plot_means is not None or plot_residuals is not None:
        require_matplotlib()
    check_alpha(alpha)
    kind = check_type(sums_of_squares)
    check_means(means, {"--contrasts": contrasts, "--plot-means": plot_means})
    check_adjust(adjust, contrasts)
    check_drawn(means, plot_means)
    extra = fitted_to.extra()
    ways = fitted_to.ways(scheme or ["raw"], policies, direction, form)
    table = None if components is None else read_components(components)
    measured = uses_measure(*ways)
    matrix, fitted_on = form.read_both(given, fitted_to.reference, measure_is_used=measured)
    with concerning(given.name, reference=fitted_to.reference):
        found = anova(
            matrix,
            formula,
            table,
            schemes=ways,
            sums_of_squares=kind,
            alpha=alpha,
            reference=fitted_on,
            extra_topics=extra,
        )
        terms = () if contrasts is None else means or ()
        compared = [found.contrasts(term, adjust).assign(term=term) for term in terms]
        figures: dict[str, Figure] = {}
        if plot_means is not None and means:
            figures[plot_means] = found.plot_means(means[0])
        if plot_residuals is not None:
            figures[plot_residuals] = found.plot_residuals()
    contents = {Path(out): encode_anova(found, Path(out))}
    contents |= contents_of_contrasts(contrasts, compared)
    if checks is not None:
        contents[Path(checks)] = encode_frame(
            found.checks(), DELIMITERS[Path(checks).suffix.lower()]
        )
    contents |= {Path(path): encode_figure(drawn, Path(path)) for path, drawn in figures.items()}
    write_whole(contents)
    say(*found.notes)
