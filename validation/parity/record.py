"""The worst distance seen for each scheme, for the summary at the end of a run."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

#: Under which name a process of several hands its lines to the one that prints.
DISTANCES = "distances from R"


@dataclass
class Record:
    """Worst distance and its place by (campaign, scheme)."""

    worst: dict[tuple[str, str], tuple[float, float, str]] = field(default_factory=dict)

    def add(self, campaign: str, spelling: str, ulp: float, allowed: float, place: str) -> None:
        """Keep the larger of this distance and the one known."""
        known = self.worst.get((campaign, spelling))
        if known is None or ulp > known[0]:
            self.worst[campaign, spelling] = (ulp, allowed, place)

    def lines(self) -> list[str]:
        """Return a line a scheme and campaign."""
        return [
            f"{campaign:<13}  {spelling:<42}  {ulp:>10.4g} of {allowed:.4g} ulp  {place}"
            for (campaign, spelling), (ulp, allowed, place) in sorted(self.worst.items())
        ]


def print_distances(reporter: pytest.TerminalReporter, lines: list[str]) -> None:
    """Print the lines of a run, if there are any."""
    if lines:
        reporter.section("largest distances from R")
        for line in lines:
            reporter.write_line(line)
