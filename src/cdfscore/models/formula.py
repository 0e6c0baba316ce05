"""Formulas of linear models, such as ``score ~ topic + stemmer * model``.

A formula is data: it is parsed into terms, sets of factors, and nothing in it is evaluated.
Columns of factors are in sum contrasts, with which a type III test is of the unweighted means of
the cells of a term.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from cdfscore.errors import SpecificationError, did_you_mean
from cdfscore.numerics.types import Array, IntArray
from cdfscore.spelling import argument, option

#: The response of every formula, and the factor whose levels are the topics.
RESPONSE, TOPIC = "score", "topic"

_TOKEN = re.compile(r"\s*(?:(?P<name>[^\W\d]\w*(?:\.\w+)*|`[^`]+`)|(?P<number>\d+)|(?P<sign>\S))")
_EXPECTED = (
    "expected names of factors joined by +, : and *, such as 'score ~ topic + stemmer * model'"
)

# Limits that no real model reaches: of nested parentheses, and of terms.
_DEEPEST, _MOST_TERMS = 50, 1000
# Characters of a formula in a message, and of one that is shown as it was given.
_SHOWN = 200

Term = tuple[str, ...]
# What joins names in terms, quotes them in formulas, and begins an escape in a name of R.
_NOT_IN_NAMES = {":": "a colon", "`": "a backtick", "\\": "a backslash"}
# A colon that is not between backticks.
_JOINT = re.compile(r":(?=(?:[^`]*`[^`]*`)*[^`]*\Z)")


def names_in(term: str) -> list[str]:
    """Return the names that colons join in a term; each may stand between backticks.

    >>> names_in("topic:`stop list`")
    ['topic', 'stop list']
    """
    names = [name.strip() for name in _JOINT.split(term)]
    return [name[1:-1] if re.fullmatch("`[^`]+`", name) else name for name in names]


def check_names(names: Iterable[str]) -> None:
    """Raise `SpecificationError` for a factor whose name is ambiguous in a term."""
    for name in names:
        for sign, called in _NOT_IN_NAMES.items():
            if sign in name:
                raise SpecificationError(
                    f"the factor {name!r} has {called} in its name, which is read as a part of a "
                    "formula or of a term; expected a name without colons, backticks and "
                    "backslashes"
                )


def check_part(part: str, text: str, names: Iterable[str]) -> None:
    """Raise `SpecificationError` if a part of a text is not understood because of such a name.

    ``a`` of ``topic:a:b`` is no factor, where a factor is named ``a:b``.
    """
    check_names(each for each in names if each in text and (part in each or each in part))


def labels_of(term: Sequence[str], cells: Iterable[Sequence[str]]) -> list[str]:
    """Return the labels of combinations of levels of a term, as R prints them, ``porter:bm25``.

    Raises `SpecificationError` for two combinations of one label, of levels with colons.
    """
    labels: dict[str, Sequence[str]] = {}
    for cell in cells:
        label = ":".join(cell)
        if label in labels:
            raise SpecificationError(
                f"two combinations of levels of {':'.join(term)} have the label {label!r}, "
                f"{tuple(labels[label])} and {tuple(cell)}; expected levels without colons"
            )
        labels[label] = cell
    return list(labels)


@dataclass(frozen=True)
class Formula:
    """Terms of a linear model in R's order: main effects, then interactions of two, of three ...

    The intercept is always in the model and is not among the terms.
    """

    text: str
    terms: tuple[Term, ...]

    @property
    def factors(self) -> tuple[str, ...]:
        """The factors in the order in which the formula names them."""
        return tuple(dict.fromkeys(name for term in self.terms for name in term))

    def __str__(self) -> str:
        """Return the formula as it was given; a long formula is shown by its terms."""
        if len(self.text) <= _SHOWN:
            return self.text
        return f"{RESPONSE} ~ {' + '.join(map(name_of, self.terms))}"


def parse_formula(text: str, factors: Sequence[str]) -> Formula:
    """Parse a formula such as ``score ~ a + b:c + d * e``.

    ``a:b`` is the interaction of a and b, ``a * b`` is ``a + b + a:b``, and parentheses group.
    Names with characters other than letters, digits, points and underscores must be between
    backticks. The result has each term once, in the order of R's ``terms``.

    Parameters
    ----------
    text
        The formula. It is parsed, not evaluated.
    factors
        The names of the factors that the formula may use; ``topic`` is always one.

    Raises
    ------
    SpecificationError
        If the text is not such a formula; for a name that is not a factor; for more than 50 nested
        parentheses or 1,000 terms; and for an interaction without one of the terms that it
        contains, because its test would also test that term.

    Examples
    --------
    >>> parse_formula("score ~ topic + stemmer * model", ["stemmer", "model"]).terms
    (('topic',), ('stemmer',), ('model',), ('stemmer', 'model'))
    """
    if not isinstance(text, str) or text.count("~") != 1:
        raise SpecificationError(
            f"the formula {text!r} does not have '{RESPONSE} ~' exactly once; {_EXPECTED}"
        )
    left, right = text.split("~")
    if left.strip() != RESPONSE:
        raise SpecificationError(
            f"the formula {text!r} has {left.strip()!r} on its left; expected {RESPONSE!r}, the "
            "scores by each scheme"
        )
    known = (TOPIC, *factors)
    parser = _Parser(text, list(_tokens(right)), known)
    found = parser.all_terms()
    order = {name: place for place, name in enumerate(dict.fromkeys(n for t in found for n in t))}
    unique = dict.fromkeys(tuple(sorted(set(term), key=order.__getitem__)) for term in found)
    terms = tuple(sorted(unique, key=len))
    _check_marginality(text, terms)
    return Formula(" ".join(text.split()), terms)


def name_of(term: Term) -> str:
    """Return a term as R prints it, ``stemmer:model``."""
    return ":".join(term)


def term_of(formula: Formula, name: str) -> Term:
    """Return the term of a formula by its name, ``stemmer:model`` or ``model:stemmer``.

    A factor may stand between backticks, as in the formula.

    Raises `SpecificationError` for a term that is not in the formula.
    """
    names = frozenset(names_in(str(name)))
    for each in formula.terms:
        if frozenset(each) == names:
            return each
    raise SpecificationError(
        f"there is no term {name!r} in {str(formula)!r}; expected one of "
        f"{', '.join(map(name_of, formula.terms))}"
    )


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    for match in _TOKEN.finditer(text):
        kind = str(match.lastgroup)
        yield kind, match[kind].strip("`") if kind == "name" else match[kind]


class _Parser:
    """Recursive descent: * binds looser than :, and + loosest, as in R."""

    def __init__(self, text: str, tokens: list[tuple[str, str]], known: Sequence[str]) -> None:
        self.text, self.tokens, self.known = text, tokens, known
        self.place = self.depth = 0

    def all_terms(self) -> list[Term]:
        found = self.sum()
        if self.place < len(self.tokens):
            check_part(self.tokens[self.place][1], self.text, self.known)
            self.refuse(f"{self.tokens[self.place][1]!r} is not understood")
        return found

    def sum(self) -> list[Term]:
        found = self.product()
        while self.takes("+"):
            found += self.product()
        return self.distinct(found)

    def product(self) -> list[Term]:
        found = self.interaction()
        while self.takes("*"):
            other = self.interaction()
            found = self.distinct([*found, *other, *(a + b for a in found for b in other)])
        return found

    def interaction(self) -> list[Term]:
        found = self.atom()
        while self.takes(":"):
            other = self.atom()
            found = self.distinct([a + b for a in found for b in other])
        return found

    def distinct(self, terms: list[Term]) -> list[Term]:
        """Return each term once, so that a * a * a ... does not double with every factor."""
        found: dict[frozenset[str], Term] = {}
        for term in terms:
            found.setdefault(frozenset(term), tuple(dict.fromkeys(term)))
        if len(found) > _MOST_TERMS:
            self.refuse(f"it has more than {_MOST_TERMS:,} terms")
        return list(found.values())

    def atom(self) -> list[Term]:
        if self.takes("("):
            self.depth += 1
            if self.depth > _DEEPEST:
                self.refuse(f"it has more than {_DEEPEST} nested parentheses")
            found = self.sum()
            if not self.takes(")"):
                self.refuse("a parenthesis is not closed")
            self.depth -= 1
            return found
        if self.place == len(self.tokens):
            self.refuse("it ends where a factor is expected")
        kind, name = self.tokens[self.place]
        if kind == "number":
            why = f"{name!r} is not understood: every model has an intercept"
            if ("sign", "|") in self.tokens:
                why += f", and random effects are given by {argument('random', [TOPIC])}"
            self.refuse(why)
        if kind != "name":
            self.refuse(f"{name!r} is not understood")
        self.place += 1
        if self.place < len(self.tokens) and self.tokens[self.place][1] == "(":
            self.refuse(f"{name}(...) is a call, and formulas are not evaluated")
        if name not in self.known:
            check_part(name, self.text, self.known)
            raise SpecificationError(
                f"the formula {self.text!r} names {name!r}, which is not a "
                f"factor{did_you_mean(name, self.known)}; expected some of "
                f"{', '.join(self.known)}, or factors of systems by {option('components')}"
            )
        return [(name,)]

    def takes(self, sign: str) -> bool:
        found = self.place < len(self.tokens) and self.tokens[self.place] == ("sign", sign)
        self.place += found
        return found

    def refuse(self, why: str) -> None:
        shown = self.text if len(self.text) <= _SHOWN else f"{self.text[:_SHOWN]}..."
        raise SpecificationError(f"the formula {shown!r} is not accepted: {why}; {_EXPECTED}")


def _check_marginality(text: str, terms: Sequence[Term]) -> None:
    sets = {frozenset(term) for term in terms}
    for term in terms:
        for name in term if len(term) > 1 else ():
            within = tuple(other for other in term if other != name)
            if frozenset(within) not in sets:
                raise SpecificationError(
                    f"the formula {text!r} has {name_of(term)} without {name_of(within)}, so the "
                    f"test of {name_of(term)} would also test {name_of(within)}; expected "
                    f"{' * '.join(term)}, which contains both"
                )


@dataclass(frozen=True, eq=False)
class Factor:
    """A factor: its levels in order, and the code (n,) of the level of each observation.

    `lacks` tells which observation has no level, "" if all have one.
    """

    name: str
    levels: tuple[str, ...]
    codes: IntArray
    lacks: str = ""

    @property
    def contrasts(self) -> Array:
        """Sum contrasts (levels, levels - 1), as R's ``contr.sum``: the last level is -1."""
        k = len(self.levels)
        return np.vstack([np.eye(k - 1), -np.ones((1, k - 1))])


def factor_of(name: str, labels: Sequence[str]) -> Factor:
    """Return a factor whose levels are the labels of observations, in their order."""
    levels = {level: code for code, level in enumerate(dict.fromkeys(labels))}
    return Factor(name, tuple(levels), np.array([levels[label] for label in labels]))


def columns_of(term: Term, factors: Mapping[str, Factor]) -> Array:
    """Return the columns of a term, (n, (a - 1)(b - 1)...), for n observations."""
    parts = [factors[name].contrasts[factors[name].codes] for name in term]
    return reduce(_row_products, parts)


def columns_of_all(
    terms: Sequence[Term], factors: Mapping[str, Factor], n: int
) -> tuple[Array, dict[Term, slice]]:
    """Return the columns of all terms beside each other, and where those of each are."""
    parts = [columns_of(term, factors) for term in terms]
    ends = np.cumsum([0, *(part.shape[1] for part in parts)]).tolist()
    places = map(slice, ends, ends[1:])
    return np.hstack([np.empty((n, 0)), *parts]), dict(zip(terms, places, strict=True))


def _row_products(a: Array, b: Array) -> Array:
    """Return all products of a column of a and one of b, those of a running fastest as in R."""
    products: Array = (b[:, :, np.newaxis] * a[:, np.newaxis, :]).reshape(len(a), -1)
    return products
