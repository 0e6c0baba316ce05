"""Generate the R package from the twins and the specification: ``make r-package``.

The folder ``r-package`` is a usual R package. Its glue (R/*.R but twins.R, the vignette, the tests
and some help pages) is written by hand and is only there. `files` are the other files, which are
made from the one source. They are committed, because R users install from a clone without Python;
``tests/r/test_package.py`` compares them with the source, and ``make tables`` renews them.
"""

from __future__ import annotations

import csv
import io
import math
import re
import typing
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from cdfscore import __version__, compare, datasets
from cdfscore.cli.methods import settings_of_scheme, settings_of_test
from cdfscore.comparison.pairs import in_compare, needs_baseline
from cdfscore.errors import SchemeError
from cdfscore.r.analysis import RUN_ON, SOURCES, TEST_SOURCES
from cdfscore.r.script import needed_by
from cdfscore.r.session import SHARED
from cdfscore.standardization.formats import encode_factors
from cdfscore.standardization.policies import ConstantPolicy, check_constant
from cdfscore.standardization.standardizer import Standardizer
from cdfscore.stats.effect_size.effects import effect_sizes
from cdfscore.stats.schemes import FromScipy, Kernel
from cdfscore.stats.schemes.base import Scheme, schemes
from cdfscore.stats.schemes.from_scipy import LAWS
from cdfscore.stats.schemes.kernel import BOUNDARIES
from cdfscore.stats.significance.contract import (
    QUANTITIES,
    SignificanceTest,
    Simultaneous,
    significance_tests,
)
from validation.documentation.clauses import CHAPTERS, ROOT

PACKAGE = ROOT / "r-package"
SOURCE = ROOT / "src" / "cdfscore"
#: The scores that the package has too, and the numbers that Python computes of them.
SCORES = SOURCE / "datasets" / "cranfield_ap.csv"
RECORDED = PACKAGE / "tests" / "testthat"
_NUMBERS = ("estimate", "p_adjusted", "effect_size")
_R = SOURCE / "r"
#: Names of R's own functions for distributions, which the package does not hide.
_OF_R = {"pbeta", "pgamma"}
_MADE = "Generated from src/cdfscore and docs/specification by make tables; not to be edited."
#: The tests that resample are recorded on few topics and systems, where they enumerate.
_FEW = 7
#: The schemes whose factors are recorded.
FACTORS = (
    "kernel:bandwidth=sj",
    "johnson_su",
    "logspline:low=0",
    "from_scipy:dist=genlogistic",
    "zero_inflated:family=kernel(bandwidth=sj;kernel=cosine)",
)


def files() -> dict[Path, str]:
    """Return the generated files, but for the recorded numbers, as they should be."""
    made = {"NAMESPACE": _namespace(), "R/twins.R": _twins()}
    made |= {f"man/{_function_of(name)}.Rd": _page_of_scheme(name) for name in schemes.names()}
    made |= {f"man/{name}_test.Rd": _page_of_test(name) for name in significance_tests.names()}
    texts = {PACKAGE / name: text for name, text in made.items()}
    return texts | {PACKAGE / "inst" / "extdata" / SCORES.name: _text(SCORES)}


def recorded(tests: Iterable[str] | None = None) -> dict[Path, str]:
    """Return the numbers that Python computes of the bundled scores, and factors, by file.

    Of all tests, if none are named.
    """
    scores = datasets.load_cranfield("ap")
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(["name", "how", "topics", "of", *_NUMBERS])
    for name in schemes.names():
        matrix = scores.iloc[:20, :30]
        if name == "beta_binomial":
            matrix = (10 * matrix).round() / 10
        settings = {"ends": "shrink"} if "ends" in _settings(schemes.load(name)) else {}
        scheme = schemes.make(name, settings)
        means = Standardizer(scheme, unfitted="drop_topic").standardize(matrix).means["mean"]
        how = ",".join(f"{key}={value}" for key, value in settings.items())
        writer.writerows([name, how, 20, of, f"{mean:.12g}"] for of, mean in means[:3].items())
    for name in significance_tests.names() if tests is None else tests:
        test = significance_tests.load(name)
        if not in_compare(test):
            continue
        matrix = scores.iloc[: _FEW if test.draws else 50, : 3 if test.draws else 4]
        baselines = list(matrix.columns[-1:]) if needs_baseline(test) else []
        for how in ("raw", "normal"):
            found = compare(
                matrix, test.chosen(dict(test.example)), scheme=how, baselines=baselines
            )
            for row in found.table.to_dict("records"):
                pair = f"{row['system_a']} - {row['system_b']}"
                numbers = [f"{row[number]:.12g}" for number in _NUMBERS]
                writer.writerow([name, how, len(matrix), pair, *numbers])
    return {
        RECORDED / "recorded.csv": table.getvalue(),
        **{
            RECORDED / f"factors_{scheme.split(':')[0]}.json": encode_factors(
                Standardizer(scheme).fit(scores.iloc[:3, :30], measure="AP")
            ).decode()
            for scheme in FACTORS
        },
    }


def _namespace() -> str:
    exported = sorted(
        ["apply_factors", "compare_systems", "draws_from", "fit_factors", "read_factors"]
        + ["read_matrix", "standardize", "write_factors"]
        + [_function_of(name) for name in schemes.names() if schemes.load(name).is_cdf]
        + [f"{name}_test" for name in significance_tests.names()]
    )
    methods = ["print", "summary", "plot"]
    return "\n".join(
        [
            f"# {_MADE}",
            *(f"export({name})" for name in exported),
            *(f"S3method({name}, compare_systems)" for name in methods),
            "S3method(print, cdfscore_factors)",
            "import(stats)",
            "importFrom(graphics, abline, axis, par, plot, points, segments)",
            "importFrom(utils, combn, head, read.table)",
            "",
        ]
    )


def _twins() -> str:
    """Return the R code of the package that is not glue: each twin in a scope of its own."""
    parts = ["schemes <- list()", "scheme_facts <- list()"]
    for name in schemes.names():
        scheme = schemes.load(name)
        parts += [
            f"schemes${name} <- {_scope(scheme.twin(), 'environment()')}",
            f"scheme_facts${name} <- {literal(_facts(scheme))}",
        ]
    parts.append("effect_sizes <- list()")
    for name in effect_sizes.names():
        size = effect_sizes.load(name)
        twin = _scope(size.twin(), "effect_size")
        of = twin if size.in_unit else f"in_own_unit({twin}, character(0))"
        facts = f"effect = {of}, ranks = {literal(size.ranks)}"
        parts.append(f"effect_sizes${name} <- list({facts})")
    parts.append("significance_tests <- list()")
    for name in significance_tests.names():
        parts.append(f"significance_tests${name} <- {_of_test(significance_tests.load(name))}")
    parts.append(f"quantities <- {literal(list(QUANTITIES))}")
    parts.append(f"version <- {literal(__version__)}")
    parts += [_function(name) for name in schemes.names() if schemes.load(name).is_cdf]
    parts += [_by_name(significance_tests.load(name)) for name in significance_tests.names()]
    twins = "\n\n".join(parts)
    glue = [_text(path) for path in sorted((PACKAGE / "R").glob("*.R")) if path.name != "twins.R"]
    shared = [
        *SOURCES,
        SHARED,
        *TEST_SOURCES,
        SOURCE / "comparison" / "systems.R",
        _R / "reading.R",
    ]
    needed = needed_by("\n".join([twins, *glue, _namespace()]), [_text(path) for path in shared])
    headed = [
        f"# ---- {path.name}\n\n{text}" for path, text in zip(shared, needed, strict=True) if text
    ]
    return "\n".join([f"# {_MADE}", "", *headed, twins, ""])


def _scope(twin: Path, value: str) -> str:
    code = f"# ---- {twin.name}\n{_text(twin)}"
    return f"local({{\n{code}{value}\n}})"


def _facts(scheme: type[Scheme]) -> dict[str, Any]:
    made = scheme()
    accepted = []
    for policy in typing.get_args(ConstantPolicy):
        try:
            check_constant(policy, made)
        except SchemeError:
            continue
        accepted.append(policy)
    return {
        "is_cdf": made.is_cdf,
        "has_rounding": bool(made.parameter_names()) and not made.counts,
        "has_moments": {"mean", "sd"} <= set(made.parameter_names()),
        "constant": accepted,
        "minimum": made.minimum_scores,
        "parameters": made.parameter_names(),
        "accepts": _accepted(settings_of_scheme(scheme)),
        **_together.get(scheme, dict)(),
    }


def _ranges() -> dict[str, Any]:
    """Return the range of the bandwidth of a kernel, by the boundary."""
    found = {}
    for name, boundary in BOUNDARIES.items():
        low, high = boundary.bandwidths
        least = f"from {low:g}" if low else "above 0"
        found[name] = f"{least} up to {high:g}" if high < math.inf else least
    return {"ranges": found}


def _laws() -> dict[str, Any]:
    return {"laws": {name: _law(name) for name in LAWS}}


#: What is said of settings that depend on each other.
_together: dict[type[Scheme], Callable[[], dict[str, Any]]] = {Kernel: _ranges, FromScipy: _laws}


def _law(name: str) -> dict[str, Any]:
    """Return which parameters of a law can be held, at which values, and which have to be."""
    row = LAWS[name]
    law = getattr(stats, name)
    shapes = [f"f{k}" for k in range(law.numargs)]
    accepts = dict.fromkeys([*shapes, "floc"], "a finite number") | {"fscale": "a number above 0"}
    for k, shape in enumerate(shapes):
        if np.isnan(law.support(*(-1.0 if k == j else 1.0 for j in range(len(shapes))))[0]):
            accepts[shape] = "a number above 0"
    closed = row.whole is not None and row.slopes is None
    only_with_all = [each for each in accepts if each not in row.needs] if closed else []
    return {
        "accepts": accepts,
        "needs": list(row.needs),
        "parameters": ["spread", *(law.shapes or "").replace(",", " ").split(), "loc", "scale"],
        "only_with_all": ["fscale"] if row.heavy else only_with_all,
        "least": row.least if row.least >= 1 else None,
    }


def _accepted(settings: Mapping[str, str]) -> dict[str, str]:
    return {key: _in_r(text) for key, text in settings.items()}


def _of_test(test: SignificanceTest[Any]) -> str:
    function = _scope(test.twin(), "significance_test")
    if test.in_unit is not None:
        function = f"in_own_unit({function}, {literal(list(test.in_unit))})"
    facts = {
        "samples": test.samples,
        "minimum": test.minimum,
        "simultaneous": isinstance(test, Simultaneous),
        "one_baseline": needs_baseline(test),
        "ranks": test.ranks,
        "draws": test.draws,
        "effect": test.effect,
        "estimates": test.estimates,
        "title": _title(test),
        "defaults": dict(test.defaults),
        "required": list(test.required),
        "accepts": _accepted(settings_of_test(test)),
    }
    listed = ",\n  ".join(f"{key} = {literal(value)}" for key, value in facts.items())
    return f"list(\n  {listed},\n  run = {RUN_ON[test.samples]},\n  test = {function})"


def _function_of(name: str) -> str:
    """Return the name of the function of a distribution, or of the help page of a scheme."""
    if not schemes.load(name).is_cdf:
        return f"scheme_{name}"
    return f"p{name}_fit" if f"p{name}" in _OF_R else f"p{name}"


def _settings(scheme: type[Scheme]) -> list[str]:
    return list(settings_of_scheme(scheme))


def _formals(twin: Path) -> str:
    """Return the settings of a scheme's twin, as it declares them."""
    found = re.search(
        r"^standardize <- function\(x, scores(.*?)\)(?= |\n)", _text(twin), re.M | re.S
    )
    assert found is not None, twin
    return " ".join(found[1].split())


def _function(name: str) -> str:
    scheme = schemes.load(name)
    given = ", ".join(f"{key} = {key}" for key in _settings(scheme))
    return (
        f"{_function_of(name)} <- function(x, scores{_formals(scheme.twin())})\n"
        f'  y_of("{name}", x, scores, list({given}))'
    )


def _arguments(test: SignificanceTest[Any]) -> list[tuple[str, str]]:
    """Return the arguments of the function of a test, each as it is declared."""
    first = {"one sample": ["x"], "paired": ["x", "y"], "unpaired": ["x", "y"]}
    own = [(name, name) for name in first.get(test.samples, ["scores"])]
    if test.samples == "pairs":
        own.append(("baselines", "baselines" if needs_baseline(test) else "baselines = NULL"))
    own += [
        (key, key if key in test.required else f"{key} = {literal(test.defaults[key])}")
        for key in test.setting_names
    ]
    return own + [("draws", "draws = NULL")] * test.draws


def _by_name(test: SignificanceTest[Any]) -> str:
    arguments = _arguments(test)
    given = ", ".join(f"{key} = {key}" for key in [*test.setting_names, *["draws"] * test.draws])
    samples = ", ".join(f"{key} = {key}" for key, _ in arguments if key in ("x", "y", "scores"))
    listed = ", ".join(declared for _, declared in arguments)
    if test.samples == "pairs":
        call = f'compare_systems(scores, "{test.name}", baselines = baselines'
        body = f"{call}{', ' if given else ''}{given})"
    else:
        body = f'htest_of("{test.name}", list({samples}), list({given}))'
    return f"{test.name}_test <- function({listed})\n  {body}"


def literal(value: Any) -> str:
    """Return R code of a value, a list as a vector and a dict as a list."""
    if isinstance(value, dict):
        return f"list({', '.join(f'{key} = {literal(each)}' for key, each in value.items())})"
    if isinstance(value, list):
        return f"c({', '.join(map(literal, value))})" if value else "character(0)"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    special = {None: "NULL", True: "TRUE", False: "FALSE"}
    if value is None or isinstance(value, bool):
        return special[value]
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Inf" if value > 0 else "-Inf"
    return f"{value:g}" if value == float(f"{value:g}") else repr(value)


def _title(test: SignificanceTest[Any]) -> str:
    return test.summary.rstrip(".").replace("`", "")


# ---- help pages


def _page_of_scheme(name: str) -> str:
    scheme = schemes.load(name)
    made = scheme()
    title = (scheme.__doc__ or name).splitlines()[0].rstrip(".").replace("`", "")
    function = _function_of(name)
    usage, arguments = "", []
    if made.is_cdf:
        usage = f"{function}(x, scores{_formals(scheme.twin())})"
        arguments = [
            ("x", "scores to standardize, the quantiles of the distribution"),
            ("scores", "reference scores of the topic, to which the distribution is fitted"),
        ]
        sample = "scores <- c(0.11, 0.24, 0.26, 0.3, 0.37, 0.42, 0.45, 0.58, 0.61, 0.72, 0.8)\n"
        if name == "beta_binomial":
            sample = "scores <- c(0.1, 0.2, 0.2, 0.3, 0.4, 0.4, 0.6, 0.8)\n"
        example = f"{sample}{function}(c(0.3, 0.5), scores)"
    else:
        example = f'standardize(cbind(a = 0.2, b = 0.3, c = 0.5), "{name}")'
    arguments += settings_of_scheme(scheme).items()
    return _page(
        function,
        [f"scheme_{name}"] if made.is_cdf else [],
        f"{title} (scheme {name})",
        _rd(made.formula),
        usage,
        arguments if usage else [],
        name,
        f"The probability \\eqn{{F(x)}} for each \\code{{x}}. \\code{{standardize(scores, "
        f'"{name}")}} computes it for each topic of a matrix.'
        if usage
        else f'\\code{{standardize(scores, "{name}")}} uses this scheme.',
        made.source,
        example,
    )


def _page_of_test(name: str) -> str:
    test = significance_tests.load(name)
    arguments = _arguments(test)
    told = {
        "x": "scores of a system, one for each topic; \\code{NA} is a missing score",
        "y": "scores of the other system",
        "scores": "a matrix or data frame of scores, topics x systems",
        "baselines": "names of systems with which the others are compared; NULL for all pairs",
        "seed": "the seed of the draws of R",
        "draws": "random draws, see \\code{\\link{draws_from}}; NULL for draws of R by the seed",
    }
    accepted = settings_of_test(test)
    items = [(key, told.get(key) or _rd(accepted[key])) for key, _ in arguments]
    kind = "compare_systems" if test.samples == "pairs" else "htest"
    load = (
        'path <- system.file("extdata", "cranfield_ap.csv", package = "cdfscore")\n'
        f"scores <- read_matrix(path)[1:{_FEW if test.draws else 20}, 1:3]\n"
    )
    given = "".join(f", {key} = {literal(value)}" for key, value in test.example.items())
    call = {
        "one sample": "scores[, 1], null_value = 0.3",
        "paired": "scores[, 1], scores[, 2]",
        "unpaired": "scores[, 1], scores[, 2]",
    }.get(test.samples, "scores")
    if needs_baseline(test):
        call += ", baselines = colnames(scores)[3]"
    return _page(
        f"{name}_test",
        [],
        _title(test),
        f'{_rd(_title(test))}. \\code{{compare_systems(scores, "{name}")}} runs it on pairs of '
        "systems, with a correction for several tests."
        if in_compare(test)
        else f"{_rd(_title(test))}.",
        f"{name}_test({', '.join(declared for _, declared in arguments)})",
        items,
        name,
        f'An object of class \\code{{"{kind}"}}.',
        test.source,
        f"{load}{name}_test({call}{given})",
    )


def _in_r(text: str) -> str:
    text = text.removesuffix(", or a numpy.random.Generator")
    return text.replace("None", "NULL").replace("True", "TRUE").replace("False", "FALSE")


def _page(
    name: str,
    aliases: list[str],
    title: str,
    description: str,
    usage: str,
    arguments: Iterable[tuple[str, str]],
    clause: str,
    value: str,
    source: str,
    example: str,
) -> str:
    items = "\n".join(f"  \\item{{{key}}}{{{_sentence(text)}}}" for key, text in arguments)
    parts = [
        f"% {_MADE}",
        f"\\name{{{name}}}",
        *(f"\\alias{{{each}}}" for each in [name, *aliases]),
        f"\\title{{{_rd(title)}}}",
        f"\\description{{\n{description}\n}}",
        *([f"\\usage{{\n{_wrapped(usage)}\n}}"] if usage else []),
        *([f"\\arguments{{\n{items}\n}}"] if items else []),
        f"\\value{{\n{value}\n}}",
        f"\\details{{\n{_specified(clause)}\n}}",
        f"\\source{{\n{_rd(source)}\n}}",
        f"\\examples{{\n{example}\n}}",
        "",
    ]
    return "\n".join(parts)


def _sentence(text: str) -> str:
    text = _in_r(text)
    if re.match(r"\w+, ", text):  # the words of a setting
        return f"One of {text}."
    return text[:1].upper() + text[1:] + "."


def _wrapped(usage: str) -> str:
    """Return a call whose lines are as short as R wants them."""
    lines = [""]
    for part in re.split(r"(?<=,) ", usage):
        if len(lines[-1]) + len(part) > 80:
            lines.append("    ")
        lines[-1] += part if lines[-1].strip() == "" else f" {part}"
    return "\n".join(lines)


def _specified(word: str) -> str:
    """Return the first clause of a scheme or test as R documentation, with its formulas."""
    for chapter in sorted(CHAPTERS.glob("*.md")):
        found = re.search(rf"^### {word}\.1 .*?\n\n(.*?)^Code: ", _text(chapter), re.M | re.S)
        if found is not None:
            return f"Specified in {word}.1 of the specification.\n\n{markdown_in_rd(found[1])}"
    raise ValueError(f"no clause is {word}.1")


#: Formulas, code, links and bold words of Markdown.
_SPANS = re.compile(
    r"\$\$(?P<display>.*?)\$\$|\$(?P<math>[^$]+)\$|``(?P<quoted>.+?)``|`(?P<code>[^`]+)`"
    r"|\[(?P<link>[^]]+)\](?:\([^)]*\)|\[[^]]*\])?|\*\*(?P<bold>.+?)\*\*|\*(?P<italic>[^*\n]+)\*",
    re.S,
)


def markdown_in_rd(text: str) -> str:
    r"""Return Markdown of a clause as R documentation.

    >>> markdown_in_rd("- **Range.** $y \\ge 0$, see [test.2].\n- `pnorm(x)`")
    '\\itemize{\n\\item \\strong{Range.} \\eqn{y \\ge 0}, see test.2.\n\\item \\verb{pnorm(x)}\n}'
    """
    blocks = [_table_in_rd(each) for each in re.split(r"\n{2,}", text.strip())]
    return "\n\n".join(blocks)


def _table_in_rd(block: str) -> str:
    if block.startswith("- "):
        items = re.split(r"^- ", block, flags=re.M)[1:]
        listed = "\n".join(f"\\item {_spans(' '.join(item.split()))}" for item in items)
        return f"\\itemize{{\n{listed}\n}}"
    if block.startswith("|"):
        rows = [line.strip("|").split(" | ") for line in block.splitlines()]
        body = [[_spans(cell.strip()) for cell in row] for row in [rows[0], *rows[2:]]]
        lines = " \\cr\n".join(" \\tab ".join(row) for row in body)
        return f"\\tabular{{{'l' * len(rows[0])}}}{{\n{lines}\n}}"
    return _spans(block)


def _spans(text: str) -> str:
    return "".join(_pieces(text))


def _pieces(text: str) -> Iterator[str]:
    end = 0
    for found in _SPANS.finditer(text):
        yield _rd(text[end : found.start()])
        end = found.end()
        kind = str(found.lastgroup)
        yield _SPAN[kind](found[kind])
    yield _rd(text[end:])


def _math(command: str) -> Callable[[str], str]:
    return lambda text: f"\\{command}{{{' '.join(text.split()).replace('%', chr(92) + '%')}}}"


_SPAN: dict[str, Callable[[str], str]] = {
    "display": _math("deqn"),
    "math": _math("eqn"),
    "quoted": lambda text: f"\\verb{{{_rd(text)}}}",
    "code": lambda text: f"\\verb{{{_rd(text)}}}",
    "link": lambda text: _spans(text),
    "bold": lambda text: f"\\strong{{{_spans(text)}}}",
    "italic": lambda text: f"\\emph{{{_spans(text)}}}",
}


def _rd(text: str) -> str:
    return re.sub(r"([%{}\\])", r"\\\1", text)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


if __name__ == "__main__":
    from validation.documentation.__main__ import renew

    warnings.simplefilter("ignore")  # cautions on few systems and topics
    renew(files())
    renew(recorded())
