"""``cdfscore report``: an analysis on one page; ``cdfscore plot``: a figure."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cdfscore.cli.given import Form, Inputs, Standardization, tested_by
from cdfscore.cli.options import FIGURES, OUT, Written, is_typed
from cdfscore.cli.paths import write_outputs
from cdfscore.cli.terminal import busy, in_options, say, shown_progress
from cdfscore.errors import CdfscoreError, PlotError, SchemeError, ScoresError

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.comparison.comparison import Comparison
    from cdfscore.report.page import Parity
_SEED = 1
_NAME = "analysis.R"


def report(
    given: Inputs,
    *,
    scheme: list[str] | None = None,
    standardization: Standardization,
    test: str = "paired_t",
    baseline: list[str] | None = None,
    adjust: str | None = None,
    effect: str | None = None,
    alpha: float = 0.05,
    bootstrap: int = 0,
    seed: int | None = None,
    verify: Annotated[bool, typer.Option("--verify/--no-verify")] = True,
    out: Annotated[str, Written((".html", ".htm", "")), OUT],
) -> None:
    """Write the whole analysis as one HTML page.

    The page needs no network. It has the findings, a methods section, tables to sort and search,
    charts, two systems topic by topic, the sensitivity to the scheme, the diagnosis, all notes, the
    agreement with R and statsmodels, the R script, BibTeX entries, and which claims the results
    support.

    Exit status: 0 for success, 1 if R or statsmodels differs by more than the tolerance, 2 for bad
    input. If one differs, the page is written too, and says so at the top.

    Examples:
    cdfscore report scores.csv -o report.html
    cdfscore report scores.csv --scheme empirical --baseline bm25 -o report.html
    cdfscore report 2019.csv --factors f.json -o report.html

    Parameters
    ----------
    scheme : SCHEME
        Standardize the scores by this scheme first. Default: raw. May be repeated: the conclusions
        of the tests by the other schemes are compared with those by the first. If fewer than two
        are given, the others are raw, normal, uniform and empirical.
    test : TEST
        Test of pairs of systems. 'cdfscore tests' lists the tests.
    bootstrap : B
        Number of resamples for each topic in the tests of fit of the diagnosis, such as 999, which
        take a minute or more for 250 topics. 0: no tests of fit.
    seed : N
        Seed of the resamples. Default: 1. The seed of a test is one of its settings.
    verify
        Also compute the numbers in R, if R is installed, and by statsmodels.
    out : OUT
        Output file, .html.
    """
    from cdfscore.common.files import digests_of_what_is_read
    from cdfscore.comparison import pairs as choices
    from cdfscore.comparison.comparison import compared
    from cdfscore.diagnosis.diagnosis import Settings
    from cdfscore.report.page import SCORES, Input, analysis_of, encode_page, require_page_libraries
    from cdfscore.standardization.standardized import Factors

    require_page_libraries()
    # Mistakes in these options are reported before a file is read.
    choices.check_of_pairs(choices.chosen_test(test))
    chosen, baselines, correction, size, level = tested_by(test, baseline, adjust, effect, alpha)
    choices.check_symmetric(chosen, "reports")
    if seed is not None and bootstrap == 0:
        raise SchemeError(
            f"seed={seed!r} is for the resamples of the diagnosis, and there are none; expected "
            "bootstrap=999 with it; the seed of a test is one of its settings"
        )
    own_seed = _SEED if seed is None else seed
    Settings.of(alpha=level, bootstrap=bootstrap, most=None, seed=own_seed)
    by, reference = standardization, standardization.reference
    with digests_of_what_is_read() as digests:
        ways = by.ways(scheme or ["raw"])
        matrix, fitted_on = by.read(given)
    files = [(SCORES, given, matrix)]
    if fitted_on is not None and reference is not None:
        files.append(("reference scores", Inputs.one(reference), fitted_on))
    read = [(what, path) for what, own, _ in files for _, path in own.files]
    read += [("factors", path) for path in by.factors or ()]
    read += [("standard deviations of the factors", path) for path in (by.sds,) if path is not None]
    with by.concerning(given):
        (found,) = by.standardized(matrix, ways[:1], fitted_on)
        comparison = compared([found], chosen, baselines, correction, size, level)
    with by.concerning(given), shown_progress("nothing is written") as begin:
        found_beside = analysis_of(
            comparison,
            chosen,
            ways[1:],
            fitted_on,
            bootstrap=bootstrap,
            seed=own_seed,
            begin=begin,
        )
    of_factors = fitted_on if isinstance(ways[0], Factors) else None
    analysis = replace(
        found_beside,
        inputs=[Input(what, path, digests[path]) for what, path in read],
        parity=_parity(files, by.form, comparison, of_factors, verify),
        command=shlex.join(["cdfscore", *sys.argv[1:]]),
    )
    write_outputs((out, lambda _: encode_page(analysis, in_options)))
    say(*analysis.all_notes)
    if analysis.parity.doubts:
        raise typer.Exit(1)


def _parity(
    files: Sequence[tuple[str, Inputs, pd.DataFrame]],
    form: Form,
    comparison: Comparison,
    reference: pd.DataFrame | None,
    run: bool,
) -> Parity:
    from cdfscore.cli.verify import command_for_r, file_for_r, files_for_rscript
    from cdfscore.r.script import RSCRIPT
    from cdfscore.r.verify import Verification
    from cdfscore.report.page import Parity

    try:
        found = Verification.of(comparison, reference)
    except CdfscoreError as error:  # such as factors without the scores that they are of
        return Parity(reasons=[f"not compared with R: {error}"])
    script, run_by, reasons = None, "", list[str]()
    if found.without_twin:
        reasons.append(f"there is no R script, and R was not asked: {found.without_twin}")
    elif found.draws.size:
        reasons.append(
            f"there is no R script: it needs {found.draws.size:,} bytes of random draws beside it; "
            "'cdfscore verify --script' writes both"
        )
    else:
        several = len(files) > 1
        try:
            own = [file_for_r(form, *each[1:], one_of_several=several) for each in files]
            run_by = shlex.join([*RSCRIPT, _NAME, *(str(file.path) for file in own)])
            script = found.script(own, _NAME)
        except ScoresError as error:
            if several:
                reasons.append(f"there is no R script: {error}")
            else:  # it reads a file that a command writes
                with files_for_rscript(form, [each[1:] for each in files]) as own:
                    script = found.script(own, _NAME)
                command, new = command_for_r(form, *files[0][1:])
                run_by = f"{command}\n{shlex.join([*RSCRIPT, _NAME, new])}"
    if not run:
        reasons.append("not compared with R and statsmodels, because of --no-verify")
        return Parity([], script, reasons, "", run_by)

    def in_r() -> pd.DataFrame:
        with files_for_rscript(form, [each[1:] for each in files]) as for_r:
            return found.through_rscript(for_r)

    with busy("R and statsmodels compute the numbers again"):
        asked = Parity.of(None if found.without_twin else in_r, found.by_statsmodels)
    return replace(asked, script=script, reasons=[*reasons, *asked.reasons], run=run_by)


def plot(
    kind: str,
    given: Inputs,
    *,
    scheme: list[str] | None = None,
    standardization: Standardization,
    test: list[str] | None = None,
    adjust: str | None = None,
    alpha: float = 0.05,
    topic: str | None = None,
    out: Annotated[str, Written(FIGURES), OUT],
) -> None:
    """Draw a figure of scores, fitted schemes or tests.

    Other commands draw linear models, plans and experiments, by options such as 'model
    --plot-means', 'plan --plot' and 'experiment within --figures'.

    Examples:
    cdfscore plot volcano scores.csv -o pairs.svg
    cdfscore plot means scores.csv --scheme normal --test tukey_hsd -o means.pdf
    cdfscore plot dkw scores.csv --scheme normal --topic 301 -o topic.png

    Parameters
    ----------
    kind : KIND
        Kind of figure, from the list below; dashes may stand for underscores.
    scheme : SCHEME
        Standardize the scores by this scheme first. Default: raw. May be repeated. Each scheme has
        its own panel, except that 'schemes' and 'sensitivity' compare the schemes.
    test : TEST
        Test, for figures of a test. 'cdfscore tests' lists the tests. Default: paired_t, and
        tukey_hsd for 'means'. May be repeated for the figure 'sensitivity'.
    topic : LABEL
        Topic, for the figure 'dkw' of one topic.
    out : OUT
        Output file: .svg, .pdf or .png.
    """
    from cdfscore.comparison.comparison import Comparison, compared
    from cdfscore.comparison.pairs import adjustment_of, check_alpha, check_of_systems, chosen_test
    from cdfscore.comparison.sensitivity import ConclusionGrid, Sensitivity, sensitivity
    from cdfscore.diagnosis.diagnosis import Diagnosis, diagnosed
    from cdfscore.plots.canvas import encode_figure, glyph_notes
    from cdfscore.plots.kinds import kind_of, panels

    chosen = kind_of(kind)
    is_of_tests = chosen.of in (Comparison, ConclusionGrid, Sensitivity)
    none_of: dict[str, tuple[str, ...]] = {}
    if not is_of_tests:
        none_of["shows no test"] = ("test", "adjust", "alpha")
    if "topic" not in signature(chosen.plot).parameters:
        none_of["does not show one topic"] = ("topic",)
    if chosen.of is Diagnosis:
        fits = "predicts each score from the other scores of its topic"
        none_of[fits] = ("reference", "constant", "unfitted")
    for reason, names in none_of.items():
        if typed := [name for name in names if is_typed(name)]:
            raise PlotError(
                f"--{typed[0]} is not accepted: the figure {chosen.name} {reason}; expected no "
                f"--{typed[0]}"
            )
    if chosen.of is Diagnosis and not scheme and not is_typed("factors"):
        raise PlotError(
            f"the figure {chosen.name} shows a distribution; expected --scheme, such as normal, or "
            "--factors"
        )
    check_alpha(alpha)
    asked, named = scheme or ["raw"], test or [chosen.test]
    if len(named) > 1 and chosen.of is not ConclusionGrid:
        raise PlotError(
            f"{' '.join(f'--test {each}' for each in named)} is not accepted: the figure "
            f"{chosen.name} shows one test; expected one, or the figure 'sensitivity'"
        )
    if chosen.of is Sensitivity and len(asked) < 2:
        raise PlotError(
            f"one scheme is given, and the figure {chosen.name} compares schemes; expected "
            "--scheme twice or more"
        )
    tests = [chosen_test(each) for each in named]
    ways = standardization.ways(asked)
    matrix, fitted_on = standardization.read(given)
    drawn: list[tuple[Any, dict[str, Any]]]
    with standardization.concerning(given):
        if chosen.of is Diagnosis:
            with shown_progress("nothing is written") as begin:
                found = diagnosed(
                    matrix,
                    ways[0],
                    asked,
                    standardization.extra(),
                    bootstrap=0,  # the fit is not tested
                    progress=begin("topics"),
                )
            drawn, notes = [(found, {"scheme": each}) for each in found.schemes], [*found.notes]
        elif chosen.of is Sensitivity:
            by_schemes = sensitivity(
                matrix, ways, test=tests[0], adjust=adjust, alpha=alpha, reference=fitted_on,
                extra_topics=standardization.extra(),
            )  # fmt: skip
            drawn, notes = [(by_schemes, {})], by_schemes.notes
        elif is_of_tests:
            for each in tests:
                check_of_systems(each)
            of_ways = standardization.standardized(matrix, ways, fitted_on)
            # No figure shows an effect size, and effect sizes take longer than the tests.
            results = [
                compared(of_ways, each, (), adjustment_of(each, adjust), "", alpha)
                for each in tests
            ]
            drawn = [(results[0], {"scheme": each}) for each in results[0].schemes]
            notes = results[0].notes
            if chosen.of is ConclusionGrid:
                grid = ConclusionGrid(results)
                drawn, notes = [(grid, {})], grid.notes
        else:
            of_ways = standardization.standardized(matrix, ways, fitted_on)
            notes = list(dict.fromkeys(note for each in of_ways for note in each.notes))
            keywords = {} if topic is None else {"topic": topic}
            drawn = [(way, keywords) for way in of_ways]
        figure = panels(chosen, drawn)
    write_outputs((out, partial(encode_figure, figure)))
    say(*notes, *glyph_notes(figure, Path(out)))
