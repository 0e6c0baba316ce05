"""Search engines of the sources, of the broker, and of one index of all documents.

An engine returns the documents that have a word of the query. Its index, and so all statistics that
its model uses, are those of its own documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from validation.collections.cranfield.collection import Collection
from validation.collections.cranfield.index import Index
from validation.collections.cranfield.ranking import DECIMALS
from validation.collections.cranfield.systems import SYSTEMS, System
from validation.collections.cranfield.text import ANALYZERS, STEMMERS, Tokens
from validation.collections.cranfield.vector_space import coordination

#: Models of the sources, by their names in the table of systems. Models of latent topics are not
#: among them: a source has fewer documents than they have dimensions.
MODELS = (
    "bm25_k1.2_b0.75",
    "ql_dirichlet_mu250",
    "tfidf_sublinear",
    "pl2_c1",
    "ql_jm_lambda0.4",
    "dfi",
    "tfidf_pivoted_s0.2",
    "inl2_c2",
    "ql_twostage_mu300_lambda0.3",
    "lgd_c1",
)
#: The model of the broker and of the index of all documents, and their way to terms.
BROKER, ANALYZER = "bm25_k1.2_b0.75", "porter_long"

#: {topic: {document: score}}
Lists = dict[str, dict[str, float]]


def engine(number: int) -> System:
    """Return the engine of a source: of 10 all models differ, of 30 all pairs with a stemmer."""
    stemmers = list(STEMMERS)
    stemmer = stemmers[(number + number // len(MODELS)) % len(stemmers)]
    return replace(_system(MODELS[number % len(MODELS)]), analyzer=f"{stemmer}_long")


def broker() -> System:
    return replace(_system(BROKER), analyzer=ANALYZER)


def terms(analyzer: str, text: str) -> Tokens:
    """Return the terms of a text; Porter's stemmer leaves nothing of an s that stands alone."""
    return [term for term in ANALYZERS[analyzer].terms(text) if term]


def index_of(collection: Collection, places: Sequence[int], analyzer: str) -> Index:
    """Return the index of some documents, by their places in the collection."""
    return Index.from_tokens(
        [terms(analyzer, collection.documents[place].full) for place in places],
        [terms(analyzer, query) for query in collection.queries],
    )


def searched(collection: Collection, system: System, places: Sequence[int], index: Index) -> Lists:
    """Return what an engine with these documents has for each topic.

    The paper that a question was taken from is left out, as from all rankings of this collection.
    Scores are rounded, so that equal ones stay equal on every machine.
    """
    scores = np.round(system.model(index), DECIMALS)
    has_word = coordination(index) > 0
    left_out = collection.judgments.sources
    found: Lists = {}
    for row, (values, there) in enumerate(zip(scores, has_word, strict=True)):
        own = {
            number: float(values[column])
            for column in np.flatnonzero(there).tolist()
            if (number := collection.documents[places[column]].number) != left_out.get(row + 1)
        }
        if own:
            found[str(row + 1)] = {str(number): score for number, score in own.items()}
    return found


def _system(name: str) -> System:
    system = SYSTEMS[name]
    assert isinstance(system, System)
    return system
