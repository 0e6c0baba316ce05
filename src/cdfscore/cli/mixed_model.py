"""``cdfscore mixed-model``: mixed models of the components of systems."""

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
    import pandas as pd

    from cdfscore.models.mixed.replicates import Replicates


@with_plain_labels
@with_groups
def mixed_model(
    scores: ScoresArgument,
    formula: Annotated[
        str,
        typer.Option(
            metavar="FORMULA",
            help="Fixed terms of the model, such as 'score ~ stemmer * model'. The factors are "
            "system and the columns of --components and --replicate.",
        ),
    ],
    components: ComponentsOption = None,
    random: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TERM",
            help="Random term: topic, or an interaction such as topic:stemmer. May be repeated. "
            "Default: topic.",
        ),
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            metavar="REML|ML",
            help="Restricted maximum likelihood (REML) or maximum likelihood (ML).",
        ),
    ] = "REML",
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
            help="Output file for the tests, with a row for each scheme and fixed term: .csv or "
            f".tsv. A .json, .tex, .md or .html file also has the variances. {OR_TABLE}",
        ),
    ] = None,
    variances: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write the variances of the random terms with all digits to this .csv or .tsv "
            "file.",
        ),
    ] = None,
    coefficients: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write the coefficients of the fixed terms with all digits to this .csv or .tsv "
            "file.",
        ),
    ] = None,
    contrasts: ContrastsOption = None,
    policies: Policies,
    form: Form,
    direction: Direction,
) -> None:
    """Fit a mixed model of components, with random topics.

    The results are about a population of topics. The results of 'cdfscore model' are about the
    given topics only.

    Example: cdfscore mixed-model scores.csv --components systems.csv --formula 'score ~ stemmer'
    --random topic --random topic:stemmer --variances variances.csv
    """
    from cdfscore.cli.options import check_adjust, check_means, contents_of_contrasts
    from cdfscore.comparison.choices import check_alpha
    from cdfscore.io.atomic import write_whole
    from cdfscore.io.tables import encode_frame
    from cdfscore.models.components import read_components
    from cdfscore.models.formula import TOPIC
    from cdfscore.models.mixed.likelihood import check_method
    from cdfscore.models.mixed.mixed_model import mixed_model as fitted
    from cdfscore.report.models import of_mixed_model
    from cdfscore.report.writing import ENDINGS, encode

    out = written(out)
    given = Inputs.of(scores)
    tables = {"--variances": variances, "--coefficients": coefficients, "--contrasts": contrasts}
    check_paths(
        {**given.paths, "--components": components, **fitted_to.paths},
        {"--out": out, **tables},
    )
    check_outputs({"--out": (out, ENDINGS), **{n: (p, DELIMITERS) for n, p in tables.items()}})
    check_alpha(alpha)
    way = check_method(method)
    check_means(means, {"--contrasts": contrasts})
    check_adjust(adjust, contrasts)
    extra = fitted_to.extra()
    ways = fitted_to.ways(scheme or ["raw"], policies, direction, form)
    parts = None if components is None else read_components(components)
    own: pd.DataFrame | Replicates
    if form.replicate:
        own, fitted_on = form.read_replicates(given, fitted_to.reference), None
    else:
        measured = uses_measure(*ways)
        own, fitted_on = form.read_both(given, fitted_to.reference, measure_is_used=measured)
    with concerning(given.name, reference=fitted_to.reference):
        found = fitted(
            own,
            formula,
            parts,
            random=random or [TOPIC],
            method=way,
            schemes=ways,
            alpha=alpha,
            reference=fitted_on,
            extra_topics=extra,
        )
        compared = [found.contrasts(term, adjust).assign(term=term) for term in means or ()]
    contents = {} if out is None else {Path(out): encode(found, Path(out))}
    for path, frame in ((variances, found.variances), (coefficients, found.coefficients)):
        if path is not None:
            contents[Path(path)] = encode_frame(frame, DELIMITERS[Path(path).suffix.lower()])
    write_whole(contents | contents_of_contrasts(contrasts, compared))
    if out is None:
        show_result(of_mixed_model(found), None, scheme_labels(found.schemes))
    else:
        say(*found.notes)
