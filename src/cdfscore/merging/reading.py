"""Tables for merging: scores or weights of sources, statistics of terms, queries, samples."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from cdfscore.errors import RunError
from cdfscore.io.files import lines_in, source_name, too_sparse
from cdfscore.io.scores.cells import shown
from cdfscore.io.scores.delimited import text_table
from cdfscore.io.text import listed, number
from cdfscore.merging.cori import TermStatistics
from cdfscore.merging.safe import Samples

# Headers of columns, in lower case, by their content.
_HEADERS: Mapping[str, Collection[str]] = {
    "topic": ("topic", "query_id", "qid", "query"),
    "source": ("source", "collection", "resource", "engine"),
    "score": ("score", "weight", "w"),
    "term": ("term", "word"),
    "df": ("df", "document_frequency"),
    "words": ("words", "cw"),
    "document": ("document", "doc_id", "docid", "docno"),
    "size": ("size", "documents"),
    "text": ("text", "query", "title"),
}


def read_selection(path: str | Path) -> pd.DataFrame:
    """Read scores or weights of sources: a CSV or TSV file with columns topic, source and score.

    Returns topics x sources, with NaN if a source has no line for a topic. Raises `RunError` for a
    file that cannot be read, a missing column, a score that is not a number, and two lines for the
    same topic and source.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "weights.csv"
    >>> _ = path.write_text("topic,source,score\\n301,a,0.5\\n301,b,1\\n302,b,1\\n")
    >>> read_selection(path)
             a    b
    topic
    301    0.5  1.0
    302    NaN  1.0
    """
    source, frame = _table(path, ("topic", "source", "score"))
    scores = _numbers(source, frame["score"])
    _refuse_twice(source, frame, ["topic", "source"])
    rows, topics = pd.factorize(frame["topic"])
    columns, sources = pd.factorize(frame["source"])
    if too_sparse(len(topics), len(sources), len(scores)):
        raise RunError(
            f"{source} has {len(scores):,} scores, of {len(sources):,} sources for {len(topics):,} "
            "topics; expected a score for 1 % or more of all pairs of a topic and a source"
        )
    values = np.full((len(topics), len(sources)), np.nan)
    values[rows, columns] = scores
    index = pd.Index(topics, dtype=str, name="topic")
    return pd.DataFrame(values, index=index, columns=pd.Index(sources, dtype=str))


def read_statistics(path: str | Path) -> TermStatistics:
    """Read statistics of terms: a CSV or TSV file with columns source, term, df and words.

    ``words`` is the number of words of the source, the same in all its lines. Raises `RunError` as
    `read_selection` does, and if a source has two different numbers of words.
    """
    source, frame = _table(path, ("source", "term", "df", "words"))
    _refuse_twice(source, frame, ["source", "term"])
    frame = frame.assign(df=_numbers(source, frame["df"]), words=_numbers(source, frame["words"]))
    several = frame.groupby("source", sort=False)["words"].nunique()
    if (several > 1).any():
        name = several.index[int((several > 1).argmax())]
        raise RunError(f"{source}: source {name!r} has several numbers of words; expected one")
    frequencies = {
        str(name): dict(zip(own["term"], own["df"], strict=True))
        for name, own in frame.groupby("source", sort=False)
    }
    try:
        return TermStatistics.of(
            frequencies, dict(zip(frame["source"], frame["words"], strict=True))
        )
    except RunError as error:
        raise RunError(f"{source}: {error}") from error


def read_queries(path: str | Path) -> dict[str, str]:
    """Read queries: a CSV or TSV file with columns topic and text.

    Raises `RunError` as `read_selection` does.
    """
    source, frame = _table(path, ("topic", "text"))
    _refuse_twice(source, frame, ["topic"])
    return dict(zip(frame["topic"], frame["text"], strict=True))


def read_samples(documents: str | Path, sizes: str | Path) -> Samples:
    """Read samples: CSV or TSV files with columns source and document, and source and size.

    Raises `RunError` as `read_selection` and `Samples.of` do.
    """
    source, frame = _table(documents, ("source", "document"))
    _refuse_twice(source, frame, ["document"])
    own, table = _table(sizes, ("source", "size"))
    _refuse_twice(own, table, ["source"])
    of_sources = dict(zip(table["source"], _numbers(own, table["size"]), strict=True))
    sampled: dict[str, list[str]] = {}
    for name, document in zip(frame["source"], frame["document"], strict=True):
        sampled.setdefault(name, []).append(document)
    try:
        return Samples.of(sampled, of_sources)
    except RunError as error:
        raise RunError(f"{source} with {own}: {error}") from error


def _table(path: str | Path, roles: Collection[str]) -> tuple[str, pd.DataFrame]:
    """Read the columns of these roles; raises `RunError` for a missing or repeated column.

    If a header fits two roles, it belongs to the role without another column, or to the first role.
    """
    source = source_name(path)
    columns = f"the columns {', '.join(roles)}"
    content, _ = lines_in(path, RunError, f"a table with {columns}")
    frame = text_table(source, content, f"{columns}, and a row or more", RunError)
    lower = [str(name).lower() for name in frame.columns]
    places: dict[str, int] = {}
    for role in roles:
        found = [
            place
            for place, header in enumerate(lower)
            if header in _HEADERS[role] and place not in places.values()
        ]
        others = [each for each in roles if each not in (role, *places)]
        later = {name for other in others for name in _HEADERS[other]}
        found = [place for place in found if lower[place] not in later] or found
        if len(found) > 1:
            names = " and ".join(repr(frame.columns[place]) for place in found)
            raise RunError(f"{source} has the columns {names}, each a {role}; expected one")
        if not found:
            raise RunError(
                f"{source} has no column {role!r} among {listed(list(frame.columns))}; expected "
                f"{columns}"
            )
        places[role] = found[0]
    chosen = frame.iloc[:, list(places.values())].set_axis(list(places), axis=1)
    for role in ("topic", "source", "term", "document"):
        if role in chosen and (chosen[role] == "").any():
            line = chosen.index[int((chosen[role] == "").argmax())]
            raise RunError(f"{source}, line {line}: there is no {role}; expected its name")
    return source, chosen


def _numbers(source: str, column: pd.Series[str]) -> list[float]:
    found = []
    for line, text in column.items():
        value = number(text)
        if value is None or not np.isfinite(value):
            raise RunError(
                f"{source}, line {line}: {column.name} {shown(text)} is not a finite number; "
                "expected a number such as 0.5"
            )
        found.append(value)
    return found


def _refuse_twice(source: str, frame: pd.DataFrame, roles: list[str]) -> None:
    again = frame.duplicated(roles)
    if again.any():
        row = frame[again].iloc[0]
        what = " and ".join(f"{role} {row[role]!r}" for role in roles)
        raise RunError(f"{source}, line {row.name} has {what} again; expected each once")
