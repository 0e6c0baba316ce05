"""Query-based sampling: what a broker learns of a source by asking it single words.

Callan and Connell (2001), Query-Based Sampling of Text Databases: the first documents for a word
are sampled, and the next word is drawn from them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from validation.collections.cranfield.index import Index
from validation.collections.cranfield.ranking import order
from validation.collections.cranfield.systems import System
from validation.collections.cranfield.vector_space import coordination

#: Share of the documents of a source that is sampled, and documents of each answer.
SHARE, ANSWER = 0.25, 4


def sampled(
    system: System, index: Index, vocabulary: Sequence[str], rng: np.random.Generator
) -> list[int]:
    """Return the rows of the sampled documents, in the order in which they were found.

    Words are drawn from those of the sample; from the vocabulary, any list of words, while there
    is none that was not asked. Sampling ends before its share where no word is left.
    """
    wanted = math.ceil(SHARE * len(index.document_tokens))
    found: dict[int, None] = {}
    known: dict[str, None] = {}
    asked: set[str] = set()
    while len(found) < wanted:
        candidates = [word for word in known if word not in asked] or [
            word for word in vocabulary if word not in asked
        ]
        if not candidates:
            break
        word = candidates[int(rng.integers(len(candidates)))]
        asked.add(word)
        for row in _answer(system, index, word):
            found[row] = None
            known.update(dict.fromkeys(index.document_tokens[row]))
    return list(found)[:wanted]


def _answer(system: System, index: Index, word: str) -> list[int]:
    """Return the first documents that have the word."""
    column = index.vocabulary.get(word)
    if column is None:
        return []
    query = csr_array(([1.0], ([0], [column])), shape=(1, len(index.vocabulary)))
    asked = replace(index, query_tokens=[[word]], queries=query)
    (there,) = coordination(asked)[0].nonzero()
    (best,) = order(system.model(asked))
    own = set(there.tolist())
    return [row for row in best.tolist() if row in own][:ANSWER]
