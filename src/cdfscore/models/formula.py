"""Formulas of linear models, their designs, and designs without the topics."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from math import fsum
from pathlib import Path
from typing import ParamSpec, TypeVar

import numpy as np
import pandas as pd

from cdfscore.common.cautions import each_once
from cdfscore.common.costs import check_cost
from cdfscore.common.files import readable, source_name
from cdfscore.common.text import a_type, listed
from cdfscore.comparison.pairs import check_different
from cdfscore.errors import ModelError, ScoresError, SpecificationError, did_you_mean
from cdfscore.scores.dataframes import IntoFrame, taken
from cdfscore.scores.delimited import text_table
from cdfscore.scores.labels import texts
from cdfscore.standardization.standardized import ExtraTopics, Standardized
from cdfscore.standardization.standardizer import How, check_extra_of, standardize
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray

# --- Scores as one number for each topic and the rest, in a unit that is a power of two ---

# Numbers are rounding errors if their squares add up to those of this number of ulp of the scores.
_ULP = 4


@dataclass(frozen=True, eq=False)
class Parts:
    """Scores 2^exponent (centre + of_topics + within) of the topics that have any.

    `within` (topics, slots) has the mean 0 on each topic, and is 0 where a score is missing;
    `of_topics` (topics,) has the mean 0. No digit of differences within a topic depends on the
    topic. `rounding` is a sum of squares that rounded scores can have by chance: that of 4 ulp.
    """

    within: Array
    of_topics: Array
    present: BoolArray
    centre: float
    exponent: int
    rounding: float

    @classmethod
    def of(cls, scores: Array) -> Parts:
        """Return the parts of finite scores (topics, slots), NaN where missing."""
        present = ~np.isnan(scores)
        some = present.any(axis=1)
        scores, present = scores[some], present[some]
        _, exponent = np.frexp(np.abs(scores[present]).max(initial=0.0))
        own = np.where(present, np.ldexp(scores, -int(exponent)), 0.0)
        first = own[np.arange(len(own)), present.argmax(axis=1)]
        within = np.where(present, own - first[:, np.newaxis], 0.0)
        sizes = present.sum(axis=1)
        means = within.sum(axis=1) / sizes
        within = np.where(present, within - means[:, np.newaxis], 0.0)
        of_topics = (first - first[:1]) + means
        mean = fsum(of_topics) / max(len(own), 1)
        return cls(
            within,
            of_topics - mean,
            present,
            float(first[:1].sum()) + mean,
            int(exponent),
            _ULP**2 * float(sizes @ np.square(np.spacing(np.abs(own).max(axis=1, initial=0.0)))),
        )

    def of_all(self) -> tuple[Array, Array, float]:
        """Return scores without their mean, their exact sums (slots,), and mean less `centre`."""
        n = self.present.sum()
        sizes = self.present.sum(axis=1)
        first = fsum(sizes * self.of_topics) / n
        of_topics = self.of_topics - first
        sums = np.array([fsum(of_topics[own]) for own in self.present.T])
        second = fsum(sums) / n
        values = self.within + np.where(self.present, (of_topics - second)[:, np.newaxis], 0.0)
        sums = self.within.sum(axis=0) + (sums - second * self.present.sum(axis=0))
        return values, sums, first + second

    def squares(self, values: Array) -> Array:
        """Return sums of squares in the unit of the scores: 0 or infinite beyond the doubles."""
        with np.errstate(over="ignore", under="ignore"):
            return np.ldexp(values, 2 * self.exponent)

    def numbers(self, values: Array) -> Array:
        """Return numbers in the unit of the scores."""
        with np.errstate(under="ignore"):
            return np.ldexp(values, self.exponent)


def doubly_centred(scores: Array) -> Array:
    """Return complete scores (topics, slots) without the means of topics and of slots."""
    left = scores - scores[:, :1]
    left = left - left[:1]
    left = left - left.mean(axis=0)
    return np.asarray(left - left.mean(axis=1, keepdims=True))


def beyond_doubles(scheme: str, squares: Array) -> list[str]:
    """Return a note if a sum of squares is no double; the last is that of residuals, above 0."""
    if np.isfinite(squares).all() and squares[-1] >= np.finfo(np.float64).tiny:
        return []
    return [
        f"{scheme}: the squares of the scores are beyond the range of doubles, so sums of squares "
        "and variances are shown as 0 or inf, or with few digits; tests do not depend on the unit"
    ]


# --- Least squares on factors of systems, with the topics and their interactions absorbed ---
#
# Z (systems, p) are columns of the systems, repeated on every topic. W (systems, q) are columns of
# each topic: the intercept, for the factor topic, and those of the factors that interact with it.
# By the theorem of Frisch, Waugh and Lovell (1933, 1963), the coefficients of Z are those of
# residuals given W, topic by topic. With D_t = diag(d_ts), where d_ts is 1 if topic t has a score
# of system s:
#
#     X'X = sum_t Z' D_t Z - Z' D_t W (W' D_t W)^-1 W' D_t Z
#
# The dense design of 500 systems on 250 topics has 125,000 x 749 numbers; this has 500 x 500.

# A column depends on others if their residual is this small a part of its square.
_ALIASED = 1e-10


@dataclass(frozen=True, eq=False)
class Absorbed:
    """Least squares without the columns W of each of t groups: topics, or all scores as one.

    `xx` (p, p) and `xy` (p,) are the products of the residuals of columns and scores given W, and
    `sizes` (p,) the squares of the columns before. `own` (t, q) and `across` (t, q, p) are
    coefficients of scores, less `constants` (t,), and columns on W; `spread` (t, q, q) is the
    inverse of W'W, and `rank` that of all W. `values` (topics, systems) are the scores without the
    mean of their group, 0 where missing; `columns` (systems, p) are Z without `means`, and `within`
    (systems, q) those of W.
    """

    xx: Array
    xy: Array
    n: int
    rank: int
    sizes: Array
    own: Array
    constants: Array
    across: Array
    means: Array
    spread: Array
    parts: Parts
    values: Array
    columns: Array
    within: Array

    def added(self, columns: IntArray, given: IntArray) -> tuple[float, int]:
        """Return the sum of squares of columns given others, and its degrees of freedom."""
        xx, xy = self.xx[np.ix_(columns, columns)], self.xy[columns]
        if len(given):
            across = self.xx[np.ix_(given, columns)]
            inverse, _ = _inverse(self.xx[np.ix_(given, given)], self.sizes[given])
            solved = inverse @ across
            xx, xy = xx - across.T @ solved, xy - solved.T @ self.xy[given]
        inverse, rank = _inverse(xx, self.sizes[columns])
        return float(xy @ inverse @ xy), rank

    def residual(self, columns: IntArray) -> tuple[float, int]:
        """Return the residual sum of squares given W and columns, and its degrees of freedom."""
        left, df = self.residuals(columns)
        return float(np.vdot(left, left)), df

    def residuals(self, columns: IntArray) -> tuple[Array, int]:
        """Return the residuals given W and columns, projected twice, and their df."""
        inverse, rank = self.inverse(columns)
        left = self.values
        for _ in range(2):
            left = self._left(left, columns, inverse)
        return left, self.n - self.rank - rank

    def _left(self, values: Array, columns: IntArray, inverse: Array) -> Array:
        """Return scores (topics, systems) less their fitted values, 0 where missing."""
        sums = values.sum(axis=0)
        wy = values @ self.within if len(self.spread) > 1 else (sums @ self.within)[np.newaxis]
        across = self.across[:, :, columns].copy()
        across[:, 0] -= self.means[columns]
        own = (self.spread @ wy[:, :, np.newaxis])[:, :, 0]
        xy = self.columns[:, columns].T @ sums - np.tensordot(across, wy, ([0, 1], [0, 1]))
        coefficients = inverse @ xy
        fitted = (own - across @ coefficients) @ self.within.T
        fitted = fitted + self.columns[:, columns] @ coefficients
        return np.where(self.parts.present, values - fitted, 0.0)

    def inverse(self, columns: IntArray) -> tuple[Array, int]:
        """Return the inverse of xx on some columns, of least length where aliased; the rank."""
        return _inverse(self.xx[np.ix_(columns, columns)], self.sizes[columns])


def absorb(parts: Parts, columns: Array, within: Array, *, topics: bool) -> Absorbed:
    """Absorb columns `within` (systems, q), the intercept first, of topics or of all scores."""
    weights = parts.present.astype(np.float64)
    if topics:
        values, means = parts.within, parts.of_topics
        sums = values.sum(axis=0)
        wy = values @ within
    else:
        values, sums, mean = parts.of_all()
        means, wy = np.array([mean]), (sums @ within)[np.newaxis]
        weights = weights.sum(axis=0)[np.newaxis]
    of_columns = columns.mean(axis=0)
    z = columns - of_columns  # which W has; without it no digits are lost
    q, p = within.shape[1], columns.shape[1]
    pairs = within[:, :, np.newaxis] * within[:, np.newaxis, :]
    ww = (weights @ pairs.reshape(-1, q * q)).reshape(-1, q, q)
    crossed = within[:, :, np.newaxis] * z[:, np.newaxis, :]
    wz = (weights @ crossed.reshape(len(z), q * p)).reshape(len(weights), q, p)
    spread, ranks = _inverses(ww)
    across = spread @ wz
    own = (spread @ wy[:, :, np.newaxis])[:, :, 0]
    totals = weights.sum(axis=0)
    products = z.T @ (totals[:, np.newaxis] * z)
    xy = z.T @ sums - np.tensordot(wz, own, ([0, 1], [0, 1]))
    across[:, 0] += of_columns
    return Absorbed(
        products - np.tensordot(wz, spread @ wz, ([0, 1], [0, 1])),
        xy,
        int(parts.present.sum()),
        int(ranks.sum()),
        products.diagonal().copy(),
        own,
        means,
        across,
        of_columns,
        spread,
        parts,
        values,
        z,
        within,
    )


def _inverses(a: Array) -> tuple[Array, IntArray]:
    values, vectors = np.linalg.eigh(a)
    kept = values > _ALIASED * np.maximum(values[:, -1:], 1.0)
    scaled = vectors * np.where(kept, 1 / np.where(kept, values, 1.0), 0.0)[:, np.newaxis]
    return scaled @ vectors.transpose(0, 2, 1), np.count_nonzero(kept, axis=1)


def _inverse(a: Array, sizes: Array) -> tuple[Array, int]:
    """Return the inverse of a symmetric matrix, of least length where aliased, and the rank."""
    if not len(a):
        return a, 0
    scale = np.sqrt(np.where(sizes > 0, sizes, 1.0))
    values, vectors = np.linalg.eigh(a / np.outer(scale, scale))
    kept = values > _ALIASED
    vectors = vectors[:, kept] / scale[:, np.newaxis]
    return (vectors / values[kept]) @ vectors.T, int(kept.sum())


# --- Formulas of linear models, such as ``score ~ topic + stemmer * model`` ---


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
    """Return the names that colons join in a term; each may stand between backticks."""
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
    """Raise `SpecificationError` if a part of a text is not understood because of such a name."""
    check_names(each for each in names if each in text and (part in each or each in part))


def labels_of(term: Sequence[str], cells: Iterable[Sequence[str]]) -> list[str]:
    """Return the labels of combinations of levels, as R prints them; refuse two of one label."""
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
    """Terms of a linear model in R's order, without the intercept, which is always in the model."""

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
    found = _Parser(text, right, known).all_terms()
    order = {name: place for place, name in enumerate(dict.fromkeys(n for t in found for n in t))}
    unique = dict.fromkeys(tuple(sorted(set(term), key=order.__getitem__)) for term in found)
    terms = tuple(sorted(unique, key=len))
    _check_marginality(text, terms)
    return Formula(" ".join(text.split()), terms)


def name_of(term: Term) -> str:
    """Return a term as R prints it, ``stemmer:model``."""
    return ":".join(term)


def term_of(formula: Formula, name: str) -> Term:
    """Return the term of a formula by its name, ``stemmer:model`` or ``model:stemmer``."""
    names = frozenset(names_in(str(name)))
    for each in formula.terms:
        if frozenset(each) == names:
            return each
    raise SpecificationError(
        f"there is no term {name!r} in {str(formula)!r}; expected one of "
        f"{', '.join(map(name_of, formula.terms))}"
    )


class _Parser:
    """Recursive descent: * binds looser than :, and + loosest, as in R."""

    def __init__(self, text: str, right: str, known: Sequence[str]) -> None:
        self.text, self.known = text, known
        kinds = [(str(match.lastgroup), match) for match in _TOKEN.finditer(right)]
        self.tokens = [
            (kind, match[kind].strip("`") if kind == "name" else match[kind])
            for kind, match in kinds
        ]
        self.place = self.depth = 0

    def all_terms(self) -> list[Term]:
        found = self.joined()
        if self.place < len(self.tokens):
            check_part(self.tokens[self.place][1], self.text, self.known)
            self.refuse(f"{self.tokens[self.place][1]!r} is not understood")
        return found

    def joined(self, signs: str = "+*:") -> list[Term]:
        """Return the terms that the first of the signs joins, or the others, or none."""
        if not signs:
            return self.atom()
        found = self.joined(signs[1:])
        while self.takes(signs[0]):
            other = self.joined(signs[1:])
            crossed = [a + b for a in found for b in other]
            found = self.distinct(
                crossed if signs[0] == ":" else found + other + crossed * (signs[0] == "*")
            )
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
            found = self.joined()
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
                why += f", and random effects are given by random={[TOPIC]!r}"
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
                f"{', '.join(self.known)}, or factors of systems by components=..."
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
    """A factor: its levels, the code (n,) of each observation, and which one `lacks` a level."""

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
    found, *others = (factors[name].contrasts[factors[name].codes] for name in term)
    for other in others:
        found = (other[:, :, np.newaxis] * found[:, np.newaxis, :]).reshape(len(found), -1)
    return found


def columns_of_all(
    terms: Sequence[Term], factors: Mapping[str, Factor], n: int
) -> tuple[Array, dict[Term, slice]]:
    """Return the columns of all terms beside each other, and where those of each are."""
    of_terms = [math.prod(len(factors[name].levels) - 1 for name in term) for term in terms]
    check_cost(
        f"{n:,} systems and {sum(of_terms):,} coefficients",
        "factors of fewer levels",
        coefficient_of_a_system=n * sum(of_terms),
        product_of_coefficients=n * sum(of_terms) ** 2,
    )
    parts = [columns_of(term, factors) for term in terms]
    ends = np.cumsum([0, *(part.shape[1] for part in parts)]).tolist()
    places = map(slice, ends, ends[1:])
    return np.hstack([np.empty((n, 0)), *parts]), dict(zip(terms, places, strict=True))


# --- Components of systems: a table with a row for each system and a column for each factor ---

#: The factor whose levels are the systems; it needs no table.
SYSTEM = "system"
#: The key of the file name in the `attrs` of a table of components that was read.
SOURCE = "source"


def factors_of(components: IntoFrame | None, systems: Sequence[str]) -> dict[str, Factor]:
    """Return the factors of systems, and ``system``, from a table as of components.1."""
    factors = {SYSTEM: factor_of(SYSTEM, systems)}
    if components is None:
        return factors
    source = getattr(components, "attrs", {}).get(SOURCE, "components")
    try:
        table, _ = taken(components, source)
    except ScoresError as error:
        raise SpecificationError(
            f"{source} is {a_type(components)}; expected a data frame with a row for each system, "
            "or read_components(path) of a file"
        ) from error
    names = list(map(str, table.columns))
    if SYSTEM not in names:
        raise SpecificationError(
            f"{source} has no column {SYSTEM!r}; expected one with the systems of the scores, and "
            f"one for each factor; found {listed(names)}"
        )
    if TOPIC in names:
        raise SpecificationError(
            f"{source} has a column {TOPIC!r}, which is the factor of the topics of the scores; "
            "expected another name"
        )
    if len(set(names)) < len(names):
        raise SpecificationError(
            f"{source} has two columns of the same name; found {listed(names)}"
        )
    labels = texts(table[SYSTEM].tolist())
    rows = {label: row for row, label in enumerate(labels)}
    wanted = set(systems)
    twice = next((s for i, s in enumerate(labels) if rows[s] != i and s in wanted), None)
    if twice is not None:
        raise SpecificationError(
            f"{source} has two rows for system {twice!r}; expected one for each system"
        )
    absent = [system for system in systems if system not in rows]
    if absent:
        raise SpecificationError(
            f"{source} has no row for {len(absent)} of {len(systems)} systems, such as "
            f"{absent[0]!r}{did_you_mean(absent[0], labels)}; expected one for each"
        )
    places = [rows[system] for system in systems]
    for name in names:
        if name == SYSTEM:
            continue
        levels = table.iloc[places, names.index(name)]
        missing = np.flatnonzero(levels.isna().to_numpy() | (levels.astype(str) == "").to_numpy())
        factor = factor_of(name, list(map(str, levels)))
        if len(missing):
            lacks = f"{source}: system {systems[missing[0]]!r} has no {name}"
            factor = replace(factor, lacks=lacks)
        factors[name] = factor
    return factors


def read_components(path: str | Path) -> pd.DataFrame:
    """Read a table of components from a CSV or TSV file with one row for each system.

    The column ``system`` has the systems, and each other column is a factor. All cells are text,
    because levels are text.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    ModelError
        If the file cannot be read or has no rows, or if a row has more or fewer cells than the
        header.
    ScoresError
        If the content is not text.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "systems.csv"
    ...     _ = path.write_text("system,stemmer\\nbm25,none\\nbm25_p,porter\\n")
    ...     read_components(path)["stemmer"].tolist()
    ['none', 'porter']
    """
    with readable(path, ModelError):
        content = Path(path).read_bytes()
    expected = "a header with system and the factors, and a row for each system"
    found = text_table(source_name(path), content, expected, ModelError)
    found.attrs[SOURCE] = source_name(path)
    return found


# --- What a linear model is given: scores by each scheme, and factors, after checks ---

# Squares of scores below it, or above its inverse, are near the ends of the doubles.
_EXTREME = 1e-150
# What stands beside factors in formulas, and in the tables of terms, variances and means.
_TAKEN = (RESPONSE, "residual", "scheme", "mean", "stderr", "df", "conf_low", "conf_high")
_P = ParamSpec("_P")
_R = TypeVar("_R")


def standardized_by(
    schemes: Sequence[How],
    scores: pd.DataFrame,
    reference: pd.DataFrame | None,
    extra_topics: ExtraTopics,
) -> list[Standardized]:
    """Return the scores by each of one or more schemes; raises `ModelError` for none, or a text."""
    if isinstance(schemes, str) or not schemes:
        raise ModelError(f"schemes={schemes!r} is not accepted; expected a list such as ['raw']")
    check_different(schemes)
    check_extra_of(schemes, reference, extra_topics)
    with each_once():
        return [standardize(scores, how, reference, extra_topics) for how in schemes]


def check_factors(factors: Iterable[Factor]) -> None:
    """Raise `SpecificationError` for factors that no model has, and `ModelError` for one system."""
    for factor in factors:
        check_names([factor.name])
        if factor.name in _TAKEN:
            raise SpecificationError(
                f"a factor is named {factor.name!r}, which is also the name of a column or row of "
                "the results; expected another name"
            )
        if factor.lacks:
            raise SpecificationError(f"{factor.lacks}; expected a level, such as 'none'")
        if len(factor.levels) < 2:
            kind = ModelError if factor.name == SYSTEM else SpecificationError
            raise kind(
                f"the factor {factor.name} has the level {factor.levels[0]!r} for all systems; "
                "expected two levels or more, or a formula without it"
            )


def finite_values(found: Standardized, scheme: str) -> Array:
    """Return the scores, topics x systems; raises `ModelError` for infinite ones."""
    values: Array = found.frame.to_numpy()
    if np.isinf(values).any():
        row, column = np.argwhere(np.isinf(values))[0]
        raise ModelError(
            f"{scheme}: topic {found.used.topics[row]!r}, system {found.used.systems[column]!r} "
            f"has the score {values[row, column]}; expected finite scores, for example by another "
            "policy for constant topics"
        )
    return values


def check_squares(values: Array, scheme: str) -> None:
    """Raise `ModelError` for scores whose squares R cannot add."""
    largest = float(np.abs(values[~np.isnan(values)]).max(initial=0.0))
    if not largest or _EXTREME < largest < 1 / _EXTREME:
        return
    side = "small" if largest < 1 else "large"
    raise ModelError(
        f"{scheme}: the largest score is {largest:g}, and its square is too {side} for R, which "
        f"adds squares as they are; expected a largest score from {_EXTREME:g} to {1 / _EXTREME:g}"
    )


def one_thread(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Return the function, in whose calls BLAS has one thread, as several would wait."""

    @wraps(function)
    def called(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        from threadpoolctl import threadpool_limits

        with threadpool_limits(limits=1, user_api="blas"):
            return function(*args, **kwargs)

    return called


def of_fixed_topics(terms: Sequence[Term], factors: Mapping[str, Factor]) -> list[str]:
    """Return the cautions on an analysis of variance."""
    found = _of_systems(terms, factors)
    if TOPIC not in _names(terms):
        found.append(
            "topic is not in the formula, so the scores on a topic are treated as independent, "
            "although they share its difficulty"
        )
    return found


def of_random_topics(
    terms: Sequence[Term], random: Sequence[Term], factors: Mapping[str, Factor]
) -> list[str]:
    """Return the cautions on a mixed model."""
    with_topic = [set(term) - {TOPIC} for term in random]
    slots = len(factors[SYSTEM].codes)
    same = [
        name_of(term)
        for term in terms
        if set(term) not in with_topic and len(np.unique(_cells(term, factors))) < slots
    ]
    found = _of_systems(terms, factors)
    if same:
        effects = "effect" if len(same) == 1 else "effects"
        verb = "is" if len(same) == 1 else "are"
        found.append(
            f"the {effects} of {listed(same)} {verb} assumed to be the same on all topics, because "
            f"topic:{same[0]} is not a random term"
        )
    systems = factors[SYSTEM].codes
    groups = [_cells(sorted(own), factors) for own in with_topic if own]
    if len(np.unique(systems)) < slots and not any(_alike(own, systems) for own in groups):
        found.append(
            "several scores of a system on a topic are treated as independent, because "
            "topic:system is not a random term"
        )
    return found


def _of_systems(terms: Sequence[Term], factors: Mapping[str, Factor]) -> list[str]:
    """Return a caution where systems have the same levels of all factors of the terms."""
    names = [name for name in _names(terms) if name != TOPIC]
    if not names:
        return []
    systems = factors[SYSTEM]
    both = np.unique(np.stack([_cells(names, factors), systems.codes]), axis=1)
    cells, first, count = np.unique(both[0], return_index=True, return_counts=True)
    if len(cells) == both.shape[1]:
        return []
    place = first[int(np.argmax(count > 1))]
    one, other = (systems.levels[code] for code in both[1, place : place + 2])
    return [
        f"systems such as {one!r} and {other!r} have the same {listed(names)}: their differences "
        "on all topics are in the residuals, so tests are about these systems, not about other "
        "systems with these levels"
    ]


def _names(terms: Iterable[Term]) -> list[str]:
    return list(dict.fromkeys(name for term in terms for name in term))


def _cells(names: Sequence[str], factors: Mapping[str, Factor]) -> IntArray:
    """Return the number of the combination of levels of each slot."""
    levels = np.stack([factors[name].codes for name in names])
    _, codes = np.unique(levels, axis=1, return_inverse=True)
    return np.asarray(codes.ravel())


def _alike(one: IntArray, other: IntArray) -> bool:
    both = len(np.unique(np.stack([one, other]), axis=1).T)
    return both == len(np.unique(one)) == len(np.unique(other))
