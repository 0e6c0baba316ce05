"""Pseudo relevance feedback: the top documents of a first retrieval reshape the query."""

import numpy as np
from scipy.sparse import csr_array
from scipy.special import softmax

from .index import Floats, Index, Scores
from .language_models import dirichlet
from .ranking import order
from .vector_space import tfidf_vectors


def rocchio(index: Index, *, documents: int, terms: int, beta: float = 0.75) -> Scores:
    """Rocchio on cosine tf-idf: query plus `beta` times the centroid of the top documents."""
    vectors, queries = tfidf_vectors(index, sublinear=True)
    top = order((queries @ vectors.T).toarray())[:, :documents]
    centroids = np.array([vectors[rows].mean(axis=0) for rows in top])
    expanded = queries.toarray() + beta * strongest(centroids, terms)
    return np.asarray(expanded @ vectors.T, dtype=np.float64)


def rm3(index: Index, *, mu: float, documents: int, terms: int, original_weight: float) -> Scores:
    """RM3: query likelihood of a mixture of query and relevance model (RM1 if no query in it)."""
    model = relevance_model(index, dirichlet(index, mu=mu), documents)
    kept = strongest(model, terms)
    original = index.queries.toarray()
    mixture = original_weight * distribution(original) + (1 - original_weight) * distribution(kept)
    return dirichlet(index, mu=mu, queries=csr_array(mixture))


def relevance_model(index: Index, log_likelihoods: Scores, documents: int) -> Floats:
    """RM1: term distributions of the top documents, weighted by their query likelihood."""
    top = order(log_likelihoods)[:, :documents]
    weights = softmax(np.take_along_axis(log_likelihoods, top, axis=1), axis=1)
    terms = index.weighted(index.counts.data / index.posting_lengths)
    return np.array([weight @ terms[rows] for weight, rows in zip(weights, top, strict=True)])


def strongest(weights: Floats, terms: int) -> Floats:
    """Keep the `terms` largest weights of each row and set the others to zero."""
    kept = order(weights)[:, :terms]
    result = np.zeros_like(weights)
    np.put_along_axis(result, kept, np.take_along_axis(weights, kept, axis=1), axis=1)
    return result


def distribution(weights: Floats) -> Floats:
    """Scale each row to sum 1; a row of zeros stays."""
    total = weights.sum(axis=1, keepdims=True)
    scaled = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    return np.asarray(scaled, dtype=np.float64)
