"""Memory of a stream: that of some blocks, whatever the size of the file and its row groups."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.experiments.engine_subjects import ENVIRONMENT
from tests.standardization.streaming.subjects import written

# Not ru_maxrss, which counts what a process was before it became this one.
_STREAM = """
import pathlib, re, sys
from cdfscore import standardize_parquet

standardize_parquet("x.parquet", "y.parquet", sys.argv[1], block=1 << 18)
print(re.search(r"VmHWM:\\s+(\\d+) kB", pathlib.Path("/proc/self/status").read_text())[1])
"""


def peak(folder: Path, scheme: str) -> float:
    """Return the megabytes that a stream takes at most, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", _STREAM, scheme],
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        check=True,
    )
    return int(done.stdout) / 1024


def drawn(topics: int, form: str) -> pd.DataFrame:
    scores = np.random.default_rng(1).beta(1, 3, size=(topics, 50))
    labels = [f"t{i}" for i in range(topics)]
    systems = [f"s{i}" for i in range(50)]
    if form == "wide":
        return pd.DataFrame(scores, pd.Index(labels, name="topic"), systems)
    rows = pd.DataFrame(
        {
            "topic": np.repeat(labels, 50),
            "system": np.tile(systems, topics),
            "score": scores.ravel(),
        }
    )
    return rows if form == "by topic" else rows.sort_values("system", kind="stable")


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("form", ["wide", "by topic", "by system"])
def test_memory_does_not_grow_with_the_scores(form: str, tmp_path: Path) -> None:
    """One row group of five million scores, which are 40 MB as doubles, and of twenty million."""
    peaks = []
    for topics in (100_000, 400_000):
        frame = drawn(topics, form)
        written(frame.reset_index(drop=form != "wide"), tmp_path / "x.parquet", 1 << 30)
        peaks.append(peak(tmp_path, "empirical"))
    # The scores grow by 120 MB as doubles. Labels of topics are in memory where rows go by system.
    labels = 200.0 if form == "by system" else 60.0
    assert peaks[1] < peaks[0] + labels
    assert peaks[1] < 800
