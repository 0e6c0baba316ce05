"""The tables of docs/parity.md that say how far numbers may be from R's, and why."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from cdfscore.effect_size._measure import USUAL as USUAL_OF_EFFECTS
from cdfscore.effect_size.registry import effect_sizes
from cdfscore.numerics.tolerance import Tolerance
from cdfscore.schemes.base import USUAL as USUAL_OF_SCHEMES
from cdfscore.schemes.from_scipy import TOLERANCES
from cdfscore.schemes.kernel.bandwidths import RULES
from cdfscore.schemes.kernel.boundaries import BOUNDARIES
from cdfscore.schemes.kernel.kernels import KERNELS
from cdfscore.schemes.registry import schemes
from cdfscore.significance.contract.tolerances import USUAL as USUAL_OF_TESTS
from cdfscore.significance.registry import significance_tests

Stated = tuple[str, Tolerance]

_TEXT = """## What is allowed

Every scheme, test and effect size states its tolerance in its own file, with the reason. A scheme
that states none, as a plug-in may, is allowed {usual:g} ulp. Numbers below the floor are compared
in the ulp of the floor. A setting that is not listed changes nothing; of several settings, the one
that is farthest from R counts. `zero_inflated` is allowed 3 ulp more than its family.

{schemes}

These are the numbers of tests, and those of single tests that differ. Scores that are standardized
may be apart before they are tested: a test is allowed 100 ulp more, and its p values 1,000, for
each ulp that the scheme is.

{tests}

These are effect sizes and their intervals.

{effects}
"""


def text() -> str:
    """Return the section of the page."""
    return _TEXT.format(
        usual=USUAL_OF_SCHEMES.ulp,
        schemes=_table("scheme", _of_schemes()),
        tests=_table("number", _of_numbers(USUAL_OF_TESTS, significance_tests)),
        effects=_table("number", _of_numbers(USUAL_OF_EFFECTS, effect_sizes)),
    )


def _of_schemes() -> Iterator[Stated]:
    for name in schemes.names():
        yield name, schemes.parse(name).tolerance
    for setting, parts in (("kernel", KERNELS), ("boundary", BOUNDARIES), ("bandwidth", RULES)):
        for name, part in parts.items():
            if part.tolerance is not None:
                yield f"kernel:{setting}={name}", part.tolerance
    for name, tolerance in TOLERANCES.items():
        yield f"from_scipy:dist={name}", tolerance


def _of_numbers(usual: Mapping[str, Tolerance], catalogue: Any) -> Iterator[Stated]:
    """Yield the usual tolerances, and then those that a member states."""
    yield from usual.items()
    for name in catalogue.names():
        for number, tolerance in catalogue.load(name).tolerances.items():
            if tolerance != usual[number]:
                yield f"{name}, {number}", tolerance


def _table(of: str, stated: Iterable[Stated]) -> str:
    """Return a table with a row for each tolerance, in front of which stands what has it."""
    names: dict[Tolerance, list[str]] = {}
    for name, tolerance in stated:
        names.setdefault(tolerance, []).append(f"`{name}`")
    rows = [f"| {', '.join(n)} | {_cells(t)} |" for t, n in names.items()]
    return "\n".join([f"| {of} | ulp | floor | reason |", "|---|--:|--:|---|", *rows])


def _cells(tolerance: Tolerance) -> str:
    real = "" if tolerance.real is None else f"; {tolerance.real:g} on the real matrices"
    return f"{tolerance.ulp:,.0f} | {_floor(tolerance.floor)} | {tolerance.reason}{real}"


def _floor(floor: float) -> str:
    share, exponent = math.frexp(floor)
    return f"2^{exponent - 1}" if share == 0.5 and floor != 1 else f"{floor:g}"
