"""Notes of a comparison: on schemes, topics, policies, the reference and the family."""

from __future__ import annotations

from collections.abc import Sequence

from cdfscore.comparison.pairs import Family
from cdfscore.errors import SignificanceError
from cdfscore.io.text import listed
from cdfscore.significance.contract import ChosenTest, Simultaneous
from cdfscore.standardization.standardized import Standardized


def check_directions(standardized: Sequence[Standardized]) -> None:
    """Raise `SignificanceError` if lower is better on a topic by one scheme and not by another."""
    first, *others = standardized
    for other in others:
        common = set(first.used.topics) & set(other.used.topics)
        for by, not_by in ((first, other), (other, first)):
            apart = common & set(by.reversed_topics) - set(not_by.reversed_topics)
            if apart:
                schemes = [str(each.factors.fitted.scheme) for each in (by, not_by)]
                raise SignificanceError(
                    f"lower is better on {listed(sorted(apart))} by {schemes[0]}, and higher is "
                    f"better by {schemes[1]}; expected the same lower_is_better for all schemes"
                )


def different_topics(topics: dict[str, tuple[str, ...]]) -> list[str]:
    """Return a note if the schemes have different topics."""
    if len({len(own) for own in topics.values()}) > 1:
        numbers = ", ".join(f"{scheme} on {len(own)}" for scheme, own in topics.items())
        return [f"the schemes are compared on different numbers of topics: {numbers}"]
    if len(set(topics.values())) == 1:
        return []
    union = list(dict.fromkeys(topic for own in topics.values() for topic in own))
    sets = {scheme: set(own) for scheme, own in topics.items()}
    without = "; ".join(
        f"{scheme} without {listed([topic for topic in union if topic not in own])}"
        for scheme, own in sets.items()
    )
    return [f"the schemes are compared on different topics: {without}"]


def joined(notes: dict[str, list[str]]) -> list[str]:
    """Join the notes of all schemes, each once; a note of some schemes names them."""
    found = []
    for note in dict.fromkeys(note for own in notes.values() for note in own):
        schemes = [scheme for scheme, own in notes.items() if note in own]
        found.append(note if len(schemes) == len(notes) else f"{', '.join(schemes)}: {note}")
    return found


def policies_of(of_schemes: dict[str, str]) -> str:
    """Return the policy of all schemes, or each policy with its schemes: "omit (z, normal)"."""
    policies = dict.fromkeys(of_schemes.values())
    if len(policies) == 1:
        return next(iter(policies))
    return ", ".join(
        f"{policy} ({', '.join(scheme for scheme, own in of_schemes.items() if own == policy)})"
        for policy in policies
    )


def of_shown_pairs(chosen: ChosenTest, family: Family) -> list[str]:
    """Return a note if the family of the p values is larger than that of the pairs shown."""
    if not (isinstance(chosen.test, Simultaneous) and chosen.test.of_all and family.baselines):
        return []
    return [
        f"p values and intervals hold for all pairs of the {len(family.systems)} systems; only "
        "pairs with the baselines are shown"
    ]
