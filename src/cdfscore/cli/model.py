"""``cdfscore model``, ``mixed-model`` and ``plan``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cdfscore.cli.given import Inputs, Standardization
from cdfscore.cli.options import READ, Figure, Read, Result, Table, is_typed
from cdfscore.cli.paths import write_outputs
from cdfscore.cli.terminal import ROWS, say, show_result
from cdfscore.common.text import listed
from cdfscore.errors import ModelError
from cdfscore.scores.tables import DELIMITERS, encode_frame

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.models.replicates import Replicates


def model(
    given: Inputs,
    *,
    formula: str,
    components: Read = None,
    sums_of_squares: str = "III",
    means: list[str] | None = None,
    adjust: str = "tukey",
    scheme: list[str] | None = None,
    standardization: Standardization,
    alpha: float = 0.05,
    out: Result = None,
    contrasts: Table = None,
    checks: Table = None,
    plot_means: Figure = None,
    plot_residuals: Figure = None,
) -> None:
    """Analyze the variance due to topics and components.

    Topics are fixed: the results are about the given topics only. Topics are random in
    'cdfscore mixed-model'.

    Examples:
    cdfscore model scores.csv --formula 'score ~ topic + system'
    cdfscore model ap.csv --components c.csv --formula 'score ~ topic + stemmer'
    cdfscore model a.csv --formula topic+system --means system --contrasts m.csv

    Parameters
    ----------
    formula : FORMULA
        Terms of the model, such as 'score ~ topic + stemmer * model'. The factors are topic, system
        and the columns of --components.
    sums_of_squares : I|II|III
        Type of the sums of squares. I: what a term adds to the terms before it. II: what it adds to
        the terms that do not contain it. III: what it adds to all other terms.
    adjust : METHOD
        Correction of the comparisons of --means: tukey, or a method of R's p.adjust.
    alpha : LEVEL
        Significance level. Tables mark p values up to this level, and all intervals have the
        confidence level 1 - alpha.
    out : OUT
        Output file, with a row for each scheme and term: .csv, .tsv, .json, .tex, .md or .html.
    checks : FILE
        Write checks of the assumptions of the tests with all digits to this .csv or .tsv file:
        skewness and excess kurtosis of the residuals, additivity, and equal variances over topics
        and the levels of each factor. Judge them by their size: with many scores, small departures
        are significant.
    plot_means : FILE
        Draw the marginal means of the term of --means, which has one or two factors, with their
        intervals to this .svg, .pdf or .png file.
    plot_residuals : FILE
        Draw the residuals against fitted scores and against normal quantiles to this .svg, .pdf or
        .png file.
    """
    from cdfscore.comparison.pairs import check_alpha
    from cdfscore.models.anova import anova, check_type
    from cdfscore.models.formula import read_components
    from cdfscore.plots.canvas import encode_figure
    from cdfscore.plots.models import factors_drawn
    from cdfscore.report.models import of_anova
    from cdfscore.report.writing import encode

    check_alpha(alpha)
    kind = check_type(sums_of_squares)
    _check_means(means, {"--contrasts": contrasts, "--plot-means": plot_means})
    _check_adjust(adjust, contrasts)
    if plot_means is not None and means:
        if len(means) > 1:
            raise ModelError(
                f"--plot-means FILE draws one term, and --means is given {len(means)} times, as "
                f"{listed(means)}; expected --means TERM once"
            )
        factors_drawn(means[0])
    ways = standardization.ways(scheme or ["raw"])
    table = None if components is None else read_components(components)
    matrix, fitted_on = standardization.read(given)
    with standardization.concerning(given):
        found = anova(
            matrix,
            formula,
            table,
            schemes=ways,
            sums_of_squares=kind,
            alpha=alpha,
            reference=fitted_on,
            extra_topics=standardization.extra(),
        )
        terms = () if contrasts is None else means or ()
        compared = [found.contrasts(term, adjust).assign(term=term) for term in terms]
        figures = []
        if means and plot_means is not None:
            figures.append((plot_means, partial(encode_figure, found.plot_means(means[0]))))
        if plot_residuals is not None:
            figures.append((plot_residuals, partial(encode_figure, found.plot_residuals())))
    write_outputs(
        (out, partial(encode, found)),
        (contrasts, partial(_encoded, compared)),
        (checks, lambda path: _encoded([found.checks()], path)),
        *figures,
    )
    if out is None:
        show_result([of_anova(found)], None)
    else:
        say(*found.notes)


def mixed_model(
    given: Inputs,
    *,
    formula: str,
    components: Read = None,
    random: list[str] | None = None,
    method: str = "REML",
    means: list[str] | None = None,
    adjust: str = "tukey",
    scheme: list[str] | None = None,
    standardization: Standardization,
    alpha: float = 0.05,
    out: Result = None,
    variances: Table = None,
    coefficients: Table = None,
    contrasts: Table = None,
) -> None:
    """Fit a mixed model of components, with random topics.

    The results are about a population of topics. The results of 'cdfscore model' are about the
    given topics only.

    Examples:
    cdfscore mixed-model ap.csv --components c.csv --formula 'score ~ stemmer'
    cdfscore mixed-model ap.csv --formula 'score ~ system' --scheme empirical
    cdfscore mixed-model folds.csv --replicate fold --formula system

    Parameters
    ----------
    formula : FORMULA
        Fixed terms of the model, such as 'score ~ stemmer * model'. The factors are system and the
        columns of --components and --replicate.
    random : TERM
        Random term: topic, or an interaction such as topic:stemmer. May be repeated. Default:
        topic.
    method : REML|ML
        Restricted maximum likelihood (REML) or maximum likelihood (ML).
    adjust : METHOD
        Correction of the comparisons of --means: tukey, or a method of R's p.adjust.
    alpha : LEVEL
        Significance level. Tables mark p values up to this level, and all intervals have the
        confidence level 1 - alpha.
    out : OUT
        Output file for the tests, with a row for each scheme and fixed term: .csv or .tsv. A .json,
        .tex, .md or .html file also has the variances.
    variances : FILE
        Write the variances of the random terms with all digits to this .csv or .tsv file.
    coefficients : FILE
        Write the coefficients of the fixed terms with all digits to this .csv or .tsv file.
    """
    from cdfscore.comparison.pairs import check_alpha
    from cdfscore.models.formula import TOPIC, read_components
    from cdfscore.models.mixed import check_method
    from cdfscore.models.mixed import mixed_model as fitted
    from cdfscore.report.models import of_mixed_model
    from cdfscore.report.writing import encode

    check_alpha(alpha)
    way = check_method(method)
    _check_means(means, {"--contrasts": contrasts})
    _check_adjust(adjust, contrasts)
    ways = standardization.ways(scheme or ["raw"])
    parts = None if components is None else read_components(components)
    own: pd.DataFrame | Replicates
    if standardization.form.replicate:
        own = standardization.form.read_replicates(given, standardization.reference)
        fitted_on = None
    else:
        own, fitted_on = standardization.read(given)
    with standardization.concerning(given):
        found = fitted(
            own,
            formula,
            parts,
            random=random or [TOPIC],
            method=way,
            schemes=ways,
            alpha=alpha,
            reference=fitted_on,
            extra_topics=standardization.extra(),
        )
        compared = [found.contrasts(term, adjust).assign(term=term) for term in means or ()]
    write_outputs(
        (out, partial(encode, found)),
        (variances, partial(_encoded, [found.variances])),
        (coefficients, partial(_encoded, [found.coefficients])),
        (contrasts, partial(_encoded, compared)),
    )
    if out is None:
        show_result(of_mixed_model(found), None)
    else:
        say(*found.notes)


def _encoded(tables: Sequence[pd.DataFrame], path: Path) -> bytes:
    import pandas as pd

    table = tables[0] if len(tables) == 1 else pd.concat(tables)
    return encode_frame(table, DELIMITERS[path.suffix.lower()])


def _check_means(means: Sequence[str] | None, outputs: Mapping[str, str | None]) -> None:
    if any(path is not None for path in outputs.values()) != bool(means):
        files = " or ".join(f"{option} FILE" for option in outputs)
        raise ModelError(f"--means TERM and {files} need each other; expected both, or neither")


def _check_adjust(adjust: str, contrasts: str | None) -> None:
    from cdfscore.models.anova import check_adjustment

    if contrasts is None and is_typed("adjust"):
        raise ModelError(
            "--adjust METHOD is for the comparisons in --contrasts FILE; expected both, or no "
            "--adjust"
        )
    check_adjustment(adjust)


def plan(
    given: Inputs,
    *,
    goal: str,
    pilot: Annotated[list[str] | None, READ] = None,
    scheme: str = "raw",
    standardization: Standardization,
    topics: list[int] | None = None,
    check: int = 0,
    seed: int = 0,
    out: Result = None,
    plot: Figure = None,
) -> None:
    """Find how many topics a test collection needs.

    SCORES are pilot data, from which the variances are estimated.

    Examples:
    cdfscore plan scores.csv --goal paired_t:difference=0.05
    cdfscore plan scores.csv --goal interval:width=0.1 --check 1000 -o curve.csv
    cdfscore plan 2019.csv --pilot old.csv --goal generalizability:reliability=0.9

    Parameters
    ----------
    goal : GOAL
        What the collection must reach. For power: paired_t:difference=D, one_way:difference=D or
        two_way:difference=D, with power=0.8, alpha=0.05 and, for the last two, systems=M. For
        precision: interval:width=W. For reliability: generalizability:reliability=R or
        dependability:reliability=R.
    pilot : FILE
        Scores of another pilot. Its variances are pooled with those of SCORES. May be repeated.
    scheme : SCHEME
        Standardize the scores by this scheme first. 'cdfscore schemes' lists the schemes.
    topics : N
        Number of topics for a row of the curve. May be repeated. Default: some numbers up to twice
        the answer.
    check : B
        Check the answer by B resamples of the topics of the pilot, 100 or more. 0: no check.
    seed : N
        Seed of the resamples.
    out : OUT
        Output file for the curve, with a row for each number of topics: .csv, .tsv, .json, .tex,
        .md or .html.
    plot : FILE
        Draw the curve to this .svg, .pdf or .png file.
    """
    from cdfscore.models.goals import check_settings, parse_goal
    from cdfscore.models.goals import plan as planned
    from cdfscore.plots.canvas import encode_figure
    from cdfscore.report.models import of_plan
    from cdfscore.report.writing import encode
    from cdfscore.scores.dataframes import measure_of, same_measure

    others = [Inputs.one(each) for each in pilot or ()]
    # Mistakes in these options are reported before a file is read.
    wanted = parse_goal(goal)
    check_settings(wanted, topics or (), check, seed)
    (way,) = standardization.ways([scheme])
    reference = standardization.reference
    every = [given, *others, *([] if reference is None else [Inputs.one(reference)])]
    first, *rest = frames = standardization.form.read_several(every)
    same_measure((measure_of(f), own.name) for f, own in zip(frames, every, strict=True))
    fitted_on = None if reference is None else rest.pop()
    with standardization.concerning(given):
        found = planned(
            first,
            wanted,
            scheme=way,
            others=rest,
            reference=fitted_on,
            extra_topics=standardization.extra(),
            topics=topics,
            check=check,
            seed=seed,
        )
    write_outputs(
        (out, partial(encode, found)),
        (plot, lambda path: encode_figure(found.plot(), path)),
    )
    if out is None:
        show_result([of_plan(found, ROWS // 2)], None)
    else:
        say(found.answer, *found.notes)
