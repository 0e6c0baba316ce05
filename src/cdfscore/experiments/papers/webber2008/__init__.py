"""Reproduction of Webber, Moffat and Zobel (2008): Tables 1 to 6 and Figures 1 to 7.

Score Standardization for Inter-Collection Comparison of Retrieval Systems, SIGIR 2008,
pages 51 to 58. `printed` returns all printed numbers. The package computes each number that the
published score matrices determine, and shows it beside the printed one.
"""

from cdfscore.experiments.papers.webber2008.numbers import (
    Collections,
    Printed,
    experiments,
    figure_tables,
    printed,
    read_collections,
    tables,
)

__all__ = [
    "Collections",
    "Printed",
    "experiments",
    "figure_tables",
    "printed",
    "read_collections",
    "tables",
]
