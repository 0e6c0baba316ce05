"""``cdfscore model``: analysis of variance of the components of systems."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdfscore.cli.factors import uses_measure
from cdfscore.cli.fitted_to import FittedTo
from cdfscore.cli.form import Form
from cdfscore.cli.inputs import Inputs
from cdfscore.cli.options import (
    OR_TABLE,
    ComponentsOption,
    ContrastsOption,
    Direction,
    LevelOption,
    MeansAdjustOption,
    MeansOption,
    Policies,
    SchemesOption,
    ScoresArgument,
    with_groups,
    with_plain_labels,
)
from cdfscore.cli.paths import check_outputs, check_paths, concerning
from cdfscore.cli.terminal import say, scheme_labels, show_result, written
from cdfscore.io.tables import DELIMITERS

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@with_plain_labels
@with_groups
def model(
    scores: ScoresArgument,
    formula: Annotated[
        str,
        typer.Option(
            metavar="FORMULA",
            help="Terms of the model, such as 'score ~ topic + stemmer * model'. The factors are "
            "topic, system and the columns of --components.",
        ),
    ],
    components: ComponentsOption = None,
    sums_of_squares: Annotated[
        str,
        typer.Option(
            metavar="I|II|III",
            help="Type of the sums of squares. I: what a term adds to the terms before it. II: "
            "what it adds to the terms that do not contain it. III: what it adds to all other "
            "terms.",
        ),
    ] = "III",
    means: MeansOption = None,
    adjust: MeansAdjustOption = "tukey",
    scheme: SchemesOption = None,
    *,
    fitted_to: FittedTo,
    alpha: LevelOption = 0.05,
    out: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--out",
            metavar="OUT",
            help="Output file, with a row for each scheme and term: .csv, .tsv, .json, .tex, .md "
            f"or .html. {OR_TABLE}",
        ),
    ] = None,
    contrasts: ContrastsOption = None,
    checks: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write checks of the assumptions of the tests with all digits to this .csv or "
            ".tsv file: skewness and excess kurtosis of the residuals, additivity, and equal "
            "variances over topics and the levels of each factor. Judge them by their size: with "
            "many scores, small departures are significant.",
        ),
    ] = None,
    plot_means: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Draw the marginal means of the term of --means, which has one or two factors, "
            "with their intervals to this .svg, .pdf or .png file.",
        ),
    ] = None,
    plot_residuals: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Draw the residuals against fitted scores and against normal quantiles to this "
            ".svg, .pdf or .png file.",
        ),
    ] = None,
    policies: Policies,
    form: Form,
    direction: Direction,
) -> None:
    """Analyze the variance due to topics and components.

    Topics are fixed: the results are about the given topics only. Topics are random in
    'cdfscore mixed-model'.

    Example: cdfscore model scores.csv --components systems.csv --formula 'score ~ topic + stemmer'
    """
    from cdfscore.cli.options import check_adjust, check_drawn, check_means, contents_of_contrasts
    from cdfscore.comparison.choices import check_alpha
    from cdfscore.io.atomic import write_whole
    from cdfscore.io.tables import encode_frame
    from cdfscore.models.anova import anova
    from cdfscore.models.components import read_components
    from cdfscore.models.sums_of_squares import check_type
    from cdfscore.plots.canvas import require_matplotlib
    from cdfscore.plots.saving import ENDINGS as OF_FIGURES
    from cdfscore.plots.saving import encode_figure
    from cdfscore.report.models import of_anova
    from cdfscore.report.writing import ENDINGS, encode

    out = written(out)
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
    contents = {} if out is None else {Path(out): encode(found, Path(out))}
    contents |= contents_of_contrasts(contrasts, compared)
    if checks is not None:
        contents[Path(checks)] = encode_frame(
            found.checks(), DELIMITERS[Path(checks).suffix.lower()]
        )
    contents |= {Path(path): encode_figure(drawn, Path(path)) for path, drawn in figures.items()}
    write_whole(contents)
    if out is None:
        show_result([of_anova(found)], None, scheme_labels(found.schemes))
    else:
        say(*found.notes)
