"""ranx on cases of standard input, for a process in which numba compiles nothing.

Its functions take a minute to compile, and give the same numbers without.
"""

import json
import sys
from typing import Any

import ranx
from ranx.normalization import norm_switch


def as_dict(run: Any) -> dict[str, dict[str, float]]:
    return {t: {d: float(score) for d, score in own.items()} for t, own in run.run.items()}


def found(case: list[dict[str, dict[str, float]]]) -> dict[str, Any]:
    """Normalize the runs of a case, and fuse them."""
    runs = [ranx.Run(own, name=str(i)) for i, own in enumerate(case)]
    norms = {"minmax": "min-max", "z": "zmuv", "sum": "sum"}
    return {
        **{ours: [as_dict(norm_switch(name)(run)) for run in runs] for ours, name in norms.items()},
        "fused minmax": as_dict(ranx.fuse(runs, norm="min-max", method="sum")),
        "fused sum": as_dict(ranx.fuse(runs, norm="sum", method="sum")),
        "fused raw": as_dict(ranx.fuse(runs, norm=None, method="sum")),
        "rrf": as_dict(ranx.fuse(runs, norm=None, method="rrf")),
    }


if __name__ == "__main__":
    print(json.dumps([found(case) for case in json.load(sys.stdin)]))
