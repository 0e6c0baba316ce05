"""``cdfscore plot``: a figure of scores, fitted schemes or tests."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cdfscore.cli.given import Inputs, Standardization, diagnosed
from cdfscore.cli.options import FIGURES, OUT, Command, Written, is_typed
from cdfscore.cli.paths import write_outputs
from cdfscore.cli.terminal import say, shown_progress
from cdfscore.errors import PlotError

if TYPE_CHECKING:
    from cdfscore.comparison.comparison import Comparison
    from cdfscore.plots.kinds import Kind
    from cdfscore.standardization.standardized import Standardized
    from cdfscore.stats.significance.contract import ChosenTest

#: What is drawn, with the keywords of its plotting function.
_Drawn = tuple[Any, dict[str, Any]]


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
        Kind of figure, from the list below.
    scheme : SCHEME
        Standardize the scores by this scheme first. Default: raw. May be repeated. Each scheme has
        its own panel, except that 'schemes' and 'sensitivity' compare the schemes.
    test : TEST
        Test, for figures of a test. Default: paired_t, and tukey_hsd for 'means'. 'cdfscore tests'
        lists the tests. May be repeated for the figure 'sensitivity'.
    topic : LABEL
        Topic, for figures of one topic; see 'dkw' below.
    out : OUT
        Output file: .svg, .pdf or .png.
    """
    from cdfscore.comparison.pairs import check_alpha
    from cdfscore.comparison.sensitivity import Sensitivity, sensitivity
    from cdfscore.diagnosis import Diagnosis
    from cdfscore.plots.canvas import encode_figure, glyph_notes
    from cdfscore.plots.kinds import kind_of, panels

    chosen = kind_of(kind)
    _check_asked(chosen, scheme)
    check_alpha(alpha)
    asked = scheme or ["raw"]
    tests = _tests_of(chosen, test, asked)
    ways = standardization.ways(asked)
    matrix, fitted_on = standardization.read(given, ways)
    drawn: list[_Drawn]
    with standardization.concerning(given):
        if chosen.of is Diagnosis:
            with shown_progress("nothing is written") as begin:
                found = diagnosed(
                    matrix,
                    ways,
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
        else:
            of_ways = standardization.standardized(matrix, ways, fitted_on)
            if _is_of_tests(chosen):
                results = [_compared(of_ways, each, adjust, alpha) for each in tests]
                drawn, notes = _of_tests(chosen, results)
            else:
                drawn, notes = _drawn(chosen, of_ways, topic)
        figure = panels(chosen, drawn)
    write_outputs((out, partial(encode_figure, figure)))
    say(*notes, *glyph_notes(figure, Path(out)))


class OwnCommand(Command):
    """The command; its help ends with the kinds of figures."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the kinds, each with its description."""
        from cdfscore.plots.kinds import KINDS

        with formatter.section("Kinds"):
            formatter.write_dl([(kind.name, kind.says) for kind in KINDS])


def _check_asked(kind: Kind, scheme: Sequence[str] | None) -> None:
    from cdfscore.diagnosis import Diagnosis

    none_of: dict[str, tuple[str, ...]] = {}
    if not _is_of_tests(kind):
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


def _drawn(
    kind: Kind, found: Sequence[Standardized], topic: str | None
) -> tuple[list[_Drawn], list[str]]:
    from cdfscore.standardization.standardized import Factors

    notes = list(dict.fromkeys(note for each in found for note in each.notes))
    if kind.of is Factors:
        return [(each.factors, {}) for each in found], notes
    keywords = {} if topic is None else {"topic": topic}
    return [(each, keywords) for each in found], notes


def _is_of_tests(kind: Kind) -> bool:
    from cdfscore.comparison.comparison import Comparison
    from cdfscore.comparison.sensitivity import ConclusionGrid, Sensitivity

    return kind.of in (Comparison, ConclusionGrid, Sensitivity)


def _tests_of(kind: Kind, given: list[str] | None, schemes: Sequence[str]) -> list[ChosenTest]:
    """Return the tests of a figure, its usual one if none is given.

    Raises `PlotError` for several tests if the figure shows one, and for one scheme if the figure
    compares schemes.
    """
    from cdfscore.comparison.pairs import chosen_test
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


def _of_tests(kind: Kind, results: Sequence[Comparison]) -> tuple[list[_Drawn], list[str]]:
    """Return the results to draw, each with keywords for the plotting function, and the notes."""
    from cdfscore.comparison.sensitivity import ConclusionGrid

    if kind.of is ConclusionGrid:
        grid = ConclusionGrid(results)
        return [(grid, {})], grid.notes
    (result,) = results
    return [(result, {"scheme": each}) for each in result.schemes], result.notes


def _compared(
    found: Sequence[Standardized], test: ChosenTest, adjust: str | None, alpha: float
) -> Comparison:
    from cdfscore.comparison.comparison import compared
    from cdfscore.comparison.pairs import adjustment_of, check_of_systems

    check_of_systems(test)
    # No figure shows an effect size, and effect sizes take longer than the tests.
    return compared(found, test, (), adjustment_of(test, adjust), "", alpha)
