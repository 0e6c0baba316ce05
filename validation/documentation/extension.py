"""Extension of Sphinx: pages from the code, clauses with their tests, formulas without scripts."""

from __future__ import annotations

import inspect
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.schemes.base import Scheme
from cdfscore.stats.significance.contract import USUAL
from validation.documentation import mathematics, pictures, reference, tables
from validation.documentation.clauses import (
    CODE,
    HEADING,
    Clause,
    clauses,
    file_of,
    object_of,
    twin_of,
)
from validation.documentation.marked import marked_tests
from validation.documentation.public import public_objects

_ROOT = Path(__file__).parents[2]


def setup(app: Any) -> dict[str, Any]:
    """Connect the functions to the events of Sphinx."""
    app.add_html_math_renderer("mathml", (mathematics.inline, None), (mathematics.block, None))
    app.connect("builder-inited", _write_reference)
    app.connect("builder-inited", _draw_pictures)
    app.connect("source-read", _filled)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _draw_pictures(app: Any) -> None:
    """Draw in another process: Sphinx forks this one, which must not have threads then."""
    folder = Path(app.srcdir, pictures.FOLDER)
    subprocess.run([sys.executable, "-m", pictures.__name__, str(folder)], check=True, cwd=_ROOT)


def _write_reference(app: Any) -> None:
    """Write the pages of the reference; those of objects that are no longer there go."""
    folder = Path(app.srcdir, reference.FOLDER)
    folder.mkdir(exist_ok=True)
    pages = reference.pages()
    for path in folder.glob("*.md"):
        if f"{reference.FOLDER}/{path.name}" not in pages:
            path.unlink()
    for name, content in pages.items():
        path = Path(app.srcdir, name)
        if not path.exists() or path.read_text(encoding="utf-8") != content:
            path.write_text(content, encoding="utf-8")


def _filled(app: Any, name: str, source: list[str]) -> None:
    """Fill in what is made from the code."""
    text = source[0]
    if name == "reference":
        text = reference.with_sections(text)
    if name.startswith("specification/"):
        text = _with_traces(text)
    source[0] = tables.filled(text, tables.on_the_site)


def _with_traces(text: str) -> str:
    """Give each clause its anchor, and links to its code, R code and tests."""
    lines, number, within = [], "", False
    for line in text.splitlines():
        if line.startswith("```"):
            within = not within
        heading = None if within else HEADING.match(line)
        if heading is not None:
            number = heading["number"]
            lines += [f"({number.replace('.', '-')})=", line]
        elif not within and CODE.match(line):
            lines.append(_trace(number))
        else:
            lines.append(line)
    return "\n".join(lines)


@cache
def _known() -> tuple[dict[str, Clause], dict[str, list[str]], frozenset[str]]:
    known = {clause.number: clause for clause in clauses()}
    return known, marked_tests(), frozenset(public_objects())


def _tolerances(names: tuple[str, ...]) -> list[str]:
    """Return the tolerances of schemes, goals, tests and effect sizes, with reasons."""
    found: dict[tuple[Tolerance, str], dict[str, None]] = {}
    for each in map(object_of, names):
        own, settings = getattr(each, "tolerance", None), ""
        if isinstance(own, property) and not inspect.isabstract(each):
            own, settings = each().tolerance, " by the default settings"
        if isinstance(own, Tolerance):
            quantity = "`y`" if issubclass(each, Scheme) else "the quantity of the goal"
            found.setdefault((own, settings), {})[quantity] = None
        for quantity, own in getattr(each, "tolerances", {}).items():
            if own != USUAL.get(quantity):
                found.setdefault((own, ""), {})[f"`{quantity}`"] = None
    return [
        f"Tolerance of {', '.join(quantities)}{settings}: {_told(tolerance)}. "
        f"Reason: {tolerance.reason}"
        for (tolerance, settings), quantities in found.items()
    ]


def _told(tolerance: Tolerance) -> str:
    """Return the largest difference from R, of the number and of small numbers."""
    if not tolerance.ulp:
        return "0"
    far, units = tolerance.ulp * 2**-52, f"{tolerance.ulp:,.0f}"
    if tolerance.floor == 1:
        return f"{far:.2g} ({units} units of 2^-52)"
    small = f", or {far * tolerance.floor:.2g} if it is below {tolerance.floor:.3g}"
    return f"{far:.2g} of the number ({units} ulp)" + (small if tolerance.floor else "")


def _trace(number: str) -> str:
    """Return the lines of a clause that say where it is implemented and tested."""
    known, tests, public = _known()
    names, own = known[number].code, tests.get(number, [])
    files = dict.fromkeys(file_of(name) for name in names)
    twins = [twin for file in files if (twin := twin_of(file)) is not None]
    code = ", ".join(
        f"[`{name}`](../{reference.path_of(name)})" if name in public else f"`{name}`"
        for name in names
    )
    rows = ["Code: " + code + " in " + ", ".join(f"`{file}`" for file in files)]
    rows += _tolerances(names)
    rows += ["R: " + ", ".join(f"`{twin}`" for twin in twins)] if twins else []
    rows.append(f"Tests ({len(own)}): " + ", ".join(f"`{test}`" for test in own))
    return "\n".join([":::{div} trace", *(f"- {row}" for row in rows), ":::"])
