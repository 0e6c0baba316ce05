"""The tables of docs/parity.md that say how far numbers may be from R's, and why."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from cdfscore.stats.effect_size.effects import USUAL as USUAL_OF_EFFECTS
from cdfscore.stats.effect_size.effects import effect_sizes
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.schemes.bandwidths import RULES
from cdfscore.stats.schemes.base import USUAL as USUAL_OF_SCHEMES
from cdfscore.stats.schemes.base import schemes
from cdfscore.stats.schemes.from_scipy import NEWTON, SEARCHED, TOLERANCES
from cdfscore.stats.schemes.kernel import BOUNDARIES, KERNELS
from cdfscore.stats.significance.contract import USUAL as USUAL_OF_TESTS
from cdfscore.stats.significance.contract import significance_tests

Stated = tuple[str, Tolerance]


def tables() -> dict[str, Any]:
    """Return the usual tolerance of a scheme, and who states which: of schemes, tests, effects."""
    return {
        "usual": USUAL_OF_SCHEMES.ulp,
        "schemes": _gathered(_of_schemes()),
        "tests": _gathered(_of_numbers(USUAL_OF_TESTS, significance_tests)),
        "effects": _gathered(_of_numbers(USUAL_OF_EFFECTS, effect_sizes)),
    }


def floor(tolerance: Tolerance) -> str:
    share, exponent = math.frexp(tolerance.floor)
    power_of_2 = share == 0.5 and tolerance.floor != 1
    return f"2^{exponent - 1}" if power_of_2 else f"{tolerance.floor:g}"


def _of_schemes() -> Iterator[Stated]:
    for name in schemes.names():
        yield name, schemes.parse(name).tolerance
    parts = (("kernel", KERNELS), ("boundary", BOUNDARIES), ("bandwidth", RULES))
    stated = [(f"{what}={name}", each.tolerance) for what, of in parts for name, each in of.items()]
    for setting, tolerance in stated:
        if tolerance is not None:
            yield f"kernel:{setting}", tolerance
    for name, tolerance in TOLERANCES.items():
        yield f"from_scipy:dist={name}", tolerance
    yield "from_scipy, other distributions without a shape that is searched", NEWTON
    yield "from_scipy, other distributions", SEARCHED


def _of_numbers(usual: Mapping[str, Tolerance], catalogue: Any) -> Iterator[Stated]:
    """Yield the usual tolerances, and then those that a member states."""
    yield from usual.items()
    for name in catalogue.names():
        for number, tolerance in catalogue.load(name).tolerances.items():
            if tolerance != usual[number]:
                yield f"{name}, {number}", tolerance


def _gathered(stated: Iterable[Stated]) -> dict[Tolerance, list[str]]:
    """Return the names that have each tolerance."""
    names: dict[Tolerance, list[str]] = {}
    for name, tolerance in stated:
        names.setdefault(tolerance, []).append(name)
    return names
