"""Tables of all schemes, all tests and all settings, made from the code and its docstrings."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from cdfscore.cli.methods import settings_of_scheme, settings_of_test
from cdfscore.errors import FitError
from cdfscore.stats.schemes.bandwidths import RULES
from cdfscore.stats.schemes.base import Distribution, Scheme, schemes
from cdfscore.stats.schemes.from_scipy import LAWS
from cdfscore.stats.significance.contract import SignificanceTest, significance_tests
from validation.documentation.clauses import anchor_of
from validation.documentation.public import public_objects
from validation.documentation.reference import path_of

#: Twelve scores, three of which are 0.3: what ties do is computed by them.
TIED = (0.1, 0.2, 0.2, 0.3, 0.3, 0.3, 0.4, 0.5, 0.5, 0.6, 0.7, 0.9)
_TIE = 0.3
_BESIDE = 1e-9


def scheme_table() -> str:
    """Return the table of all schemes, with their default settings."""
    titles = (
        "scheme",
        "formula",
        "support",
        "scores",
        "fitted parameters",
        f"step at {_TIE}",
        "all scores equal",
        "R",
    )
    return _table(titles, (_of_scheme(schemes.load(name)) for name in schemes.names()))


def unfitted_table() -> str:
    """Return the table of the topics that each scheme cannot be fitted to."""
    return _table(
        ("scheme", "cannot be fitted"),
        ((f"`{name}`", _unfitted(schemes.load(name))) for name in schemes.names()),
    )


def test_table() -> str:
    """Return the table of all significance tests."""
    titles = ("test", "kind", "null hypothesis", "assumes", "interval", "one-sided", "R")
    tests = map(significance_tests.load, significance_tests.names())
    return _table(titles, map(_of_test, tests))


def settings_of_schemes() -> str:
    """Return the table of the permitted values of each setting of each scheme."""
    rows = []
    for name in schemes.names():
        scheme = schemes.load(name)
        defaults = {each.name: each.default for each in dataclasses.fields(scheme)}
        rows += _settings(name, settings_of_scheme(scheme), defaults)
    return _table(("scheme", "setting", "permitted values", "default"), rows)


def settings_of_tests() -> str:
    """Return the table of the permitted values of each setting of each test."""
    rows = []
    for name in significance_tests.names():
        test = significance_tests.load(name)
        rows += _settings(name, settings_of_test(test), test.defaults)
    return _table(("test", "setting", "permitted values", "default"), rows)


def law_table() -> str:
    """Return the laws of `from_scipy`, with what each needs and how its maximum is found."""
    rows = ["| law | of logarithms | must be held | maximum | range of the shape |"]
    rows += ["| --- | --- | --- | --- | --- |"]
    for name, law in LAWS.items():
        needs = ", ".join(f"`{slot}`" for slot in law.needs) or "–"
        searched = "a" in law.shapes and law.slopes and not set(law.needs) & {"f0"}
        way = "closed form" if law.closed or law.whole else "newton"
        if law.whole and law.slopes:
            way = "closed form; newton if more is held"
        span = f"{law.least:g} to {law.most:g}" if searched else "–"
        ends = [end for end, limit in zip(("lower", "upper"), law.limits, strict=True) if limit]
        at = f"; fit at {' or '.join(ends) or 'no'} end" if searched else ""
        rows.append(
            f"| `{name}` | {'yes' if law.sign and (law.slopes or law.closed) else 'no'} | {needs} "
            f"| {way} | {span}{at} |"
        )
    return "\n".join(rows)


def bandwidth_table() -> str:
    """Return the table of the rules for the bandwidth, by the first lines of their docstrings."""
    return _table(
        ("rule", "bandwidth", "source", "cannot be found"),
        (
            (
                f"[`{name}`](specification/bandwidths.md#{anchor_of(f'{name}.1 Definition')})",
                *_of_rule(inspect.getdoc(rule.of_rows) or ""),
            )
            for name, rule in RULES.items()
        ),
    )


def _of_scheme(scheme: type[Scheme]) -> tuple[str, ...]:
    made = scheme()
    return (
        _linked(f"cdfscore.stats.schemes.{scheme.__name__}", scheme.name),
        f"`{made.formula}`",
        _support(made),
        _domain(made),
        ", ".join(f"`{name}`" for name in made.parameter_names()) or "none",
        _step(made),
        _of_equal(made),
        f"`{scheme.twin().name}`",
    )


def _of_test(test: SignificanceTest[Any]) -> tuple[str, ...]:
    _, counterpart, call = test.source.partition("R: ")
    return (
        _linked(f"cdfscore.stats.significance.{test.name}", test.name),
        test.samples,
        test.null,
        test.assumes,
        _interval(test),
        "yes" if "alternative" in test.defaults else "no",
        f"`{call}`; `{test.twin().name}`" if counterpart else f"`{test.twin().name}`",
    )


def _settings(
    name: str, accepted: Mapping[str, str], defaults: Mapping[str, Any]
) -> list[tuple[str, ...]]:
    return [
        (
            f"`{name}`",
            f"`{setting}`",
            values,
            f"`{defaults[setting]}`" if setting in defaults else "required",
        )
        for setting, values in accepted.items()
    ]


def _interval(test: SignificanceTest[Any]) -> str:
    if "conf_level" not in test.defaults:
        return "no"
    return "with `conf_int=true`" if "conf_int" in test.defaults else "yes"


def _support(scheme: Scheme) -> str:
    """Return the support of a fit to the tied scores, where its ends are known numbers."""
    if not isinstance(scheme, Distribution):
        return "not a cdf"
    low, high = (float(end) for end in scheme.fit(TIED).support)
    known = {min(TIED): "min", max(TIED): "max"}
    low_end = known.get(low, "fitted" if 0 < abs(low) < np.inf else _number(low))
    high_end = known.get(high, "fitted" if high not in (0, 1, np.inf) else _number(high))
    return f"{'(' if low == -np.inf else '['}{low_end}, {high_end}{')' if high == np.inf else ']'}"


def _domain(scheme: Scheme) -> str:
    low, high = scheme.domain
    if scheme.grid is not None:
        return f"multiples of {scheme.grid:g} in [{low:g}, {high:g}]"
    if low == -np.inf:
        return "any"
    return f"{low:g} or more" if high == np.inf else f"[{low:g}, {high:g}]"


def _step(scheme: Scheme) -> str:
    """Return by how much y rises at the score that three of the twelve systems have."""
    try:
        below, at = scheme.fit(TIED)([_TIE - _BESIDE, _TIE])
    except FitError:
        return "refused"
    return f"{at - below:.2g}" if at - below > 1e-6 else "none"


def _of_equal(scheme: Scheme) -> str:
    """Return y left of, at and right of the score that all reference systems have."""
    y = scheme.fit([_TIE] * len(TIED))([0.2, _TIE, 0.4])
    return ", ".join(map(_number, y.tolist()))


def _number(value: float) -> str:
    if np.isinf(value):
        return "∞" if value > 0 else "-∞"
    simple = Fraction(value).limit_denominator(2)
    return str(simple) if simple == value else f"{value:.2g}"


def _unfitted(scheme: type[Scheme]) -> str:
    """Return what the docstring says of the errors of fitting."""
    said = re.search(r"`FitError`(?P<when>.*?)(?:\n\n|\Z)", inspect.getdoc(scheme) or "", re.DOTALL)
    return _one_line(said["when"]).removesuffix(".") if said is not None else ""


def _of_rule(document: str) -> tuple[str, str, str]:
    """Return what a rule returns, its source and its errors, from its docstring."""
    summary, _, rest = document.partition("\n\n")
    returned = re.sub(r"; (shape )?\(\.\.\., 1\)\.$", "", _one_line(summary))
    source = re.search(
        r"[A-Z]\w+(,? (and )?[A-Z]\w+)*\s\((19|20)\d\d\)(, (section|Eq\.) [\d.]*\d)?", rest
    )
    errors = re.search(r"Raises `FitError`(?P<when>.*?)(?:\n\n|\Z)", rest, re.DOTALL)
    return (
        returned.removeprefix("Return "),
        _one_line(source[0]) if source is not None else "",
        _one_line(errors["when"]).removesuffix(".").replace("for a row", "for a topic")
        if errors is not None
        else "always found",
    )


def _linked(name: str, shown: str) -> str:
    """Return a link to the page of a public object, and the name alone of a plug-in."""
    return f"[`{shown}`]({path_of(name)})" if name in public_objects() else f"`{shown}`"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _table(titles: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    titles = list(titles)
    cells = [titles, ["---"] * len(titles), *rows]
    return "\n".join(
        f"| {' | '.join(each.replace('|', '&#124;') for each in row)} |" for row in cells
    )
