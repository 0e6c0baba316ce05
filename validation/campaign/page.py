"""docs/parity.md, from the recorded results and the stated tolerances."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from validation.campaign import allowed, results
from validation.campaign.section import section, ulp

PAGE = Path(__file__).resolve().parents[2] / "docs" / "parity.md"

_INTRODUCTION = """# Measured distances

Written from `validation/results/` by `python -m validation.campaign --page`; `make validate` runs
the campaign anew and writes both. An input is one score x, read through the distribution of one
reference sample. Samples and scores are random: grids, ties, constants, all bits, gaps, samples of
one and two, subnormals, around 1e300 and 1e-300, means 1e15 times the sd, scores 45 standard
deviations from the mean. `from_scipy`, which is fitted by an optimizer, reads the same scores
through samples of evaluation measures. Every y has three judges; distances are in units in the
last place (ulp).

- **R**: the R twin. [What is allowed](#what-is-allowed) is stated in the scheme's own file.
- **F at its argument**: mpmath at 50 digits, at the doubles that R and cdfscore both compute: Phi
  at z = (x - mean) / sd, the kernels at (x - x_i) / h, `punif` at z, the others at the fitted
  parameters. This is the error of the cdf itself; ours must be at most {limit:g} ulp. The
  parameters of `from_scipy` are not those of R to the last bit, so that R has no figure there.
- **From the scores**: mpmath at 50 digits for everything, the parameters included.

{conditioning}

An input is fine within the tolerance from R. Outside it, the truth decides: R is off where ours is
within {limit:g} ulp of F at its argument, with parameters that are right, and R is farther away, or
has another sd or bandwidth. R's `sd` is Inf for a spread above 1e154 and 0 below 1e-162, and its
`rate = 1 / scale` overflows for a subnormal scale. {failed}

{setting}
"""

_HEAD = (
    "| scheme | inputs | from R: worst | allowed | F at its argument: ours | R "
    "| from the scores: ours | R | ours closer | R closer | same | R is off |\n|---|" + "--:|" * 11
)


_LEGEND = """
Closer counts the inputs where ours or R's y is nearer to F at its argument; for `from_scipy`,
which is the normal unless another is named, to the value from the scores. R's worst are among the
inputs where R is not off and y is above the floor of the tolerance.

Below are the worst inputs of each scheme. Lines with `source` are for R, started in the folder of
the repository; lines with `parse_scheme` for Python, after
`from cdfscore import parse_scheme`. For a sample of more than 12 scores, the command
that stands there prints both. A number of ulp has no bound where the true y is 0 or nearly.
"""


def write() -> None:
    PAGE.write_text(text(results.read_all()), encoding="utf-8")


def text(found: list[dict[str, Any]]) -> str:
    """Return the page for these results."""
    parts = [introduction(found), "\n".join([_HEAD, *map(row, found)]), _LEGEND]
    worst = [section(data, limit_of(found)) for data in found]
    return "\n".join([*parts, *worst, allowed.text()])


def introduction(found: list[dict[str, Any]]) -> str:
    failed = sum(data["counts"]["failed"] for data in found)
    limit = limit_of(found)
    return _INTRODUCTION.format(
        limit=limit,
        conditioning=conditioning(found, limit),
        failed=f"Anything else is a failure: there are {failed or 'none'}.",
        setting=setting(found),
    )


def limit_of(found: list[dict[str, Any]]) -> float:
    return max((data["limit"] or 0.0 for data in found), default=0.0)


def conditioning(found: list[dict[str, Any]], limit: float) -> str:
    """Say what the rounding of the parameters costs, with the numbers of the normal scheme."""
    for data in found:
        if data["spelling"] == "normal":
            ours, r = (data["worst"][f"{who}, scores"] for who in ("ours", "R"))
            counts = data["counts"]
            share = counts["scores: ours within the limit"] / counts["inputs"]
            return (
                "Rounding mean, sd or z to a double moves y by about z² ulp in the tails, and by\n"
                "more where the sd is a few ulp of the mean or x is next to it, for R and for\n"
                "cdfscore alike, since the bits are the same: from the scores, `normal` is up to\n"
                f"{ulp(ours['ulp'])} ulp off ({ours['kind']}; R {ulp(r['ulp'])}), and within "
                f"{limit:g} ulp for {share:.0%} of all inputs."
            )
    return ""


def setting(found: list[dict[str, Any]]) -> str:
    """Name versions and seeds, and the schemes that time did not suffice for."""
    settings = {
        ", ".join(f"{k} {v}" for k, v in data["versions"].items()) + f";\nseed {data['seed']}."
        for data in found
    }
    lines = [" ".join(sorted(settings))]
    asked = {data["spelling"]: data["inputs asked for"] for data in found}
    short = [
        f"`{data['spelling']}` ({data['counts']['inputs']:,} of {asked[data['spelling']]:,})"
        for data in found
        if data["counts"]["inputs"] < asked[data["spelling"]]
    ]
    if short:
        lines.append(f"Time was up with fewer inputs for {', '.join(short)}.")
    return "\n".join(lines)


def row(data: dict[str, Any]) -> str:
    counts, worst = data["counts"], data["worst"]

    def of(name: str) -> str:
        return ulp(worst[name]["ulp"]) if name in worst else "–"

    by = "argument" if data["shared argument"] else "scores"
    closer = [counts.get(f"{by}: {who}") for who in ("ours closer", "R closer", "same")]
    cells = [
        f"`{data['spelling']}`",
        f"{counts['inputs']:,}",
        of("from R"),
        ulp(data["tolerance"]["ulp"]),
        of("ours, argument"),
        of("R, argument") if data["shared argument"] else "–",
        of("ours, scores"),
        of("R, scores"),
        *("–" if count is None else f"{count:,}" for count in closer),
        f"{counts['R is off']:,}",
    ]
    return f"| {' | '.join(cells)} |"
