"""Labels of more topics than fit in memory as text: are they different, and are they summaries?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from cdfscore.errors import ScoresError
from cdfscore.io.scores.cautions import telling_labels
from cdfscore.io.scores.labels import check_labels
from cdfscore.numerics.types import IntArray


class SeenLabels:
    """Labels of topics that were seen, of which a number of 8 bytes each is kept.

    `wanted` are labels to look for, and `found` those of them that there are.
    """

    def __init__(self, wanted: Iterable[str] = ()) -> None:
        self.number = 0
        self.telling: list[str] = []
        self.found: set[str] = set()
        self._wanted = frozenset(wanted)
        self._hashes: list[IntArray] = []
        self._nameless: list[int] = []

    def add(self, labels: Sequence[str]) -> None:
        """Take notice of the next labels."""
        self.telling += telling_labels(labels)
        if self._wanted:
            self.found |= self._wanted.intersection(labels)
        self._hashes.append(np.fromiter(map(hash, labels), np.int64, len(labels)))
        if "" in labels:
            self._nameless += [self.number + i for i, each in enumerate(labels) if not each]
        self.number += len(labels)

    def suspects(self) -> IntArray:
        """Return the places of labels that may be there twice, or are empty; nearly always none."""
        hashes = np.concatenate([*self._hashes, np.zeros(0, dtype=np.int64)])
        order = np.argsort(hashes, kind="stable")
        same = np.flatnonzero(np.diff(hashes[order]) == 0)
        places = np.concatenate([order[same], order[same + 1], np.array(self._nameless, np.int64)])
        return np.unique(places)

    def check(self, source: str, again: Callable[[], Iterable[Sequence[str]]]) -> None:
        """Raise `ScoresError` for a label that is empty or there twice.

        `again` gives all labels once more, for those whose numbers are equal.
        """
        suspects = self.suspects()
        if not suspects.size:
            return
        found: list[str] = []
        start = 0
        for labels in again():
            own = suspects[(suspects >= start) & (suspects < start + len(labels))] - start
            found += [labels[place] for place in own.tolist()]
            start += len(labels)
        if start != self.number:
            raise ScoresError(f"{source} was changed while it was read")
        check_labels(source, "topic", found, (f"row {place + 1}" for place in suspects.tolist()))
