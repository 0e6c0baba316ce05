"""Which column holds the labels of the rows, and are the labels fit for use."""

from __future__ import annotations

from collections.abc import Sequence

from cdfscore.errors import ScoresError
from cdfscore.scores.cells import MISSING, number

#: Headers (in lower case) that make the first column the labels of the rows.
TOPIC_HEADERS = frozenset(
    {"", "topic", "topics", "topic_id", "topic_number", "query", "query_id", "qid", "unnamed: 0"}
)
SYSTEM_HEADERS = frozenset(
    {"", "system", "systems", "run", "runs", "run_id", "runid", "unnamed: 0"}
)


def holds_labels(source: str, header: str, cells: Sequence[str], *, of_systems: bool) -> bool:
    """Tell whether a first column holds labels of the rows rather than scores.

    It does when its header says so, or when it holds words, or words and whole numbers.
    Raises `ScoresError` where it might hold either: whole numbers, all different, not only 0
    and 1, under a header that does not tell.
    """
    if header.strip().lower() in (SYSTEM_HEADERS if of_systems else TOPIC_HEADERS):
        return True
    texts = [text for cell in cells if (text := cell.strip()) not in MISSING]
    values = [number(text) for text in texts]
    numbers = [value for value in values if value is not None]
    if len(numbers) < len(values):
        # With other numbers among them, the words are mistakes in a column of scores.
        return all(value.is_integer() for value in numbers)
    whole = all(value.is_integer() for value in numbers) and len(set(texts)) == len(cells)
    if whole and max(numbers, default=0.0) > 1:
        raise ScoresError(
            f"{source}: the first column, {header!r}, holds different whole numbers from "
            f"{min(numbers):g} to {max(numbers):g}, which could be topic numbers or scores; name "
            f"it as the topic column, or say that there is none"
        )
    return False


def check_labels(source: str, kind: str, labels: Sequence[str], places: Sequence[str]) -> None:
    """Raise `ScoresError` for a label that is empty or appears twice; `places` says where."""
    seen: dict[str, str] = {}
    for label, place in zip(labels, places, strict=True):
        if not label:
            raise ScoresError(f"{source}, {place}: the {kind} has no name; expected a label")
        if label in seen:
            raise ScoresError(
                f"{source}: {kind} {label!r} appears twice, in {seen[label]} and in {place}; "
                "expected every label once"
            )
        seen[label] = place
