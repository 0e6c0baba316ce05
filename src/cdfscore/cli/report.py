"""What a command says on stderr about what it did."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.factors import Factors


def say_what_was_done(factors: Factors, standardized: pd.DataFrame) -> None:
    """Say what was standardized, and each topic or score that a policy touched."""
    topics, systems = standardized.shape
    lines = [f"{topics} topics x {systems} systems standardized by {factors.fitted.scheme}"]
    if constant := factors.constant_topics:
        lines.append(f"{_listed(constant)} constant in the reference: {factors.degenerate!r} used")
    if factors.dropped:
        lines.append(f"{_listed(list(factors.dropped))} dropped for missing reference scores")
    if missing := int(standardized.isna().sum().sum()):
        lines.append(f"{missing} cells have no standardized score")
    print("\n".join(f"cdfscore: {line}" for line in lines), file=sys.stderr)


def _listed(topics: list[str]) -> str:
    shown = ", ".join(topics[:5]) + (", ..." if len(topics) > 5 else "")
    return f"{len(topics)} topics ({shown})" if len(topics) > 1 else f"topic {shown}"
