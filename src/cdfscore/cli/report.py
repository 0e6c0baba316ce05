"""``cdfscore report``: the whole analysis on one self-contained page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cdfscore.cli.factors import uses_measure
from cdfscore.cli.fitted_to import FittedTo, standardized
from cdfscore.cli.form import Form
from cdfscore.cli.inputs import Inputs
from cdfscore.cli.options import (
    AdjustOption,
    AlphaOption,
    BaselineOption,
    Direction,
    EffectOption,
    Policies,
    ScoresArgument,
    with_groups,
)
from cdfscore.cli.paths import check_outputs, check_paths, concerning
from cdfscore.cli.running import shown_progress
from cdfscore.cli.terminal import say

ENDINGS = (".html", ".htm", "")


@with_groups
def report(
    scores: ScoresArgument,
    scheme: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SCHEME",
            help="Standardize the scores by this scheme first. Default: raw. May be repeated: the "
            "conclusions of the tests by the other schemes are compared with those by the first. "
            "If fewer than two are given, the others are raw, normal, uniform and empirical.",
        ),
    ] = None,
    *,
    fitted_to: FittedTo,
    test: Annotated[
        str,
        typer.Option(
            metavar="TEST", help="Test of pairs of systems. 'cdfscore tests' lists the tests."
        ),
    ] = "paired_t",
    compare: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Scores of another collection or year, to compare with SCORES. Both are "
            "standardized by the same --factors or --reference, which must have the topics of "
            "both.",
        ),
    ] = None,
    baseline: BaselineOption = None,
    adjust: AdjustOption = None,
    effect: EffectOption = None,
    alpha: AlphaOption = 0.05,
    bootstrap: Annotated[
        int,
        typer.Option(
            metavar="B",
            help="Number of resamples for each topic in the tests of fit of the diagnosis, such "
            "as 999, which take a minute or more for 250 topics. 0: no tests of fit.",
        ),
    ] = 0,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Seed of these resamples. Default: 1. The seed of a test is one of its settings.",
        ),
    ] = None,
    r: Annotated[
        bool, typer.Option("--r/--no-r", help="Also compute the numbers in R, if R is installed.")
    ] = True,
    out: Annotated[str, typer.Option("-o", "--out", metavar="OUT", help="Output file, .html.")],
    policies: Policies,
    form: Form,
    direction: Direction,
) -> None:
    """Write the whole analysis as one HTML page.

    The page needs no network. It has the findings, a methods section, tables to sort and search,
    charts, two systems topic by topic, the sensitivity to the scheme, the diagnosis, all notes, the
    agreement with R, the R script, BibTeX entries, and which claims the results support.

    Exit status: 0 for success, 1 if R differs by more than the tolerance, 2 for bad input. If R
    differs, the page is written too, and says so at the top.

    Example: cdfscore report scores.csv --scheme empirical -o report.html
    """
    from cdfscore.cli.report_parts import (
        Parts,
        beside_of,
        check_compare,
        check_names,
        check_seed,
        command_line,
        diagnosis_of,
        inputs_of,
        parity_of,
        sensitivity_of,
    )
    from cdfscore.comparison.choices import (
        adjustment_of,
        check_alpha,
        check_of_pairs,
        check_options_of_pairs,
        check_symmetric,
        chosen_test,
        effect_of,
    )
    from cdfscore.comparison.comparison import compared
    from cdfscore.comparison.pairs import baseline_names
    from cdfscore.io.atomic import write_whole
    from cdfscore.io.digests import digests_of_what_is_read
    from cdfscore.report.page import Analysis, encode_page, require_page_libraries

    given = Inputs.of(scores)
    check_paths({**given.paths, **fitted_to.paths, "--compare": compare}, {"--out": out})
    check_outputs({"--out": (out, ENDINGS)})
    require_page_libraries()
    # Mistakes in these options are reported before a file is read.
    level, chosen = check_alpha(alpha), chosen_test(test)
    check_of_pairs(chosen)
    check_symmetric(chosen, "reports")
    baselines = baseline_names(baseline or ())
    check_options_of_pairs(chosen, baselines, effect)
    correction, size = adjustment_of(chosen, adjust), effect_of(chosen, effect)
    check_seed(bootstrap, seed, level)
    check_compare(compare, fitted_to)
    extra = fitted_to.extra()
    with digests_of_what_is_read() as digests:
        ways = fitted_to.ways(scheme or ["raw"], policies, direction, form)
        matrix, fitted_on, other = form.read_all(
            given, fitted_to.reference, compare, measure_is_used=uses_measure(*ways)
        )
        assert matrix is not None
    check_names(list(matrix.columns), given.name)
    if other is not None and compare is not None:
        check_names([*matrix.columns, *other.columns], f"{given.name} and {compare}")
    parts = Parts(given, fitted_to, form, policies, direction, matrix, fitted_on, extra)
    with concerning(given.name, reference=fitted_to.reference):
        (found,) = standardized(matrix, ways[:1], fitted_on, extra)
        comparison = compared([found], chosen, baselines, correction, size, level)
    beside = beside_of(parts, ways[0], found, other, compare)
    with concerning(given.name, reference=fitted_to.reference):
        changes, of_changes = sensitivity_of(parts, ways, chosen, correction, level)
        with shown_progress("nothing is written") as begin:
            diagnosis, diagnosed, of_fit = diagnosis_of(
                parts, ways[0], bootstrap, seed, level, begin("topics")
            )
    analysis = Analysis(
        inputs_of(parts, compare, digests),
        found,
        comparison,
        changes,
        diagnosis,
        diagnosed,
        parity_of(parts, ways[0], comparison, run=r),
        command_line(),
        [*of_changes, *of_fit],
        beside,
    )
    write_whole({Path(out): encode_page(analysis)})
    say(*analysis.all_notes)
    if analysis.r.apart:
        raise typer.Exit(1)
