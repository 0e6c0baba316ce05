"""What the data card says of the grid in words, and whether it is so."""

import numpy as np

from .card_tables import Results, peculiarities
from .grid import COMPONENTS
from .grid_tables import LEVELS, cube, long_less_none, without_effect
from .text import FEW_STOP_WORDS, STOP_WORDS


def grid_claims(results: Results) -> dict[str, bool]:
    """Return the claims of the card on the grid."""
    of_grid, of_others = (
        {row["name"]: row for row in peculiarities(results.topics, matrices)}
        for matrices in (results.grid, results.matrices)
    )
    ap = cube(results.grid["ap"]).mean(axis=0)
    none, short, long = np.moveaxis(ap, 1, 0)
    dirichlet = LEVELS["model"].index("dirichlet")
    unseen = {
        row["name"]: [row["cells"][factor] for factor in ("stemmer", "stoplist")]
        for row in without_effect(results)
    }
    gains = long_less_none(results)
    return {
        "every combination once": (
            len(set(COMPONENTS)) == len(COMPONENTS) == np.prod([*map(len, LEVELS.values())])
        ),
        "Every word of the short list is on the long one": FEW_STOP_WORDS <= STOP_WORDS,
        "the long stop list is better than none with every stemmer and model": (
            bool((long > none).all())
        ),
        "It is largest for `pl2`": max(gains, key=lambda model: gains[model]) == "pl2",
        "The short list is worse than none for `dirichlet` with every stemmer": (
            bool((short[:, dirichlet] < none[:, dirichlet]).all())
        ),
        "No two systems are identical by any measure": all(
            row["same"] == 0 for row in of_grid.values()
        ),
        "every system ranks the relevant documents first, and the score is 1": all(
            bool((results.grid["ap"][results.topics.index(topic)] == 1).all())
            for topic in of_grid["ap"]["equal"]
        ),
        "scores vary less within topics than above, and more topics are constant": all(
            row["spread"] < of_others[name]["spread"]
            and len(row["equal"]) > len(of_others[name]["equal"])
            for name, row in of_grid.items()
        ),
        "P@10 is the same for all stemmers, or for all stop lists, in more than half of the "
        "comparisons": (min(unseen["p10"]) > 1 / 2),
        "AP is the same in less than a tenth": max(unseen["ap"]) < 1 / 10,
    }
