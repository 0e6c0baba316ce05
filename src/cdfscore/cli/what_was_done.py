"""Reports of commands on stderr."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdfscore.cli.terminal import say
from cdfscore.io.text import counted
from cdfscore.standardization.notes import censored_notes

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.standardization.leave_one_out import LeftOut
    from cdfscore.standardization.standardized import Standardized


def say_what_was_done(found: Standardized) -> None:
    """Report what was standardized and what the policies changed."""
    _say(found.scores, found.how, [*found.notes, *censored_notes(found.censored)])


def say_what_was_left_out(left: LeftOut) -> None:
    """Report a leave-one-out standardization and what the policies changed."""
    _say(left.scores, left.how, left.notes)


def _say(scores: pd.DataFrame, how: str, notes: list[str]) -> None:
    topics, systems = scores.shape
    size = f"{counted(topics, 'topic')} x {counted(systems, 'system')}"
    say(f"{size} {how}", *notes)
