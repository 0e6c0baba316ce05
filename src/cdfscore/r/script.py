"""Stand-alone script of the analysis in base R, for readers without Python."""

from __future__ import annotations

import csv
import hashlib
import io
import os
import re
import shlex
import shutil
import string
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cdfscore import __version__
from cdfscore.common.text import written
from cdfscore.errors import RNotAvailableError, VerificationError
from cdfscore.r.analysis import (
    IF_STOPPED,
    SOURCES,
    STOPPED,
    Analysis,
    AnalysisInR,
    DrawsFile,
    InR,
    Quantity,
    expression,
)
from cdfscore.r.published import PUBLISHED, Compared
from cdfscore.r.session import HOW_TO_INSTALL, SHARED, twin_of, unreadable, without_function
from cdfscore.scores.reading import Layout
from cdfscore.scores.tables import unguarded
from cdfscore.stats.schemes.base import Scheme

#: How a script is run: without the profile of the user, which could change options or functions.
RSCRIPT = ("Rscript", "--vanilla")
_FOLDER = Path(__file__).parent
#: The empty lines before a definition of an R file and its comment.
_DEFINITIONS = re.compile(r"\n\n+(?=(?:#.*\n)*[\w.]+ <- )")
_DEFINED = re.compile(r"^([\w.]+) <- ", re.MULTILINE)
_WORDS = re.compile(r"[\w.]+")
_COMMENTS_AND_TEXT = re.compile(r'(^|  )# .*|"(?:[^"\\\n]|\\.)*"', re.MULTILINE)
#: The status if the test stops, which comes after the numbers so that they are written.
_STATUS = f'{IF_STOPPED} quit(save = "no", status = 1)\n'
_NOTE = "note: "
_HALTED = "Execution halted"  # what R adds to every error
#: The policies that the first lines of a script name.
_POLICIES = ("constant", "missing", "unfitted")


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
_COMPARED = """compared <- lapply(tables, function(path)
  tryCatch(check_published(path, results, retest, @how), error = conditionMessage))
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
    header, reading, computing, writing = _template()
    reversed_topics, lower = "", analysis.lower_is_better
    if lower:
        topics = "every topic" if lower is True else " and ".join(map(_one_line, lower))
        at = written(analysis.reflect_at)
        reversed_topics = f", lower is better on {topics} (scores x become {at} - x)"
    literals: dict[str, object] = {
        "version": __version__,
        "run": usage,  # in a comment, which a line break would end
        "of_tables": ""
        if table is None
        else _filled(_OF_TABLES, run=usage, table=_one_line(shlex.quote(table))),
        "usage": expression(f"{_expected([*arguments], table is not None)}: {usage}"),
        "count": count,
        "draws": _filled(_DRAWS, count=count, md5=draws.md5, of=draws.of) if draws.size else "",
        "tables": _filled(_NO_TABLES, count=count, next=count + 1) if table is None else "",
        "scheme": _one_line(analysis.scheme),
        "policies": ", ".join(f"{own} {expression(getattr(analysis, own))}" for own in _POLICIES),
        "settings": _settings(analysis.scheme),
        "files": ", ".join(
            expression({"md5": each.md5, "layout": asdict(each.layout)}) for each in files
        ),
        "dropped": ", extra topics dropped" if analysis.extra_topics == "drop" else "",
        "reversed": reversed_topics,
        "told": "".join(f", {_one_line(each.told)}" for each in analysis.parts),
        "published": ""
        if table is None
        else _filled(_TABLES, count=count, how=expression(analysis.published)),
        "status": _STATUS if any(each.is_test for each in analysis.parts) else "",
    }
    reference = 1 if analysis.other is not None else len(files)
    computed = _computing(computing, analysis, reference, compares_tables=table is not None)
    main = _filled(reading, **literals) + computed + _filled(writing, **literals)
    sources = [_FOLDER / "reading.R", _FOLDER / "writing.R"]
    definitions = _definitions(analysis, main, [*sources, *([] if table is None else [PUBLISHED])])
    return "\n".join([_filled(header, **literals), *definitions, main]).encode()


def in_process(analysis: Analysis, *, compares_tables: bool) -> str:
    """Return the same code for matrices in R, by their names in the script."""
    _, _, computing, _ = _template()
    settings = _settings(analysis.scheme)
    reference = 1 if analysis.other is not None else "length(matrices)"
    computed = _computing(computing, analysis, reference, compares_tables=compares_tables)
    main = f"settings <- {settings}\n{computed}"
    if compares_tables:
        main += _filled(_COMPARED, how=expression(analysis.published))
    sources = [_FOLDER / "reading.R", *([PUBLISHED] if compares_tables else [])]
    code = "\n".join([*_definitions(analysis, main, sources), main])
    return re.sub(r"[^\x00-\x7f]", lambda found: f"\\U{ord(found[0]):08x}", code)


def _template() -> list[str]:
    return re.split(r"(?:\n@sources\n|@computed\n|@written\n)", _text(_FOLDER / "script.R"))


def _computing(
    template: str, analysis: Analysis, reference: object, *, compares_tables: bool
) -> str:
    draws, parts, policy = analysis.draws, analysis.parts, analysis.constant_in_r
    retest = "retest <- NULL\n" * (compares_tables and not any(each.is_test for each in parts))
    constant = other = ""
    if policy is not None:
        constant = f",\n            constant = {expression(policy)}, "
        constant += "settle_constant = settle_constant_topics"
    if analysis.other is not None:
        missing = f"missing_{analysis.missing}"
        other = f'other <- settle(matrices[[2]], matrices[[2]], {missing}, extra = "refuse")\n'
        other += _lower(analysis, "other")
    return _filled(
        template,
        constant=constant,
        missing=analysis.missing,
        unfitted=analysis.unfitted,
        extra=expression(analysis.extra_topics),
        reference=reference,
        lower=_lower(analysis, "settled"),
        other=other,
        parts=retest + "".join(each.code(draws, compares_tables=compares_tables) for each in parts),
    )


def _definitions(analysis: Analysis, main: str, others: list[Path]) -> list[str]:
    twins = [path for each in analysis.parts for path in each.twins]
    sources = [
        *SOURCES,
        *filter(_is_own, twins),
        *([SHARED] if twins else []),
        *(path for each in analysis.parts for path in each.sources),
        *others,
    ]
    scoped = [
        _scoped(path, function)
        for each in analysis.parts
        for path, function in each.twins.items()
        if not _is_own(path)
    ]
    first = [_twin(analysis.scheme), *scoped]
    called = [name for each in analysis.parts for name in each.called]
    needed = needed_by("\n".join([*first, main, *called]), [_text(path) for path in sources])
    return first + [_headed(path, text) for path, text in zip(sources, needed, strict=True) if text]


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
    return _headed(path, f"{function} <- {_in_scope(path, function)}\n")


def _in_scope(path: Path, function: str) -> str:
    return f"local({{\n{_text(path)}\n{function}\n}})"


def _twin(scheme: Scheme) -> str:
    own = _scoped(twin_of(scheme), "standardize")
    if scheme.component is None:
        return own
    settings = _settings(scheme.component)
    return (
        f"component_twin <- local({{\n{_twin(scheme.component)}\nstandardize\n}})\n"
        "component <- function(x, scores)\n"
        f"  do.call(component_twin, c(list(x, scores), {settings}))\n\n{own}"
    )


def _settings(scheme: Scheme) -> str:
    """Return the settings as a list in R; a part of a person's own is its function there."""
    own = {name: InR(_in_scope(twin_of(p), p.in_r)) for name, p in scheme.parts.items()}
    return expression({**scheme.settings(), **own})


def _lower(analysis: Analysis, name: str) -> str:
    lower = analysis.lower_is_better
    if not lower:
        return ""
    topics = expression(lower if lower is True else list(lower))
    at = expression(analysis.reflect_at)
    return f"{name} <- reverse_both({name}, lower = {topics}, at = {at})\n"


def _one_line(value: object) -> str:
    return " ".join(str(value).split())


def run_script(
    script: bytes,
    files: list[Path],
    draws: DrawsFile,
    twins: Mapping[Path, str],
    published: Mapping[str, Path] | None = None,
) -> AnalysisInR:
    """Run a script of `encode_script` on its files and draws; return its numbers."""
    rscript = shutil.which("Rscript")
    if rscript is None:
        raise RNotAvailableError(f"Rscript is not installed; {HOW_TO_INSTALL}")
    with tempfile.TemporaryDirectory(prefix="cdfscore-") as folder:
        path = Path(folder, "script.R")
        path.write_bytes(script)
        # Absolute paths, as the names stdin and clipboard have a special meaning in R.
        names = [str(file.absolute()) for file in files]
        if draws.size:
            names.append(str(Path(folder, "script.draws")))
            draws.write(Path(names[-1]))
        # setpriv, where it is, ends R if this process is killed.
        before = [setpriv, "--pdeathsig", "KILL"] if (setpriv := shutil.which("setpriv")) else []
        command = [*before, rscript, "--vanilla", str(path), *names]
        # Rscript knows its own home, and warns on standard output of another one.
        how: dict[str, Any] = {"env": {k: v for k, v in os.environ.items() if k != "R_HOME"}}
        how |= {"capture_output": True, "check": False}
        try:
            done = subprocess.run(command, **how)
            tables = list(map(str, (published or {}).values()))
            if tables:
                ran = subprocess.run([*command, *tables], **how)
        except OSError as error:
            raise RNotAvailableError(f"{rscript} cannot be run: {error.strerror}") from error
    # Not decoded by subprocess, which would convert a carriage return in a label.
    out, said = _decoded(done.stdout), _decoded(done.stderr).splitlines()
    version = next((line for line in said if line.startswith("R version")), "R")
    notes = [line.removeprefix(_NOTE) for line in said if line.startswith(_NOTE)]
    reasons = [note.removeprefix(STOPPED).strip() for note in notes if note.startswith(STOPPED)]
    stopped = next(iter(reasons), "")
    if done.returncode and not stopped:
        for path, name in twins.items():
            _check_twin(rscript, path, name)
        own = (version, _HALTED, *(_NOTE + note for note in notes))
        reason = " ".join(line.strip() for line in said if line not in own)
        raise VerificationError(f"R stops: {reason or f'exit status {done.returncode}'}")
    try:
        quantities = _quantities(out)
    except ValueError as error:
        raise VerificationError(
            f"the output of the R script cannot be read ({error}); expected lines of quantity, "
            "topic, system and value, and nothing else, such as output of a twin"
        ) from error
    compared = tuple(
        _compared(name, path, _decoded(ran.stdout), _decoded(ran.stderr))
        for name, path in (published or {}).items()
    )
    notes = [note for note in notes if not note.startswith(STOPPED)]
    return AnalysisInR(quantities, version, stopped, notes, compared)


def _compared(name: str, path: Path, out: str, said: str) -> Compared:
    rows = [row for row in csv.reader(io.StringIO(out, newline="")) if row[0] == str(path)]
    lines = said.splitlines()
    count = re.search(rf"^{re.escape(str(path))}: (\d+) cells compared", said, re.M)
    if count is None:
        own = f"{path}: "
        reasons = [line.removeprefix(own) for line in lines if line.startswith(own)]
        raise VerificationError(f"{name}: {' '.join(reasons or lines)}")
    note = f"note: {path}: "
    notes = [line.removeprefix(note) for line in lines if line.startswith(note)]
    return Compared(int(count[1]), [tuple(unguarded(row[1:])) for row in rows], notes)


def _check_twin(rscript: str, path: Path, name: str) -> None:
    """Raise `VerificationError` if R cannot read a twin, or it does not define its function."""
    code = (
        "given <- commandArgs(TRUE); own <- new.env(); tryCatch(sys.source(given[1], own), error = "
        "function(e) {message(conditionMessage(e)); quit(status = 8)}); "
        'if (!exists(given[2], own, mode = "function", inherits = FALSE)) quit(status = 9)'
    )
    done = subprocess.run(
        [rscript, "--vanilla", "-e", code, str(path.absolute()), name],
        capture_output=True,
        check=False,
    )
    if done.returncode == 9:
        raise without_function(path, name)
    if done.returncode == 8:  # another status is not that of this code
        raise unreadable(path, _decoded(done.stderr))


def _decoded(output: bytes) -> str:
    return output.decode("utf-8", errors="replace")


def _quantities(text: str) -> list[Quantity]:
    rows: dict[str, list[list[str]]] = {}
    header, *lines = list(csv.reader(io.StringIO(text, newline=""))) or [[]]
    if header != ["quantity", "topic", "system", "value"] or not lines:
        raise ValueError(f"it begins with {text[:40]!r}")
    for name, *row in lines:
        rows.setdefault(name, []).append(unguarded(row))
    quantities = []
    for name, cells in rows.items():
        topics = list(dict.fromkeys(topic for topic, _, _ in cells))
        systems = list(dict.fromkeys(system for _, system, _ in cells))
        values = np.array([np.nan if value == "NA" else float(value) for *_, value in cells])
        shape = (len(topics), len(systems))
        quantities.append(Quantity(name, topics, systems, values.reshape(shape, order="F")))
    return quantities
