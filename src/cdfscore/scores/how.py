"""How files of scores are read: the settings of `read_scores`, and the scores that they select."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import pandas as pd

from cdfscore.common.text import kept, listed, named
from cdfscore.errors import ScoresError, check_one_of, did_you_mean
from cdfscore.scores.cautions import without_averages
from cdfscore.scores.cells import FORMS, Cells
from cdfscore.scores.dataframes import remember
from cdfscore.scores.labels import Labels, labels_of, role_of

#: The header of a column, or the headers of several whose texts make a label together.
Headers = str | Sequence[str]
#: Stands between the texts of a label that several columns have.
BETWEEN = " / "
#: Settings that are lists of texts.
_LISTS = ("keep_topics", "keep_systems", "drop_topics", "drop_systems", "cells", "na")
#: Settings that name columns that only a table with a row for each score has, and all columns.
OF_RECORDS = ("score_column", "replicate")
COLUMNS = ("topic_column", "system_column", *OF_RECORDS)


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
    def given(cls, **settings: Any) -> How:
        """Return what the user gives, by the names of arguments and options; raises `ScoresError`
        for a setting of another type, and for a label to keep and to leave out.
        """
        lists: dict[str, frozenset[str]] = {}
        for name in _LISTS:
            own = settings.pop(name, ())
            if isinstance(own, str | bytes) or not isinstance(own, Iterable):
                what = "texts" if name in ("cells", "na") else "labels"
                raise ScoresError(f"{name}={own!r} is not accepted; expected a list of {what}")
            texts = [str(each).strip() for each in own]
            for form in texts if name == "cells" else ():
                check_one_of("cells", form, FORMS, ScoresError)
            lists[name] = frozenset(texts)
        kept = Labels(lists["keep_topics"], lists["keep_systems"])
        dropped = Labels(lists["drop_topics"], lists["drop_systems"])
        own_cells = Cells(lists["na"], tuple(filter(lists["cells"].__contains__, FORMS)))
        how = cls(kept=kept, dropped=dropped, cells=own_cells, **settings)
        for name in ("measure", "score_column", "sheet"):
            if not isinstance(value := getattr(how, name), str | None):
                raise ScoresError(f"{name}={value!r} is not accepted; expected text")
        for name in ("system_column", "replicate"):
            value = getattr(how, name)
            names = [value] if isinstance(value, str) else value
            is_list = isinstance(names, list | tuple) and bool(names)
            if value is not None and not (is_list and all(isinstance(n, str) for n in names)):
                raise ScoresError(
                    f"{name}={value!r} is not accepted; expected the header of a column, or a list "
                    "of headers"
                )
        for kind, keep, drop in (
            ("topics", kept.topics, dropped.topics),
            ("systems", kept.systems, dropped.systems),
        ):
            if both := sorted(keep & drop):
                raise ScoresError(
                    f"keep_{kind}={both[:1]!r} and drop_{kind}={both[:1]!r} exclude each other; "
                    "expected one of them"
                )
        return how

    def rows_under(self, header: str) -> bool | None:
        """Return `systems_as_rows`, or None where the `header` of the labels comes first."""
        says = self.header_first and role_of(header) in ("topic", "system")
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
        return several or any((self.system_column, self.score_column, self.replicate))

    def one_header(
        self, source: str, header: Sequence[str]
    ) -> tuple[How, list[tuple[str, list[int]]]]:
        """Return the settings with one header each, and the columns to be joined under new headers.

        One of several files may have none of the columns, which are for the others then.
        """
        named: dict[str, list[str]] = {}
        for name in COLUMNS:
            given = getattr(self, name)
            if isinstance(given, str) and given not in header and "," in given:
                named[name] = [each.strip() for each in given.split(",")]
            elif isinstance(given, str | list | tuple):  # headers of frames may be numbers
                named[name] = [given] if isinstance(given, str) else list(given)
        every = [each for names in named.values() for each in names]
        if self.header_first and not set(every) & set(header):
            return replace(self, **dict.fromkeys(COLUMNS, None)), []  # type: ignore[arg-type]
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
        """Return the settings for rows of systems or topics: a column of systems labels rows."""
        for name in OF_RECORDS:
            if (value := getattr(self, name)) is not None:
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
                        f"{verb}_{kind}s=... ({kept(*names)})"
                    )


# What is read -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Part:
    """The scores of a file, topics x systems; `topics` and `systems` have those left out too."""

    source: str
    frame: pd.DataFrame
    topics: Sequence[str]
    systems: Sequence[str]
    notes: tuple[str, ...] = ()
    measure: str | None = None
    #: What the file has, if it names measures.
    measures: tuple[str, ...] = ()
    #: Settings of `How` on the form that the file has a use for.
    uses: frozenset[str] = frozenset({"topic_column", "systems_as_rows", "system_column"})
    #: True if the numbers are those of a wide file, all of them, in its own orientation or turned.
    whole: bool = True
    #: True if the only system has the name that the reader was given.
    named_as_file: bool = False
    #: The labels of `frame`, if they are known: to make texts of them takes a while.
    labels: tuple[list[str], list[str]] | None = None


def selected(
    source: str,
    frame: pd.DataFrame,
    how: How,
    own: str | None,
    every: tuple[list[str], list[str]],
    *,
    of_systems: bool,
    notes: Sequence[str] = (),
    words: Sequence[str] = (),
) -> Part:
    """Return the scores without the labels to leave out, and without columns that are no tasks.

    `own` is the header of the labels of rows, if there is one; `every` are all topics and systems,
    also those that were left out before. `words` are columns without a number.
    """
    topics, systems = every
    kept, given = without(frame, how.dropped.topics, how.dropped.systems), how.rows_under(own or "")
    if of_systems:
        told = list(notes)
        if own is not None and given is None:
            told.append(f"{source}: rows are taken as systems, because their header is {own!r}")
        words = [word for word in words if word not in how.dropped.topics]
        if words:
            names = listed(list(map(repr, words)))
            have = "columns {} have" if len(words) > 1 else "column {} has"
            are = "are" if len(words) > 1 else "is"
            told.append(
                f"{source}: the {have.format(names)} words and no scores and {are} left out"
            )
        kept = without(kept, frozenset(words))
        means, said = without_averages(source, kept, how.kept.topics)
        notes = [*told, *said]
        kept = without(kept, frozenset(means))
        remember(kept, systems_were_rows=True)
    part = Part(source, kept, topics, systems, tuple(notes), whole=kept is frame)
    if given is None and (role_of(own or "") == "system") != how.systems_as_rows:
        return replace(part, uses=part.uses - {"systems_as_rows"})  # the header says the opposite
    return part


def asked_notes(part: Part, how: How) -> list[str]:
    """Return the note on labels that the user left out of a file or frame, if it has any."""
    names, count = list[str](), 0
    for kind, labels, dropped in (
        ("topic", part.topics, how.dropped.topics),
        ("system", part.systems, how.dropped.systems),
    ):
        left = [label for label in dict.fromkeys(labels) if label in dropped] if dropped else []
        count += len(left)
        names += [named(left, kind)] if left else []
    are = "is" if count == 1 else "are"
    return [f"{part.source}: {' and '.join(names)} {are} left out, as asked"] if names else []


def without(
    frame: pd.DataFrame, topics: frozenset[str], systems: frozenset[str] = frozenset()
) -> pd.DataFrame:
    """Return a frame without some topics and systems; the same if it has none of them."""
    if not topics and not systems:
        return frame
    own = labels_of(frame)
    keep = [
        [label not in left for label in labels]
        for labels, left in zip(own, (topics, systems), strict=True)
    ]
    return frame if all(map(all, keep)) else frame.loc[keep[0], keep[1]]
