"""BM25 and divergence models."""

import bm25s
import numpy as np

from .index import Floats, Index, Scores


def bm25(
    index: Index, *, variant: str = "lucene", k1: float = 1.2, b: float = 0.75, delta: float = 0.5
) -> Scores:
    """BM25 in one of the variants of bm25s; only bm25l uses `delta`."""
    model = bm25s.BM25(method=variant, k1=k1, b=b, delta=delta, dtype="float64")
    model.index(index.document_tokens, show_progress=False)
    return np.array(
        [model.get_scores_from_ids(model.get_tokens_ids(tokens)) for tokens in index.query_tokens],
        dtype=np.float64,
    )


def pl2(index: Index, *, c: float) -> Scores:
    """Divergence from randomness PL2: Poisson, Laplace, normalization 2."""
    tf = _normalization_2(index, c)
    mean = index.of_terms(index.collection_frequency) / index.counts.shape[0]
    poisson = tf * np.log(tf / mean) + mean - tf + np.log(2 * np.pi * tf) / 2
    return index.match(poisson / (tf + 1))


def inl2(index: Index, *, c: float) -> Scores:
    """Divergence from randomness InL2: inverse document frequency, Laplace, normalization 2."""
    tf = _normalization_2(index, c)
    documents = index.counts.shape[0]
    idf = np.log((documents + 1) / (index.of_terms(index.document_frequency) + 0.5))
    return index.match(tf / (tf + 1) * idf)


def log_logistic(index: Index, *, c: float) -> Scores:
    """Information-based model LGD: log-logistic distribution, document frequency."""
    tf = _normalization_2(index, c)
    mean = index.of_terms(index.document_frequency) / index.counts.shape[0]
    return index.match(np.log((tf + mean) / mean))


def divergence_from_independence(index: Index) -> Scores:
    """Divergence from independence, standardized: log2(1 + (tf - e) / sqrt(e)) where tf > e."""
    expected = index.of_terms(index.collection_model) * index.posting_lengths
    excess = np.maximum(index.counts.data - expected, 0)
    return index.match(np.log2(1 + excess / np.sqrt(expected)))


def _normalization_2(index: Index, c: float) -> Floats:
    """Term frequency scaled to a document of mean length."""
    scaled = index.counts.data * np.log2(1 + c * index.lengths.mean() / index.posting_lengths)
    return np.asarray(scaled, dtype=np.float64)
