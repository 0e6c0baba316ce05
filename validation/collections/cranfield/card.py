"""Write the data card from the table of systems, the judgments and the matrices."""

import platform
from importlib.metadata import version
from pathlib import Path
from string import Template

import numpy as np

from .card_tables import (
    REFERENCE,
    Results,
    code_table,
    peculiarity_table,
    system_table,
    treatment_table,
)
from .ranking import DEPTH
from .systems import SYSTEMS
from .text import STOP_WORDS
from .vector_space import SEED

TEMPLATE = Path(__file__).with_name("card_template.md")
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
    judgments = results.collection.judgments
    empty = {d.number for d in results.collection.documents if not d.full}
    unreachable = [
        f"document {document} for topic {topic}"
        for topic, gains in judgments.gains.items()
        for document in gains
        if document in empty
    ]
    relevant = [len(gains) for gains in judgments.gains.values()]
    return Template(TEMPLATE.read_text(encoding="utf-8")).substitute(
        topics=len(results.topics),
        documents=len(results.collection.documents),
        systems=len(SYSTEMS),
        depth=DEPTH,
        empty=", ".join(str(number) for number in sorted(empty)),
        unreachable=", ".join(unreachable) or "none",
        judgments=judgments.code_counts().total(),
        sources=len(set(judgments.sources.values())),
        relevant=f"{min(relevant)} to {max(relevant)}, median {np.median(relevant):g}",
        codes=code_table(results),
        treatments=treatment_table(results),
        peculiarities=peculiarity_table(results),
        system_table=system_table(results),
        reference=REFERENCE,
        stop_words=len(STOP_WORDS),
        seed=SEED,
        versions=", ".join(
            [f"Python {platform.python_version()}"]
            + [f"{name} {version(name)}" for name in LIBRARIES]
        ),
    )
