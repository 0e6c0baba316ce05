"""Systems of two collections as a table, and in sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from cdfscore.io.text import counted, written
from cdfscore.report.captioned import Captioned, Column
from cdfscore.report.number_cells import fixed, shown_p

if TYPE_CHECKING:
    from cdfscore.comparison.two_collections import TwoCollections


def collections_table(found: TwoCollections, names: tuple[str, str], alpha: float) -> Captioned:
    """Return one row per system, with its means in both collections, and the tests."""
    rows: list[dict[Any, Any]] = found.table.to_dict("records")
    columns = [Column("system", False, [str(row["system"]) for row in rows])]
    for side, name in zip("ab", names, strict=True):
        columns += [
            Column(f"mean, {name}", True, [fixed(row[f"mean_{side}"], 4) for row in rows]),
            Column(f"topics, {name}", True, [str(row[f"topics_{side}"]) for row in rows]),
        ]
    told = [
        f"{counted(found.in_both, 'system')} in both collections, standardized by the same factors"
    ]
    if _is_tested(found):
        columns += [
            *(
                Column(header, True, [fixed(row[key], 4) for row in rows])
                for header, key in (
                    ("difference", "difference"),
                    ("low", "conf_low"),
                    ("high", "conf_high"),
                )
            ),
            Column("p", True, [shown_p(row["p_value"], math.nan) for row in rows]),
            Column("adjusted p", True, [shown_p(row["p_adjusted"], alpha) for row in rows]),
        ]
        told.append(
            "The differences are tested by welch_t, because the topics are two samples, with "
            "correction by holm over these systems. * marks adjusted p values of at most "
            f"{written(alpha)}. Intervals: {100 * found.conf_level:.12g} %, for each system "
            "separately"
        )
    told.append(f"tau_b between the two rankings: {fixed(found.tau_b, 3)}")
    told.append(
        "A difference is a difference of positions among the reference systems. The topics of the "
        "two collections may be of different kinds"
    )
    return Captioned("", "", columns).with_caption("Two collections", *told)


def finding_on_collections(found: TwoCollections, names: tuple[str, str], alpha: float) -> str:
    """Say how many systems differ between two collections, and how their rankings agree."""
    tau = (
        "" if math.isnan(found.tau_b) else f" tau_b between the rankings: {fixed(found.tau_b, 3)}."
    )
    of = f"{counted(found.in_both, 'system')} in both {names[0]} and {names[1]}"
    if not _is_tested(found):
        return f"No difference was tested for the {of}.{tau}"
    differ = int((found.table["p_adjusted"] <= alpha).sum())
    return (
        f"{differ:,} of the {of} {'differs' if differ == 1 else 'differ'} significantly between "
        f"the collections by welch_t at level {written(alpha)} after correction by holm.{tau}"
    )


def method_of_collections(found: TwoCollections, names: tuple[str, str]) -> str:
    """Say how two collections were compared, in words for a paper."""
    topics, systems = found.other_size
    told = (
        f"The other collection, {names[1]}, has scores of {counted(systems, 'system')} on "
        f"{counted(topics, 'topic')}, standardized by the same factors"
    )
    if not _is_tested(found):
        return f"{told}. No system was tested between the collections."
    return (
        f"{told}. Each of the {counted(found.in_both, 'system')} in both was tested between the "
        "collections by welch_t (two-sided; Welch (1947)), because the topics are two samples, "
        f"with correction by holm over these systems. The {100 * found.conf_level:.12g} % "
        "intervals are for each system separately. Both collections are on one scale if the "
        "reference systems of their topics are the same or comparable."
    )


def _is_tested(found: TwoCollections) -> bool:
    return bool(found.table["p_value"].notna().any())
