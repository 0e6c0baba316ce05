"""The section of one scheme on the page: its worst inputs, as code for R and Python."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cdfscore.stats.schemes.base import parse_scheme
from validation.campaign.spelled import in_python, in_r

Case = dict[str, Any]

_TITLES = {
    "from R": "farthest from R",
    "ours, argument": "cdfscore, farthest from F at its argument",
    "R, argument": "R, farthest from F at its argument",
    "ours, scores": "cdfscore, farthest from the value from the scores",
    "R, scores": "R, farthest from the value from the scores",
    "failed": "failed",
}


def ulp(distance: float | str) -> str:
    value = float(distance)
    return f"{value:.3g}" if value < 1e6 else f"{value:.1e}"


def part(data: dict[str, Any]) -> int:
    """Return how many inputs are computed at 50 digits, or 0 where all or none are."""
    counts = data["counts"]
    some: int = counts.get("at 50 digits", 0)
    return some if some < counts["inputs"] else 0


def cases(data: dict[str, Any]) -> dict[str, Case]:
    """Return the worst inputs by their titles: no distance of 0, R's argument if it is ours."""
    worst = data["worst"]
    names = [name for name in _TITLES if name in worst and float(worst[name]["ulp"]) > 0]
    if not data["shared argument"]:
        names = [name for name in names if name != "R, argument"]
    shown = {_TITLES[name]: worst[name] for name in names}
    shown |= {
        name.replace("R is off", "R is inaccurate"): case
        for name, case in worst.items()
        if name.startswith("R is off")
    }
    return {title: {"true": ""} | case for title, case in shown.items()}


def parameters(data: dict[str, Any]) -> Iterator[tuple[str, Case]]:
    """Yield the fitted parameters, and where they are farthest from the true ones."""
    for name, case in data["worst"].items():
        if name.startswith("parameter"):
            yield name.removeprefix("parameter "), case


def calls(data: dict[str, Any]) -> dict[str, list[str]]:
    """Return the lines to type, each once, and the cases that they show.

    A sample that is long is printed by a command.
    """
    spelling = data["spelling"]
    scheme, lines = parse_scheme(spelling), dict[str, list[str]]()
    for title, case in cases(data).items():
        if "sample" in case:
            x, sample = [float(case["x"])], case["sample"]
            line = f"{in_r(scheme, x, sample)}\n{in_python(scheme, x, sample)}"
        else:
            line = f"python -m validation.campaign --case {spelling} {case['trial']}"
        lines.setdefault(line, []).append(title)
    return lines
