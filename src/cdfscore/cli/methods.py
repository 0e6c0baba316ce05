"""``cdfscore schemes`` and ``cdfscore tests``: lists of the methods, and advice on tests."""

from __future__ import annotations

import dataclasses
import re
import typing
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from cdfscore.cli.given import Direction, Form, Inputs, Policies
from cdfscore.cli.options import completed
from cdfscore.cli.paths import concerning
from cdfscore.cli.terminal import say, show, show_table, show_text
from cdfscore.common.catalogue import types_and_words
from cdfscore.common.text import in_units, units
from cdfscore.errors import CdfscoreError, PlugInError

if TYPE_CHECKING:
    from cdfscore.standardization.standardized import Standardized
    from cdfscore.stats.schemes.base import Scheme
    from cdfscore.stats.significance.contract import SignificanceTest

# No setting accepts this text, and the error message states the permitted values.
_REFUSED = "?"
_Use = Callable[[dict[str, Any]], Any]
_KINDS = {float: "a number", int: "a whole number", bool: "True or False", str: "a text"}
_SAMPLE = [0.1, 0.25, 0.3, 0.45, 0.7, 0.8]
_OTHER = [0.2, 0.15, 0.5, 0.55, 0.6, 0.9]


def schemes(names: Annotated[list[str] | None, typer.Argument()] = None) -> None:
    """List the schemes, with formula, settings and source.

    Examples:
    cdfscore schemes
    cdfscore schemes empirical
    cdfscore schemes N-std U-std E-std

    Parameters
    ----------
    names : NAME
        Only these schemes, such as normal or N-std.
    """
    from cdfscore.stats.schemes.base import LABELS, parse_scheme
    from cdfscore.stats.schemes.base import schemes as members

    chosen = [parse_scheme(name).name for name in names] if names else members.names()
    for name in chosen:
        scheme = members.load(name)()
        kind = "cdf" if scheme.is_cdf else "linear"
        defaults = {each.name: getattr(scheme, each.name) for each in dataclasses.fields(scheme)}
        label = "".join(f"{label}; " for label, own in LABELS.items() if own == name)
        show(
            f"{name} ({label}{kind})",
            f"    {scheme.formula}",
            *_settings(settings_of_scheme(type(scheme)), defaults),
            f"    source: {scheme.source}",
        )


def list_tests(
    scores: Annotated[
        list[str] | None,
        typer.Argument(
            autocompletion=completed("cdfscore.stats.significance.contract:significance_tests")
        ),
    ] = None,
    *,
    advise: bool = False,
    form: Form,
    direction: Direction,
) -> None:
    """List the tests, with null hypothesis, settings and source.

    With --advise, recommend a test.

    Examples:
    cdfscore tests paired_t
    cdfscore tests --advise
    cdfscore tests --advise scores.csv

    Parameters
    ----------
    scores : NAME
        Only these tests, such as paired_t; with --advise: files of scores.
    advise
        Print which test to use for which question, its assumptions, and the correction. With
        SCORES, also print which tests suit these scores.
    """
    from cdfscore.comparison.pairs import in_compare
    from cdfscore.stats.significance.contract import AllSystems, significance_tests

    names = significance_tests.names()
    for each in () if advise else scores or ():
        if each.replace("-", "_") not in names and (Path(each).suffix or Path(each).exists()):
            raise typer.BadParameter(f"the file {each} needs --advise; expected names of tests")
    if not (scores and advise) and (form.typed or direction.is_given):
        raise typer.BadParameter("options for SCORES need --advise and SCORES")
    if advise and scores:
        given = Inputs.of(scores)
        matrix = form.read(given)
        with concerning(*given.paths.values()):
            # Raw scores as `compare` tests them: reversed if lower is better.
            raw = Policies(missing="omit").standardizer("raw", direction)
            print_advice(raw.standardize(matrix))
        return
    if advise:
        print_advice()
        return
    for test in map(significance_tests.load, scores or names):
        not_here = "" if in_compare(test) else "; not run by compare"
        show(f"{test.name} ({test.samples}{not_here})")
        show(f"    {test.summary}")
        show(f"    null hypothesis: {test.null or 'not stated'}")
        if isinstance(test, AllSystems):
            show(f"    tests of pairs that go with it: {', '.join(test.post_hoc) or 'none'}")
        show(*_settings(settings_of_test(test), test.defaults))
        show(f"    source: {test.source}")


def print_advice(raw: Standardized | None = None) -> None:
    """Print a table of tests for each situation, the tests that suit these scores, and cautions."""
    from cdfscore.comparison.attainable import Facts
    from cdfscore.report.comparison import advice_tables
    from cdfscore.scores.dataframes import notes_of
    from cdfscore.standardization import policies
    from cdfscore.standardization.cautions import few_systems
    from cdfscore.stats.schemes.base import parse_scheme

    facts = None if raw is None else Facts.of(raw.frame.to_numpy())
    said = partial(in_units, units.get())
    if raw is not None:
        how, count = (raw.factors.lower_is_better, raw.factors.reflect_at), len(raw.given.systems)
        reversals = policies.notes(*how, raw.used.topics)
        say(*notes_of(raw.given.frame), *raw.cautions, *reversals)
        for which, scheme in (("a scheme", None), ("E-std", parse_scheme("empirical"))):
            few = few_systems(count, scheme)
            say(*(f"if {which} is fitted to these scores: {each}" for each in few))
        show_text(f"{facts}\n")
    for heading, table in advice_tables(facts):
        show_text(heading)
        columns = [
            dataclasses.replace(own, header=said(own.header), cells=[*map(said, own.cells)])
            for own in table.columns
        ]
        show_table(dataclasses.replace(table, columns=columns))
        show_text("")


def settings_of_scheme(scheme: type[Scheme]) -> dict[str, str]:
    """Return what each setting of a scheme accepts."""
    hints = typing.get_type_hints(scheme)
    return {
        name: _accepted(hints[name], name, field.default, lambda settings: scheme(**settings))
        for name, field in scheme.__dataclass_fields__.items()
    }


def settings_of_test(test: SignificanceTest[Any]) -> dict[str, str]:
    """Return what each setting of a test accepts."""
    hints = test.hints()
    return {
        name: _accepted(
            hints[name], name, test.defaults.get(name), lambda settings: _run(test, settings)
        )
        for name in test.setting_names
    }


def _settings(accepted: Mapping[str, str], defaults: Mapping[str, Any]) -> Iterator[str]:
    yield f"    settings:{'' if accepted else ' none'}"
    for name, values in accepted.items():
        default = f"default {defaults[name]}" if name in defaults else "required"
        yield f"        {name}: {values} ({default})"


def _accepted(hint: Any, name: str, default: Any, use: _Use) -> str:
    """Return the words that a type permits, or the expectation in the message of the check."""
    kinds, words = types_and_words(hint)
    expected = [told for kind, told in _KINDS.items() if kind in kinds]
    said = ", ".join([*expected, *map(str, words)])
    # Some settings must be numbers, and a later check requires that they are above 0.
    is_positive = isinstance(default, int | float) and not isinstance(default, bool) and default > 0
    for refused in [_REFUSED, *([-default] if is_positive else [])] if kinds else []:
        said = _expected(name, refused, use) or said
    return said if type(None) not in kinds or "None" in said else f"{said}, or None"


def _expected(name: str, value: Any, use: _Use) -> str:
    """Return the expectation in the error message for a refused value, or "" without an error."""
    try:
        use({name: value})
    except PlugInError:  # it may compute with the value unchecked
        return ""
    except CdfscoreError as error:
        found = re.search(r"expected (?P<expected>.+)$", str(error))
        return found["expected"].replace("'", "") if found else ""
    return ""


def _run(test: SignificanceTest[Any], given: dict[str, Any]) -> None:
    settings = {**test.example, **given}
    test.settings(settings)
    if test.samples in ("paired", "unpaired"):
        sample, other = np.array([_SAMPLE]), np.array([_OTHER])
        test.function(sample, other, **{**test.defaults, **settings})
