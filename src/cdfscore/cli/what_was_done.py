"""Reports of commands on stderr."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdfscore.cli.terminal import say
from cdfscore.io.text import counted
from cdfscore.standardization.notes import censored_notes

if TYPE_CHECKING:
    from cdfscore.standardization.leave_one_out import LeftOut
    from cdfscore.standardization.standardized import Standardized


def say_what_was_done(found: Standardized | LeftOut) -> None:
    """Report what was standardized, what the policies changed, and what is censored."""
    topics, systems = found.scores.shape
    size = f"{counted(topics, 'topic')} x {counted(systems, 'system')}"
    say(f"{size} {found.how}", *found.notes, *censored_notes(found.censored))
