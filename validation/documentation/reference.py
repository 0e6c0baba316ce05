"""The reference: a page for each section and each public object, with its clauses and R code."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Iterable
from functools import cache

from cdfscore import Distribution, LinearScheme
from validation.documentation.clauses import ROOT, Clause, clauses, file_of, object_of, twin_of
from validation.documentation.public import members, public_objects, sections, summary

#: The folder of the pages, in the site.
FOLDER = "reference"


def path_of(name: str) -> str:
    """Return the page of an object, from the root of the pages."""
    return f"{FOLDER}/{name}.md"


def title_of(name: str) -> str:
    """Return the name of an object, with so many of its packages that no other has the title."""
    parts, known = name.split("."), _endings()
    titles = (".".join(parts[-count:]) for count in range(1, len(parts)))
    return next((title for title in titles if known[title] == 1), name)


@cache
def _endings() -> Counter[str]:
    """Count the public objects by each ending of their dotted names."""
    split = [name.split(".") for name in public_objects()]
    return Counter(".".join(parts[-count:]) for parts in split for count in range(1, len(parts)))


def pages() -> dict[str, str]:
    """Return the content of each page by its path."""
    known = clauses()
    of_sections = {
        _path_of_section(section): _page_of_section(section, names)
        for section, names in sections().items()
    }
    of_objects = {
        path_of(name): _page(name, [clause for clause in known if name in clause.code])
        for name in public_objects()
    }
    return of_sections | of_objects


def overview() -> str:
    """Return a table of the sections, with links to the pages of their objects."""
    rows = [
        f"| [{section}]({_path_of_section(section)}) | {', '.join(map(_link, names))} |"
        for section, names in sections().items()
    ]
    return "\n".join(["| section | objects |", "| --- | --- |", *rows])


def with_summaries(text: str) -> str:
    """Give each name in the lists its summary and a link to its file, for readers on a forge.

    A package has the objects of its ``__all__`` below it, but not those that are elsewhere too.
    """
    lines: list[str] = []
    for line in text.splitlines():
        if (named := re.match(r"- \[?`(?P<name>[\w.]+)`", line)) is not None:
            name = named["name"]
            own = [each for each in members(name) if each != name and each in public_objects()]
            lines += [_entry(name, name), *(f"  {_entry(each, title_of(each))}" for each in own)]
        elif not line.startswith("  - "):
            lines.append(line)
    return "\n".join([*lines, ""])


def _entry(name: str, shown: str) -> str:
    return f"- [`{shown}`](../{file_of(name).as_posix()}): {summary(name)}"


def with_sections(text: str) -> str:
    """Put a table of all sections, and their pages, in the place of the lists of names."""
    introduction, _, _ = text.partition("\n## ")
    return f"{introduction}\n{overview()}\n\n{_tree(map(_path_of_section, sections()))}"


def _path_of_section(section: str) -> str:
    return f"{FOLDER}/{section.lower().replace(' ', '_')}.md"


def _link(name: str) -> str:
    return f"[`{title_of(name)}`]({path_of(name)})"


def _tree(paths: Iterable[str]) -> str:
    """Return the list of pages that Sphinx puts below a page in the navigation."""
    return "\n".join(["```{toctree}", ":hidden:", "", *(f"/{path}" for path in paths), "```", ""])


def _page_of_section(section: str, names: list[str]) -> str:
    """Return a page of a table of objects and their summaries.

    Each section has its own page: the navigation beside a page lists the objects of one section,
    and with all objects on each page it would take a third of the time of the whole site.
    """
    rows = [
        f"| [`{title_of(name)}`](/{path_of(name)}) | {summary(name).replace('|', '&#124;')} |"
        for name in names
    ]
    lines = [f"# {section}", "", "| object | what it does |", "| --- | --- |", *rows, ""]
    return "\n".join([*lines, _tree(map(path_of, names))])


def _page(name: str, own: list[Clause]) -> str:
    directive = _directive(name)
    lines = [f"# {title_of(name)}", "", "```{eval-rst}", f".. {directive}:: {name}"]
    if _is_scheme(name):
        base = f":class:`~cdfscore.{object_of(name).__mro__[1].__name__}`"
        lines += ["   :no-members:", "", f"Its methods are those of {base}."]
    lines += ["```", ""]
    if own:
        links = ", ".join(
            f"[{each.number} {each.title}](../specification/{each.chapter}.md#{each.anchor})"
            for each in own
        )
        lines += ["**Specification:** " + links, ""]
    twin = None if directive == "automodule" else twin_of(file_of(name))
    if twin is not None:
        code = (ROOT / twin).read_text(encoding="utf-8").rstrip()
        lines += ["## In R", "", f"`{twin}`, the reference implementation:", ""]
        lines += ["```r", code, "```", ""]
    return "\n".join(lines)


def _is_scheme(name: str) -> bool:
    """Tell whether an object is a scheme, whose methods the contract describes once for all."""
    found = object_of(name)
    contracts = (Distribution, LinearScheme)
    return inspect.isclass(found) and issubclass(found, contracts) and found not in contracts


def _directive(name: str) -> str:
    """Return the directive of Sphinx that documents an object."""
    found = object_of(name)
    if inspect.ismodule(found):
        return "automodule"
    if inspect.isclass(found):
        return "autoclass"
    return "autofunction" if callable(found) else "autodata"
