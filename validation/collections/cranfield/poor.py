"""Deliberately poor systems, so that the matrix also holds low scores."""

import numpy as np

from .index import Floats, Index, Scores
from .probabilistic import bm25
from .vector_space import tfidf


def random_scores(index: Index, *, seed: int) -> Scores:
    """Uniform random scores."""
    return np.random.default_rng(seed).random((index.queries.shape[0], index.counts.shape[0]))


def document_number(index: Index) -> Scores:
    """The same score for all documents, so that only the document number orders them."""
    return np.zeros((index.queries.shape[0], index.counts.shape[0]))


def document_length(index: Index, *, longest_first: bool) -> Scores:
    """Document length alone, the same ranking for every topic."""
    lengths = index.lengths if longest_first else -index.lengths
    return np.tile(lengths, (index.queries.shape[0], 1))


def reversed_tfidf(index: Index) -> Scores:
    """Cosine tf-idf upside down, among the documents that match at all."""
    scores = tfidf(index)
    return np.where(scores > 0, 1 - scores, 0)


def wrong_topic(index: Index, *, shift: int) -> Scores:
    """BM25 with the query of the topic `shift` places further on."""
    return np.roll(bm25(index), -shift, axis=0)


def single_term(index: Index, *, which: str) -> Scores:
    """How often one query term occurs: its first, last, rarest or commonest."""
    scores = document_number(index)
    for topic, tokens in enumerate(index.query_tokens):
        columns = [index.vocabulary[token] for token in tokens if token in index.vocabulary]
        if columns:
            column = _choose(columns, index.document_frequency, which)
            scores[topic] = index.counts[:, [column]].toarray().ravel()
    return scores


def _choose(columns: list[int], frequency: Floats, which: str) -> int:
    """One of the query's terms; the earlier one where two are equally rare or common."""
    if which in ("first", "last"):
        return columns[0 if which == "first" else -1]
    if which not in ("rarest", "commonest"):
        raise ValueError(f"unknown choice of term: {which}")
    sign = 1 if which == "rarest" else -1
    return min(columns, key=lambda column: sign * frequency[column])
