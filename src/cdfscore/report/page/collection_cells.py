"""Systems of two collections as a table, and in sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from cdfscore.io.text import counted
from cdfscore.report.captioned import NO_NUMBER, Captioned, Column
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
        f"{counted(found.in_both, 'system')} in both collections, on the scale of the same factors"
    ]
    if found.table["p_value"].notna().any():
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
            "Differences are tested by welch_t, since the topics are two samples; holm over these "
            f"systems, * at {alpha:g}; {100 * found.conf_level:g} % intervals, separate"
        )
    tau = NO_NUMBER if math.isnan(found.tau_b) else f"{found.tau_b:.3f}"
    told.append(f"tau_b between their rankings: {tau}")
    told.append(
        "A difference is one of the standing among the reference systems, on topics that may "
        "differ in what they ask"
    )
    return Captioned("", "", columns).with_caption("Two collections", *told)
