"""``cdfscore plot``: one figure of scores, of what is fitted to them, or of tests."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cdfscore.cli.direction import Direction, with_direction
from cdfscore.cli.factors import uses_measure
from cdfscore.cli.fitted_to import FittedTo, with_fitted_to
from cdfscore.cli.form import Form, with_form
from cdfscore.cli.inputs import Inputs
from cdfscore.cli.options import AdjustOption, AlphaOption, ScoresArgument
from cdfscore.cli.paths import check_outputs, check_paths, concerning
from cdfscore.cli.policies import Policies, with_policies
from cdfscore.cli.spelling import Command, is_typed
from cdfscore.cli.terminal import say
from cdfscore.errors import PlotError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cdfscore.comparison.comparison import Comparison
    from cdfscore.plots.kinds import Kind
    from cdfscore.significance.contract import ChosenTest
    from cdfscore.standardization.standardized import Standardized


class PlotCommand(Command):
    """Command whose help ends with the figures, which are looked up when it is asked for."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write each figure, and what there is to see."""
        from cdfscore.plots.kinds import KINDS

        with formatter.section("Figures"):
            formatter.write_dl([(kind.name, kind.says) for kind in KINDS])


@with_direction
@with_form
@with_policies
@with_fitted_to
def plot(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="The figure; see the list below.")],
    scores: ScoresArgument,
    scheme: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SCHEME",
            help="Standardize by this scheme first; raw if not given; may be given more than once, "
            "for a panel each or, of 'schemes' and 'sensitivity', to compare.",
        ),
    ] = None,
    *,
    fitted_to: FittedTo,
    test: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEST",
            help="The test, of figures of one, paired_t if not given; see 'cdfscore tests'. The "
            "figure 'sensitivity' takes more than one.",
        ),
    ] = None,
    adjust: AdjustOption = None,
    alpha: AlphaOption = 0.05,
    out: Annotated[
        str, typer.Option("-o", "--out", metavar="OUT", help="The figure, as .svg, .pdf or .png.")
    ],
    policies: Policies,
    form: Form,
    direction: Direction,
) -> None:
    """Draw a figure of scores, of what is fitted to them, or of tests.

    Example: cdfscore plot volcano scores.csv --scheme empirical --test paired_t -o pairs.svg
    """
    from cdfscore.comparison.choices import check_alpha
    from cdfscore.comparison.sensitivity import Sensitivity, sensitivity
    from cdfscore.io.atomic import write_whole
    from cdfscore.plots.canvas import require_matplotlib
    from cdfscore.plots.kinds import kind_of, panels
    from cdfscore.plots.saving import ENDINGS, encode_figure
    from cdfscore.standardization.standardizer import standardize

    given = Inputs.of(scores)
    check_paths({**given.paths, **fitted_to.paths}, {"--out": out})
    check_outputs({"--out": (out, ENDINGS)})
    require_matplotlib()
    chosen = kind_of(kind)
    _check_asked(chosen)
    check_alpha(alpha)
    tests = _tests(chosen, test)
    asked = scheme or ["raw"]
    if chosen.of is Sensitivity and len(asked) < 2:
        raise PlotError(
            f"--scheme {asked[0]} is alone, and the figure {kind} compares schemes; expected "
            "--scheme twice or more"
        )
    extra = fitted_to.extra()
    ways = fitted_to.ways(asked, policies, direction, form)
    reference = fitted_to.reference
    matrix, fitted_on = form.read_both(given, reference, measure_is_used=uses_measure(*ways))
    with concerning(given.name, reference=reference):
        if chosen.of is Sensitivity:
            result = sensitivity(
                matrix, ways, test=tests[0], adjust=adjust, alpha=alpha, reference=fitted_on,
                extra_topics=extra,
            )  # fmt: skip
            drawn, notes = _alone(result), result.notes
        else:
            found = [standardize(matrix, how, fitted_on, extra) for how in ways]
            drawn, notes = _drawn(chosen, found, tests, adjust, alpha)
        figure = panels(chosen, drawn)
    write_whole({Path(out): encode_figure(figure, Path(out))})
    say(*notes)


def _check_asked(kind: Kind) -> None:
    """Raise `PlotError` for an option of a test, where the figure is of none."""
    asked = [name for name in ("test", "adjust", "alpha") if is_typed(name)]
    if asked and not _is_of_tests(kind):
        raise PlotError(
            f"--{asked[0]} is not accepted, as the figure {kind.name} is of no test; expected no "
            "such option"
        )


def _is_of_tests(kind: Kind) -> bool:
    from cdfscore.comparison.comparison import Comparison
    from cdfscore.comparison.conclusion_grid import ConclusionGrid
    from cdfscore.comparison.sensitivity import Sensitivity

    return kind.of in (Comparison, ConclusionGrid, Sensitivity)


def _tests(kind: Kind, given: list[str] | None) -> list[ChosenTest]:
    """Return the tests of a figure; raises `PlotError` for several where one is drawn."""
    from cdfscore.comparison.choices import chosen_test
    from cdfscore.comparison.conclusion_grid import ConclusionGrid

    tests = given or ["paired_t"]
    if len(tests) > 1 and kind.of is not ConclusionGrid:
        raise PlotError(
            f"{' '.join(f'--test {each}' for each in tests)} is not accepted, as the figure "
            f"{kind.name} is of one test; expected one, or the figure 'sensitivity'"
        )
    return [chosen_test(each) for each in tests]


Drawn = list[tuple[Any, dict[str, Any]]]


def _alone(result: Any) -> Drawn:
    return [(result, {})]


def _drawn(
    kind: Kind,
    found: Sequence[Standardized],
    tests: Sequence[ChosenTest],
    adjust: str | None,
    alpha: float,
) -> tuple[Drawn, list[str]]:
    """Return what is drawn, each with the keywords of the function, and the notes."""
    from cdfscore.comparison.comparison import Comparison
    from cdfscore.comparison.conclusion_grid import ConclusionGrid
    from cdfscore.standardization.factors import Factors

    if kind.of is ConclusionGrid:
        grid = ConclusionGrid([_compared(found, each, adjust, alpha) for each in tests])
        return _alone(grid), grid.notes
    if kind.of is Comparison:
        result = _compared(found, tests[0], adjust, alpha)
        return [(result, {"scheme": each}) for each in result.schemes], result.notes
    notes = list(dict.fromkeys(note for each in found for note in each.notes))
    if kind.of is Factors:
        return [(each.factors, {}) for each in found], notes
    return [(each, {}) for each in found], notes


def _compared(
    found: Sequence[Standardized], test: ChosenTest, adjust: str | None, alpha: float
) -> Comparison:
    from cdfscore.comparison.choices import adjustment_of, check_of_systems
    from cdfscore.comparison.comparison import compared

    check_of_systems(test)
    # No figure has an effect size, and they take longer than the tests.
    return compared(found, test, (), adjustment_of(test, adjust), "", alpha)
