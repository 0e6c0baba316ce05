"""What a command says on stderr about what it did."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.io.scores import topic_labels

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.standardization.factors import Factors
    from cdfscore.standardization.leave_one_out import LeftOut
    from cdfscore.standardization.standardizer import Standardizer


def say_what_was_done(
    factors: Factors,
    scores: pd.DataFrame,
    standardized: pd.DataFrame,
    reference: pd.DataFrame | None = None,
) -> None:
    """Say what was standardized, and each topic or score that a policy touched."""
    topics, systems = standardized.shape
    lines = [
        f"{_counted(topics, 'topic')} x {_counted(systems, 'system')} standardized by "
        f"{factors.fitted.scheme}"
    ]
    kept = set(topic_labels(standardized))
    if constant := [topic for topic in factors.constant_topics if topic in kept]:
        needs_policy = factors.fitted.scheme.needs_spread or factors.degenerate in ("half", "nan")
        used = f": {factors.degenerate!r} used" if needs_policy else ""
        lines.append(f"{_listed(constant)} constant in the reference{used}")
    if refused := [topic for topic in topic_labels(scores) if topic in factors.refused]:
        get = "dropped" if factors.unfitted == "drop_topic" else "without standardized scores"
        why = f"topic {refused[0]}: {factors.refused[refused[0]]}"
        lines.append(f"{_listed(refused)} {get}, as there is no fit; {why}")
    kept.update(refused)
    if dropped := [topic for topic in topic_labels(scores) if topic not in kept]:
        lines.append(f"{_listed(dropped)} dropped for missing scores")
    if done := {"zero": "taken as 0", "omit": "passed over"}.get(factors.missing):
        for frame, of in ((reference, "reference score"), (scores, "score")):
            if frame is not None and (missing := int(np.isnan(frame.to_numpy()).sum())):
                lines.append(f"{_counted(missing, f'missing {of}')} {done}")
    _say([*lines, *_not_finite(standardized)])


def say_what_was_left_out(left: LeftOut, standardizer: Standardizer, scores: pd.DataFrame) -> None:
    """Say what was standardized by leave-one-out, and each cell that a policy touched."""
    topics, systems = left.standardized.shape
    scheme = standardizer.parsed
    lines = [
        f"{_counted(topics, 'topic')} x {_counted(systems, 'system')} standardized by {scheme}, "
        "fitted for each system to the others"
    ]
    if constant := int(left.constant.sum()):
        needs_policy = scheme.needs_spread or standardizer.degenerate in ("half", "nan")
        used = f": {standardizer.degenerate!r} used" if needs_policy else ""
        lines.append(f"{_counted(constant, 'cell')} where the others' scores are equal{used}")
    if left.refused:
        (topic, system), reason = next(iter(left.refused.items()))
        dropped = "; topics like that are dropped" * (standardizer.unfitted == "drop_topic")
        lines.append(
            f"{_counted(len(left.refused), 'cell')} without a fit{dropped}; topic {topic} without "
            f"system {system}: {reason}"
        )
    missing = int(np.isnan(scores.to_numpy()).sum())
    if missing:
        done = {"zero": "taken as 0", "omit": "passed over", "drop_topic": "dropped with the topic"}
        lines.append(f"{_counted(missing, 'missing score')} {done[standardizer.missing]}")
    _say([*lines, *_not_finite(left.standardized)])


def _not_finite(standardized: pd.DataFrame) -> list[str]:
    values, lines = standardized.to_numpy(), []
    if undefined := int(np.isnan(values).sum()):
        lines.append(f"{_counted(undefined, 'cell')} without a standardized score")
    if infinite := int(np.isinf(values).sum()):
        lines.append(f"{_counted(infinite, 'standardized score')} infinite")
    return lines


def _say(lines: list[str]) -> None:
    print("\n".join(f"cdfscore: {line}" for line in lines), file=sys.stderr)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _listed(topics: Sequence[str]) -> str:
    shown = ", ".join(topics[:5]) + (", ..." if len(topics) > 5 else "")
    return f"{len(topics)} topics ({shown})" if len(topics) > 1 else f"topic {shown}"
