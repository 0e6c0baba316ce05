"""Whether what is left after a fault is as it has to be."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from validation.faults.commands import Command, Ended, emptied, run

#: How a case may end.
SAME, REFUSED, RESUMED = "identical", "error message", "identical after a second run"
Files = Mapping[str, bytes | None]


class Finding(Exception):
    """What no case may give: other numbers, a part of a file, a traceback, or silence."""


@dataclass
class Row:
    """A fault under a command: the cases, how they ended, and what was said."""

    fault: str
    command: str
    outcomes: Counter[str] = field(default_factory=Counter)
    said: Counter[str] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)

    @contextmanager
    def case(self, name: str = "") -> Iterator[None]:
        """Take what a case finds into the row; its outcome is counted by the case, at its end."""
        try:
            yield
        except Finding as finding:
            self.findings.append(f"{name}: {finding}" if name else str(finding))

    @property
    def cases(self) -> int:
        """The number of cases, findings included."""
        return self.outcomes.total() + len(self.findings)

    def ends(self) -> str:
        """Return how the cases ended, the most frequent first."""
        return ", ".join(f"{end} {count:,}" for end, count in self.outcomes.most_common())


def require(condition: object, message: str) -> None:
    """Raise `Finding` unless the condition holds."""
    if not condition:
        raise Finding(message)


def seconds(command: Command, folder: Path) -> float:
    """Return how long a command takes, where no fault is made."""
    begun = time.monotonic()
    run(command, emptied(folder))
    return time.monotonic() - begun


@cache
def sound(command: Command, folder: Path, **more: str) -> Files:
    """Return the files of a command without a fault, run once; raise `Finding` if it fails."""
    found = run(command, emptied(folder), **more)
    said = f"without a fault the status is {found.status}: {found.said[-300:]}"
    require(found.status == 0, said)
    return found.files


def whole(found: Files, expected: Files, before: Files | None = None) -> None:
    """Raise `Finding` unless each file is complete, absent, or what it was before."""
    for name, content in found.items():
        earlier = None if before is None else before[name]
        if content not in (None, earlier, expected[name]):
            raise Finding(f"{name} is neither old nor new: {len(content or b'')} bytes")


def ended(found: Ended, expected: Files, before: Files | None = None) -> str:
    """Return how a command has ended; raise `Finding` where it must not end so."""
    whole(found.files, expected, before)
    last = (found.said.splitlines() or [""])[-1]
    require("Traceback" not in found.said, f"a traceback: {last}")
    if found.status == 0:
        require(dict(found.files) == dict(expected), f"the status is 0, and files differ: {last}")
        return SAME
    told = found.status == 2 and last.startswith("cdfscore: ")
    require(told, f"the status is {found.status}: {last}")
    return REFUSED


def sentence(found: Ended) -> str:
    """Return the last sentence that a command has said, without what differs between cases."""
    last = (found.said.splitlines() or [""])[-1].removeprefix("cdfscore: ")
    last = re.sub(r"(?<![\w.-])(/[\w.-]+)+/(?=[\w.-])", "", last)
    last = re.sub(r"[0-9a-f]{32}(-[0-9a-f]{16})?", "DIGEST", last)
    last = re.sub(r"tcp://127.0.0.1:\d+", "ADDRESS", last)
    return re.sub(r"digest [0-9a-f]{12}", "digest ...", last)
