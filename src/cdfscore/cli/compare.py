"""``cdfscore compare``: tests of the differences between systems."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdfscore.cli.factors import uses_measure
from cdfscore.cli.fitted_to import FittedTo, standardized
from cdfscore.cli.form import Form
from cdfscore.cli.inputs import Inputs
from cdfscore.cli.options import (
    OR_TABLE,
    AdjustOption,
    AlphaOption,
    BaselineOption,
    Direction,
    EffectOption,
    Policies,
    ScoresArgument,
    with_groups,
    with_plain_labels,
)
from cdfscore.cli.paths import check_outputs, check_paths, concerning, concerning_both
from cdfscore.cli.running import shown_progress
from cdfscore.cli.terminal import say, scheme_labels, show_result, written
from cdfscore.errors import ScoresError
from cdfscore.io.files import source_name
from cdfscore.io.tables import DELIMITERS
from cdfscore.io.text import part_of

if TYPE_CHECKING:
    from cdfscore.significance.contract import ChosenTest
    from cdfscore.standardization.standardized import Standardized
    from cdfscore.standardization.standardizer import How


@dataclass(frozen=True)
class SecondCollection:
    """The options for scores on another collection, and for what they are standardized by."""

    other: Annotated[
        str | None,
        typer.Option(
            "--with",
            metavar="OTHER",
            help="Scores on another collection, with other topics. Each system of SCORES is tested "
            "against each system of OTHER, by an unpaired test such as welch_t. Each file is "
            "standardized by its own factors, reference systems or systems.",
        ),
    ] = None
    with_factors: Annotated[
        str | None, typer.Option(metavar="FILE", help="Factors of OTHER, beside --factors.")
    ] = None
    with_reference: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Reference systems of OTHER, beside --reference."),
    ] = None
    with_sds: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Standard deviations of OTHER, beside --sds."),
    ] = None
    with_track: Annotated[
        str | None, typer.Option(metavar="NAME", help="Track of OTHER, beside --track.")
    ] = None

    @property
    def paths(self) -> dict[str, str | None]:
        """The files by their options, for a message on paths."""
        return {
            "--with": self.other,
            "--with-factors": self.with_factors,
            "--with-reference": self.with_reference,
            "--with-sds": self.with_sds,
        }

    def fitted_to(self, own: FittedTo, others: Mapping[str, object]) -> FittedTo | None:
        """Return what the other collection is fitted to, after checks; None without one.

        `others` are options of one collection alone, by their names.
        """
        beside = {**self.paths, "--with-track": self.with_track}
        if self.other is None:
            if lone := [name for name, value in beside.items() if value is not None]:
                raise typer.BadParameter(f"{lone[0]} needs --with OTHER")
            return None
        if lone := [name for name, value in others.items() if value]:
            raise typer.BadParameter(f"{lone[0]} and --with exclude each other")
        for name in ("factors", "reference"):
            if (not getattr(own, name)) != (beside[f"--with-{name}"] is None):
                raise typer.BadParameter(
                    f"--{name} and --with-{name} need each other: each collection has its own"
                )
        for name in ("sds", "track"):
            if beside[f"--with-{name}"] is not None and self.with_factors is None:
                raise typer.BadParameter(f"--with-{name} needs --with-factors FILE")
        return FittedTo(
            reference=self.with_reference,
            factors=None if self.with_factors is None else [self.with_factors],
            sds=self.with_sds,
            track=self.with_track,
            extra_topics=own.extra_topics,
        )


def _two_collections(files: list[str], test: str, chosen: ChosenTest) -> str:
    unpaired = test if chosen.test.samples == "unpaired" else "welch_t"
    command = shlex.join(["cdfscore", "compare", files[0], "--with", files[1], "--test", unpaired])
    return f"files of two collections are compared by: {command}"


@with_plain_labels
@with_groups
def compare(
    scores: ScoresArgument,
    test: Annotated[
        str,
        typer.Option(
            metavar="TEST",
            help="Significance test: NAME or NAME:KEY=VALUE,... 'cdfscore tests' lists the tests.",
        ),
    ] = "paired_t",
    scheme: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SCHEME",
            help="Standardize the scores by this scheme first. Default: raw. May be repeated; "
            "each scheme has its own family of tests.",
        ),
    ] = None,
    *,
    fitted_to: FittedTo,
    second_collection: SecondCollection,
    baseline: BaselineOption = None,
    adjust: AdjustOption = None,
    effect: EffectOption = None,
    alpha: AlphaOption = 0.05,
    reference_uncertainty: Annotated[
        int,
        typer.Option(
            metavar="B",
            help="Add standard errors of each difference: from the reference systems, from the "
            "topics, and from both. B is the number of resamples, such as 999. Each resample "
            "draws reference systems with replacement and fits the scheme to them again.",
        ),
    ] = 0,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Seed of these resamples. Default: 0. The seed of a test is one of its settings.",
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--out",
            metavar="OUT",
            help="Output file: .csv, .tsv, .json, .tex, .md or .html. It has a row for each pair "
            f"of systems, or one row for a test of all systems. {OR_TABLE}",
        ),
    ] = None,
    letters: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Write the compact letter display to this .csv or .tsv file."
        ),
    ] = None,
    diagram: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Draw the critical-difference diagram of the best 30 systems to this .svg, .pdf "
            "or .png file, or all pairs of two collections. For more systems, see 'cdfscore plot'.",
        ),
    ] = None,
    policies: Policies,
    form: Form,
    direction: Direction,
) -> None:
    """Test which systems differ, on raw or standardized scores.

    With --reference-uncertainty, each row also has the part of the uncertainty of a difference that
    comes from the reference systems.

    Example: cdfscore compare scores.csv --scheme empirical --test paired_t -o pairs.csv
    """
    from cdfscore.comparison.choices import (
        adjustment_of,
        check_alpha,
        check_letters,
        check_of_collections,
        check_of_systems,
        check_options_of_pairs,
        chosen_test,
        effect_of,
    )
    from cdfscore.comparison.comparison import compared
    from cdfscore.comparison.differences import refuse_infinite
    from cdfscore.comparison.pairs import baseline_names
    from cdfscore.comparison.reference_uncertainty import resampling_of
    from cdfscore.comparison.two_collections import compared_collections
    from cdfscore.io.atomic import write_whole
    from cdfscore.plots.canvas import require_matplotlib
    from cdfscore.plots.saving import ENDINGS as OF_FIGURES
    from cdfscore.report.comparison import (
        MOST_PAIRS,
        description,
        encode_letters,
        for_terminal,
        lists_pairs,
    )
    from cdfscore.report.writing import ENDINGS, encode
    from cdfscore.standardization.matrix import ScoreMatrix
    from cdfscore.standardization.standardizer import of_each

    out = written(out)
    given = Inputs.of(scores)
    other = second_collection.other
    check_paths(
        {**given.paths, **fitted_to.paths, **second_collection.paths},
        {"--out": out, "--letters": letters, "--diagram": diagram},
    )
    check_outputs(
        {
            "--out": (out, ENDINGS),
            "--letters": (letters, DELIMITERS),
            "--diagram": (diagram, OF_FIGURES),
        }
    )
    if diagram is not None:
        require_matplotlib()
    # Mistakes in these options are reported before a file is read.
    check_alpha(alpha)
    chosen = chosen_test(test)
    check_of_systems(chosen)
    baselines = baseline_names(baseline or ())
    check_options_of_pairs(chosen, baselines, effect)
    ways_of_other: list[How] = []
    other_by: list[Standardized] = []
    of_other = second_collection.fitted_to(
        fitted_to,
        {
            "--baseline": baseline,
            "--letters": letters,
            "--reference-uncertainty": reference_uncertainty,
            "--seed": seed,
        },
    )
    if of_other is not None:
        check_of_collections(chosen)
    if letters is not None or (diagram is not None and of_other is None):
        check_letters(chosen, baselines)
    resampling = resampling_of(chosen, reference_uncertainty, seed)
    correction, size = adjustment_of(chosen, adjust), effect_of(chosen, effect)
    extra = fitted_to.extra()
    ways = fitted_to.ways(scheme or ["raw"], policies, direction, form)
    reference, measured = fitted_to.reference, uses_measure(*ways)
    if of_other is not None:
        ways_of_other = of_other.ways(scheme or ["raw"], policies, direction, form)
        measured = measured or uses_measure(*ways_of_other)
    try:
        matrix, fitted_on, second, its_reference = form.read_all(
            given, reference, other, second_collection.with_reference, measure_is_used=measured
        )
    except ScoresError as error:
        if not error.of_parts or len(scores) != 2:
            raise
        raise ScoresError(f"{error}; {_two_collections(scores, test, chosen)}") from error
    assert matrix is not None
    if other is not None and second is not None:
        if direction.is_given:
            matrices = []
            for path, frame, its_own in (
                (given.name, matrix, fitted_on),
                (other, second, its_reference),
            ):
                with concerning(path):
                    matrices.append(ScoreMatrix.of(frame if its_own is None else its_own))
            with concerning_both(given.name, other):
                of_both = [of_each(how, matrices) for how in ways]
            ways, ways_of_other = ([each[side] for each in of_both] for side in (0, 1))
        with concerning(other, reference=second_collection.with_reference):
            other_by = standardized(second, ways_of_other, its_reference, extra)
            for each in other_by:
                refuse_infinite(each)
    with concerning(given.name, reference=reference):
        with shown_progress("nothing is written") as begin:
            found_by = standardized(matrix, ways, fitted_on, extra)
            if resampling is not None:
                resampling = replace(resampling, progress=begin("resamples"))
            if not other_by:
                found = compared(found_by, chosen, baselines, correction, size, alpha, resampling)
        for each in found_by if other_by else ():
            refuse_infinite(each)
    if other_by:
        with concerning_both(given.name, other):
            found = compared_collections(found_by, other_by, chosen, correction, size, alpha)
    fitted_by = [reference] if reference is not None else fitted_to.factors
    if other is None and fitted_by and found.reference:
        names = " and ".join(map(source_name, fitted_by))
        found = replace(found, reference=f"{names}, {found.reference}")
    contents = {} if out is None else {Path(out): encode(found, Path(out))}
    if letters is not None:
        contents[Path(letters)] = encode_letters(found, Path(letters))
    if diagram is not None:
        from cdfscore.plots.canvas import glyph_notes
        from cdfscore.plots.kinds import kind_of, panels
        from cdfscore.plots.saving import encode_figure

        kind = kind_of("pairs" if other_by else "critical_difference")
        figure = panels(kind, [(found, {"scheme": each}) for each in found.schemes])
        contents[Path(diagram)] = encode_figure(figure, Path(diagram))
        found = replace(found, notes=[*found.notes, *glyph_notes(figure, Path(diagram))])
    write_whole(contents)
    without = int((found.table["reason"] != "").sum())
    if out is None:
        show_result(for_terminal(found), "row", scheme_labels(found.schemes))
    else:
        say(description(found), *found.notes)
    if out is not None and Path(out).suffix.lower() == ".tex" and not lists_pairs(found):
        fewer = (
            "with --baseline NAME, tests such as paired_t and dunnett have only the pairs with one "
        )
        fewer = "" if other is not None else f"{fewer}system, and "
        pairs = "no pairs" if other is None else "no pairs of different systems"
        say(
            f"{out} has the means of the systems and {pairs}, as {len(found.table):,} pairs are "
            f"more than {MOST_PAIRS}; {fewer}a .csv file has all pairs"
        )
    if without:
        have = "has" if without == 1 else "have"
        say(f"{part_of(without, len(found.table), 'row')} {have} no p value; see the column reason")
