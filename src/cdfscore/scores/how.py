"""How files of scores are read: the settings of `read_scores`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from cdfscore.common.text import listed
from cdfscore.errors import ScoresError, did_you_mean
from cdfscore.scores.cells import Cells, texts_given
from cdfscore.scores.labels import heads


@dataclass(frozen=True)
class Labels:
    """Some labels of topics and of systems."""

    topics: frozenset[str] = frozenset()
    systems: frozenset[str] = frozenset()

    @classmethod
    def given(cls, verb: str, topics: object, systems: object) -> Labels:
        """Return labels that a user gives, to "keep" or "drop"."""
        return cls(
            frozenset(texts_given(f"{verb}_topics", topics, "labels")),
            frozenset(texts_given(f"{verb}_systems", systems, "labels")),
        )

    def with_labels(self, topics: Iterable[str], systems: Iterable[str]) -> Labels:
        """Return these labels and others."""
        return Labels(self.topics.union(topics), self.systems.union(systems))

    def __bool__(self) -> bool:
        return bool(self.topics or self.systems)


#: The header of a column, or the headers of several whose texts make a label together.
Headers = str | Sequence[str]
#: Stands between the texts of a label that several columns have.
BETWEEN = " / "
#: Settings that name columns.
_COLUMNS = ("topic_column", "system_column", "score_column", "replicate")


@dataclass(frozen=True)
class How:
    """How score matrices are read; see `cdfscore.read_scores` for each setting.

    Where headers are given as a list, or as a text that is no header but has commas, `one_header`
    makes one of them.
    """

    topic_column: Headers | Literal[False] | None = None
    systems_as_rows: bool | None = None
    measure: str | None = None
    kept: Labels = field(default_factory=Labels)
    dropped: Labels = field(default_factory=Labels)
    #: True if `systems_as_rows` is only for tables whose header does not decide.
    header_first: bool = False
    system_column: Headers | None = None
    score_column: str | None = None
    #: The column that tells scores of one system on one topic apart.
    replicate: Headers | None = None
    cells: Cells = field(default_factory=Cells)
    #: The sheet of a workbook.
    sheet: str | None = None

    @classmethod
    def given(
        cls,
        *,
        keep_topics: object = (),
        keep_systems: object = (),
        drop_topics: object = (),
        drop_systems: object = (),
        na: object = (),
        cells: object = (),
        replicate: Any = None,
        **settings: Any,
    ) -> How:
        """Return what the user gives, by the names of arguments and options, after all checks."""
        kept = Labels.given("keep", keep_topics, keep_systems)
        dropped = Labels.given("drop", drop_topics, drop_systems)
        own = Cells.given(na, cells)
        how = cls(kept=kept, dropped=dropped, cells=own, replicate=replicate, **settings)
        how.check()
        return how

    def rows_under(self, header: str) -> bool | None:
        """Return `systems_as_rows`, or None where the `header` of the labels comes first."""
        says = self.header_first and (heads("topic", header) or heads("system", header))
        return None if says else self.systems_as_rows

    @property
    def label_header(self) -> str | None:
        """The header of the column of labels, if it is given."""
        return self.topic_column if isinstance(self.topic_column, str) else None

    @property
    def names_columns(self) -> bool:
        """True if columns are named that a table without a row for each score may lack."""
        topics = self.topic_column
        several = isinstance(topics, list | tuple) or (isinstance(topics, str) and "," in topics)
        return several or any((self.system_column, *self.of_records.values()))

    @property
    def of_records(self) -> dict[str, Headers | None]:
        """Headers of columns that only a table with a row for each score has, by their settings."""
        return {"score_column": self.score_column, "replicate": self.replicate}

    def one_header(
        self, source: str, header: Sequence[str]
    ) -> tuple[How, list[tuple[str, list[int]]]]:
        """Return the settings with one header each, and the columns to be joined under new headers.

        One of several files may have none of the columns, which are for the others then.
        """
        named: dict[str, list[str]] = {}
        for name in _COLUMNS:
            given = getattr(self, name)
            if isinstance(given, str) and given not in header and "," in given:
                named[name] = [each.strip() for each in given.split(",")]
            elif isinstance(given, str | list | tuple):  # headers of frames may be numbers
                named[name] = [given] if isinstance(given, str) else list(given)
        every = [each for names in named.values() for each in names]
        if self.header_first and not set(every) & set(header):
            return replace(self, **dict.fromkeys(_COLUMNS, None)), []  # type: ignore[arg-type]
        for name, names in named.items():
            # A matrix has one column of labels, which is looked for there.
            wrong = [each for each in names if header.count(each) != 1]
            if wrong and (len(names) > 1 or name != "topic_column"):
                how_often = "two columns" if wrong[0] in header else "no column"
                raise ScoresError(
                    f"{source} has {how_often} {wrong[0]!r}{did_you_mean(wrong[0], header)}; "
                    f"expected one after {name}=...; its columns are "
                    f"{listed(list(map(repr, header)))}"
                )
        if len(set(every)) < len(every):
            twice = next(each for each in every if every.count(each) > 1)
            raise ScoresError(
                f"{source}: the column {twice!r} is named twice; expected one of topics, systems, "
                "scores or replicates"
            )
        one: dict[str, Any] = {name: ",".join(names) for name, names in named.items()}
        several = [names for names in named.values() if len(names) > 1]
        joint = [(",".join(names), [header.index(each) for each in names]) for names in several]
        return replace(self, **one), joint

    def of_matrix(self, source: str) -> How:
        """Return the settings for a row a system or topic: a column of systems is that of the
        row labels.
        """
        for name, value in self.of_records.items():
            if value is not None:
                raise ScoresError(
                    f"{name}={value!r} is for a table with a row for each score, and {source} is "
                    "not known as one; name the column of topics by topic_column=..., or leave "
                    f"{name}=... out"
                )
        if self.system_column is None:
            return self
        if self.topic_column is not None or self.systems_as_rows is False:
            other = "topic_column" if self.topic_column is not None else "systems_as_rows"
            raise ScoresError(
                f"system_column={self.system_column!r} and {other}=... exclude each other, as "
                f"{source} has a row for each system or topic and not for each score"
            )
        return replace(
            self,
            topic_column=self.system_column,
            systems_as_rows=True,
            system_column=None,
            header_first=False,
        )

    def check(self) -> None:
        """Raise `ScoresError` for a setting of another type, and a label to keep and leave out."""
        for name in ("measure", "score_column", "sheet"):
            if not isinstance(value := getattr(self, name), str | None):
                raise ScoresError(f"{name}={value!r} is not accepted; expected text")
        for name in ("system_column", "replicate"):
            value = getattr(self, name)
            names = [value] if isinstance(value, str) else value
            is_list = isinstance(names, list | tuple) and bool(names)
            if value is not None and not (is_list and all(isinstance(n, str) for n in names)):
                raise ScoresError(
                    f"{name}={value!r} is not accepted; expected the header of a column, or a list "
                    "of headers"
                )
        for kind, keep, drop in (
            ("topics", self.kept.topics, self.dropped.topics),
            ("systems", self.kept.systems, self.dropped.systems),
        ):
            if both := sorted(keep & drop):
                raise ScoresError(
                    f"keep_{kind}={both[:1]!r} and drop_{kind}={both[:1]!r} exclude each other; "
                    "expected one of them"
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
                        f"{source} has no {kind} {unknown[0]!r}, which is to be "
                        f"{fate}{did_you_mean(unknown[0], names)}; expected a {kind} after "
                        f"{verb}_{kind}s=... ({listed(names)})"
                    )
