"""Row labels: as text, detection of their column, and checks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from string import digits
from typing import TYPE_CHECKING, Any

from cdfscore.common.text import listed, number
from cdfscore.errors import ScoresError
from cdfscore.scores.cells import MISSING

if TYPE_CHECKING:
    import pandas as pd

# Doubles up to here are whole numbers of which each has its own.
_EXACT = 2.0**53


@dataclass(frozen=True)
class Labels:
    """Some labels of topics and of systems."""

    topics: frozenset[str] = frozenset()
    systems: frozenset[str] = frozenset()

    def with_labels(self, topics: Iterable[str], systems: Iterable[str]) -> Labels:
        """Return these labels and others."""
        return Labels(self.topics.union(topics), self.systems.union(systems))

    def __bool__(self) -> bool:
        return bool(self.topics or self.systems)


def labels_of(frame: pd.DataFrame) -> tuple[list[str], list[str]]:
    """Return the labels of rows and columns as text."""
    return texts(frame.index.tolist()), texts(frame.columns.tolist())


def topic_labels(scores: pd.DataFrame) -> list[str]:
    """Return the topics of a score matrix as text, as they are matched and saved."""
    return texts(scores.index.tolist())


def texts(labels: list[Any]) -> list[str]:
    """Return labels as text; labels that are text already take a tenth of the time."""
    try:
        return list(map(str.strip, labels))
    except TypeError:
        return [text(label) for label in labels]


def text(label: Any) -> str:
    """Return a label as text, empty if there is none; 301.0, of pandas, is that of topic 301."""
    if isinstance(label, str):
        return label.strip()
    if isinstance(label, bytes):
        return label.decode(errors="backslashreplace").strip()
    if isinstance(label, float) and label.is_integer() and abs(label) <= _EXACT:
        return str(int(label))
    import pandas as pd

    return "" if label is None or label is pd.NA or label != label else str(label).strip()


#: What headers say that a column holds, in lower case, with _ for spaces and signs, and without
#: "ID" and the like at their end: one list for files with a row a topic or a system, and for those
#: with a row a score.
HEADERS = {
    "topic": frozenset(
        {
            *("topic", "topics", "query", "queries", "qid", "q_id", "qno", "q_no"),
            *("question", "questions", "dataset", "datasets", "data_set", "data_sets"),
            *("testset", "testsets", "test_set", "test_sets", "corpus", "corpora"),
            *("task", "tasks", "benchmark", "benchmarks"),
        }
    ),
    "system": frozenset(
        {
            *("system", "systems", "run", "runs", "model", "models", "method", "methods"),
            *("algorithm", "algorithms", "approach", "approaches", "classifier", "classifiers"),
            *("learner", "learners", "recognizer", "recognizers", "retriever", "retrievers"),
            *("ranker", "rankers", "llm", "llms", "team", "teams", "submission", "submissions"),
        }
    ),
    "score": frozenset({"score", "scores", "value", "values"}),
    "measure": frozenset({"measure", "measures", "metric", "metrics"}),
}
#: Headers of documents in runs and qrels, in lower case.
DOCUMENTS = frozenset(
    {
        *("doc_id", "docid", "docno", "doc", "document", "document_id"),
        *("corpus-id", "corpus_id", "pid", "passage_id"),
    }
)
_ROLES = {word: role for role, words in HEADERS.items() for word in words}
# What may follow in a header of topics or systems: TopicID, query no., run_tag.
_LABEL = re.compile(r"(?<=[^_])_?(?:ids?|no|nums?|numbers?|names?|texts?|tags?)$")
_ENDS = ("id", "ids", "no", "num", "nums", "ber", "bers", "ame", "ames", "ext", "exts", "ag", "ags")
_LABELLED = frozenset({"topic", "system"})
# As pandas, polars and R write row names that have no header.
_NAMELESS = re.compile(r"|unnamed:_\d+|index|none|level_\d+|row_?names?|_\d+")


def role_of(header: str) -> str | None:
    """Return what `header` says that its column holds, one of `HEADERS`; None if nothing."""
    return roles_of((header,))[0]


@lru_cache(maxsize=8)
def roles_of(headers: tuple[str, ...]) -> list[str | None]:
    """Return what each of many headers says; at once, as a frame may have hundreds."""
    found: list[str | None] = []
    if not headers:
        return found
    names = "\0".join(each.strip().replace("\0", " ") for each in headers)
    # In lower case, with _ for signs and between words, without any at the end.
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", names)
    for each in re.sub(r"[\s.#_-]+", "_", words).lower().split("\0"):
        folded = each.rstrip("_")
        role = _ROLES.get(folded)
        if role is None and folded.endswith(_ENDS):
            role = _ROLES.get(_LABEL.sub("", folded))
            role = role if role in _LABELLED else None
        found.append(role)
    return found


def heads_labels(header: str, *, of_systems: bool) -> bool:
    """Tell whether `header` says that the first column holds the labels of the rows."""
    return is_nameless(header) or role_of(header) == ("system" if of_systems else "topic")


def is_nameless(header: str) -> bool:
    """Tell whether `header` is no header, as of row names in files of R, pandas and polars."""
    return _NAMELESS.fullmatch(re.sub(r"^\.{3}|[\s.]+", "_", header.strip().lower())) is not None


def rows_are_systems(header: str, cells: Iterable[str], given: bool | None) -> bool:
    """Tell whether the rows are systems: as `given`, or as the header of their labels says."""
    if given is not None or role_of(header) != "system":
        return bool(given)
    texts, numbers, whole = _contents(cells)
    return whole or len(numbers) < len(texts)


def holds_labels(source: str, header: str, cells: Sequence[str], *, of_systems: bool) -> bool:
    """Tell whether a first column holds labels of the rows: its header says so, or it has words.

    Raises `ScoresError` for different whole numbers under a header that does not decide.
    """
    if heads_labels(header, of_systems=of_systems):
        return True
    texts, numbers, whole = _contents(cells)
    # Words among other numbers are errors in a column of scores.
    words = whole and len(numbers) < len(texts)
    unclear = whole and not words and len(set(texts)) == len(cells) and max(numbers, default=0) > 1
    if (words or unclear) and role_of(header) == ("topic" if of_systems else "system"):
        raise ScoresError(
            f"{source}: the header of the first column is {header!r}, and the rows are taken as "
            f"{'systems' if of_systems else 'topics'}; expected systems_as_rows=... only if the "
            "rows are systems"
        )
    if unclear:
        kind = "system" if of_systems else "topic"
        raise ScoresError(
            f"{source}: the first column, {header!r}, holds different whole numbers from "
            f"{min(numbers):.17g} to {max(numbers):.17g}, which can be {kind} numbers or scores; "
            f"say topic_column={header!r} if they are {kind} numbers"
            + ("" if of_systems else ", or topic_column=False if they are scores")
        )
    return words


def refuse_labels_elsewhere(
    source: str, headers: Sequence[str], *, of_systems: bool, unnamed: bool = False
) -> None:
    """Raise `ScoresError` if one of the `headers` of scores names a column of labels."""
    wanted = "system" if of_systems else "topic"
    for header, role in zip(headers, roles_of(tuple(headers)), strict=True):
        if role == wanted:
            kind = "systems" if of_systems else "topics"
            if unnamed:
                raise ScoresError(
                    f"{source}: the first column has no header, and the column {header!r} would be "
                    "read as scores; expected one column of labels: write the file with row.names "
                    "= FALSE in R, or index=False in pandas"
                )
            raise ScoresError(
                f"{source}: the column {header!r} would be read as scores, not as labels of "
                f"{kind}; if it has the labels, say topic_column={header!r}"
                + ("" if of_systems else ", or say topic_column=False if no column has labels")
            )


def _contents(cells: Iterable[str]) -> tuple[list[str], list[float], bool]:
    texts = [text for cell in cells if (text := cell.strip()) not in MISSING]
    numbers = [value for text in texts if (value := number(text)) is not None]
    return texts, numbers, all(value.is_integer() for value in numbers)


def assumed_sides(
    source: str, rows: Sequence[str], columns: Sequence[str], *, headed: bool = False, ask: bool
) -> list[str]:
    """Return a note that says which side is topics, where the labels say nothing or the opposite.

    Labels such as q12 and run7 say what they are. If rows are `headed` topics, only numbers of all
    columns say the opposite. Words on both sides raise `ScoresError` if it is to `ask`.
    """
    if min(len(rows), len(columns)) < 2:
        return []
    of_rows, of_columns = _stem(tuple(rows)), _stem(tuple(columns))
    role = [stem and (_SHORT.get(stem) or role_of(stem)) for stem in (of_rows, of_columns)]
    numbered = of_rows is not None and (of_columns is None or (of_rows == "" != of_columns))
    is_said = headed or numbered or role[0] == "topic" or (role[1] == "system" != role[0])
    if is_said and of_columns != "":
        return []
    sides = f"rows are topics ({listed(rows)}), columns are systems ({listed(columns)})"
    turn = "systems_as_rows=True"
    if of_columns == "" and all(number(name) is None and name not in MISSING for name in rows):
        return [f"{source}: {sides}, although topics often have numbers as labels; {turn} turns it"]
    if is_said:
        return []
    if ask and of_rows is None and of_columns is None:
        raise ScoresError(
            f"{source}: no header says if {sides}, or the reverse; say systems_as_rows=False if "
            f"the rows are topics, such as queries or tasks, or {turn} if they are systems, such "
            "as models"
        )
    return [f"{source}: {sides}; {turn} turns it"]


# Stems of numbered labels, beside the words of `HEADERS`.
_SHORT = {"q": "topic", "t": "topic", "s": "system", "sys": "system", "m": "system"}
_ALIKE = 0.8
_STEM = re.compile(r"([^\W\d_]*)[\W_]*")


@lru_cache(maxsize=2)
def _stem(labels: tuple[str, ...]) -> str | None:
    before, every = Counter(map(str.rstrip, labels, repeat(digits))), set(labels)
    found: dict[str, int] = {}
    for text, times in before.items():  # a few, where labels are numbered
        times -= text in every and not text[-1:].isdecimal()
        if times and (stem := _STEM.fullmatch(text)) is not None:
            own = stem[1].casefold()
            found[own] = found.get(own, 0) + times
    most = _ALIKE * len(labels)  # but for some, such as 301a
    return next((own for own, times in found.items() if times >= most), None)


def refuse_unsaid_rows(source: str, header: str, labels: Iterable[str]) -> None:
    """Raise `ScoresError` for words as labels of rows under a header that does not decide."""
    if is_nameless(header) or role_of(header) in _LABELLED:
        return
    texts, numbers, whole = _contents(labels)
    if not whole or len(numbers) == len(texts):
        return
    raise ScoresError(
        f"{source}: the header {header!r} of the row labels does not say whether they are topics "
        "or systems; say systems_as_rows=False if they are topics, such as queries or tasks, or "
        "systems_as_rows=True if they are systems, such as models"
    )


def check_labels(source: str, kind: str, labels: Sequence[str], places: Iterable[str]) -> None:
    """Raise `ScoresError` for a label that is empty or appears twice, with its place."""
    if all(labels) and len(set(labels)) == len(labels):
        return
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
