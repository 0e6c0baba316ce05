"""Printed numbers of Webber, Moffat and Zobel (2008) beside computed ones, for the pages."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from cdfscore.experiments.papers.webber2008 import BY_CHANCE
from validation.papers.recorded_webber2008 import frame, numbers

#: What the pages say of each status; "needs ..." says itself what is missing.
_RESULTS = {
    "equal": "yes",
    "as worded": "as worded",
    "within sampling error": "within sampling error",
    "differs": "**no**",
    "in part": "in part",
}
#: Decimals of a computed number, more than the printed one has.
_MORE = 3


@dataclass(frozen=True)
class Line:
    """A printed number and the computed one, as a row of a page has them."""

    place: str
    page: int
    row: str
    column: str
    printed: str
    computed: str
    result: str
    note: str
    status: str
    z: float


def lines() -> list[Line]:
    """Return every printed number, in the order of the paper's tables, figures and sections."""
    return [_line(row) for row in numbers().to_dict("records")]


def of_place(place: str) -> list[Line]:
    """Return the numbers that a table, a figure or a section prints."""
    return [line for line in lines() if line.place == place]


def counts() -> dict[str, int]:
    """Return how many numbers have each status; "needs" counts all that lack data."""
    found = pd.Series([line.status.partition(" ")[0] for line in lines()]).value_counts()
    return {str(kind): int(number) for kind, number in found.items()}


def with_status(status: str) -> list[Line]:
    """Return the numbers whose status is this, or begins with it as "needs" does."""
    return [line for line in lines() if line.status.startswith(status)]


def lacking() -> dict[str, dict[str, int]]:
    """Return, by the data that are not public, how many numbers of which place need them."""
    found: dict[str, dict[str, int]] = {}
    for line in with_status("needs "):
        places = found.setdefault(line.status.removeprefix("needs "), {})
        places[line.place] = places.get(line.place, 0) + 1
    return found


def fewest_systems() -> list[tuple[str, str, int]]:
    """Return what Section 4 says of Figure 4, and the fewest sampled systems of which it is so."""
    table = frame("figure4")
    asked = (
        (
            "99 of 100 samples have a larger tau than AP on T03.rob and T04.rob",
            "5",
            "lowest_99",
            "between",
        ),
        (
            "95 of 100 samples have a larger tau than AP and sAP of T03.rob",
            "10",
            "lowest_95",
            "raw_and_standardized",
        ),
        (
            "99 of 100 samples have a larger tau than AP and sAP of T03.rob",
            "15",
            "lowest_99",
            "raw_and_standardized",
        ),
    )
    return [
        (text, printed, int(table.loc[table[percentile] > table[limit], "size"].min()))
        for text, printed, percentile, limit in asked
    ]


def values() -> dict[str, object]:
    """Return what the template shows."""
    return {
        "of_place": of_place,
        "counts": counts(),
        "total": len(lines()),
        "beyond_chance": BY_CHANCE,
        "with_status": with_status,
        "lacking": lacking(),
        "fewest_systems": fewest_systems(),
    }


def claims() -> Mapping[str, bool]:
    """Return what the page says in words, and whether it is so."""
    return {}


def _line(row: dict[str, object]) -> Line:
    status, printed, words = str(row["status"]), str(row["printed"]), str(row["words"])
    z = row["z"]
    assert isinstance(z, float)
    return Line(
        str(row["place"]),
        int(str(row["page"])),
        str(row["row"]),
        str(row["column"]),
        f"{printed} ({words})" if words else printed,
        _shown(row["computed"], printed),
        _RESULTS.get(status, status),
        str(row["note"]),
        status,
        z,
    )


def _shown(computed: object, printed: str) -> str:
    """Return a computed number with three more decimals than the printed one; a count as it is."""
    assert isinstance(computed, float)
    if math.isnan(computed):
        return ""
    decimals = len(printed.partition(".")[2])
    if decimals == 0 and computed.is_integer():
        return f"{computed:.0f}"
    return f"{computed:.{decimals + _MORE}f}"
