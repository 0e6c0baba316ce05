"""Sampled documents of sources, and the sizes of the sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from cdfscore.errors import RunError
from cdfscore.numerics.numbers import finite_number
from cdfscore.numerics.types import Array, IntArray
from cdfscore.trec.run import Run


@dataclass(frozen=True, eq=False, repr=False)
class Samples:
    """Sampled documents of each source, and the number of documents of each source.

    Attributes
    ----------
    documents
        The number of the source of each sampled document, by its id.
    sources
        Names of the sources.
    sampled
        Number of documents that were sampled from each source, ``|S_C|``.
    sizes
        Number of documents of each source, ``|C|``, or an estimate.

    Examples
    --------
    >>> found = Samples.of({"a": ["d1", "d3"], "b": ["d7"]}, {"a": 400, "b": 60})
    >>> found
    <Samples: 3 documents of 2 sources>
    >>> found.ratio.tolist()
    [200.0, 60.0]
    """

    documents: Mapping[str, int]
    sources: tuple[str, ...]
    sampled: IntArray
    sizes: Array

    @classmethod
    def of(cls, documents: Mapping[str, Sequence[str]], sizes: Mapping[str, float]) -> Samples:
        """Return the samples of sources, ``{source: documents}``, and their sizes.

        Raises `RunError` for a source without documents or size, a size below the number of its
        sampled documents, and a document that was sampled from two sources.

        Examples
        --------
        >>> Samples.of({"a": ["d1", "d4"], "b": ["d7"]}, {"a": 200, "b": 120})
        <Samples: 3 documents of 2 sources>
        """
        found: dict[str, int] = {}
        sources = tuple(documents)
        for number, (source, own) in enumerate(documents.items()):
            if isinstance(own, str):
                raise RunError(
                    f"the sampled documents of source {source!r} are the text {own!r}; expected a "
                    "list of ids"
                )
            if source not in sizes:
                raise RunError(f"the size of source {source!r} is not given; expected a number")
            count, size = len(set(own)), finite_number(sizes[source])
            if size is None or not 1 <= count <= size:
                raise RunError(
                    f"source {source!r} has {count} sampled documents and {sizes[source]!r} "
                    "documents; expected 1 or more, and at least as many documents as sampled ones"
                )
            for document in own:
                other = found.setdefault(document, number)
                if other != number:
                    raise RunError(
                        f"document {document!r} was sampled from the sources {sources[other]!r} "
                        f"and {source!r}; expected sources without common documents"
                    )
        counts = np.bincount(list(found.values()), minlength=len(sources))
        return cls(found, sources, counts, np.array([sizes[each] for each in sources], dtype=float))

    @property
    def ratio(self) -> Array:
        """``|C| / |S_C|``: number of documents that each sampled one represents, (sources,)."""
        return self.sizes / self.sampled

    def sources_of(self, run: Run) -> IntArray:
        """Return the number of the source of each document of a run of the sample index.

        Raises `RunError` for a document that is in no sample.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        ids = run.documents.dictionary
        place = pc.index_in(ids, value_set=pa.array(list(self.documents), pa.string()))
        if place.null_count:
            stranger = ids.filter(pc.is_null(place))[0].as_py()
            raise RunError(
                f"{run.source}: document {stranger!r} is in no sample; expected documents "
                "that were sampled"
            )
        numbers = np.fromiter(self.documents.values(), np.int64)
        found: IntArray = numbers[place.to_numpy()][run.documents.indices.to_numpy()]
        return found

    def __repr__(self) -> str:
        return f"<Samples: {len(self.documents):,} documents of {len(self.sources)} sources>"
