"""The public objects, in the sections of docs/reference.md."""

from __future__ import annotations

import inspect
import re
import types
from functools import cache

from validation.documentation.clauses import ROOT, object_of

PAGE = ROOT / "docs" / "reference.md"


@cache
def sections() -> dict[str, list[str]]:
    """Return the dotted names of the objects by section; of a package, those in its ``__all__``."""
    found: dict[str, list[str]] = {}
    seen: set[int] = set()  # one page of an object that has two names
    section = ""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            section = line.removeprefix("## ")
        elif (named := re.match(r"- \[?`(?P<name>[\w.]+)`", line)) is not None:
            for name in members(named["name"]):
                if (own := id(object_of(name))) not in seen:
                    seen.add(own)
                    found.setdefault(section, []).append(name)
    return found


def public_objects() -> list[str]:
    """Return the dotted names of all public objects."""
    return [name for names in sections().values() for name in names]


def summary(name: str) -> str:
    """Return the first line of the docstring of an object."""
    return (inspect.getdoc(object_of(name)) or "").partition("\n")[0]


def members(name: str) -> list[str]:
    """Return the names of the objects that a package has in its ``__all__``, or the name alone."""
    found = object_of(name)
    if not inspect.ismodule(found):
        return [name]
    listed = [each for each in getattr(found, "__all__", []) if not each.startswith("_")]
    of_types = (types.GenericAlias, types.UnionType)  # other names of types
    named = [each for each in listed if not isinstance(getattr(found, each), of_types)]
    return [f"{name}.{each}" for each in named] or [name]
