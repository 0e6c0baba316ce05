"""Query likelihood with smoothed unigram document models.

Every smoothing method here has the form P(w|d) = seen(w, d) + alpha(d) P(w|collection), where
`seen` is zero for terms outside the document. The log likelihood of a query is then a sum over
matching terms plus a part that depends on the document only through alpha.
"""

import numpy as np
from scipy.sparse import csr_array

from .index import Floats, Index, Scores


def log_likelihood(
    index: Index, seen: Floats, alpha: Floats, queries: csr_array | None = None
) -> Scores:
    """Sum over query terms of their weight times log P(w|d).

    `seen` has one value a posting, `alpha` one a document.
    """
    chosen = index.queries if queries is None else queries
    background = alpha[index.posting_documents] * index.of_terms(index.collection_model)
    matching = index.match(np.log1p(seen / background), chosen)
    length = np.asarray(chosen.sum(axis=1))
    collection = np.asarray(chosen @ np.log(index.collection_model))
    total = matching + np.outer(length, np.log(alpha)) + collection[:, None]
    return np.asarray(total, dtype=np.float64)


def dirichlet(index: Index, *, mu: float, queries: csr_array | None = None) -> Scores:
    """Query likelihood with Dirichlet smoothing."""
    seen = index.counts.data / (index.posting_lengths + mu)
    return log_likelihood(index, seen, mu / (index.lengths + mu), queries)


def jelinek_mercer(index: Index, *, collection_weight: float) -> Scores:
    """Query likelihood with Jelinek-Mercer smoothing."""
    seen = (1 - collection_weight) * index.counts.data / index.posting_lengths
    return log_likelihood(index, seen, np.full_like(index.lengths, collection_weight))


def two_stage(index: Index, *, mu: float, collection_weight: float) -> Scores:
    """Query likelihood with two-stage smoothing: Dirichlet, then Jelinek-Mercer."""
    seen = (1 - collection_weight) * index.counts.data / (index.posting_lengths + mu)
    alpha = (1 - collection_weight) * mu / (index.lengths + mu) + collection_weight
    return log_likelihood(index, seen, alpha)


def absolute_discounting(index: Index, *, discount: float) -> Scores:
    """Query likelihood with absolute discounting."""
    seen = np.maximum(index.counts.data - discount, 0) / index.posting_lengths
    distinct = np.diff(index.counts.indptr)
    empty = index.lengths == 0
    share = np.divide(distinct, index.lengths, out=np.ones_like(index.lengths), where=~empty)
    return log_likelihood(index, seen, discount * share)
