"""ranx as a judge of normalization, sums and reciprocal rank fusion, and where it is wrong."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cdfscore.retrieval.merging import Merged, merge, rrf

Lists = dict[str, dict[str, dict[str, float]]]


def random_lists(seed: int) -> Lists:
    """Three sources of two topics with 2 to 9 of 12 documents; no two scores of a list are tied."""
    rng = np.random.default_rng(seed)

    def ranking() -> dict[str, float]:
        scores = rng.normal(5, 3, rng.integers(2, 9)).tolist()
        return {f"d{i}": x for i, x in zip(rng.permutation(12), scores, strict=False)}

    return {source: {topic: ranking() for topic in ("1", "2")} for source in "abc"}


CASES = [random_lists(seed) for seed in range(8)]


@pytest.fixture(scope="module")
def of_ranx() -> list[dict[str, Any]]:
    """What ranx finds for each case."""
    cases = [list(lists.values()) for lists in CASES]
    found = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("in_ranx.py"))],
        input=json.dumps(cases),
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        check=True,
        text=True,
    )
    decoded: list[dict[str, Any]] = json.loads(found.stdout)
    return decoded


def scores_of(merged: Merged) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for topic, document, score in merged.frame()[["topic", "document", "score"]].values.tolist():
        found.setdefault(topic, {})[document] = score
    return found


def are_close(ours: dict[str, dict[str, float]], theirs: dict[str, dict[str, float]]) -> bool:
    return ours.keys() == theirs.keys() and all(
        own == pytest.approx(theirs[topic], rel=1e-12, abs=1e-14) for topic, own in ours.items()
    )


@pytest.mark.long
def test_normalizations_are_those_of_ranx(of_ranx: list[dict[str, Any]]) -> None:
    """Its z divides by n under the root, so that ours is smaller by sqrt((n - 1) / n)."""
    for lists, found in zip(CASES, of_ranx, strict=True):
        for i, (source, own) in enumerate(lists.items()):
            for scheme in ("minmax", "sum"):
                assert are_close(scores_of(merge({source: own}, scheme)), found[scheme][i])
            z = scores_of(merge({source: own}, "z"))
            for scores in z.values():
                factor = math.sqrt(len(scores) / (len(scores) - 1))
                scores.update({document: y * factor for document, y in scores.items()})
            assert are_close(z, found["z"][i])


@pytest.mark.long
def test_sums_and_rrf_are_those_of_ranx(of_ranx: list[dict[str, Any]]) -> None:
    for lists, found in zip(CASES, of_ranx, strict=True):
        for scheme in ("minmax", "sum", "raw"):
            ours = merge(lists, scheme, duplicates="sum")
            assert are_close(scores_of(ours), found[f"fused {scheme}"])
        assert are_close(scores_of(rrf(lists)), found["rrf"])
