"""R in a process, and what it leaves of the process."""

import os
import subprocess
import sys
from typing import Any

import pytest

STARTS_R = """
import os, subprocess, sys
from cdfscore.r.session import RSession

before = os.environ.get("LD_LIBRARY_PATH")
RSession()
assert os.environ.get("LD_LIBRARY_PATH") == before, os.environ["LD_LIBRARY_PATH"]
code = "import ssl, sys; print(sys.version)"
done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
assert done.stdout.strip() == sys.version, done.stdout
"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("before", [{}, {"LD_LIBRARY_PATH": "/nowhere"}], ids=["none", "another"])
def test_later_processes_find_their_own_libraries(rinterface: Any, before: dict[str, str]) -> None:
    environment = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"} | before
    subprocess.run([sys.executable, "-c", STARTS_R], env=environment, check=True)
