"""``cdfscore plot``: a figure of scores, fitted schemes or tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cdfscore.cli.factors import uses_measure
from cdfscore.cli.fitted_to import FittedTo, standardized
from cdfscore.cli.form import Form
from cdfscore.cli.inputs import Inputs
from cdfscore.cli.options import (
    AdjustOption,
    AlphaOption,
    Direction,
    Policies,
    ScoresArgument,
    with_groups,
)
from cdfscore.cli.paths import check_outputs, check_paths, concerning
from cdfscore.cli.running import shown_progress
from cdfscore.cli.spelling import Command, is_typed
from cdfscore.cli.terminal import say
from cdfscore.errors import PlotError

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.cli.running import Begin
    from cdfscore.comparison.comparison import Comparison
    from cdfscore.plots.kinds import Kind
    from cdfscore.significance.contract import ChosenTest
    from cdfscore.standardization.standardized import ExtraTopics, Standardized
    from cdfscore.standardization.standardizer import How


@with_groups
def plot(
    kind: Annotated[
        str, typer.Argument(metavar="KIND", help="Kind of figure, from the list below.")
    ],
    scores: ScoresArgument,
    scheme: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SCHEME",
            help="Standardize the scores by this scheme first. Default: raw. May be repeated. "
            "Each scheme has its own panel, except that 'schemes' and 'sensitivity' compare the "
            "schemes.",
        ),
    ] = None,
    *,
    fitted_to: FittedTo,
    test: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEST",
            help="Test, for figures of a test. Default: paired_t, and tukey_hsd for 'means'. "
            "'cdfscore tests' lists the tests. May be repeated for the figure 'sensitivity'.",
        ),
    ] = None,
    adjust: AdjustOption = None,
    alpha: AlphaOption = 0.05,
    topic: Annotated[
        str | None,
        typer.Option(metavar="LABEL", help="Topic, for figures of one topic; see 'dkw' below."),
    ] = None,
    out: Annotated[
        str, typer.Option("-o", "--out", metavar="OUT", help="Output file: .svg, .pdf or .png.")
    ],
    policies: Policies,
    form: Form,
    direction: Direction,
) -> None:
    """Draw a figure of scores, fitted schemes or tests.

    Other commands draw linear models, plans and experiments, by options such as 'model
    --plot-means', 'plan --plot' and 'experiment within --figures'.

    Example: cdfscore plot volcano scores.csv --scheme empirical --test paired_t -o pairs.svg
    """
    from cdfscore.comparison.choices import check_alpha
    from cdfscore.diagnosis import Diagnosis
    from cdfscore.io.atomic import write_whole
    from cdfscore.plots.canvas import glyph_notes, require_matplotlib
    from cdfscore.plots.kinds import kind_of, panels
    from cdfscore.plots.saving import ENDINGS, encode_figure

    given = Inputs.of(scores)
    check_paths({**given.paths, **fitted_to.paths}, {"--out": out})
    check_outputs({"--out": (out, ENDINGS)})
    require_matplotlib()
    chosen = kind_of(kind)
    _check_asked(chosen, scheme)
    check_alpha(alpha)
    asked = scheme or ["raw"]
    tests = tests_of(chosen, test, asked)
    extra = fitted_to.extra()
    ways = fitted_to.ways(asked, policies, direction, form)
    reference = fitted_to.reference
    matrix, fitted_on = form.read_both(given, reference, measure_is_used=uses_measure(*ways))
    with concerning(given.name, reference=reference):
        if chosen.of is Diagnosis:
            with shown_progress("nothing is written") as begin:
                drawn, notes = _diagnosed(matrix, ways, extra, begin)
        elif is_of_tests(chosen):
            how = Asked(tests, adjust, alpha)
            drawn, notes = drawn_tests(chosen, matrix, ways, fitted_on, extra, how)
        else:
            found = standardized(matrix, ways, fitted_on, extra)
            drawn, notes = _drawn(chosen, found, topic)
        figure = panels(chosen, drawn)
    write_whole({Path(out): encode_figure(figure, Path(out))})
    say(*notes, *glyph_notes(figure, Path(out)))


class PlotCommand(Command):
    """The command; its help ends with the kinds of figures."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the kinds, each with its description."""
        from cdfscore.plots.kinds import KINDS

        with formatter.section("Kinds"):
            formatter.write_dl([(kind.name, kind.says) for kind in KINDS])


def _check_asked(kind: Kind, scheme: Sequence[str] | None) -> None:
    """Raise `PlotError` for an option that the figure does not use, and for a missing one."""
    from cdfscore.diagnosis import Diagnosis

    none_of: dict[str, tuple[str, ...]] = {}
    if not is_of_tests(kind):
        none_of["shows no test"] = ("test", "adjust", "alpha")
    if "topic" not in signature(kind.plot).parameters:
        none_of["does not show one topic"] = ("topic",)
    if kind.of is Diagnosis:
        fits = "predicts each score from the other scores of its topic"
        none_of[fits] = ("reference", "constant", "unfitted")
    for reason, names in none_of.items():
        asked = [name for name in names if is_typed(name)]
        if asked:
            raise PlotError(
                f"--{asked[0]} is not accepted: the figure {kind.name} {reason}; expected no "
                f"--{asked[0]}"
            )
    if kind.of is Diagnosis and not scheme and not is_typed("factors"):
        raise PlotError(
            f"the figure {kind.name} shows a distribution; expected --scheme, such as normal, or "
            "--factors"
        )


def _diagnosed(
    matrix: pd.DataFrame, ways: Sequence[How], extra: ExtraTopics, begin: Begin
) -> tuple[list[tuple[Any, dict[str, Any]]], list[str]]:
    """Return a diagnosis with each of its schemes, and the notes; the fit is not tested."""
    from cdfscore.diagnosis import diagnose, diagnose_factors
    from cdfscore.standardization.standardized import Factors
    from cdfscore.standardization.standardizer import Standardizer

    if isinstance(ways[0], Factors):
        result = diagnose_factors(
            matrix, ways[0], extra_topics=extra, bootstrap=0, progress=begin("topics")
        )
    else:
        fits = [each for each in ways if isinstance(each, Standardizer)]
        result = diagnose(
            matrix,
            [str(each.scheme) for each in fits],
            bootstrap=0,
            missing=fits[0].missing,
            lower_is_better=fits[0].lower_is_better,
            reflect_at=fits[0].reflect_at,
            progress=begin("topics"),
        )
    return [(result, {"scheme": each}) for each in result.schemes], list(result.notes)


def _drawn(
    kind: Kind, found: Sequence[Standardized], topic: str | None
) -> tuple[list[tuple[Any, dict[str, Any]]], list[str]]:
    """Return what is drawn, each with the keywords of the function, and the notes."""
    from cdfscore.standardization.standardized import Factors

    notes = list(dict.fromkeys(note for each in found for note in each.notes))
    if kind.of is Factors:
        return [(each.factors, {}) for each in found], notes
    keywords = {} if topic is None else {"topic": topic}
    return [(each, keywords) for each in found], notes


@dataclass(frozen=True)
class Asked:
    """The tests that were asked for, with the correction and the level."""

    tests: Sequence[ChosenTest]
    adjust: str | None
    alpha: float


def is_of_tests(kind: Kind) -> bool:
    """Tell whether a figure shows tests and takes their options."""
    from cdfscore.comparison.comparison import Comparison
    from cdfscore.comparison.sensitivity import ConclusionGrid, Sensitivity

    return kind.of in (Comparison, ConclusionGrid, Sensitivity)


def tests_of(kind: Kind, given: list[str] | None, schemes: Sequence[str]) -> list[ChosenTest]:
    """Return the tests of a figure, its usual one if none is given.

    Raises `PlotError` for several tests if the figure shows one, and for one scheme if the figure
    compares schemes.
    """
    from cdfscore.comparison.choices import chosen_test
    from cdfscore.comparison.sensitivity import ConclusionGrid, Sensitivity

    tests = given or [kind.test]
    if len(tests) > 1 and kind.of is not ConclusionGrid:
        raise PlotError(
            f"{' '.join(f'--test {each}' for each in tests)} is not accepted: the figure "
            f"{kind.name} shows one test; expected one, or the figure 'sensitivity'"
        )
    if kind.of is Sensitivity and len(schemes) < 2:
        raise PlotError(
            f"one scheme is given, and the figure {kind.name} compares schemes; expected --scheme "
            "twice or more"
        )
    return [chosen_test(each) for each in tests]


def drawn_tests(
    kind: Kind,
    matrix: pd.DataFrame,
    ways: Sequence[How],
    fitted_on: pd.DataFrame | None,
    extra: ExtraTopics,
    asked: Asked,
) -> tuple[list[tuple[Any, dict[str, Any]]], list[str]]:
    """Return the results to draw, each with keywords for the plotting function, and the notes."""
    from cdfscore.comparison.sensitivity import ConclusionGrid, Sensitivity, sensitivity

    if kind.of is Sensitivity:
        by_schemes = sensitivity(
            matrix, ways, test=asked.tests[0], adjust=asked.adjust, alpha=asked.alpha,
            reference=fitted_on, extra_topics=extra,
        )  # fmt: skip
        return [(by_schemes, {})], by_schemes.notes
    found = standardized(matrix, ways, fitted_on, extra)
    results = [_compared(found, each, asked) for each in asked.tests]
    if kind.of is ConclusionGrid:
        grid = ConclusionGrid(results)
        return [(grid, {})], grid.notes
    (result,) = results
    return [(result, {"scheme": each}) for each in result.schemes], result.notes


def _compared(found: Sequence[Standardized], test: ChosenTest, asked: Asked) -> Comparison:
    from cdfscore.comparison.choices import adjustment_of, check_of_systems
    from cdfscore.comparison.comparison import compared

    check_of_systems(test)
    # No figure shows an effect size, and effect sizes take longer than the tests.
    return compared(found, test, (), adjustment_of(test, asked.adjust), "", asked.alpha)
