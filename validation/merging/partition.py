"""Partitions of the documents into sources: by topic clusters, and by chance."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from sklearn.cluster import KMeans

from cdfscore.stats.numerics.types import IntArray
from validation.collections.cranfield.index import Index
from validation.collections.cranfield.vector_space import tfidf_vectors

#: Starts of k-means; the one with the tightest clusters is used.
STARTS = 5

#: The source of each document, from an index of all documents, the number of sources and a seed.
Partition = Callable[[Index, int, int], IntArray]


def by_topic(index: Index, sources: int, seed: int) -> IntArray:
    """Clusters of k-means on the tf-idf of the documents: sources with topics of their own."""
    documents, _ = tfidf_vectors(index, sublinear=True)
    found: IntArray = KMeans(sources, n_init=STARTS, random_state=seed).fit_predict(documents)
    return found


def by_chance(index: Index, sources: int, seed: int) -> IntArray:
    """Sources of equal size, to one document, which are alike in all but chance."""
    documents = index.counts.shape[0]
    found: IntArray = np.random.default_rng(seed).permutation(documents) % sources
    return found


PARTITIONS: Mapping[str, Partition] = {"topics": by_topic, "chance": by_chance}
