"""Pages from Jinja templates, and the claims that their sentences make about the numbers.

A template stands beside the code that has its numbers, as ``page.md.jinja``: the prose is there,
with numbers as expressions and tables as loops. A claim is a piece of the page, word by word, and
whether the numbers bear it out. A page with a false claim is not written.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from textwrap import fill

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Undefined

WIDTH = 100
#: A part of a page, between comments, which a program writes.
BLOCK = re.compile(r"(<!-- measured: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)

#: What a page says in words, and whether it is so.
Claims = Mapping[str, bool]


class FalseClaimError(Exception):
    """A page would say what its numbers do not."""


def rendered(template: str, claims: Claims | None = None, /, **values: object) -> str:
    """Return the page of a template, named from this folder; every claim has to be true."""
    claims = claims or {}
    if false := [claim for claim, true in claims.items() if not true]:
        raise FalseClaimError(_listed(f"{template}: no longer true, to be written anew:", false))
    page = _TEMPLATES.get_template(template).render(values)
    said = _on_one_line(page)
    if absent := [claim for claim in claims if _on_one_line(claim) not in said]:
        raise FalseClaimError(_listed(f"{template}: claims that are not on the page:", absent))
    return page


def rewritten(page: str, measured: str) -> str:
    """Return the page with these blocks, each of which it has once, and no other."""
    blocks = {match[2]: match[0] for match in BLOCK.finditer(measured)}
    names = [match[2] for match in BLOCK.finditer(page)]
    if sorted(names) != sorted(blocks):
        raise ValueError(f"the page has the blocks {names}, and not {list(blocks)}")
    return BLOCK.sub(lambda match: blocks[match[2]], page)


def number(value: object, spec: str) -> str:
    """Write a number as ``format`` does: ``{{ share | number(".1%") }}``."""
    if isinstance(value, Undefined):
        str(value)  # raises the error that names it
    return format(value, spec)


def filled(text: str, indent: str = "") -> str:
    """Break a paragraph into lines; all but the first begin with the indent."""
    lines = fill(
        _on_one_line(text),
        WIDTH,
        subsequent_indent=indent,
        break_on_hyphens=False,
        break_long_words=False,
    )
    return f"{lines}\n"


def unbroken(text: str) -> str:
    """Make one line of a paragraph."""
    return f"{_on_one_line(text)}\n"


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def _listed(title: str, claims: list[str]) -> str:
    return "\n- ".join([title, *claims])


# A page is Markdown: what stands for itself in HTML is not to be replaced.
_TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent),
    undefined=StrictUndefined,
    autoescape=False,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
_TEMPLATES.filters |= {"number": number, "filled": filled, "unbroken": unbroken}
