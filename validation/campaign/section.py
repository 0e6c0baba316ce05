"""The section of one scheme on the page: its worst inputs, to be typed into R and Python."""

from __future__ import annotations

from typing import Any

from cdfscore.schemes.base import Scheme
from cdfscore.schemes.registry import parse_scheme
from validation.campaign.spelled import in_python, in_r

Case = dict[str, Any]

_TITLES = {
    "from R": "farthest from R",
    "ours, argument": "ours, farthest from F at its argument",
    "R, argument": "R, farthest from F at its argument",
    "ours, scores": "ours, farthest from the value of the scores",
    "R, scores": "R, farthest from the value of the scores",
    "failed": "failed",
}


def section(data: dict[str, Any], limit: float) -> str:
    spelling, counts = data["spelling"], data["counts"]
    cases = {_TITLES[name]: data["worst"][name] for name in _shown(data)}
    cases |= {name: case for name, case in data["worst"].items() if name.startswith("R is off")}
    lines = [f"## {spelling}\n", _tolerance(data)]
    if "argument: same" not in counts:
        lines.append("It is not defined at 50 digits here, and was laid beside R alone.")
    elif data["limit"] is None:
        worst = ulp(data["worst"]["ours, argument"]["ulp"])
        lines.append(
            f"The cdf is SciPy's as it is, for want of a simple one that is better: measured to be "
            f"{worst} ulp off, and without a limit."
        )
    if counts.get("scores: same") is not None:
        ours, r = (counts[f"scores: {who} within the limit"] for who in ("ours", "R"))
        n = counts["inputs"]
        lines.append(
            f"From the scores, {ours / n:.1%} of ours are within {limit:g} ulp, {r / n:.1%} of R's."
        )
    lines.append(_parameters(data["worst"]))
    if off := data["R is off by kind"]:
        kinds = ", ".join(f"{kind} {count:,}" for kind, count in off.items())
        lines.append(f"R is off, by kind of sample: {kinds}.")
    if data["refused trials"]:
        lines.append(f"Of {data['trials']:,} samples, {data['refused trials']:,} have no fit.")
    head = "| | ulp | kind | n | x | y | R | true y |\n|---|--:|---|--:|--:|--:|--:|--:|"
    table = "\n".join([head, *(_row(title, case) for title, case in cases.items())])
    said = "\n".join(filter(None, lines)) + "\n"
    if not cases:
        return said
    calls = "\n".join(_calls(parse_scheme(spelling), spelling, cases))
    return f"{said}\n{table}\n\n```\n{calls}\n```\n"


def ulp(distance: float | str) -> str:
    value = float(distance)
    return f"{value:.3g}" if value < 1e6 else f"{value:.1e}"


def _shown(data: dict[str, Any]) -> list[str]:
    """Name the worst inputs that say something: no distance of 0, R's argument if it is ours."""
    names = [name for name in _TITLES if name in data["worst"]]
    if not data["shared argument"]:
        names = [name for name in names if name != "R, argument"]
    return [name for name in names if float(data["worst"][name]["ulp"]) > 0]


def _tolerance(data: dict[str, Any]) -> str:
    tolerance = data["tolerance"]
    said = f"Allowed from R: {ulp(tolerance['ulp'])} ulp ({tolerance['reason']})."
    if tolerance["floor"]:
        said += (
            f" A y below {tolerance['floor']:g} is compared in the ulp of {tolerance['floor']:g}."
        )
    return said


def _parameters(worst: dict[str, Case]) -> str:
    fitted = [
        f"{name.removeprefix('parameter ')} {ulp(case['ulp'])} ulp"
        + (f" ({case['kind']}, trial {case['trial']})" if case["ulp"] > 1 else "")
        for name, case in worst.items()
        if name.startswith("parameter")
    ]
    return (
        f"Fitted parameters, farthest from their true values: {', '.join(fitted)}."
        if fitted
        else ""
    )


def _row(title: str, case: Case) -> str:
    values = (_double(case[key]) for key in ("x", "y", "R"))
    cells = [title, ulp(case["ulp"]), case["kind"], str(case["n"]), *values, case.get("true", "")]
    return f"| {' | '.join(cells)} |"


def _double(value: float | str) -> str:
    return value if isinstance(value, str) else repr(value)


def _calls(scheme: Scheme, spelling: str, cases: dict[str, Case]) -> list[str]:
    """Return the lines to type, each once; a long sample is printed by a command."""
    lines: dict[str, list[str]] = {}
    for title, case in cases.items():
        if "sample" in case:
            x, sample = [float(case["x"])], case["sample"]
            line = f"{in_r(scheme, x, sample)}\n{in_python(scheme, x, sample)}"
        else:
            line = f"python -m validation.campaign --case {spelling} {case['trial']}"
        lines.setdefault(line, []).append(title)
    return [f"# {'; '.join(titles)}\n{line}" for line, titles in lines.items()]
