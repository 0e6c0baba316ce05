"""The R that runs, and what it says to an expression."""

from __future__ import annotations

import platform
from importlib.metadata import version
from typing import Any

from cdfscore.r.session import RSession
from cdfscore.stats.numerics.types import Array

# What may change the last digit, by the R expression that tells it.
_ARITHMETIC = {
    "R": "R.version.string",
    "platform": "R.version$platform",
    "long_double_digits": ".Machine$longdouble.digits",
    "lapack": "La_version()",
}


def evaluate(r: RSession, expression: str, arguments: dict[str, Array] | None = None) -> Any:
    """Return the vector that an expression of R gives, with these vectors by name."""
    base = r.rinterface.baseenv
    environment = base["new.env"]()
    for name, values in (arguments or {}).items():
        environment[name] = r.vector(values)
    return base["eval"](base["parse"](text=expression), environment)


def arithmetic(r: RSession) -> dict[str, str]:
    """Describe what R's bits depend on."""
    told = {name: str(evaluate(r, text)[0]) for name, text in _ARITHMETIC.items()}
    return told | {"libc": " ".join(platform.libc_ver())}


def describe(r: RSession) -> dict[str, str]:
    """Describe the R that makes a reference; RNGkind is for completeness, no twin draws."""
    rest = {
        "RNGkind": ", ".join(evaluate(r, "RNGkind()")),
        "rpy2_rinterface": version("rpy2-rinterface"),
    }
    return arithmetic(r) | rest
