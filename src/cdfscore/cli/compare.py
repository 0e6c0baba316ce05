"""``cdfscore compare``: tests of the differences between systems."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdfscore.cli.given import Inputs, Standardization, uses_measure
from cdfscore.cli.options import Figure, Result, Table
from cdfscore.cli.paths import concerning, concerning_both, write_outputs
from cdfscore.cli.terminal import say, scheme_labels, show_result, shown_progress
from cdfscore.common.files import source_name
from cdfscore.common.text import part_of
from cdfscore.errors import ScoresError

if TYPE_CHECKING:
    from cdfscore.standardization.standardized import Standardized
    from cdfscore.stats.significance.contract import ChosenTest


@dataclass(frozen=True)
class SecondCollection:
    """The options for scores on another collection, and for what they are standardized by.

    Options on another collection
    -----------------------------
    other : OTHER
        Scores on another collection, with other topics. Each system of SCORES is tested against
        each system of OTHER, by an unpaired test such as welch_t. Each file is standardized by its
        own factors, reference systems or systems.
    with_factors : FILE
        Factors of OTHER, beside --factors.
    with_sds : FILE
        Standard deviations of OTHER, beside --sds.
    with_track : NAME
        Track of OTHER, beside --track.
    """

    other: Annotated[str | None, typer.Option("--with")] = None
    with_factors: str | None = None
    with_reference: str | None = None
    with_sds: str | None = None
    with_track: str | None = None

    @property
    def paths(self) -> dict[str, str | None]:
        """The files by their options, for a message on paths."""
        return {
            "--with": self.other,
            "--with-factors": self.with_factors,
            "--with-reference": self.with_reference,
            "--with-sds": self.with_sds,
        }

    def standardization(
        self, own: Standardization, others: Mapping[str, object]
    ) -> Standardization | None:
        """Return how the other collection is standardized, after checks; None without one.

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
        return replace(
            own,
            reference=self.with_reference,
            factors=None if self.with_factors is None else [self.with_factors],
            sds=self.with_sds,
            track=self.with_track,
        )


def _two_collections(files: Sequence[str], test: str, chosen: ChosenTest) -> str:
    unpaired = test if chosen.test.samples == "unpaired" else "welch_t"
    command = shlex.join(["cdfscore", "compare", files[0], "--with", files[1], "--test", unpaired])
    return f"files of two collections are compared by: {command}"


def compare(
    given: Inputs,
    *,
    test: str = "paired_t",
    scheme: list[str] | None = None,
    standardization: Standardization,
    second_collection: SecondCollection,
    baseline: list[str] | None = None,
    adjust: str | None = None,
    effect: str | None = None,
    alpha: float = 0.05,
    reference_uncertainty: int = 0,
    seed: int | None = None,
    out: Result = None,
    letters: Table = None,
    diagram: Figure = None,
) -> None:
    """Test which systems differ, on raw or standardized scores.

    With --reference-uncertainty, each row also has the part of the uncertainty of a difference that
    comes from the reference systems.

    Examples:
    cdfscore compare scores.csv
    cdfscore compare scores.csv --scheme empirical --test max_t -o pairs.md
    cdfscore compare 2019.csv --with 2020.csv --scheme normal --test welch_t

    Parameters
    ----------
    test : TEST
        Significance test: NAME or NAME:KEY=VALUE,... 'cdfscore tests' lists the tests.
    scheme : SCHEME
        Standardize the scores by this scheme first. Default: raw. May be repeated; each scheme has
        its own family of tests.
    reference_uncertainty : B
        Add standard errors of each difference: from the reference systems, from the topics, and
        from both. B is the number of resamples, such as 999. Each resample draws reference systems
        with replacement and fits the scheme to them again.
    seed : N
        Seed of these resamples. Default: 0. The seed of a test is one of its settings.
    out : OUT
        Output file: .csv, .tsv, .json, .tex, .md or .html. It has a row for each pair of systems,
        or one row for a test of all systems.
    letters : FILE
        Write the compact letter display to this .csv or .tsv file.
    diagram : FILE
        Draw the critical-difference diagram of the best 30 systems to this .svg, .pdf or .png file,
        or all pairs of two collections. For more systems, see 'cdfscore plot'.
    """
    from cdfscore.comparison import pairs as choices
    from cdfscore.comparison.comparison import compared, refuse_infinite
    from cdfscore.comparison.pairs import baseline_names
    from cdfscore.comparison.reference_uncertainty import resampling_of
    from cdfscore.comparison.two_collections import compared_collections
    from cdfscore.report.comparison import (
        MOST_PAIRS,
        description,
        encode_letters,
        for_terminal,
        lists_pairs,
    )
    from cdfscore.report.writing import encode
    from cdfscore.standardization.matrix import ScoreMatrix
    from cdfscore.standardization.standardizer import of_each

    other = second_collection.other
    # Mistakes in these options are reported before a file is read.
    choices.check_alpha(alpha)
    chosen = choices.chosen_test(test)
    choices.check_of_systems(chosen)
    baselines = baseline_names(baseline or ())
    choices.check_options_of_pairs(chosen, baselines, effect)
    other_by: list[Standardized] = []
    of_other = second_collection.standardization(
        standardization,
        {
            "--baseline": baseline,
            "--letters": letters,
            "--reference-uncertainty": reference_uncertainty,
            "--seed": seed,
        },
    )
    if of_other is not None:
        choices.check_of_collections(chosen)
    if letters is not None or (diagram is not None and of_other is None):
        choices.check_letters(chosen, baselines)
    resampling = resampling_of(chosen, reference_uncertainty, seed)
    correction, size = choices.adjustment_of(chosen, adjust), choices.effect_of(chosen, effect)
    schemes = scheme or ["raw"]
    ways, reference = standardization.ways(schemes), standardization.reference
    ways_of_other = [] if of_other is None else of_other.ways(schemes)
    try:
        matrix, fitted_on, second, its_reference = standardization.form.read_all(
            given,
            reference,
            other,
            second_collection.with_reference,
            measure_is_used=uses_measure(*ways, *ways_of_other),
        )
    except ScoresError as error:
        if not error.of_parts or len(given.typed) != 2:
            raise
        raise ScoresError(f"{error}; {_two_collections(given.typed, test, chosen)}") from error
    assert matrix is not None
    if other is not None and second is not None:
        if standardization.direction.is_given:
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
            other_by = standardization.standardized(second, ways_of_other, its_reference)
            for each in other_by:
                refuse_infinite(each)
    with standardization.concerning(given):
        with shown_progress("nothing is written") as begin:
            found_by = standardization.standardized(matrix, ways, fitted_on)
            if resampling is not None:
                resampling = replace(resampling, progress=begin("resamples"))
            if not other_by:
                found = compared(found_by, chosen, baselines, correction, size, alpha, resampling)
        for each in found_by if other_by else ():
            refuse_infinite(each)
    if other_by:
        with concerning_both(given.name, other):
            found = compared_collections(found_by, other_by, chosen, correction, size, alpha)
    fitted_by = [reference] if reference is not None else standardization.factors
    if other is None and fitted_by and found.reference:
        names = " and ".join(map(source_name, fitted_by))
        found = replace(found, reference=f"{names}, {found.reference}")
    files = [(out, partial(encode, found)), (letters, partial(encode_letters, found))]
    if diagram is not None:
        from cdfscore.plots.canvas import encode_figure, glyph_notes
        from cdfscore.plots.kinds import kind_of, panels

        kind = kind_of("pairs" if other_by else "critical_difference")
        figure = panels(kind, [(found, {"scheme": each}) for each in found.schemes])
        files.append((diagram, partial(encode_figure, figure)))
        found = replace(found, notes=[*found.notes, *glyph_notes(figure, Path(diagram))])
    write_outputs(*files)
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
