"""Formulas and factors of systems in the form of R."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cdfscore.models.crossed import Factor
from cdfscore.models.formula import RESPONSE, TOPIC, Formula


def formula_in_r(formula: Formula) -> str:
    """Return a formula for R; names may have any characters.

    >>> formula_in_r(Formula("score ~ a * b", (("a",), ("b",), ("a", "b"))))
    'score ~ `a` + `b` + `a`:`b`'
    """
    terms = (":".join(f"`{name}`" for name in term) for term in formula.terms)
    return f"{RESPONSE} ~ {' + '.join(terms)}"


def levels_in_r(factors: Mapping[str, Factor], used: Iterable[str]) -> dict[str, list[str]]:
    """Return the levels of each system by factor; topic is not a factor of systems."""
    names = dict.fromkeys(name for name in used if name != TOPIC)
    return {name: [factors[name].levels[code] for code in factors[name].codes] for name in names}
