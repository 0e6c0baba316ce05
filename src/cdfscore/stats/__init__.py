"""The specified core: arrays in, numbers out; no file, no data frame, no sentence.

Schemes, significance tests, effect sizes, corrections of p values and rank correlations, each by
its name. Each is defined by numbered clauses of the specification, which its docstring names, and
each has a reference implementation in R.

Examples
--------
>>> from cdfscore.stats import Normal, adjust, paired_t
>>> scores = [[0.1, 0.2, 0.6], [0.3, 0.4, 0.5]]  # topics x systems
>>> Normal().fit(scores)(scores).round(3)
array([[0.225, 0.353, 0.872],
       [0.159, 0.5  , 0.841]])
>>> result = paired_t([0.1, 0.3, 0.4, 0.2], [0.2, 0.4, 0.7, 0.3])
>>> result.p_value.round(4), adjust([result.p_value, 0.04], "holm").round(4)
(np.float64(0.0577), array([0.08, 0.08]))
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

# __init__.pyi has the same for type checkers; the lists of names are those of these modules.
_MODULES = ("schemes", "significance", "effect_size", "rank_correlation", "adjustment")


def __getattr__(name: str) -> Any:
    for module in _MODULES:
        found = import_module(f"{__name__}.{module}")
        if name in found.__all__:
            return getattr(found, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(
        name for module in _MODULES for name in import_module(f"{__name__}.{module}").__all__
    )
