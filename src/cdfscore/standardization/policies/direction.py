"""Policy for topics on which lower is better, such as error rates: their scores are reversed."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from cdfscore.errors import MissingScoreError, SchemeError, ScoresError, did_you_mean
from cdfscore.io import text
from cdfscore.io.scores.memory import is_standardized, measure_of, systems_were_rows
from cdfscore.numerics.numbers import finite_number, shown
from cdfscore.numerics.types import Array, BoolArray
from cdfscore.schemes.base import Scheme
from cdfscore.spelling import argument, option

if TYPE_CHECKING:
    from cdfscore.standardization.matrix import ScoreMatrix
    from cdfscore.standardization.policies.missing import MissingPolicy

#: Labels of the topics on which lower is better, or True for all topics.
LowerIsBetter = tuple[str, ...] | Literal[True]
#: The same in the forms that users may give.
AnyLowerIsBetter = bool | str | Iterable[str]

#: Last words of the names of measures for which lower is better.
_ERRORS = frozenset(
    {
        *("wer", "cer", "mer", "ter", "eer", "error", "errors", "loss", "perplexity", "ppl"),
        *("mae", "mse", "rmse"),
    }
)
# Unit of the last decimal of a reflected score, and the largest number that is exact with it.
_UNIT = 1e12
_LARGEST = 2.0**53 / _UNIT


def check_policy(
    lower_is_better: AnyLowerIsBetter, reflect_at: float, *schemes: Scheme
) -> tuple[LowerIsBetter, float]:
    """Return the labels, or True for all topics, and the number to reflect at.

    Raises `SchemeError` if `lower_is_better` has no labels, if the number is not finite or has
    nothing to reflect, and if the domain of a scheme has no negative numbers.
    """
    lower, at = _labels(lower_is_better), finite_number(reflect_at)
    if at is None:
        given = argument("reflect_at", reflect_at, shown=shown)
        raise SchemeError(f"{given} is not accepted; expected a number")
    if at and not lower:
        raise SchemeError(
            f"{argument('reflect_at', digits(at), shown=str)} reflects scores where lower is "
            f"better, and {option('lower_is_better')} names no topic; expected labels of topics, "
            f"or {argument('lower_is_better', True)} for all"
        )
    for scheme in schemes if lower and not at else ():
        low, high = scheme.domain
        if low >= 0:
            bounded = high < math.inf
            at_what = digits(low + high) if bounded else "X"
            which = "" if bounded else ", a number that no score exceeds"
            ends = f"[{low:g}, {high:g}]" if bounded else f"[{low:g}, infinity)"
            raise SchemeError(
                f"{scheme} is a distribution on {ends}, and where lower is better scores are "
                f"negated; expected {argument('reflect_at', at_what, shown=str)}{which}, so that "
                f"x becomes {at_what} - x, or another scheme"
            )
    return lower, at


def check_labels(
    lower_is_better: LowerIsBetter, topics: Iterable[str], systems: Collection[str]
) -> None:
    """Raise `ScoresError` for a label that no topic has; `systems` are for its message."""
    if lower_is_better is True or not lower_is_better:
        return
    known = list(topics)
    if unknown := set(lower_is_better).difference(known):
        label = next(label for label in lower_is_better if label in unknown)
        hint = did_you_mean(label, known)
        if label in systems:
            hint = f", and {label!r} is a system"
        elif not {*(parts := [part.strip() for part in label.split(",")])}.isdisjoint(known):
            hint = f"; several are given as {argument('lower_is_better', parts)}"
        raise ScoresError(
            f"there is no topic {label!r}, on which lower is given as better{hint}; expected "
            f"labels of topics ({text.listed(known)}), or {argument('lower_is_better', True)} for "
            "all topics"
        )


def settled(
    matrix: ScoreMatrix,
    source: str,
    missing: MissingPolicy,
    lower_is_better: LowerIsBetter,
    reflect_at: float,
) -> ScoreMatrix:
    """Return the matrix after the policy for missing scores, reversed where lower is better.

    Raises `MissingScoreError` under "raise", and under "zero" for a score that is missing where
    0 would be the best; `source` is for messages.
    """
    if missing == "zero":
        _refuse_zeros(lower_is_better, matrix, source)
    matrix = matrix.after(missing, source)
    rows = _rows(lower_is_better, matrix.topics)
    if not rows.any():
        return matrix
    import pandas as pd

    values = matrix.values.copy()
    values[rows] = reflected(reflect_at, values[rows])
    frame = pd.DataFrame(values, index=matrix.frame.index, columns=matrix.frame.columns)
    return replace(matrix, frame=frame, values=values)


def errors_as_scores(given: ScoreMatrix, lower_is_better: LowerIsBetter) -> list[str]:
    """Return a sentence if names are those of errors, and no topic is one where lower is better.

    The names are those of the measure and, in a leaderboard, of the columns. Standardized scores
    and negated scores are not named: higher is better on them already.
    """
    if lower_is_better or is_standardized(given.frame) or not (given.values > 0).any():
        return []
    topics = list(filter(_is_error, given.topics)) if systems_were_rows(given.frame) else []
    measure = measure_of(given.frame)
    if topics:
        which = f"{text.counted(len(topics), 'topic')} ({text.listed(topics)})"
    elif measure is not None and _is_error(measure):
        which = f"the measure ({measure})"
    else:
        return []
    return [
        f"higher scores are taken as better, but {which} may be of errors by name; use "
        f"{argument('lower_is_better', topics or True)} if lower is better"
    ]


def _is_error(label: str) -> bool:
    words = re.findall(r"[^\W\d_]+", label.casefold())
    return bool(words) and words[-1] in _ERRORS


def refuse_zeros_of_absent(lower_is_better: LowerIsBetter, topics: Sequence[str]) -> None:
    """Raise `MissingScoreError` for absent topics with scores of 0, if 0 would be the best."""
    if absent := reversed_topics(lower_is_better, topics):
        raise MissingScoreError(
            f"the scores lack topic {absent[0]!r}, and lower is better on it: "
            f"{argument('missing', 'zero')} would give every system the best score; use another "
            "policy, or add scores of the topic"
        )


def reflected(at: float, scores: Array) -> Array:
    """Return at - x for each score x: with at = 0, the negated scores, which have no rounding.

    Decimals stay decimals, so that ties stay ties: if at - x has up to 12 decimals, except for
    the rounding of x and of the difference, the result is the double nearest to that decimal.

    Examples
    --------
    >>> (1 - np.array([0.9, 0.7])).tolist(), reflected(1.0, np.array([0.9, 0.7])).tolist()
    ([0.09999999999999998, 0.30000000000000004], [0.1, 0.3])
    """
    difference: Array = at - scores
    # One width for all scores, so that their order does not change.
    decimal = np.rint(np.clip(difference, -_LARGEST, _LARGEST) * _UNIT) / _UNIT
    near = np.abs(decimal - difference) <= 2.0**-52 * abs(at)
    return np.where(near, decimal, difference)


def reversed_topics(lower_is_better: LowerIsBetter, topics: Sequence[str]) -> list[str]:
    """Return the topics on which lower is better."""
    if not lower_is_better:
        return []
    rows = _rows(lower_is_better, topics).tolist()
    return [topic for topic, lower in zip(topics, rows, strict=True) if lower]


def notes(lower_is_better: LowerIsBetter, reflect_at: float, topics: Sequence[str]) -> list[str]:
    """Return the note on the topics, if lower is better on any.

    >>> notes(("wer", "ppl"), 0.0, ("accuracy", "wer"))
    ['lower is better on topic wer: its scores are negated, so that higher is better']
    """
    lower = reversed_topics(lower_is_better, topics)
    if not lower:
        return []
    places = f"{len(lower)} topics ({text.listed(lower)}): their"
    if len(lower) == 1:
        places = f"topic {text.listed(lower)}: its"
    elif len(lower) == len(topics):
        places = "every topic: all"
    return [f"lower is better on {places} scores are {_how(reflect_at)}, so that higher is better"]


def change(lower_is_better: LowerIsBetter, reflect_at: float, topics: Sequence[str]) -> str:
    """Return what becomes of scores where lower is better, "" if it is so on none of the topics.

    >>> change(("wer", "ppl"), 0.0, ("accuracy", "wer")), change(True, 1.0, ("wer", "ppl"))
    ('negated on topic wer', 'reflected, from x to 1 - x, on every topic')
    """
    lower = reversed_topics(lower_is_better, topics)
    if not lower:
        return ""
    on = f"{len(lower)} topics ({text.listed(lower)})" if len(lower) > 1 else f"topic {lower[0]}"
    if len(lower) == len(topics) > 1:
        on = "every topic"
    return f"{_how(reflect_at, ',')} on {on}"


def _how(reflect_at: float, end: str = "") -> str:
    return f"reflected, from x to {digits(reflect_at)} - x{end}" if reflect_at else "negated"


def of_scores(lower_is_better: LowerIsBetter, reflect_at: float, topic: str) -> str:
    """Say in an error, after the topic, that its scores are not as given."""
    if not reversed_topics(lower_is_better, (topic,)):
        return ""
    return f" (scores {digits(reflect_at)} - x)" if reflect_at else " (scores -x)"


def digits(number: float) -> str:
    """Return all digits of a number, without the decimal point of a whole one."""
    return repr(number).removesuffix(".0")


def _labels(given: AnyLowerIsBetter) -> LowerIsBetter:
    if isinstance(given, bool):
        return True if given else ()
    labels = [given] if isinstance(given, str) else given
    try:
        found = dict.fromkeys(str(label).strip() for label in labels)
    except TypeError:
        raise SchemeError(
            f"{argument('lower_is_better', given, shown=shown)} is not accepted; expected labels "
            f"of topics, or {argument('lower_is_better', True)} for all topics"
        ) from None
    return tuple(found)


def _rows(lower_is_better: LowerIsBetter, topics: Sequence[str]) -> BoolArray:
    if lower_is_better is True or not lower_is_better:
        return np.full(len(topics), lower_is_better is True)
    labels = set(lower_is_better)
    return np.fromiter((topic in labels for topic in topics), np.bool_, len(topics))


def _refuse_zeros(lower_is_better: LowerIsBetter, matrix: ScoreMatrix, source: str) -> None:
    missing = np.isnan(matrix.values) & _rows(lower_is_better, matrix.topics)[:, np.newaxis]
    if missing.any():
        row, column = np.argwhere(missing)[0]
        raise MissingScoreError(
            f"{source}, topic {matrix.topics[row]!r}, system {matrix.systems[column]!r}: the "
            f"score is missing, and lower is better on the topic: {argument('missing', 'zero')} "
            f"would make it the best score; use {argument('missing', 'omit', 'drop_topic')}",
            cell=(matrix.topics[row], matrix.systems[column]),
        )
