"""Runs and qrels of ranx, in a process in which numba compiles nothing: that would take 20 s."""

import os
import subprocess
import sys

import pytest

CODE = """
import sys
import ranx
from cdfscore.errors import RunError
from cdfscore.retrieval import measure
from cdfscore.retrieval.runs import run_of

found = {"301": {"d7": 2.5, "d2": 1.5}, "302": {"d2": 9.0}}
judged = {"301": {"d2": 1, "d7": 0}, "302": {"d2": 2}}
run, qrels = ranx.Run(found, name="bm25"), ranx.Qrels(judged)
expected = measure({"bm25": found}, judged, ["AP", "VDCG"]).frame()
for runs, judges in (
    (run, judged),
    ({"bm25": run.to_dataframe()}, judged),
    ({"bm25": found}, qrels),
    ({"bm25": found}, qrels.to_dataframe()),
):
    assert measure(runs, judges, ["AP", "VDCG"]).frame().equals(expected)
both = measure([ranx.Run(found, name="b"), ranx.Run(found, name="a")], judged, "AP")
assert [*both["AP"]] == ["b", "a"]
for runs, judges, message in (
    ({"a": qrels}, judged, "the run 'a': a Qrels of ranx is given; expected a Run"),
    (found, run, "the qrels: a Run of ranx is given; expected a Qrels"),
    ([run, [*found]], judged, "run 2, record 1 is a str"),
):
    try:
        measure(runs, judges, "AP")
    except RunError as error:
        assert message in str(error), error
    else:
        raise AssertionError(message)
for name in [name for name in sys.modules if name.startswith("ranx")]:
    del sys.modules[name]
assert run_of("a", run).topics == ("301", "302")
assert not any(name.startswith("ranx") for name in sys.modules)
"""


@pytest.mark.long
def test_objects_and_frames_of_ranx() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CODE],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
