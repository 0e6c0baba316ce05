"""``cdfscore compare``, ``correlate`` and ``diagnose``."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cdfscore import __version__
from cdfscore.cli.given import (
    Direction,
    FactorsFile,
    Form,
    Inputs,
    Policies,
    Standardization,
    tested_by,
)
from cdfscore.cli.options import OUT, Figure, RequiredFile, Result, Table, Written, needing
from cdfscore.cli.paths import concerning, write_outputs
from cdfscore.cli.terminal import say, show_result, show_table, show_text, shown_progress
from cdfscore.common import threads
from cdfscore.common.files import source_name
from cdfscore.common.text import json_of, part_of, printable
from cdfscore.errors import ScoresError
from cdfscore.report.writing import Captioned, Column, as_sentence, described, fixed, plain
from cdfscore.scores.tables import DELIMITERS, encode_frame
from cdfscore.standardization.policies import MissingPolicy

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.comparison.sensitivity import Sensitivity
    from cdfscore.diagnosis import Diagnosis
    from cdfscore.standardization.standardized import Standardized
    from cdfscore.standardization.standardizer import How


@dataclass(frozen=True)
class SecondCollection:
    """The options for scores on another collection, and for what they are standardized by.

    Another collection
    ------------------
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
        """Return how the other collection is standardized, after checks; None without one."""
        given = [name for name, value in vars(self).items() if value is not None]
        needing(given, {"other": given, "with_factors": ("with_sds", "with_track")})
        if self.other is None:
            return None
        if lone := [name for name, value in others.items() if value]:
            raise typer.BadParameter(f"{lone[0]} and --with exclude each other")
        for name in ("factors", "reference"):
            if bool(getattr(own, name)) != (f"with_{name}" in given):
                raise typer.BadParameter(
                    f"--{name} and --with-{name} need each other: each collection has its own"
                )
        return replace(
            own,
            reference=self.with_reference,
            factors=None if self.with_factors is None else [self.with_factors],
            sds=self.with_sds,
            track=self.with_track,
        )


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
    scheme : SCHEME
        Standardize the scores by this scheme first. Default: raw. May be repeated; each scheme has
        its own family of tests.
    reference_uncertainty : B
        Add standard errors that come from the reference systems, by B resamples, such as 999. Each
        draws reference systems with replacement and fits the scheme to them again. There are also
        standard errors from the topics, and from both.
    seed : N
        Seed of the resamples. Default: 0. The seed of a test is one of its settings.
    out : OUT
        Output file: .csv, .tsv, .json, .tex, .md or .html. It has a row for each pair of systems,
        or one row for a test of all systems.
    letters : FILE
        Write the compact letter display to this .csv or .tsv file.
    diagram : FILE
        Draw the critical-difference diagram to this file: .svg, .pdf or .png. It has the best 30
        systems, or all pairs of two collections. For more systems, see 'cdfscore plot'.
    """
    from cdfscore.comparison import pairs as choices
    from cdfscore.comparison.comparison import compared, refuse_infinite
    from cdfscore.comparison.reference_uncertainty import resampling_of
    from cdfscore.comparison.two_collections import compared_collections
    from cdfscore.report.comparison import description, encode_letters, for_terminal
    from cdfscore.report.writing import encode
    from cdfscore.standardization.policies import ScoreMatrix
    from cdfscore.standardization.standardizer import of_each

    other = second_collection.other
    # Mistakes in these options are reported before a file is read.
    choices.check_of_systems(choices.chosen_test(test))
    chosen, baselines, correction, size, level = tested_by(test, baseline, adjust, effect, alpha)
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
    schemes = scheme or ["raw"]
    ways, reference = standardization.ways(schemes), standardization.reference
    ways_of_other = [] if of_other is None else of_other.ways(schemes)
    try:
        matrix, fitted_on, second, its_reference = standardization.form.read_all(
            given,
            reference,
            other,
            second_collection.with_reference,
        )
    except ScoresError as error:
        if not error.of_parts or len(given.typed) != 2:
            raise
        unpaired = test if chosen.test.samples == "unpaired" else "welch_t"
        words = ["compare", given.typed[0], "--with", given.typed[1], "--test", unpaired]
        told = f"files of two collections are compared by: {shlex.join(['cdfscore', *words])}"
        raise ScoresError(f"{error}; {told}") from error
    if other is not None and second is not None:
        if standardization.direction.is_given:
            matrices = []
            for paths, frame, its_own in (
                ([*given.paths.values()], matrix, fitted_on),
                ([other], second, its_reference),
            ):
                with concerning(*paths):
                    matrices.append(ScoreMatrix.of(frame if its_own is None else its_own))
            with concerning(*given.paths.values(), other):
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
                found = compared(found_by, chosen, baselines, correction, size, level, resampling)
        for each in found_by if other_by else ():
            refuse_infinite(each)
    if other_by:
        with concerning(*given.paths.values(), other):
            found = compared_collections(found_by, other_by, chosen, correction, size, level)
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
        show_result(for_terminal(found), "row")
    else:
        say(description(found), *(each for each in found.notes if each not in found.doubts))
    if without:
        have = "has" if without == 1 else "have"
        say(f"{part_of(without, len(found.table), 'row')} {have} no p value; see the column reason")


def correlate(
    a: RequiredFile,
    b: RequiredFile,
    *,
    scheme: str = "raw",
    fitted: FactorsFile,
    out: Annotated[str | None, Written(ENDINGS), OUT] = None,
    policies: Policies,
    form: Form,
    direction: Direction,
) -> None:
    """Correlate the system means of two files of scores.

    Prints Kendall's tau, AP correlation, Pearson's correlation, RMSE and dRMSE.

    Examples:
    cdfscore correlate ap.csv ndcg.csv
    cdfscore correlate ap.csv ndcg.csv --scheme empirical
    cdfscore correlate 2019.csv 2020.csv --factors factors.json -o tau.json

    Parameters
    ----------
    a : A
        First file of scores, in the same formats as for the other commands. Use - for standard
        input.
    b : B
        Second file of scores, with the same systems and any topics.
    scheme : SCHEME
        Standardize each file by itself with this scheme first. 'cdfscore schemes' lists the
        schemes.
    out : OUT
        Write the results with all digits to this .csv, .tsv or .json file, and print no table. Use
        - for standard output.
    """
    from cdfscore.comparison.correlation import correlate as correlate_means

    extra = fitted.extra()
    # An error here does not concern the scores.
    how: How = fitted.load(form, policies) or policies.standardizer(scheme, direction)
    frames = form.read_several([Inputs.one(a), Inputs.one(b)])
    names = source_name(a), source_name(b)
    correlation = correlate_means(*frames, scheme=how, extra_topics=extra, names=names)
    found = correlation.table
    rows = found.astype(object).where(found.notna(), None).to_dict("records")
    as_json = (json.dumps(rows, indent=1, allow_nan=False) + "\n").encode()
    write_outputs((out, lambda path: _delimited(found, path) or as_json))
    if out is None:
        columns = [
            Column("measure", False, list(found["measure"])),
            Column("value", True, [fixed(value, 6) for value in found["value"]]),
            Column(f"{correlation.first.units[0]}s", True, list(map(str, found["systems"]))),
            Column("reason", False, list(found["reason"])),
        ]
        undefined = (found["reason"] != "").any()
        show_table(Captioned("", "", columns if undefined else columns[:-1]))
    say(*correlation.notes)


#: Endings of files of a diagnosis.
ENDINGS = (*DELIMITERS, ".json")


def diagnose(
    given: Inputs,
    *,
    scheme: list[str] | None = None,
    fitted: FactorsFile,
    out: Annotated[str | None, Written(ENDINGS), OUT] = None,
    plot: Figure = None,
    test: str = "paired_t",
    alpha: float = 0.05,
    bootstrap: int = 999,
    most: int | None = None,
    seed: int = 1,
    missing: MissingPolicy = "raise",
    jobs: int | None = None,
    form: Form,
    direction: Direction,
) -> None:
    """Report which distributions fit the scores.

    The command tests the fit of each distribution. It ranks the distributions by the continuous
    ranked probability score (CRPS) of left-out scores, in the unit of the scores.

    With --factors, the distributions are those of the factors, which are not fitted again.

    It also compares conclusions: those under each distribution, under the raw scores, and under the
    other distributions. The comparison is over the topics to which all distributions can be fitted.
    Sentences explain the pairs that are gained or lost, and what to report.

    Examples:
    cdfscore diagnose ap.csv
    cdfscore diagnose ap.csv --scheme normal --scheme kernel --bootstrap 0
    cdfscore diagnose ap.csv --scheme beta --plot pit.svg -o fits.csv

    Parameters
    ----------
    scheme : SCHEME
        Distribution to examine. May be repeated. Default: normal, uniform, empirical (N-std, U-std,
        E-std) and kernel, a smooth version of E-std.
    out : OUT
        Write the results to this file and print no tables. A .csv or .tsv file has a row for each
        topic and distribution; a .json file has all results. Use - for standard output.
    plot : FILE
        Draw the probability integral transform of each distribution to this .svg, .pdf or .png
        file.
    test : TEST
        Test whose conclusions are compared. 'cdfscore tests' lists the tests.
    alpha : LEVEL
        Significance level of the tests of fit and of the conclusions.
    bootstrap : B
        Number of resamples for each topic in the tests of fit; more are drawn if p is small. 0: no
        tests of fit.
    most : B
        Largest number of resamples for each topic. Default: as many as p needs after Holm's
        correction. For 250 topics these are 10,000, which take 2 minutes for normal and 20 minutes
        for mixture.
    seed : N
        Seed of the resamples.
    """
    from cdfscore.comparison.pairs import conclusive_test
    from cdfscore.comparison.sensitivity import sensitivity
    from cdfscore.diagnosis.diagnosis import USUAL, Settings, diagnosed, distributions
    from cdfscore.plots.canvas import encode_figure
    from cdfscore.report.comparison import agreement, moves
    from cdfscore.report.diagnosis import summary
    from cdfscore.standardization.standardizer import raw_as

    # Mistakes in these options are reported before a file is read.
    names = tuple(scheme) if scheme else USUAL
    distributions(names)
    extra = fitted.extra()
    Settings.of(alpha=alpha, bootstrap=bootstrap, most=most, seed=seed, jobs=jobs)
    chosen = conclusive_test(test)
    policies = Policies(missing=missing, unfitted="drop_topic")
    ways: list[How] = [policies.standardizer(each, direction) for each in ("raw", *names)]
    loaded = fitted.load(form, policies)
    if loaded is not None:
        distributions([loaded.fitted.scheme])
    matrix = form.read(given)
    if loaded is not None:
        ways = [raw_as(loaded, matrix), loaded]
    with concerning(*given.paths.values()):
        changes, notes = None, []
        try:
            changes = sensitivity(matrix, ways, test=chosen, alpha=alpha, extra_topics=extra)
        except ScoresError as error:  # the diagnosis does not need them
            notes.append(f"conclusions are not compared: {error}")
        with shown_progress("nothing is written") as begin:
            found = diagnosed(
                matrix,
                ways[1],
                names,
                extra,
                alpha=alpha,
                bootstrap=bootstrap,
                most=most,
                seed=seed,
                jobs=threads.cores() if jobs is None else jobs,
                progress=begin("topics"),
            )
    write_outputs(
        (out, lambda path: _encoded(found, changes, path)),
        (plot, lambda path: encode_figure(found.plot(), path)),
    )
    if out is None:
        show_table(summary(found))
        show_text(*(f"\n{printable(sentence)}" for sentence in found.verdict))
    if out is None and changes is not None:
        show_text("")
        show_table(agreement(changes))
        doubts, schemes = changes.comparison.doubts, changes.comparison.schemes
        told = [*(as_sentence(each, schemes) for each in doubts), *changes.verdict]
        show_text(*(f"\n{printable(sentence)}" for sentence in told), "")
        show_table(moves(changes))
        notes += [each for each in changes.notes if each not in doubts]
    elif changes is not None:
        notes += changes.notes
    say(*dict.fromkeys((*found.notes, *notes)))


def _delimited(frame: pd.DataFrame, path: Path) -> bytes:
    ending = path.suffix.lower()
    return encode_frame(frame, DELIMITERS[ending]) if ending in DELIMITERS else b""


def _encoded(found: Diagnosis, changes: Sensitivity | None, path: Path) -> bytes:
    if table := _delimited(found.fits, path):
        return table
    of_changes: dict[str, Any] | None = None
    if changes is not None:
        of_changes = described(changes.comparison, "test", "adjust", "alpha", "topics")
        names = ("verdict", "notes", "agreement", "conclusions", "moves", "systems")
        of_changes |= described(changes, *names)
    content = {
        "cdfscore": __version__,
        **described(found, "topics", "systems", "schemes", "resolution", "draws", "alpha"),
        **described(found, "missing", "verdict", "notes", "summary", "fits", "histogram"),
        "sensitivity": of_changes,
    }
    return f"{json_of(plain(content))}\n".encode()
