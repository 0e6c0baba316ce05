"""What numba has cached is not used after a file that it was compiled from has changed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HELPER = """
from cdfscore.numerics.compiled import compiled

@compiled
def helper(x):
    return x + {added}
"""
ENTRY = """
from cdfscore.numerics.compiled import compiled
from helper import helper

@compiled
def entry(x):
    return helper(x)

print(entry(1.0), sum(entry.stats.cache_hits.values()))
"""


def run(folder: Path, added: int) -> tuple[float, int]:
    """Call `entry` in a new process; return its result, and how often the cache was used."""
    (folder / "helper.py").write_text(HELPER.format(added=added))
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache")}
    command = [sys.executable, str(folder / "entry.py")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    result, hits = done.stdout.split()
    return float(result), int(hits)


@pytest.mark.long
def test_a_function_is_compiled_again_when_one_that_it_calls_has_changed(tmp_path: Path) -> None:
    (tmp_path / "entry.py").write_text(ENTRY)
    assert run(tmp_path, 1) == (2.0, 0)
    assert run(tmp_path, 1) == (2.0, 1)
    assert run(tmp_path, 2) == (3.0, 0)
