"""Vector space models and the matching coefficients that came before them."""

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import normalize

from .index import Index, Scores

SEED = 20190721
"""Seed of the start vector of the singular value decomposition."""


def tfidf_vectors(
    index: Index, *, sublinear: bool = False, idf: bool = True, cosine: bool = True
) -> tuple[csr_array, csr_array]:
    """Weighted document and query vectors; idf is ln((1 + N) / (1 + df)) + 1."""
    weighting = TfidfTransformer(
        norm="l2" if cosine else None, use_idf=idf, sublinear_tf=sublinear
    ).fit(index.counts)
    return csr_array(weighting.transform(index.counts)), csr_array(
        weighting.transform(index.queries)
    )


def tfidf(
    index: Index, *, sublinear: bool = False, idf: bool = True, cosine: bool = True
) -> Scores:
    """Inner product of tf-idf vectors, of unit length if `cosine`."""
    documents, queries = tfidf_vectors(index, sublinear=sublinear, idf=idf, cosine=cosine)
    return np.asarray((queries @ documents.T).toarray(), dtype=np.float64)


def binary_tfidf(index: Index) -> Scores:
    """Sum of squared idf over common terms; how often a term occurs does not matter."""
    return tfidf(_binary(index), cosine=False)


def pivoted_tfidf(index: Index, *, slope: float = 0.2) -> Scores:
    """Tf-idf with pivoted document length normalization, tf part 1 + ln(1 + ln tf)."""
    length_factor = 1 - slope + slope * index.posting_lengths / index.lengths.mean()
    idf = np.log((index.counts.shape[0] + 1) / index.document_frequency)
    tf = 1 + np.log1p(np.log(index.counts.data))
    return index.match(tf / length_factor * index.of_terms(idf))


def latent_semantic_analysis(index: Index, *, dimensions: int) -> Scores:
    """Cosine in the space of the first singular vectors of sublinear tf-idf."""
    documents, queries = tfidf_vectors(index, sublinear=True)
    decomposition = TruncatedSVD(dimensions, algorithm="arpack", random_state=SEED)
    reduced = normalize(decomposition.fit_transform(documents))
    return np.asarray(normalize(decomposition.transform(queries)) @ reduced.T, dtype=np.float64)


def coordination(index: Index) -> Scores:
    """Number of distinct query terms in the document."""
    binary = _binary(index)
    return binary.match(binary.counts.data)


def jaccard(index: Index) -> Scores:
    """Common terms of query and document divided by the terms of either."""
    binary = _binary(index)
    common = binary.match(binary.counts.data)
    either = binary.queries.sum(axis=1)[:, None] + binary.lengths[None, :] - common
    return np.asarray(common / np.maximum(either, 1), dtype=np.float64)


def _binary(index: Index) -> Index:
    """The same index with every count set to 1."""
    return replace(
        index,
        counts=index.counts.astype(bool).astype(np.float64),
        queries=index.queries.astype(bool).astype(np.float64),
    )
