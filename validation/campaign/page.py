"""docs/parity.md, from the recorded results and the stated tolerances."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from validation import pages
from validation.campaign import allowed, results, section

PAGE = Path(__file__).resolve().parents[2] / "docs" / "parity.md"


def write() -> None:
    PAGE.write_text(text(results.read_all()), encoding="utf-8")


def text(found: list[dict[str, Any]]) -> str:
    """Return the page for these results."""
    return pages.rendered(
        "campaign/page.md.jinja",
        {},
        found=found,
        apart=sorted(
            {
                _scheme(data)
                for data in found
                if not data["shared argument"] and "ours, argument" in data["worst"]
            }
        ),
        limit=max((data["limit"] or 0.0 for data in found), default=0.0),
        unlimited=[
            f"`{data['spelling']}`"
            for data in found
            if data["limit"] is None and "ours, argument" in data["worst"]
        ],
        normal=next((data for data in found if data["spelling"] == "normal"), None),
        failed=sum(data["counts"]["failed"] for data in found),
        settings=sorted({_setting(data) for data in found}),
        short=[data for data in found if data["counts"]["inputs"] < data["inputs asked for"]],
        ulp=section.ulp,
        cases=section.cases,
        calls=section.calls,
        parameters=section.parameters,
        part=section.part,
        allowed=allowed.tables(),
        floor=allowed.floor,
        infinite=math.inf,
    )


def _setting(data: dict[str, Any]) -> tuple[str, int]:
    return ", ".join(f"{name} {version}" for name, version in data["versions"].items()), data[
        "seed"
    ]


def _scheme(data: dict[str, Any]) -> str:
    """Return the name of a scheme as the page shows it, without settings."""
    return f"`{data['spelling'].partition(':')[0]}`"
