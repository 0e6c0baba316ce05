"""Term counts of documents and queries, and the statistics that models need."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import CountVectorizer

from .collection import Collection, Document
from .text import ANALYZERS, Tokens

Floats = NDArray[np.float64]
Scores = NDArray[np.float64]
"""One row a topic, one column a document."""


def field_text(document: Document, field: str) -> str:
    """Text of one field; `title_x3` is the full text with the title counted three times."""
    if field == "title_x3":
        return f"{document.title} {document.title} {document.full}"
    text: str = getattr(document, field)
    return text


@dataclass(frozen=True)
class Index:
    """Counts of every term in documents (rows of `counts`) and queries (rows of `queries`).

    A posting is one non-zero entry of `counts`; the `posting_*` arrays run parallel to its data.
    """

    document_tokens: list[Tokens]
    query_tokens: list[Tokens]
    counts: csr_array
    queries: csr_array
    vocabulary: dict[str, int]

    @classmethod
    def from_tokens(cls, documents: list[Tokens], queries: list[Tokens]) -> "Index":
        """Count tokens; query terms that no document contains are dropped from `queries`."""
        vectorizer = CountVectorizer(analyzer=lambda tokens: tokens, dtype=np.float64)
        counts = csr_array(vectorizer.fit_transform(documents))
        query_counts = csr_array(vectorizer.transform(queries))
        vocabulary = {term: int(column) for term, column in vectorizer.vocabulary_.items()}
        return cls(documents, queries, counts, query_counts, vocabulary)

    @cached_property
    def lengths(self) -> Floats:
        """Number of tokens in each document."""
        return np.asarray(self.counts.sum(axis=1), dtype=np.float64)

    @cached_property
    def collection_frequency(self) -> Floats:
        """Number of occurrences of each term."""
        return np.asarray(self.counts.sum(axis=0), dtype=np.float64)

    @cached_property
    def document_frequency(self) -> Floats:
        """Number of documents that contain each term."""
        frequencies = np.bincount(self.counts.indices, minlength=self.counts.shape[1])
        return np.asarray(frequencies, dtype=np.float64)

    @cached_property
    def collection_model(self) -> Floats:
        """Relative frequency of each term in the whole collection."""
        tokens: float = self.collection_frequency.sum()
        return self.collection_frequency / tokens

    @cached_property
    def posting_documents(self) -> NDArray[np.intp]:
        """Row of each posting."""
        return np.repeat(np.arange(self.counts.shape[0]), np.diff(self.counts.indptr))

    @cached_property
    def posting_lengths(self) -> Floats:
        """Document length of each posting."""
        return self.lengths[self.posting_documents]

    def of_terms(self, values: Floats) -> Floats:
        """Spread one value a term over the postings."""
        return np.asarray(values[self.counts.indices], dtype=np.float64)

    def weighted(self, weights: Floats) -> csr_array:
        """Document matrix with `weights` in place of the counts."""
        return csr_array((weights, self.counts.indices, self.counts.indptr), self.counts.shape)

    def match(self, weights: Floats, queries: csr_array | None = None) -> Scores:
        """Sum posting weights over query terms, each times its weight in the query."""
        chosen = self.queries if queries is None else queries
        return np.asarray((chosen @ self.weighted(weights).T).toarray(), dtype=np.float64)


class Indexer:
    """Build indexes of one collection, each combination of field and analyzer once."""

    def __init__(self, documents: Sequence[Document], queries: Sequence[str]) -> None:
        self._documents = documents
        self._queries = queries
        self._built: dict[tuple[str, str], Index] = {}

    @classmethod
    def of(cls, collection: Collection) -> "Indexer":
        """Indexer of a whole collection."""
        return cls(collection.documents, collection.queries)

    def index(self, field: str, analyzer: str) -> Index:
        """Index of `field` (full, title, abstract or title_x3) under a named analyzer."""
        if (field, analyzer) not in self._built:
            terms = ANALYZERS[analyzer].terms
            documents = [terms(field_text(document, field)) for document in self._documents]
            queries = [terms(query) for query in self._queries]
            self._built[field, analyzer] = Index.from_tokens(documents, queries)
        return self._built[field, analyzer]
