"""The grid: every stemmer with every stop list and every model, each combination one system."""

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import partial
from itertools import product
from pathlib import Path

from . import language_models as lm
from . import probabilistic as prob
from . import vector_space as vsm
from .index import Index, Scores
from .systems import System
from .text import STEMMERS, STOP_LISTS

MODELS: Mapping[str, Callable[[Index], Scores]] = {
    "bm25": partial(prob.bm25, k1=1.2, b=0.75),
    "dirichlet": partial(lm.dirichlet, mu=500),
    "jm": partial(lm.jelinek_mercer, collection_weight=0.4),
    "tfidf": partial(vsm.tfidf, sublinear=True),
    "pl2": partial(prob.pl2, c=1.0),
    "dfi": prob.divergence_from_independence,
    "lsa": partial(vsm.latent_semantic_analysis, dimensions=200),
    "coordination": vsm.coordination,
}
"""Models of the grid, each with parameters that one of the other systems has too."""


@dataclass(frozen=True)
class Components:
    """What a system of the grid is made of; the fields are the factors of the experiment."""

    stemmer: str
    stoplist: str
    model: str

    @property
    def name(self) -> str:
        """Name of the system, which says its components."""
        return f"{self.stemmer}_{self.stoplist}_{self.model}"

    def system(self) -> System:
        """Return the system, over title and abstract."""
        return System(MODELS[self.model], analyzer=f"{self.stemmer}_{self.stoplist}")


FACTORS = tuple(field.name for field in fields(Components))

COMPONENTS = tuple(
    Components(stemmer, stoplist, model)
    for stemmer, stoplist, model in product(STEMMERS, STOP_LISTS, MODELS)
)

GRID: Mapping[str, System] = {made_of.name: made_of.system() for made_of in COMPONENTS}


def write_components(path: Path) -> None:
    """Write CSV with a row a system: its name and its level of each factor."""
    with path.open("w", encoding="ascii", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["system", *FACTORS])
        for each in COMPONENTS:
            writer.writerow([each.name, each.stemmer, each.stoplist, each.model])
