"""``cdfscore model``: analysis of variance of systems that are built of components."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from cdfscore.cli.direction import Direction, with_direction
from cdfscore.cli.factors import FactorsOption, factors_of
from cdfscore.cli.form import Form, with_form
from cdfscore.cli.inputs import Inputs
from cdfscore.cli.options import (
    AlphaOption,
    ConstantOption,
    ExtraTopicsOption,
    MissingOption,
    ReferenceOption,
    ScoresArgument,
    UnfittedOption,
    extra_topics_of,
    standardizer,
)
from cdfscore.cli.paths import check_outputs, check_paths, concerning
from cdfscore.cli.terminal import say
from cdfscore.io.tables import DELIMITERS

if TYPE_CHECKING:
    from cdfscore.models.sums_of_squares import SumsType
    from cdfscore.standardization.standardizer import How


@with_direction
@with_form
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
    components: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="CSV or TSV file with a row for each system: a column system, and one for each "
            "factor.",
        ),
    ] = None,
    sums_of_squares: Annotated[
        str,
        typer.Option(
            metavar="I|II|III",
            help="Type of the sums of squares: what a term adds to those before it (I), to those "
            "that it is not within (II), or to all others (III).",
        ),
    ] = "III",
    means: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TERM",
            help="Compare the marginal means of this term, such as stemmer or stemmer:model, in "
            "the file of --contrasts; may be given more than once.",
        ),
    ] = None,
    adjust: Annotated[
        str,
        typer.Option(
            metavar="METHOD", help="Correction of these comparisons: tukey, or one of R's p.adjust."
        ),
    ] = "tukey",
    scheme: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SCHEME",
            help="Standardize by this scheme first; raw if not given; may be given more than once.",
        ),
    ] = None,
    reference: ReferenceOption = None,
    factors: FactorsOption = None,
    extra_topics: ExtraTopicsOption = "refuse",
    alpha: AlphaOption = 0.05,
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
    contrasts: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write the comparisons of --means with all digits, as .csv, .tsv.",
        ),
    ] = None,
    constant: ConstantOption = "limit",
    missing: MissingOption = "raise",
    unfitted: UnfittedOption = "raise",
    *,
    form: Form,
    direction: Direction,
) -> None:
    """Analyse the variance of scores by topics and the components of systems.

    Example: cdfscore model scores.csv --components systems.csv --formula 'score ~ topic + stemmer'
    """
    import pandas as pd

    from cdfscore.comparison.choices import check_alpha, check_different
    from cdfscore.errors import ModelError
    from cdfscore.io.atomic import write_whole
    from cdfscore.io.tables import encode_frame
    from cdfscore.models.anova import anova
    from cdfscore.models.reading import read_components
    from cdfscore.models.sums_of_squares import check_type
    from cdfscore.report.anova_export import encode_anova
    from cdfscore.report.comparison_export import ENDINGS

    given = Inputs.of(scores)
    check_paths(
        {
            **given.paths,
            "--components": components,
            "--reference": reference,
            "--factors": factors,
        },
        {"--out": out, "--contrasts": contrasts},
    )
    check_outputs({"--out": (out, ENDINGS), "--contrasts": (contrasts, DELIMITERS)})
    check_alpha(alpha)
    check_type(sums_of_squares)
    if (contrasts is None) != (not means):
        raise ModelError(
            "--means TERM names what --contrasts FILE has; expected both, or neither of them"
        )
    extra = extra_topics_of(extra_topics, reference=reference, factors=factors)
    ways: list[How]
    if factors is None:
        names = scheme or ["raw"]
        ways = [standardizer(each, constant, missing, unfitted, direction) for each in names]
        check_different(ways)
    else:
        ways = [factors_of(factors, form, constant, missing, unfitted)]
    table = None if components is None else read_components(components)
    matrix, fitted_on = form.read_both(given, reference)
    with concerning(given.name, reference=reference):
        found = anova(
            matrix,
            formula,
            table,
            schemes=ways,
            sums_of_squares=cast("SumsType", sums_of_squares),
            alpha=alpha,
            reference=fitted_on,
            extra_topics=extra,
        )
        compared = [found.contrasts(term, adjust).assign(term=term) for term in means or ()]
    contents = {Path(out): encode_anova(found, Path(out))}
    if contrasts is not None:
        contents[Path(contrasts)] = encode_frame(
            pd.concat(compared), DELIMITERS[Path(contrasts).suffix.lower()]
        )
    write_whole(contents)
    say(*found.notes)
