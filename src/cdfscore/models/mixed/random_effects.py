"""Random terms of a mixed model: topic, and topic with factors of its scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from cdfscore.errors import ModelError, SpecificationError, did_you_mean
from cdfscore.models.crossed import Factor
from cdfscore.models.formula import TOPIC, Term, name_of
from cdfscore.models.mixed.likelihood import likelihood
from cdfscore.models.mixed.sums import Sums
from cdfscore.models.names import check_part, names_in
from cdfscore.numerics.types import Array
from cdfscore.spelling import argument

#: The name of the variance of the residuals.
RESIDUAL = "residual"
# 1 minus the squared correlation of two covariances that are the same, apart from rounding errors.
_ALIKE = 1e-9


def parse_random(terms: Sequence[str], factors: Mapping[str, Factor]) -> tuple[Term, ...]:
    """Parse random terms such as ``topic`` and ``topic:stemmer``, in their order.

    A factor may be between backticks, as in a formula. Raises `SpecificationError` for a list
    without topic, because scores on a topic share its difficulty; for a term that does not contain
    topic; for a name that is not a factor; and for a term that is given twice.
    """
    listed = isinstance(terms, Iterable) and not isinstance(terms, str)
    if not listed or not all(isinstance(term, str) for term in terms):
        raise SpecificationError(
            f"{argument('random', terms)} is not accepted; expected a list such as ['topic']"
        )
    known = (TOPIC, *factors)
    found = []
    for text in terms:
        names = names_in(text)
        if "" in names:
            raise SpecificationError(
                f"{argument('random', text)} lacks a name; expected topic, or a term such as "
                f"{TOPIC}:{next(iter(factors))}"
            )
        for name in names:
            if name not in known:
                check_part(name, text, known)
                parts = [part.strip() for part in text.split(",")]
                each = f", and each term by itself, {argument('random', parts)}"
                raise SpecificationError(
                    f"{argument('random', text)} names {name!r}, which is not a "
                    f"factor{did_you_mean(name, known)}; expected some of {', '.join(known)}, "
                    f"joined by :{each if len(parts) > 1 else ''}"
                )
        if TOPIC not in names:
            raise SpecificationError(
                f"{argument('random', text)} does not contain topic; expected topic, or a term "
                f"such as {TOPIC}:{text}, whose effects on two topics are independent (g_study has "
                "random systems)"
            )
        found.append((TOPIC, *dict.fromkeys(name for name in names if name != TOPIC)))
    if (TOPIC,) not in found:
        raise SpecificationError(
            f"the random terms {', '.join(map(name_of, found)) or '(none)'} lack topic; expected "
            "topic among them, because the scores on a topic share its difficulty"
        )
    twice = next((t for i, t in enumerate(found) if set(t) in map(set, found[:i])), None)
    if twice is not None:
        raise SpecificationError(
            f"the random term {name_of(twice)} is given twice; expected it once"
        )
    return tuple(found)


def indicators(term: Term, factors: Mapping[str, Factor], slots: int) -> Array:
    """Return the columns (slots, levels) of a random term within a topic."""
    own = [factors[name].codes for name in term if name != TOPIC]
    levels = np.stack([np.zeros(slots, np.int64), *own], axis=1)
    _, codes = np.unique(levels, axis=0, return_inverse=True)
    codes = codes.ravel()
    return np.eye(codes.max() + 1)[codes]


def check_distinct(sums: Sums, terms: Sequence[Term]) -> None:
    """Raise `ModelError` for random terms whose variances cannot be separated.

    In that case the information matrix of the variances, tr(P V_j P V_k) with P of least squares,
    is singular.
    """
    point = likelihood(sums, np.append(np.zeros(len(terms)), 1.0), "REML")
    own = np.hstack([point.products, point.traces[:, np.newaxis]])
    information = np.vstack([own, np.append(point.traces, point.degrees)])
    size = np.sqrt(information.diagonal())
    names = [*map(name_of, terms), RESIDUAL]
    nothing = [name for name, own in zip(names, size, strict=True) if own**2 <= _ALIKE * sums.n]
    if nothing:
        raise ModelError(
            f"the variance of {nothing[0]} cannot be estimated, because the fixed effects explain "
            "all of it; expected two topics or more, and another formula"
        )
    correlations = information / np.outer(size, size)
    last = len(names) - 1
    for k, name in enumerate(names[:-1]):
        given = [last, *range(k)]
        own = correlations[np.ix_(given, given)]
        across = correlations[given, k]
        if 1 - across @ np.linalg.solve(own, across) > _ALIKE:
            continue
        same = next((j for j in given if 1 - correlations[j, k] ** 2 <= _ALIKE), None)
        if same == last:
            raise ModelError(
                f"{name} has one score for each of its levels, so its variance is that of the "
                "residuals; omit it from the random terms, or give replicates: several scores of a "
                f"system on a topic, identified by {argument('replicate', 'COLUMN')}"
            )
        others = name_of(terms[same]) if same is not None else "other terms and residuals together"
        raise ModelError(
            f"the variance of {name} cannot be separated from that of {others}, because their "
            "levels are the same on each topic; omit one of them from the random terms"
        )
