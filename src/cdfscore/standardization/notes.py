"""Notes on the effects of policies, the same in Python and on the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from cdfscore.io.text import counted
from cdfscore.io.text import listed as shown
from cdfscore.numerics.types import Array
from cdfscore.schemes.base import Scheme
from cdfscore.standardization.policies.constant import ConstantPolicy, used

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


def constant_notes(topics: Sequence[str], policy: ConstantPolicy, scheme: Scheme) -> list[str]:
    """Return the note on constant topics, if there are any."""
    return [f"{listed(topics)} constant in the reference{used(policy, scheme)}"] if topics else []


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


def named(topics: Sequence[str]) -> str:
    """List topics, at most five: "2 topics (301, 302)"."""
    names = shown(topics)
    return f"{len(topics)} topics ({names})" if len(topics) > 1 else f"topic {names}"


def are(number: int, noun: str) -> str:
    """Return a number, its noun and the verb: "1 cell is"."""
    return f"{counted(number, noun)} {'is' if number == 1 else 'are'}"
