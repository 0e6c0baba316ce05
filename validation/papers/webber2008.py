"""Numbers that Webber, Moffat and Zobel (2008), SIGIR 2008, pages 51 to 58, print.

Values are text, so that the number of digits that was printed is known. Only what the
evaluation data can reproduce is here: the systems of the TREC 2003 Robust track itself are
not public, so that cells standardized by them (T03.rob in Tables 2, 5 and 6) are left out.
"""

from typing import NamedTuple


class Published(NamedTuple):
    """A number of a table, a figure or the text, and where it stands."""

    place: str
    cell: tuple[str, ...]
    value: str


def _published(place: str, cells: dict[tuple[str, ...], str]) -> list[Published]:
    return [Published(place, cell, value) for cell, value in cells.items()]


PUBLISHED = [
    # AP of the TREC 8 AdHoc systems: the system or topic, then what is printed of it.
    *_published(
        "Table 1",
        {
            ("system", "1", "mean"): "0.469",
            ("system", "10", "mean"): "0.324",
            ("system", "40", "mean"): "0.269",
            ("system", "75", "mean"): "0.176",
            ("system", "1", "sd"): "0.224",
            ("system", "10", "sd"): "0.220",
            ("system", "40", "sd"): "0.219",
            ("system", "75", "sd"): "0.185",
            ("topic", "403", "mean"): "0.708",
            ("topic", "430", "mean"): "0.486",
            ("topic", "414", "mean"): "0.203",
            ("topic", "401", "mean"): "0.048",
            ("topic", "403", "sd"): "0.226",
            ("topic", "430", "sd"): "0.217",
            ("topic", "414", "sd"): "0.108",
            ("topic", "401", "sd"): "0.090",
        },
    ),
    # Quartiles of the standardized AP of the TREC 8 AdHoc systems (Section 3, on Figure 3).
    *_published("Figure 3", {("25",): "0.26", ("50",): "0.50", ("75",): "0.74"}),
    # sAP of the TREC 2004 systems, standardized by the original systems and by themselves.
    *_published(
        "Table 2",
        {
            ("T7.adh", "Pearson"): "0.998",
            ("T8.adh", "Pearson"): "0.998",
            ("T7.adh", "Kendall"): "0.969",
            ("T8.adh", "Kendall"): "0.962",
        },
    ),
    # AP of the TREC 2004 systems, not standardized, on one set of topics and on another.
    *_published(
        "Section 4",
        {("T03.rob", "T04.rob", "Kendall"): "0.742", ("T03.rob", "T04.rob", "Pearson"): "0.943"},
    ),
    # dRMSE of AP, not standardized, between two sets of topics.
    *_published(
        "Table 3",
        {
            ("T7.adh", "T8.adh"): "0.627",
            ("T7.adh", "T03.rob"): "1.857",
            ("T7.adh", "T04.rob"): "1.285",
            ("T8.adh", "T03.rob"): "1.387",
            ("T8.adh", "T04.rob"): "0.859",
            ("T03.rob", "T04.rob"): "0.583",
        },
    ),
    # dRMSE of sAP.
    *_published(
        "Table 5",
        {
            ("T7.adh", "T8.adh"): "0.320",
            ("T7.adh", "T04.rob"): "0.373",
            ("T8.adh", "T04.rob"): "0.397",
        },
    ),
    # Means over topics and the TREC 2004 systems.
    *_published(
        "Table 6",
        {
            ("P@10", "T7.adh"): "0.452",
            ("P@10", "T8.adh"): "0.450",
            ("P@10", "T03.rob"): "0.466",
            ("P@10", "T04.rob"): "0.434",
            ("AP", "T7.adh"): "0.212",
            ("AP", "T8.adh"): "0.244",
            ("AP", "T03.rob"): "0.327",
            ("AP", "T04.rob"): "0.293",
            ("sAP", "T7.adh"): "0.516",
            ("sAP", "T8.adh"): "0.503",
            ("sAP", "T04.rob"): "0.500",
        },
    ),
]
