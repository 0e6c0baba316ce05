"""The claims of README and docs, and how each is checked.

A test of ``tests/claims`` quotes the claim that it checks; see the decorator there. A claim that
is checked by another test, or by a command, is in the list `CHECKED_ELSEWHERE`. A page that a
program writes has its numbers from there, and is in `WRITTEN`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from validation.documentation.checked_elsewhere import CHECKED_ELSEWHERE, WRITTEN
from validation.documentation.clauses import ROOT

FOLDER = ROOT / "tests" / "claims"
_CODE = re.compile(r"(`[^`]*`)")
_LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")


@dataclass(frozen=True)
class Claim:
    """A piece of a page, word by word, and the test or command that checks it."""

    page: str
    text: str
    check: str


def all_claims() -> list[Claim]:
    """Return all claims: page by page, and in the order in which a page has them."""
    found = [*claims_of_tests(), *(Claim(*each) for each in CHECKED_ELSEWHERE)]
    pages = list(dict.fromkeys(sorted((claim.page for claim in found), key=_readme_first)))
    texts = {page: said_on(page) for page in pages}
    return sorted(
        found, key=lambda claim: (pages.index(claim.page), texts[claim.page].find(claim.text))
    )


def claims_of_tests() -> Iterator[Claim]:
    """Yield the claims that the tests in ``tests/claims`` quote."""
    for path in sorted(FOLDER.glob("test_*.py")):
        for each in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(each, ast.FunctionDef):
                for page, text in _quoted(each):
                    yield Claim(page, text, f"{path.relative_to(ROOT)}::{each.name}")


def said_on(page: str) -> str:
    """Return the text of a page on one line, without the marks of a quotation."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return " ".join(text.replace("\n> ", "\n").split())


def is_said(page: str, text: str) -> bool:
    """Tell whether a page has a text, word by word."""
    return " ".join(text.split()) in said_on(page)


def is_there(check: str) -> bool:
    """Tell whether there is such a test, or such a program of this repository."""
    if check.startswith("python -m "):
        module = ROOT.joinpath(*check.removeprefix("python -m ").split()[0].split("."))
        return module.with_suffix(".py").exists() or (module / "__main__.py").exists()
    if check.startswith("make "):
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        return f"\n{check.removeprefix('make ')}:" in makefile
    path, _, name = check.partition("::")
    if not (ROOT / path).is_file():
        return False
    if path.endswith(".md"):  # examples, which are run
        return ">>> " in (ROOT / path).read_text(encoding="utf-8")
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    names = {each.name for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)}
    return name in names


def claim_table() -> str:
    """Return the table page, claim, check; and that of the pages that a program writes."""
    rows = ["| page | claim | checked by |", "| --- | --- | --- |"]
    rows += [
        f"| {_linked(each.page)} | {_cell(each.text)} | {_told(each.check)} |"
        for each in all_claims()
    ]
    return "\n".join(rows)


def written_table() -> str:
    """Return the table of the pages, and parts of pages, that a program writes."""
    rows = ["| page | written by |", "| --- | --- |"]
    rows += [f"| {_linked(page)} | `{command}` |" for page, command in WRITTEN.items()]
    return "\n".join(rows)


def _quoted(function: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """Yield page and text of each ``@claim(page, text)``."""
    for each in function.decorator_list:
        if (
            isinstance(each, ast.Call)
            and isinstance(each.func, ast.Name)
            and each.func.id == "claim"
        ):
            page, text = map(ast.literal_eval, each.args)
            yield page, " ".join(text.split())


def _readme_first(page: str) -> tuple[bool, str]:
    return "/" in page, page


def _linked(page: str) -> str:
    if not page.startswith("docs/"):
        return f"`{page}`"
    name = page.removeprefix("docs/")
    return f"[{name.removesuffix('.md')}]({name})"


def _told(check: str) -> str:
    return f"examples of `{check}`" if check.endswith(".md") else f"`{check}`"


def _cell(text: str) -> str:
    """Return a text for a cell of a table, without the marks of a table, of links and of bold."""
    line = re.sub(r"(?: \|)+ ", "; ", re.sub(r"^\| |(?: \|)+$", "", text))
    plain = _LINK.sub(r"\1", line).replace("**", "")
    parts = _CODE.split(plain.replace("|", "\\|"))
    return "".join(
        part if part.startswith("`") else re.sub(r"[\[<*_]", r"\\\g<0>", part) for part in parts
    )
