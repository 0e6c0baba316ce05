"""Result of `cdfscore.merging.merge` and of the other methods of merging."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.cautions import warn_of
from cdfscore.errors import RunError
from cdfscore.io.text import counted
from cdfscore.merging import remarks
from cdfscore.merging.duplicates import DuplicatePolicy, resolved
from cdfscore.merging.pool import Pool
from cdfscore.threads import in_threads
from cdfscore.trec.run import Run
from cdfscore.trec.run_files import check_labels, lines_of

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Merged:
    """Result of `merge`: one list of documents for each topic.

    Attributes
    ----------
    parts
        The documents, some topics in each part, by descending score. Equal scores are ordered by
        descending document id, as in trec_eval. If a document is in several sources, its source is
        the first one with its highest score.
    name
        The name of the merged run.
    weights
        Weights of the sources, topics x sources, or None.
    notes
        Sentences on the merging, including the cautions.
    cautions
        The notes on results that are easily misread.

    Examples
    --------
    >>> from cdfscore.merging import merge
    >>> lists = {"a": {"301": {"a1": 12.0, "a2": 8.0}}, "b": {"301": {"b7": 0.9, "b8": 0.8}}}
    >>> merged = merge(lists)
    >>> merged
    <Merged 'merged': 2 sources, 1 topic, 4 documents>
    >>> merged.frame()["document"].tolist()
    ['b7', 'a1', 'b8', 'a2']
    """

    parts: tuple[Pool, ...]
    name: str
    weights: pd.DataFrame | None
    notes: tuple[str, ...]
    cautions: tuple[str, ...]

    @cached_property
    def pool(self) -> Pool:
        """The documents of all topics."""
        return Pool.joined(self.parts)

    @property
    def sources(self) -> tuple[str, ...]:
        """Names of the sources, in the order in which they were given."""
        return self.parts[0].sources

    @cached_property
    def run(self) -> Run:
        """The merged lists as a run, for `cdfscore.trec.measure`."""
        return self.pool.as_run(self.name)

    def encoded(self) -> Iterator[bytes]:
        """Yield the lines of the merged run as a file of TREC; raises what `encode_run` raises."""
        first = self.parts[0]
        check_labels(self.name, [topic for part in self.parts for topic in part.topics], first.ids)
        return chain.from_iterable(lines_of(part.as_run(self.name)) for part in self.parts)

    def frame(self) -> pd.DataFrame:
        """Return topic, document, rank, score and source of each document."""
        import pandas as pd

        pool, run = self.pool, self.run
        return pd.DataFrame(
            {
                "topic": np.array(pool.topics, dtype=object)[pool.topic],
                "document": run.documents.dictionary_decode().to_pandas(),
                "rank": run.ranks.astype(np.int64),
                "score": pool.scores,
                "source": np.array(pool.sources, dtype=object)[pool.source],
            }
        )

    def __repr__(self) -> str:
        topics, documents = len(self.pool.topics), len(self.pool.topic)
        size = f"{counted(topics, 'topic')}, {counted(documents, 'document')}"
        return f"<Merged {self.name!r}: {counted(len(self.sources), 'source')}, {size}>"


def finished(
    pools: Iterable[Pool],
    duplicates: DuplicatePolicy,
    name: str,
    *,
    keep: int | None = None,
    notes: Sequence[str] = (),
    cautions: Sequence[str] = (),
    weights: pd.DataFrame | None = None,
) -> Merged:
    """Return the merged lists of scored documents, given by topic, and warn of the cautions.

    Raises `RunError` if no document is left, for a score that is too large for a double, and as
    `resolved` does.
    """
    parts, repeated, ties = list[Pool](), 0, remarks.Ties()
    for part, count, own in in_threads(partial(_ranked, duplicates, keep), pools):
        parts.append(part)
        repeated += count
        ties.add(own)
    if not any(len(part.source) for part in parts):
        raise RunError("no document is left in any list; expected one or more")
    found = [*cautions, *ties.cautions]
    everything = [*notes, *remarks.of_duplicates(repeated, duplicates), *ties.notes, *found]
    warn_of(found)
    return Merged(tuple(parts), name, weights, tuple(everything), tuple(found))


def _ranked(
    duplicates: DuplicatePolicy, keep: int | None, pool: Pool
) -> tuple[Pool, int, remarks.Ties]:
    """Return the documents of some topics in order, how many were there twice, and ties."""
    once, repeated = resolved(duplicates, pool)
    _check_finite(once)
    found = once.contenders(keep).ranked().first(keep)
    return found, repeated, remarks.Ties.of(found)


def _check_finite(pool: Pool) -> None:
    """Raise `RunError` for an infinite score, which a run must not have."""
    bad = ~np.isfinite(pool.scores)
    if bad.any():
        place = int(bad.argmax())
        raise RunError(
            f"topic {pool.topics[pool.topic[place]]!r}: the merged score of document "
            f"{pool.ids[int(pool.document[place])].as_py()!r} is too large for a double; expected "
            "smaller scores, or smaller weights"
        )
