"""Write the section of the data card on the grid."""

from validation import pages

from .card_tables import Results, peculiarities
from .grid import GRID
from .grid_claims import grid_claims
from .grid_tables import (
    descriptions,
    failures,
    in_both_sets,
    long_less_none,
    means_of_levels,
    means_of_systems,
    without_effect,
)
from .measure import MEASURES


def grid_section(results: Results) -> str:
    """Fill the template; of `results.scores` it needs none."""
    return pages.rendered(
        "collections/cranfield/card_grid.md.jinja",
        grid_claims(results),
        systems=len(GRID),
        measures=[str(measure) for measure in MEASURES.values()],
        levels=descriptions(results),
        means_of_levels=means_of_levels(results),
        means_of_systems=means_of_systems(results),
        gains=long_less_none(results),
        failures=failures(results),
        peculiarities=peculiarities(results.topics, results.grid),
        without_effect=without_effect(results),
        in_both_sets=in_both_sets(results),
    )
