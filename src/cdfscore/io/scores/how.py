"""How files of scores are read: the settings of `read_scores`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from cdfscore.errors import ScoresError, did_you_mean
from cdfscore.io.scores.labels import heads
from cdfscore.io.text import listed
from cdfscore.spelling import argument, option


@dataclass(frozen=True)
class Labels:
    """Some labels of topics and of systems."""

    topics: frozenset[str] = frozenset()
    systems: frozenset[str] = frozenset()

    @classmethod
    def given(cls, verb: str, topics: object, systems: object) -> Labels:
        """Return labels that a user gives, to "keep" or "drop".

        Raises `ScoresError` for a text in place of a list.
        """
        return cls(_given(f"{verb}_topics", topics), _given(f"{verb}_systems", systems))

    def with_labels(self, topics: Iterable[str], systems: Iterable[str]) -> Labels:
        """Return these labels and others."""
        return Labels(self.topics.union(topics), self.systems.union(systems))

    def __bool__(self) -> bool:
        return bool(self.topics or self.systems)


def _given(name: str, labels: object) -> frozenset[str]:
    if isinstance(labels, str | bytes) or not isinstance(labels, Iterable):
        raise ScoresError(f"{argument(name, labels)} is not accepted; expected a list of labels")
    return frozenset(str(label).strip() for label in labels)


@dataclass(frozen=True)
class How:
    """How score matrices are read; see `cdfscore.read_scores` for each setting."""

    topic_column: str | Literal[False] | None = None
    systems_as_rows: bool | None = None
    measure: str | None = None
    kept: Labels = field(default_factory=Labels)
    dropped: Labels = field(default_factory=Labels)
    #: True if `systems_as_rows` is only for tables whose header does not decide.
    header_first: bool = False

    def rows_under(self, header: str) -> bool | None:
        """Return `systems_as_rows`, or None where the `header` of the labels comes first."""
        says = self.header_first and (heads("topic", header) or heads("system", header))
        return None if says else self.systems_as_rows

    @property
    def label_header(self) -> str | None:
        """The header of the column of labels, if it is given."""
        return self.topic_column if isinstance(self.topic_column, str) else None

    def check(self) -> None:
        """Raise `ScoresError` for a measure that is no text, and a label to keep and leave out."""
        if not isinstance(self.measure, str | None):
            raise ScoresError(f"{argument('measure', self.measure)} is not accepted; expected text")
        for kind, keep, drop in (
            ("topics", self.kept.topics, self.dropped.topics),
            ("systems", self.kept.systems, self.dropped.systems),
        ):
            if both := sorted(keep & drop):
                raise ScoresError(
                    f"{argument(f'keep_{kind}', both[:1])} and {argument(f'drop_{kind}', both[:1])}"
                    " exclude each other; expected one of them"
                )

    def refuse_unknown(self, source: str, topics: Iterable[str], systems: Iterable[str]) -> None:
        """Raise `ScoresError` for a label to keep or leave out that no topic or system has."""
        for kind, labels, keep, drop in (
            ("topic", topics, self.kept.topics, self.dropped.topics),
            ("system", systems, self.kept.systems, self.dropped.systems),
        ):
            known = dict.fromkeys(labels) if keep or drop else {}
            for chosen, fate, verb in ((keep, "kept", "keep"), (drop, "left out", "drop")):
                if unknown := sorted(chosen.difference(known)):
                    names = list(known)
                    raise ScoresError(
                        f"{source} has no {kind} {unknown[0]!r}, which is to be {fate}"
                        f"{did_you_mean(unknown[0], names)}; expected a {kind} after "
                        f"{option(f'{verb}_{kind}s')} ({listed(names)})"
                    )
