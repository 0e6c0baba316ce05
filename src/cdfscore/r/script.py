"""Stand-alone script of the analysis in base R, for readers without Python."""

from __future__ import annotations

import hashlib
import re
import shlex
import string
from collections.abc import Collection
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from cdfscore._version import __version__
from cdfscore.io.scores.reading import Layout
from cdfscore.r.analysis import RUN_ON, SOURCES, TEST_SOURCES, Analysis, Sample, TestAnalysis
from cdfscore.r.draws import DrawsFile, by_sizes
from cdfscore.r.further import Further
from cdfscore.r.published import PUBLISHED
from cdfscore.r.session import SHARED, twin_file, twin_of_test
from cdfscore.schemes.base import Scheme
from cdfscore.significance.contract import QUANTITIES
from cdfscore.standardization.policies import digits

#: How a script is run: without the profile of the user, which could change options or functions.
RSCRIPT = ("Rscript", "--vanilla")
_FOLDER = Path(__file__).parent
#: The empty lines before a definition of an R file and its comment.
_DEFINITIONS = re.compile(r"\n\n+(?=(?:#.*\n)*[\w.]+ <- )")
_DEFINED = re.compile(r"^([\w.]+) <- ", re.MULTILINE)
_WORDS = re.compile(r"[\w.]+")
_COMMENTS_AND_TEXT = re.compile(r'(^|  )# .*|"(?:[^"\\\n]|\\.)*"', re.MULTILINE)
#: Start of the note with the reason if the test stops on every sample.
STOPPED = "the test has no number, as it stops:"
_IF_STOPPED = 'if (nzchar(attr(tested, "stopped")))'
#: The status then, which comes after the numbers so that they are written.
_STATUS = f'{_IF_STOPPED} quit(save = "no", status = 1)\n'
#: The policies that the first lines of a script name.
_POLICIES = ("constant", "missing", "unfitted")
_ESCAPED = str.maketrans({"\\": r"\\", '"': r"\"", "\t": r"\t", "\r": r"\r", "\n": r"\n"})


@dataclass(frozen=True)
class TextFile:
    """A score matrix as text: its path and layout."""

    path: Path
    layout: Layout

    @property
    def md5(self) -> str:
        """The digest by which the script recognizes the file; base R has no better one."""
        return hashlib.md5(self.path.read_bytes(), usedforsecurity=False).hexdigest()


class _Template(string.Template):
    """An R file in which ``@name`` stands for a literal; the ``$`` of R is kept."""

    delimiter = "@"


# Draws of another seed or B would give other numbers, so this is an error and not a note.
_DRAWS = """draws <- arguments[@count]
if (!file.exists(draws))
  refuse(draws, " does not exist; expected the draws of @of, which belong to this script")
if (tools::md5sum(draws) != "@md5")
  refuse(draws, " does not have the draws of @of that this script was written for")
"""
_NO_TABLES = """if (length(arguments) > @count)
  refuse(arguments[@next], " is one file too many, as this script compares no published table; ",
         "'cdfscore verify' with --script and --published writes a script that does")
"""
_TABLES = """if (length(arguments) > @count)
  show_published(arguments[-seq_len(@count)], results, retest, @how)
"""
_OF_TABLES = """# To compare published tables (CSV or TSV), give their files after the others:
#
#     @run @table
#
"""


def encode_script(
    analysis: Analysis, files: list[TextFile], name: str, table: str | None = None
) -> bytes:
    """Return the script `name` for the scores and, if given, the reference scores.

    Run as ``Rscript --vanilla name scores.csv [reference.csv]``, it reads these files exactly and
    writes CSV: quantity, topic, system, and the value with 17 significant digits. If there are
    random draws, their file is one more argument. With `table`, the name of a published table, it
    compares tables, whose files are the last arguments.
    """
    draws = analysis.draws
    arguments = {"the scores": "scores.csv"}
    if analysis.other is not None:
        arguments["the second scores"] = "second.csv"
    elif len(files) > 1:
        arguments["the reference scores"] = "reference.csv"
    if draws.size:
        arguments[f"the draws of {draws.of}"] = draws_name(name)
    count = len(arguments)
    usage = _one_line(shlex.join([*RSCRIPT, name, *arguments.values()]))
    twins = {} if analysis.test is None else _twins(analysis.test)
    sources = [
        *SOURCES,
        *filter(_is_own, twins),
        *([SHARED] if twins else []),
        *([] if analysis.test is None else TEST_SOURCES),
        *(path for further in analysis.further for path in further.sources),
        _FOLDER / "reading.R",
        _FOLDER / "writing.R",
        *([] if table is None else [PUBLISHED]),
    ]
    header, analyzed = _text(_FOLDER / "script.R").split("\n@sources\n")
    literals: dict[str, object] = {
        "version": __version__,
        "run": usage,  # in a comment, which a line break would end
        "of_tables": ""
        if table is None
        else _filled(_OF_TABLES, run=usage, table=_one_line(shlex.quote(table))),
        "usage": _expression(f"{_expected([*arguments], table is not None)}: {usage}"),
        "count": count,
        "draws": _filled(_DRAWS, count=count, md5=draws.md5, of=draws.of) if draws.size else "",
        "tables": _filled(_NO_TABLES, count=count, next=count + 1) if table is None else "",
        "scheme": _one_line(analysis.scheme),
        "policies": ", ".join(f"{own} {_expression(getattr(analysis, own))}" for own in _POLICIES),
        "settings": _expression(analysis.scheme.settings()),
        "files": ", ".join(
            _expression({"md5": each.md5, "layout": asdict(each.layout)}) for each in files
        ),
        "constant": _constant(analysis.constant_in_r),
        "missing": analysis.missing,
        "unfitted": analysis.unfitted,
        "extra": _expression(analysis.extra_topics),
        "dropped": ", extra topics dropped" if analysis.extra_topics == "drop" else "",
        "reference": 1 if analysis.other is not None else len(files),
        "lower": _lower(analysis, "settled"),
        "other": "" if analysis.other is None else _other(analysis),
        "reversed": _reversed(analysis),
        "tested": _what_follows(analysis),
        "test": _test(analysis.test, draws, table is not None),
        "published": ""
        if table is None
        else _filled(_TABLES, count=count, how=_expression(analysis.published)),
        "further": "".join(_further(each, draws) for each in analysis.further),
        "status": "" if analysis.test is None else _STATUS,
    }
    main = _Template(analyzed).substitute(literals)
    others = [_scoped(path, name) for path, name in twins.items() if not _is_own(path)]
    first = [_twin(analysis.scheme), *others]
    called = [name for further in analysis.further for name in further.called]
    needed = needed_by("\n".join([*first, main, *called]), [_text(path) for path in sources])
    parts = [_headed(path, text) for path, text in zip(sources, needed, strict=True) if text]
    return "\n".join([_Template(header).substitute(literals), *first, *parts, main]).encode()


def needed_by(code: str, sources: list[str]) -> list[str]:
    """Return the R sources without the definitions that neither the code nor others need.

    A definition begins at the start of a line, and its comment is above it. It is needed if its
    name occurs in the code, or in another definition that is needed.

    >>> needed_by("f(1)", ["f <- function(x)\\n  x\\n\\n# Not needed.\\ng <- function(x) f(x)\\n"])
    ['f <- function(x)\\n  x\\n']
    """
    parts = [[part.strip("\n") for part in _DEFINITIONS.split(source)] for source in sources]
    left = {part for source in parts for part in source if part not in code}
    needed: set[str] = set()
    new = {code}
    while new:
        names = {word for part in new for word in _WORDS.findall(_COMMENTS_AND_TEXT.sub("", part))}
        new = {part for part in left if names.intersection(_DEFINED.findall(part))}
        left -= new
        needed |= new
    found = []
    for source in parts:
        own = [part for part in source if part in needed]
        needed.difference_update(own)  # once, if two sources have it
        found.append("\n\n".join(own) + "\n" if own else "")
    return found


def draws_name(script: str) -> str:
    """Return the path of the draws of a script, beside it."""
    return f"{script.removesuffix('.R')}.draws"


def has_draws(script: bytes, draws: bytes) -> bool:
    """Tell whether a script was written for these draws."""
    return hashlib.md5(draws, usedforsecurity=False).hexdigest().encode() in script


def _filled(template: str, **values: object) -> str:
    return _Template(template).substitute(values)


def _expected(files: list[str], tables: bool) -> str:
    """Return the message on the files that the script expects.

    >>> _expected(["the scores", "the draws of the test"], tables=False)
    'expected 2 file names, those of the scores and the draws of the test'
    >>> _expected(["the scores"], tables=True)
    'expected 1 file name, that of the scores, and then those of published tables'
    """
    those = f"1 file name, that of {files[0]}"
    if len(files) > 1:
        those = f"{len(files)} file names, those of {', '.join(files[:-1])} and {files[-1]}"
    return f"expected {those}{', and then those of published tables' if tables else ''}"


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _headed(path: Path, source: str) -> str:
    return f"# ---- {path.name}\n{source}"


def _is_own(path: Path) -> bool:
    return path.is_relative_to(_FOLDER.parent)


def _scoped(path: Path, function: str) -> str:
    """Return a twin; that of a plug-in has its own scope, as it may define any other names."""
    if _is_own(path):
        return _headed(path, _text(path))
    return _headed(path, f"{function} <- local({{\n{_text(path)}\n{function}\n}})\n")


def _twin(scheme: Scheme) -> str:
    """Return the twin, after the twin of its component in a separate scope."""
    own = _scoped(twin_file(scheme), "standardize")
    if scheme.component is None:
        return own
    settings = _expression(scheme.component.settings())
    return (
        f"component_twin <- local({{\n{_twin(scheme.component)}\nstandardize\n}})\n"
        "component <- function(x, scores)\n"
        f"  do.call(component_twin, c(list(x, scores), {settings}))\n\n{own}"
    )


def _twins(test: TestAnalysis) -> dict[Path, str]:
    """Return the twins of the test and its effect size, with their functions."""
    effect = {} if test.effect_twin is None else {test.effect_twin: "effect_size"}
    return {twin_of_test(test.chosen.test): "significance_test", **effect}


def _test(test: TestAnalysis | None, draws: DrawsFile, compares_tables: bool) -> str:
    """Return the lines that test the standardized scores.

    To compare tables they define `retest`, which tests pairs in the opposite order.
    """
    if test is None:
        return "retest <- NULL\n" if compares_tables else ""
    settings = _expression(test.chosen.settings)
    if test.chosen.test.drawn is not None:
        settings = f"c({settings}, draws = {_draws(draws, by_sizes(test.draws))})"
    pairs = f"pairs_of(colnames(y), {_expression(list(test.baselines))})"
    of = _in_own_unit("effect_size", () if test.scales_effect else None)
    effect = f"effect_numbers({of}, {_expression(test.chosen.conf_level)})"
    function = _in_own_unit("significance_test", test.chosen.test.in_unit)
    is_cdf = test.ties_of_cdf
    y = "y" if is_cdf is None else f"tied_scores(y, settled, how, {_expression(is_cdf)})"
    return (
        f"{'retest <- retester' if compares_tables else 'tested <- analyze_differences'}(\n"
        f"  {y}, {function},\n"
        f"  {RUN_ON[test.chosen.test.samples]},\n"
        f"  pairs = {pairs if test.compares_pairs else 'NULL'},\n"
        f"  settings = {settings},\n"
        f"  adjust = {_expression(test.adjust)},\n"
        f"  quantities = {_expression(list(QUANTITIES))},\n"
        f"  effect = {effect if test.effect else 'NULL'}{_sample(test.sample)})\n"
        f"{'tested <- retest()' + chr(10) if compares_tables else ''}"
        f"{_IF_STOPPED}\n"
        f'  notes <- c(notes, paste("{STOPPED}", attr(tested, "stopped")))\n'
        'notes <- c(notes, attr(tested, "notes"))\n'
        "results <- c(results, tested)\n"
    )


def _in_own_unit(function: str, in_unit: tuple[str, ...] | None) -> str:
    """Return a function of scores, in a unit that suits them unless `in_unit` is None."""
    if in_unit is None:
        return function
    return f"in_own_unit({function}, {_expression(list(in_unit))})"


def _what_follows(analysis: Analysis) -> str:
    """Return the further analyses, for the first lines of a script."""
    test = "" if analysis.test is None else f", test {_one_line(analysis.test.chosen)}"
    return "".join([test, *(f", {_one_line(each.told)}" for each in analysis.further)])


def _further(further: Further, draws: DrawsFile) -> str:
    """Return the lines of a further analysis."""
    own = {name: _expression(value) for name, value in further.arguments.items()}
    if further.draws:
        own["draws"] = _draws(draws, further.draws)
    arguments = "".join(f",\n  {name} = {value}" for name, value in own.items())
    given = ", ".join(further.given)
    return (
        f"further <- noted({further.function}, {given}{arguments})\n"
        'notes <- c(notes, attr(further, "notes"))\n'
        "results <- c(results, further)\n"
    )


def _expression(value: object) -> str:
    """Return an argument as an R expression; a list is a vector, and a dict a list.

    >>> print(_expression({"stemmer": ["none", "s"], "alpha": 0.5, "systems": None}))
    list("stemmer" = c("none", "s"), "alpha" = decimal("0.5"), "systems" = NULL)
    >>> print(_expression([]))
    character(0)
    """
    if isinstance(value, dict):
        named = (f"{_expression(name)} = {_expression(each)}" for name, each in value.items())
        return f"list({', '.join(named)})"
    if isinstance(value, list) and value and all(isinstance(each, float) for each in value):
        return f"decimal({_expression(list(map(repr, value)))})"
    if isinstance(value, list):  # c() would be NULL
        return f"c({', '.join(map(_expression, value))})" if value else "character(0)"
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):  # read exactly
        return f'decimal("{value!r}")'
    return str(value) if isinstance(value, int) else f'"{str(value).translate(_ESCAPED)}"'


def _constant(policy: str | None) -> str:
    """Return the arguments for the policy for constant topics, none for the limit."""
    if policy is None:
        return ""
    return (
        f",\n            constant = {_expression(policy)}, settle_constant = settle_constant_topics"
    )


def _other(analysis: Analysis) -> str:
    """Return the lines that apply the policies to the second scores."""
    missing = f"missing_{analysis.missing}"
    return (
        f'other <- settle(matrices[[2]], matrices[[2]], {missing}, extra = "refuse")\n'
        f"{_lower(analysis, 'other')}"
    )


def _lower(analysis: Analysis, name: str) -> str:
    """Return the line that reverses the scores of this name on which lower is better."""
    lower = analysis.lower_is_better
    if not lower:
        return ""
    topics = _expression(lower if lower is True else list(lower))
    at = _expression(analysis.reflect_at)
    return f"{name} <- reverse_both({name}, lower = {topics}, at = {at})\n"


def _reversed(analysis: Analysis) -> str:
    """Return the topics with reversed scores, for the first lines of a script."""
    if not analysis.lower_is_better:
        return ""
    topics = "every topic"
    if analysis.lower_is_better is not True:
        topics = " and ".join(map(_one_line, analysis.lower_is_better))
    return f", lower is better on {topics} (scores x become {digits(analysis.reflect_at)} - x)"


def _sample(sample: Sample | None) -> str:
    """Return the arguments for the pairs that are tested, if not all are."""
    if sample is None:
        return ""
    known = np.flatnonzero(~np.isnan(sample.p_values))
    numbers = _expression(sample.p_values[known].tolist())
    places, there = (_expression((own + 1).tolist()) for own in (sample.places, known))
    return (
        f",\n  # {sample.note}\n  checked = {places},\n"
        f"  p_values = replace(rep(NA_real_, {len(sample.p_values)}), {there},\n"
        f"                     {numbers})"
    )


def _draws(file: DrawsFile, names: Collection[str]) -> str:
    """Return the call that reads the sets of draws with these names."""
    known = file.sets
    sets = [f'    "{name}" = {_expression(known[name])}' for name in names]
    listed = ",\n".join(["", *sets]).removeprefix(",")
    return f"draws_from({'draws' if sets else 'NULL'}, list({listed}))"


def _one_line(value: object) -> str:
    return " ".join(str(value).split())
