"""Write the data card from the table of systems, the judgments and the matrices."""

import platform
from importlib.metadata import version

import numpy as np

from validation import pages

from .card_claims import page_claims
from .card_tables import (
    REFERENCE,
    Results,
    codes,
    empty_documents,
    mean_scores,
    peculiarities,
    treatments,
)
from .grid import GRID
from .grid_card import grid_section
from .measure import MEASURES
from .ranking import DEPTH
from .systems import SYSTEMS
from .text import STOP_WORDS
from .vector_space import SEED

LIBRARIES = (
    "numpy",
    "scipy",
    "scikit-learn",
    "bm25s",
    "PyStemmer",
    "ir_measures",
    "pytrec_eval-terrier",
)


def data_card(results: Results) -> str:
    """Fill the template."""
    judgments, empty = results.collection.judgments, empty_documents(results)
    return pages.rendered(
        "collections/cranfield/card.md.jinja",
        page_claims(results),
        topics=results.topics,
        documents=len(results.collection.documents),
        systems=SYSTEMS,
        measures=[str(measure) for measure in MEASURES.values()],
        means=mean_scores(results),
        depth=DEPTH,
        empty=empty,
        unreachable=[
            (document, topic)
            for topic, gains in judgments.gains.items()
            for document in gains
            if document in empty
        ],
        judgments=judgments.code_counts().total(),
        sources=len(set(judgments.sources.values())),
        relevant=[len(gains) for gains in judgments.gains.values()],
        median=np.median,
        codes=codes(results),
        treatments=treatments(results),
        peculiarities=peculiarities(results.topics, results.matrices),
        reference=REFERENCE,
        stop_words=len(STOP_WORDS),
        in_grid=len(GRID),
        grid=grid_section(results),
        seed=SEED,
        python=platform.python_version(),
        versions={name: version(name) for name in LIBRARIES},
    )
