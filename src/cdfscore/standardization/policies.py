"""Score matrices, and policies for constant topics, gaps, unfitted topics, and lower is better."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from cdfscore.common import text
from cdfscore.common.text import written
from cdfscore.errors import (
    ConstantTopicError,
    FitError,
    MissingScoreError,
    SchemeError,
    ScoresError,
    check_one_of,
    did_you_mean,
)
from cdfscore.scores.dataframes import remembered
from cdfscore.stats.numerics.compiled import all_finite
from cdfscore.stats.numerics.numbers import finite_number, shown
from cdfscore.stats.numerics.types import Array, IntArray
from cdfscore.stats.schemes.base import Distribution, Fitted, Scheme

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.scores.cautions import Found
    from cdfscore.scores.dataframes import IntoFrame

# --- Checked score matrix, with its labels as text ---

MissingPolicy = Literal["raise", "omit", "zero", "drop_topic"]


@dataclass(frozen=True, eq=False)
class ScoreMatrix:
    """A checked score matrix: the frame, its values, and labels to match topics."""

    frame: pd.DataFrame
    values: Array
    topics: tuple[str, ...]
    systems: tuple[str, ...]
    #: False if topics are numbered by their position.
    labelled: bool
    #: What was found in these scores, of one frame: by `of_results`, and the digest.
    _known: dict[object, Any] = field(init=False, default_factory=dict, repr=False)

    @classmethod
    def of(cls, scores: IntoFrame) -> ScoreMatrix:
        """Check `scores`; raises `ScoresError` if they are not a score matrix."""
        # Here, as the command line reads the names of policies without pandas.
        import pandas as pd

        from cdfscore.scores.frame import checked_scores

        frame, topics, systems, known = checked_scores(scores)
        labelled = not isinstance(frame.index, pd.RangeIndex)
        # Row by row, as every fit needs them: a frame has them column by column.
        values = np.ascontiguousarray(frame.to_numpy())
        found = cls(frame, values, tuple(topics), tuple(systems), labelled)
        object.__setattr__(found, "_known", known)
        return found

    def doubts(
        self, lower: Collection[str] = (), *, reference: bool = False, raw: bool = False
    ) -> list[Found]:
        """Return what is said of topics and systems that may be in disorder; see `Matrix`."""
        from cdfscore.scores.cautions import Matrix, kept_by, of_results

        kept = kept_by(self.frame)
        return of_results(
            Matrix(self.topics, self.systems, self.values, kept, lower, reference, raw), self._known
        )

    def missing(self) -> int:
        """Count the missing scores."""
        return int(np.count_nonzero(np.isnan(self.values)))

    def after(self, policy: MissingPolicy, source: str) -> ScoreMatrix:
        """Return the matrix after a policy for missing scores; `source` is for messages.

        Raises `MissingScoreError` under "raise".
        """
        if policy == "omit" or all_finite(self.values):
            return self
        missing = np.isnan(self.values)
        if not missing.any():
            return self
        if policy == "zero":
            frame = self.frame.fillna(0.0)
            return replace(self, frame=frame, values=frame.to_numpy())
        if policy == "drop_topic":
            kept = self.take([not row.any() for row in missing])
            if not kept.topics:
                raise MissingScoreError(
                    f"{source}: every topic has a missing score, so that missing='drop_topic' "
                    "leaves none"
                )
            return kept
        row, column = np.argwhere(missing)[0]
        where = source, self.topics[row], self.systems[column]
        raise missing_refused(*where, int(missing.sum()))

    def take(self, keep: list[bool]) -> ScoreMatrix:
        """Return the topics to keep, in their order."""
        if all(keep):
            return self
        topics = tuple(t for t, kept in zip(self.topics, keep, strict=True) if kept)
        return replace(self, frame=self.frame[keep], values=self.values[keep], topics=topics)

    def in_order(self, topics: Sequence[str], systems: Sequence[str]) -> ScoreMatrix:
        """Return the same scores in the order of these labels, if the labels are the same."""
        if not self.labelled or sorted(topics) != sorted(self.topics):
            topics = self.topics
        if sorted(systems) != sorted(self.systems):
            systems = self.systems
        if (*topics,) == self.topics and (*systems,) == self.systems:
            return self
        rows, columns = (
            list(map({label: i for i, label in enumerate(own)}.__getitem__, labels))
            for own, labels in ((self.topics, topics), (self.systems, systems))
        )
        values = self.values[np.ix_(rows, columns)]
        frame = self.frame.iloc[rows, columns]
        return replace(
            self, frame=frame, values=values, topics=tuple(topics), systems=tuple(systems)
        )

    def digest(self) -> str:
        """Return the digest of labels and scores; see `digest_of_scores`."""
        if "digest" not in self._known:
            self._known["digest"] = digest_of_scores(self.topics, self.systems, self.values)
        return str(self._known["digest"])


def digest_of_scores(topics: Sequence[str], systems: Sequence[str], values: Array) -> str:
    """Return ``sha256:...`` of labels and scores, the same for equal matrices on every machine."""
    sha = hashlib.sha256(json.dumps([list(topics), list(systems)]).encode())
    missing = np.isnan(values)
    if missing.any():
        values = np.where(missing, np.nan, values)
    sha.update(np.ascontiguousarray(values, dtype="<f8").data)
    return f"sha256:{sha.hexdigest()}"


# --- Policies for constant topics: those on which all reference scores are equal ---

ConstantPolicy = Literal[
    "limit", "half", "nan", "drop_topic", "raise", "urbano2019", "trec_eval", "matters"
]
CONSTANT_POLICIES: tuple[str, ...] = get_args(ConstantPolicy)

# Value of trec_eval for a score off the mean of a constant topic, and for a missing score.
_TREC_EVAL_MISSING = -1_000_000.0

#: What became of a topic on which all reference scores are equal, for a methods paragraph.
CONSTANT_TOLD = {
    "limit": "its standardized scores were the limit of the scheme as the spread goes to 0",
    "half": "all of its standardized scores were 0.5",
    "nan": "it got no standardized scores",
    "drop_topic": "it was left out",
    "raise": "the analysis would have stopped",
    "urbano2019": "the standard deviation was set to 1 and the mean to 0",
    "matters": "the standard deviation was set to 1",
    "trec_eval": "scores at the mean became 0, and others -1,000,000",
}


def check_constant(policy: str, scheme: Scheme) -> None:
    """Raise `SchemeError` for an unknown policy, or one that is not defined for `scheme`.

    limit       the limit of the scheme as the spread goes to 0; each scheme documents it
    half        1/2 for every score, for a cdf
    nan         NaN for every score, for a scheme that is fitted (all but raw)
    drop_topic  omit the topic for all systems, also of raw scores
    raise       an error that names the topics, for a scheme that is fitted
    urbano2019  mean 0 and sd 1, as in the 2019 scripts; no change if the scheme needs no spread
    matters     the mean of the topic and sd 1, as in the MATTERS toolkit
    trec_eval   0 at the mean and -1000000 off it, as in ``trec_eval -Z``, for z

    Raises `SchemeError`.

    Examples
    --------
    >>> from cdfscore.stats.schemes import Z
    >>> check_constant("trec_eval", Z())
    >>> check_constant("half", Z())
    Traceback (most recent call last):
        ...
    cdfscore.errors.SchemeError: constant='half' is defined for a cdf, not for z
    """
    check_one_of("constant", policy, CONSTANT_POLICIES, SchemeError)
    moments = {"mean", "sd"} <= set(scheme.parameter_names())
    is_fitted = bool(scheme.parameter_names()), "a scheme that is fitted"
    is_defined, kind = {
        "nan": is_fitted,
        "raise": is_fitted,
        "half": (scheme.is_cdf, "a cdf"),
        "urbano2019": (
            moments or not scheme.needs_spread,
            "a scheme with a mean and an sd, or one that needs no spread",
        ),
        "matters": (moments, "a scheme with a mean and an sd"),
        "trec_eval": (scheme.name == "z", "z"),
    }.get(policy, (True, ""))
    if not is_defined:
        raise SchemeError(f"constant={policy!r} is defined for {kind}, not for {scheme}")


def used(policy: ConstantPolicy, scheme: Scheme) -> str:
    """Return the end of a note: the policy that determines the scores, "" if none does."""
    decides = scheme.needs_spread or policy in ("half", "nan", "drop_topic")
    return f": the policy {policy} is used" if decides else ""


def equal(scores: ScoreMatrix) -> list[str]:
    """Return the topics whose scores are all equal, of raw scores, to which nothing is fitted."""
    low, high = (each.reduce(scores.values, axis=1) for each in (np.fmin, np.fmax))
    return [topic for topic, same in zip(scores.topics, low == high, strict=True) if same]


def around(policy: ConstantPolicy, fitted: Fitted) -> Array:
    """Return c, the score of each topic, and y at c - 1, c and c + 1; (constant topics, 4).

    There are no rows for a scheme that does not tell c.
    """
    constant = np.flatnonzero(fitted.constant)
    own = fitted.take(constant) if constant.size else fitted
    one = next((own.parameters[name] for name in ("mean", "min") if name in own.parameters), None)
    if isinstance(fitted.scheme, Distribution) and constant.size:
        one = own.support[0][:, np.newaxis]
    if one is None or not constant.size:
        return np.empty((0, 4))
    x = one + np.array([-1.0, 0.0, 1.0])
    with np.errstate(all="ignore"):
        return np.concatenate([one, evaluate(policy, own, x)], axis=1)


#: The accepted values if a topic is constant under ``constant="raise"``.
ANOTHER = "another policy for constant topics, such as 'limit'"


def constant_refused(
    found: str, row: int | None = None, expected: str = ANOTHER
) -> ConstantTopicError:
    """Return the error under ``constant="raise"``: what was found, and what is accepted."""
    return ConstantTopicError(f"{found}; expected {expected}", row=row)


def evaluate(policy: ConstantPolicy, fitted: Fitted, x: Array) -> Array:
    """Standardize scores x (topics, m) by `fitted`, with `policy` for constant topics."""
    parameters = fitted.parameters
    if policy in ("urbano2019", "matters") and {"mean", "sd"} <= parameters.keys():
        equal_scores = parameters["sd"] == 0
        substitutes = {"sd": np.where(equal_scores, 1.0, parameters["sd"])}
        if policy == "urbano2019":
            substitutes["mean"] = np.where(equal_scores, 0.0, parameters["mean"])
        fitted = fitted.scheme.restore({**parameters, **substitutes})
    y, constant = fitted(x), fitted.constant
    if policy not in ("half", "nan", "drop_topic", "trec_eval") or not constant.any():
        return y
    rows = np.flatnonzero(np.broadcast_to(constant, x.shape[:1]))
    value: float | Array = 0.5 if policy == "half" else np.nan  # drop_topic is applied before
    if policy == "trec_eval":
        value = np.where(x[rows] == fitted.parameters["mean"][rows], 0.0, _TREC_EVAL_MISSING)
    y[rows] = np.where(np.isnan(x[rows]), np.nan, value)
    return y


def denominators(policy: ConstantPolicy, fitted: Fitted) -> IntArray | None:
    """Return what the counts of `evaluate` are divided by (topics, 1), None if y is no count."""
    found = fitted.denominators
    if found is None or policy != "half":
        return found
    return np.where(fitted.constant[:, np.newaxis], 2, found)


# --- Policies for missing scores ---

#: What became of missing scores in tests of pairs, for a methods paragraph.
MISSING_TOLD = {
    "raise": "No score was missing.",
    "omit": "Where a score was missing, a pair was tested on the {topics} of both {systems}.",
    "zero": "Where a score was missing, it counted as 0.",
    "drop_topic": "Where a score was missing, the {topic} was left out.",
}
MISSING_POLICIES: tuple[str, ...] = get_args(MissingPolicy)


def check_missing(policy: str) -> None:
    """Raise `SchemeError` for an unknown policy.

    raise       an error that names the first missing score
    omit        omit the score: the topic is fitted to the others, and its y is missing too
    zero        use 0 as the score, as ``trec_eval -c`` does
    drop_topic  omit the topic for all systems

    Raises `SchemeError`.

    Examples
    --------
    >>> check_missing("omit")
    >>> try:
    ...     check_missing("none")
    ... except SchemeError as error:
    ...     print(error)
    missing='none' is not accepted; expected one of raise, omit, zero, drop_topic
    """
    check_one_of("missing", policy, MISSING_POLICIES, SchemeError)


def missing_refused(source: str, topic: str, system: str, number: int) -> MissingScoreError:
    """Return the error under "raise": the first missing score, and how many there are."""
    return MissingScoreError(
        f"{source}, topic {topic!r}, system {system!r}: the score is missing ({number} missing in "
        "all); choose a policy by missing='omit', 'zero' or 'drop_topic'",
        cell=(topic, system),
    )


# --- Policies for unfitted topics: those that a scheme cannot be fitted to ---

UnfittedPolicy = Literal["raise", "nan", "drop_topic"]
UNFITTED_POLICIES: tuple[str, ...] = get_args(UnfittedPolicy)


def check_unfitted(policy: str) -> None:
    """Raise `SchemeError` for an unknown policy.

    raise       an error that names the first such topic and the reason
    nan         NaN for every score of the topic
    drop_topic  omit the topic

    Raises `SchemeError`.

    Examples
    --------
    >>> check_unfitted("nan")
    >>> try:
    ...     check_unfitted("zero")
    ... except SchemeError as error:
    ...     print(error)
    unfitted='zero' is not accepted; expected one of raise, nan, drop_topic
    """
    check_one_of("unfitted", policy, UNFITTED_POLICIES, SchemeError)


def fit_by(
    policy: UnfittedPolicy, scheme: Scheme, scores: Array, place: Callable[[int], str]
) -> tuple[Fitted, IntArray, dict[int, str]]:
    """Fit the rows of `scores` where possible, or all under "raise"; as `fit_where_possible`.

    `place` names a row in the error.
    """
    if policy != "raise":
        return fit_where_possible(scheme, scores)
    try:
        return scheme.fit(scores), np.arange(len(scores)), {}
    except FitError as error:
        if error.row is None:
            raise
        # Without the row, which is one of this batch and not of the caller's scores.
        raise FitError(f"{place(error.row)}: {error.reason}") from error


def no_topic(scheme: Scheme, place: str, reason: str) -> FitError:
    """Return the error for a scheme that cannot be fitted to any topic."""
    return FitError(f"{scheme} cannot be fitted to any topic; {place}: {reason}")


def fit_where_possible(scheme: Scheme, scores: Array) -> tuple[Fitted, IntArray, dict[int, str]]:
    """Fit the rows of `scores` (rows, n) that the scheme can be fitted to.

    Returns the fit of those rows, their numbers, and the reason for each unfitted row by its
    number. Raises `FitError` for scores that are not a batch of
    samples.

    Examples
    --------
    >>> from cdfscore.stats.schemes import Normal
    >>> fitted, rows, reasons = fit_where_possible(Normal(), np.array([[0.1], [0.2]]))
    >>> rows.tolist(), reasons[1]
    ([], 'normal needs at least 2 reference scores and there is 1')
    """
    rows = np.arange(len(scores))
    reasons: dict[int, str] = {}
    while True:
        try:
            return scheme.fit(scores[rows]), rows, reasons
        except FitError as error:
            if not error.rows:  # the error is not about rows, or gives no reasons
                raise
            reasons |= {int(rows[row]): reason for row, reason in error.rows.items()}
            rows = np.delete(rows, list(error.rows))


# --- Policy for topics on which lower is better, such as error rates: their scores are reversed ---

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


def check_direction(
    lower_is_better: AnyLowerIsBetter, reflect_at: float, *schemes: Scheme
) -> tuple[LowerIsBetter, float]:
    """Return the labels, or True for all topics, and the number to reflect at."""
    lower: LowerIsBetter = True if lower_is_better is True else ()
    if not isinstance(lower_is_better, bool):
        labels = [lower_is_better] if isinstance(lower_is_better, str) else lower_is_better
        try:
            lower = tuple(dict.fromkeys(map(str.strip, map(str, labels))))
        except TypeError:
            raise SchemeError(
                f"lower_is_better={shown(lower_is_better)} is not accepted; expected labels of "
                "topics, or lower_is_better=True for all topics"
            ) from None
    at = finite_number(reflect_at)
    if at is None:
        given = f"reflect_at={shown(reflect_at)}"
        raise SchemeError(f"{given} is not accepted; expected a number")
    if at and not lower:
        raise SchemeError(
            f"reflect_at={written(at)} reflects scores where lower is better, and "
            "lower_is_better=... names no topic; expected labels of topics, or "
            "lower_is_better=True for all"
        )
    for scheme in schemes if lower and not at else ():
        low, high = scheme.domain
        if low >= 0:
            bounded = high < math.inf
            at_what = written(low + high) if bounded else "X"
            which = "" if bounded else ", a number that no score exceeds"
            ends = f"[{low:g}, {high:g}]" if bounded else f"[{low:g}, infinity)"
            raise SchemeError(
                f"{scheme} is a distribution on {ends}, and where lower is better scores are "
                f"negated; expected reflect_at={at_what}{which}, so that x becomes {at_what} - x, "
                "or another scheme"
            )
    return lower, at


@text.worded()
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
            hint = f"; several are given as lower_is_better={parts!r}"
        raise ScoresError(
            f"there is no topic {label!r}, on which lower is given as better{hint}; expected "
            f"labels of topics ({text.kept(*known)}), or lower_is_better=True for all topics"
        )


@text.worded()
def settled(
    matrix: ScoreMatrix,
    source: str,
    missing: MissingPolicy,
    lower_is_better: LowerIsBetter,
    reflect_at: float,
) -> ScoreMatrix:
    """Return the matrix after the policy for missing scores, reversed where lower is better.

    `source` is for messages.
    """
    lower = set(reversed_topics(lower_is_better, matrix.topics))
    if lower and missing == "zero":
        bad = np.isnan(matrix.values) & [[topic in lower] for topic in matrix.topics]
        if bad.any():
            row, column = np.argwhere(bad)[0]
            topic, system = matrix.topics[row], matrix.systems[column]
            raise MissingScoreError(
                f"{source}, topic {topic!r}, system {system!r}: the score is missing, and lower is "
                "better on the topic: missing='zero' would make it the best score; use "
                "missing='omit' or 'drop_topic'",
                cell=(topic, system),
            )
    matrix = matrix.after(missing, source)
    if lower.isdisjoint(matrix.topics):
        return matrix
    import pandas as pd

    values, rows = matrix.values.copy(), [topic in lower for topic in matrix.topics]
    values[rows] = reflected(reflect_at, values[rows])
    frame = pd.DataFrame(values, index=matrix.frame.index, columns=matrix.frame.columns)
    return replace(matrix, frame=frame, values=values)


def errors_as_scores(given: ScoreMatrix, lower_is_better: LowerIsBetter) -> list[str]:
    """Return a sentence if names are those of errors, and no topic is one where lower is better."""
    known = remembered(given.frame)
    if lower_is_better or known.get("standardized"):
        return []
    topics = list(filter(_is_error, given.topics)) if known.get("systems_were_rows") else []
    measure = known.get("measure")
    if topics:
        which = f"{text.counted(len(topics), 'topic')} ({text.kept(*topics)})"
    elif measure is not None and _is_error(measure):
        which = f"the measure ({measure})"
    else:
        return []
    if not (given.values > 0).any():
        return []
    return [
        f"higher scores are taken as better, but {which} may be of errors by name; use "
        f"lower_is_better={(topics if 0 < len(topics) < len(given.topics) else True)!r} if lower "
        "is better"
    ]


def _is_error(label: str) -> bool:
    words = re.findall(r"[^\W\d_]+", label.casefold())
    return bool(words) and words[-1] in _ERRORS


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
    labels = set(topics if lower_is_better is True else lower_is_better)
    return [topic for topic in topics if topic in labels]


def notes(lower_is_better: LowerIsBetter, reflect_at: float, topics: Sequence[str]) -> list[str]:
    """Return the note on the topics, if lower is better on any."""
    lower = reversed_topics(lower_is_better, topics)
    if not lower:
        return []
    places = f"{text.named(lower)}: {'its' if len(lower) == 1 else 'their'}"
    if len(lower) == len(topics) > 1:
        places = "every topic: all"
    return [f"lower is better on {places} scores are {_how(reflect_at)}, so that higher is better"]


def change(lower_is_better: LowerIsBetter, reflect_at: float, topics: Sequence[str]) -> str:
    """Return what becomes of scores where lower is better, "" if it is so on none of the topics."""
    lower = reversed_topics(lower_is_better, topics)
    if not lower:
        return ""
    on = "every topic" if len(lower) == len(topics) > 1 else text.named(lower)
    return f"{_how(reflect_at, ',')} on {on}"


def _how(reflect_at: float, end: str = "") -> str:
    return f"reflected, from x to {written(reflect_at)} - x{end}" if reflect_at else "negated"


def of_scores(lower_is_better: LowerIsBetter, reflect_at: float, topic: str) -> str:
    """Say in an error, after the topic, that its scores are not as given."""
    if not reversed_topics(lower_is_better, (topic,)):
        return ""
    return f" (scores {written(reflect_at)} - x)" if reflect_at else " (scores -x)"
