"""Notes on the effects of policies, the same in Python and on the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from cdfscore.io.text import counted
from cdfscore.io.text import listed as shown
from cdfscore.numerics.types import Array
from cdfscore.schemes.base import Scheme
from cdfscore.spelling import argument, offered
from cdfscore.standardization.policies.constant import ConstantPolicy, used

# Number of topics that are all named.
_NAMED = 30
_MISSING = {"zero": "taken as 0", "omit": "omitted", "drop_topic": "dropped with the topic"}


def missing_notes(count: int, policy: str, of: str = "score") -> list[str]:
    """Return the note on missing scores, if there are any."""
    return [f"{are(count, f'missing {of}')} {_MISSING[policy]}"] if count else []


def dropped_notes(topics: Sequence[str]) -> list[str]:
    """Return the note on topics that were dropped for missing scores, if there are any."""
    return [f"{listed(topics)} dropped for missing scores"] if topics else []


def standardized_by(scheme: Scheme) -> str:
    """Say by which scheme scores were standardized; raw ones were not."""
    return f"standardized by {scheme}" if scheme.parameter_names() else "of raw scores"


def undefined_notes(standardized: Array, scheme: Scheme) -> list[str]:
    """Return the notes on missing and infinite scores after a scheme."""
    undefined = int(np.count_nonzero(np.isnan(standardized)))
    infinite = int(np.count_nonzero(np.isinf(standardized)))
    return undefined_and_infinite(undefined, infinite, scheme)


def undefined_and_infinite(undefined: int, infinite: int, scheme: Scheme) -> list[str]:
    """Return the notes of `undefined_notes` for numbers of such scores."""
    score = "standardized score" if scheme.parameter_names() else "score"
    notes = []
    if undefined:
        has = "has" if undefined == 1 else "have"
        notes.append(f"{counted(undefined, 'cell')} {has} no {score}")
    if infinite:
        notes.append(f"{are(infinite, score)} infinite")
    return notes


def censored_notes(numbers: Mapping[str, tuple[int, int]]) -> list[str]:
    """Return the note on scores beyond the ends of a distribution, if there are any, by topic."""
    if not numbers:
        return []
    below, above = (sum(each) for each in zip(*numbers.values(), strict=True))
    topics = [f"{topic} ({low} and {high})" for topic, (low, high) in numbers.items()]
    return [
        f"{are(below, 'score')} below the distribution of the topic and censored at 0, and "
        f"{above} above it and censored at 1, on {counted(len(numbers), 'topic')}: {shown(topics)}"
    ]


def constant_notes(
    topics: Sequence[str], around: Array, policy: ConstantPolicy, scheme: Scheme
) -> list[str]:
    """Return the note on constant topics, if there are any: which, and what y is there.

    `around` are the numbers of `cdfscore.standardization.policies.constant.around`.
    """
    if not topics:
        return []
    first = f"{all_named(topics)} {'are' if len(topics) > 1 else 'is'} constant in the reference"
    if policy == "drop_topic":
        return [f"{first} and dropped"]
    said = _around(around) if len(around) else ""
    if not said:
        return [f"{first}{used(policy, scheme)}"]
    under = f"under the policy {policy}, " if used(policy, scheme) else ""
    them = "them" if len(topics) > 1 else "it"
    others = []
    if getattr(scheme, "convention", "") == "weak" and (around[:, 2] == 1).all():
        others.append(f"{scheme.name}:convention=mid gives 1/2 at it")
    if offered("constant"):
        others.append(f"{argument('constant', 'drop_topic')} leaves {them} out")
    advice = f"; {', and '.join(others)}" if others and policy != "nan" else ""
    return [f"{first}: {under}{scheme.name} {said}{advice}"]


def _around(around: Array) -> str:
    """Say what y is below, at and above the score c of constant topics."""
    c, below, at, above = around.T
    if np.isnan(at).all():
        return "gives no score"
    if (at == below).all() and (at == above).all():
        return f"gives {_one(at)} to every score"
    # Otherwise y depends on the distance from c, as it does on other topics.
    ends = all((y == y[0]).all() and y[0] in (0, 1, -np.inf, np.inf, -1e6) for y in (below, above))
    if not ends:
        return f"gives {_one(at)} at their common score"
    if (at != above).any() or (below == above).all():
        if (at == below).all():
            return f"gives {_one(at)} at and below their common score, and {_one(above)} above it"
        return (
            f"gives {_one(below)} below their common score, {_one(at)} at it and {_one(above)} "
            "above it"
        )
    nothing = ""
    if zeros := int(np.count_nonzero(c == 0)):
        where = "" if zeros == len(c) else f", on {counted(zeros, 'topic')} where it is 0"
        nothing = f", also to a system that found nothing{where}"
    return (
        f"gives {_one(below)} below their common score and {_one(above)} at and above it{nothing}"
    )


def _one(y: Array) -> str:
    """Write a number of all topics, or the smallest and the largest."""
    low, high = float(y.min()), float(y.max())
    words = {0.5: "1/2", -np.inf: "-infinity", np.inf: "infinity"}
    ends = [
        words.get(end) or f"{end:{'.0f' if end.is_integer() else '.4g'}}" for end in (low, high)
    ]
    return ends[0] if low == high else " to ".join(ends)


def unfitted_notes(topics: Mapping[str, str], policy: str) -> list[str]:
    """Return the note on unfitted topics, each with its reason, if there are any."""
    if not topics:
        return []
    topic, reason = next(iter(topics.items()))
    dropped = " and dropped" if policy == "drop_topic" else ""
    first = f"; topic {topic}" if len(topics) > 1 else ""
    return [f"{listed(list(topics))} unfitted{dropped}{first}: {reason}"]


def listed(topics: Sequence[str]) -> str:
    """List topics, at most five, with a verb: "topic 301 is"."""
    return f"{named(topics)} {'are' if len(topics) > 1 else 'is'}"


def all_named(topics: Sequence[str]) -> str:
    """List up to 30 topics, and of more the first five."""
    if not 1 < len(topics) <= _NAMED:
        return named(topics)
    return f"{len(topics)} topics ({', '.join(topics)})"


def named(topics: Sequence[str]) -> str:
    """List topics, at most five: "2 topics (301, 302)"."""
    names = shown(topics)
    return f"{len(topics)} topics ({names})" if len(topics) > 1 else f"topic {names}"


def are(number: int, noun: str) -> str:
    """Return a number, its noun and the verb: "1 cell is"."""
    return f"{counted(number, noun)} {'is' if number == 1 else 'are'}"
