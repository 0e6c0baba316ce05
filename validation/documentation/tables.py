"""Tables of pages that are made from the code: what there is cannot differ from what is said.

They are committed, as most people read the pages on a forge: ``make tables`` writes them. The site
has the same tables, with links to its pages of objects instead of links to files of the source.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from cdfscore.comparison.attainable import SITUATIONS
from cdfscore.report.comparison import HEADERS, cells
from validation.documentation import overviews, reference, sources
from validation.documentation.claims import claim_table, written_table
from validation.documentation.clauses import (
    CHAPTERS,
    ROOT,
    clauses,
    file_of,
    twin_of,
)
from validation.documentation.marked import marked_tests
from validation.documentation.public import PAGE


def clause_table() -> str:
    """Return the table clause, code, R code, number of tests."""
    return _clause_table("--:", lambda tests: str(len(tests)))


def trace_table() -> str:
    """Return the table clause, code, R code, tests by name."""
    return _clause_table("---", lambda tests: ", ".join(f"`{test}`" for test in tests))


def _clause_table(align: str, shown: Callable[[list[str]], str]) -> str:
    tests = marked_tests()
    rows = ["| clause | code | R | tests |", f"| --- | --- | --- | {align} |"]
    for clause in clauses():
        files = dict.fromkeys(file_of(name) for name in clause.code)
        code = ", ".join(f"`{str(file).removeprefix('src/cdfscore/')}`" for file in files)
        twins = ", ".join(f"`{twin.name}`" for file in files if (twin := twin_of(file)) is not None)
        rows.append(
            f"| [{clause.number} {clause.title}]({clause.chapter}.md#{clause.anchor}) "
            f"| {code} | {twins} | {shown(tests.get(clause.number, []))} |"
        )
    return "\n".join(rows)


def advice_markdown() -> str:
    parts = []
    for situation in SITUATIONS:
        rows = [HEADERS, ["---"] * len(HEADERS)]
        rows += [(f"`{test.name}`", *cells(test)[1:]) for test in situation.tests()]
        table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
        absent = ", ".join(f"`{name}`" for name in situation.not_in_compare)
        not_run = f" Not run by `compare`: {absent}." if absent else ""
        parts.append(
            f"## {situation.title}\n\nCorrection: {situation.correction}. Missing scores: "
            f"{situation.missing}.{not_run}\n\n{table}\n"
        )
    return "\n".join(parts)


def options_table() -> str:
    """Return a section for each command, with its arguments and options."""
    from cdfscore.cli import command as cdfscore
    from cdfscore.cli.options import OF_FILES

    parts: list[str] = []
    of_files: dict[str, Any] = {}

    def add(name: str, command: Any) -> None:
        own = getattr(command, "commands", None)
        if own is not None:
            for each in own.values():
                add(f"{name} {each.name}", each)
            return
        context = command.make_context(name, [], resilient_parsing=True)
        params = command.get_params(context)
        reads = any(each.name == "keep_topic" for each in params)
        on_files = [p for p in params if reads and p.rich_help_panel == OF_FILES]
        rows = records(context, [p for p in params if p not in on_files])
        if reads:
            of_files.update({p.name: p for p in on_files})
            rows.append(("...", "and the options on the form of files, below"))
        text = (command.help or "").split("\n\n")[0].replace("\n", " ")
        parts.append(f"## {name}\n\n{text}\n\n{table(rows)}\n")

    def records(context: Any, params: Any) -> list[tuple[str, str]]:
        found = [each.get_help_record(context) for each in params]
        return [record for record in found if record is not None]

    def table(rows: list[tuple[str, str]]) -> str:
        lines = [f"| {_code(re.sub(' <.*', '', term))} | {_cell(told)} |" for term, told in rows]
        return "\n".join(["| option | what it does |", "| --- | --- |", *lines])

    root = cdfscore()
    add("cdfscore", root)
    rows = records(root.make_context("cdfscore", [], resilient_parsing=True), of_files.values())
    return "\n".join([*parts, f"## Options on the form of files\n\n{table(rows)}\n"])


def _cell(text: str) -> str:
    """Return a text for a cell of Markdown, where what is typed, an option or quoted, is code."""
    pieces = re.split(r"((?<!\w)'[^']+'(?!\w)|(?<![\w-])--[a-z][a-z-]*)", " ".join(text.split()))
    pieces[::2] = [re.sub(r"([|*<_])", r"\\\1", plain) for plain in pieces[::2]]
    pieces[1::2] = [_code(typed.strip("'")) for typed in pieces[1::2]]
    return "".join(pieces)


def _code(text: str) -> str:
    return f"`{text}`".replace("|", r"\|")


#: Each table by the name that a page gives it: ``<!-- table: clauses -->``.
TABLES: dict[str, Callable[[], str]] = {
    "clauses": clause_table,
    "clauses and tests": trace_table,
    "schemes": overviews.scheme_table,
    "unfitted topics": overviews.unfitted_table,
    "settings of schemes": overviews.settings_of_schemes,
    "laws of scipy": overviews.law_table,
    "bandwidths": overviews.bandwidth_table,
    "tests": overviews.test_table,
    "settings of tests": overviews.settings_of_tests,
    "sources": sources.source_list,
    "claims": claim_table,
    "written pages": written_table,
    "advice": advice_markdown,
    "options": options_table,
}
_TABLE = re.compile(
    r"^<!-- table: (?P<name>[\w ]+) -->(?:(?:(?!<!-- table).)*?^<!-- end of table -->)?$",
    re.MULTILINE | re.DOTALL,
)
_OBJECT = re.compile(rf"\]\({reference.FOLDER}/(?P<name>[\w.]+)\.md\)")
#: A clause that a text names, such as ``[normal.1]`` or ``[by hand][normal.1]``; not in code.
_NAMED = re.compile(r"^```.*?^```|`[^`\n]*`|\[(?P<number>[a-z]\w*\.\d+)\](?!\()", re.DOTALL | re.M)
_LINKS = re.compile(r"\n(\[[a-z]\w*\.\d+\]: \S+\n)+\Z")


def filled(text: str, table: Callable[[str], str]) -> str:
    """Return a page with each of its tables, by name, between its two comments."""
    return _TABLE.sub(
        lambda found: (
            f"<!-- table: {found['name']} -->\n\n{table(found['name']).strip()}\n\n"
            "<!-- end of table -->"
        ),
        text,
    )


def linked(path: Path, text: str) -> str:
    """Return a page with the links of the clauses that it names, which Markdown has at the end."""
    text = _LINKS.sub("", text)
    known = {clause.number: clause for clause in clauses()}
    named = dict.fromkeys(found["number"] for found in _NAMED.finditer(text))
    lines = [
        f"[{number}]: {'' if path == chapter else os.path.relpath(chapter, path.parent)}#{anchor}\n"
        for number in named
        if number in known
        for chapter, anchor in [(CHAPTERS / f"{known[number].chapter}.md", known[number].anchor)]
    ]
    return "\n".join([text, "".join(lines)]) if lines else text


def pages() -> dict[Path, str]:
    """Return each page with something made from the code, as it should be in the repository."""
    texts = {
        path: path.read_text(encoding="utf-8")
        for path in sorted((ROOT / "docs").rglob("*.md"))
        if path.parent.name != reference.FOLDER
    }
    current = {path: linked(path, filled(text, on_a_forge)) for path, text in texts.items()}
    current[PAGE] = reference.with_summaries(texts[PAGE])
    return {
        path: text
        for path, text in current.items()
        if path == PAGE or _TABLE.search(text) or _LINKS.search(text) or text != texts[path]
    }


def on_the_site(name: str) -> str:
    """Return a table with the links of the site."""
    return TABLES[name]()


@cache
def on_a_forge(name: str) -> str:
    """Return a table with links to files."""
    return _OBJECT.sub(lambda found: f"](../{file_of(found['name']).as_posix()})", TABLES[name]())
