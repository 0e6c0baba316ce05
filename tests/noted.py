"""Notes of small examples."""

from collections.abc import Iterable


def not_of_few_systems(notes: Iterable[str]) -> list[str]:
    """Leave out the caution that there are few reference systems, as in most examples."""
    return [note for note in notes if without_cautions(note)]


def without_cautions(err: str) -> str:
    """Leave out of stderr what is said of small examples: few systems, scores of all sizes."""
    small = (
        "results depend on which",
        "reference systems:",
        "reference system:",
        "on one scale?",
        "is a sign test",
        "same unit?",
    )
    return "".join(
        line for line in err.splitlines(keepends=True) if not any(part in line for part in small)
    )
