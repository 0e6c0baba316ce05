"""ranx as a judge of normalization, sums and reciprocal rank fusion, and where it is wrong."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cdfscore.merging import Merged, merge, rrf

Lists = dict[str, dict[str, dict[str, float]]]
TINY: Lists = {
    "a": {"1": {"x": 3e-10, "y": 2e-10, "z": 1e-10}},
    "b": {"1": {"u": 3.0, "v": 2.0, "w": 1.0}},
}
ABSENT: Lists = {"a": {"1": {"x": 2.0, "y": 1.0}, "2": {"x": 1.0}}, "b": {"1": {"z": 1.0}}}


def random_lists(seed: int) -> Lists:
    """Three sources of two topics with 2 to 9 of 12 documents; no two scores of a list are tied."""
    rng = np.random.default_rng(seed)

    def ranking() -> dict[str, float]:
        scores = rng.normal(5, 3, rng.integers(2, 9)).tolist()
        return {f"d{i}": x for i, x in zip(rng.permutation(12), scores, strict=False)}

    return {source: {topic: ranking() for topic in ("1", "2")} for source in "abc"}


CASES = [*(random_lists(seed) for seed in range(8)), TINY, ABSENT, dict(reversed(ABSENT.items()))]


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
    for lists, found in zip(CASES[:8], of_ranx[:8], strict=True):
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
    for lists, found in zip(CASES[:8], of_ranx[:8], strict=True):
        for scheme in ("minmax", "sum", "raw"):
            ours = merge(lists, scheme, duplicates="sum")
            assert are_close(scores_of(ours), found[f"fused {scheme}"])
        assert are_close(scores_of(rrf(lists)), found["rrf"])


@pytest.mark.long
def test_scores_close_together_have_the_y_of_others_here_and_not_in_ranx(
    of_ranx: list[dict[str, Any]],
) -> None:
    """Its denominators are 1e-9 at least, whatever the unit of the scores is."""
    found = of_ranx[8]
    thirds = {"x": 2 / 3, "y": 1 / 3, "z": 0.0}
    expected = {"minmax": [1.0, 0.5, 0.0], "sum": list(thirds.values()), "z": [1.0, 0.0, -1.0]}
    for scheme, y in expected.items():
        ours = scores_of(merge(TINY, scheme))["1"]
        assert [ours[d] for d in "xyz"] == pytest.approx(y, rel=1e-12, abs=1e-12)
        assert [ours[d] for d in "uvw"] == pytest.approx(y, rel=1e-12, abs=1e-12)
    assert list(found["minmax"][0]["1"].values()) == pytest.approx([0.2, 0.1, 0], abs=1e-12)
    assert list(found["sum"][0]["1"].values()) == pytest.approx([0.2, 0.1, 0], abs=1e-12)
    assert list(found["z"][0]["1"].values()) == pytest.approx([0.1, 0, -0.1], abs=1e-12)


@pytest.mark.long
def test_a_source_without_a_list_for_a_topic_is_merged_here_and_not_in_ranx(
    of_ranx: list[dict[str, Any]],
) -> None:
    """It refuses, and without its check loses the topic, or stops, by the order of the runs."""
    first, second = of_ranx[9], of_ranx[10]
    assert (first["rrf"], second["rrf"]) == ("AssertionError", "AssertionError")
    assert (first["fused minmax"], second["fused raw"]) == ("AssertionError", "AssertionError")
    assert first["rrf alone"] == "KeyError"
    assert list(second["rrf alone"]) == ["1"]
    assert scores_of(rrf(ABSENT)) == {
        "1": {"z": 1 / 61, "x": 1 / 61, "y": 1 / 62},
        "2": {"x": 1 / 61},
    }


@pytest.mark.long
def test_ranx_compiled_is_ranx_not_compiled(of_ranx: list[dict[str, Any]]) -> None:
    from tests.merging.in_ranx import as_dict, ranx

    for lists, found in zip(CASES[:3], of_ranx[:3], strict=True):
        runs = [ranx.Run(own, name=source) for source, own in lists.items()]
        for norm, method, name in (("min-max", "sum", "fused minmax"), (None, "rrf", "rrf")):
            assert are_close(as_dict(ranx.fuse(runs, norm=norm, method=method)), found[name])
