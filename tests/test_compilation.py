"""``cdfscore compile`` calls all that numba compiles, so that nothing is left for the first use."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from cdfscore import compilation, compiling
from cdfscore.cli import main

# All compiled functions of the package that have not been called when all parts have.
NOT_CALLED = """
import importlib, sys
from pathlib import Path
from numba.core.dispatcher import Dispatcher
from cdfscore import compilation

compilation.compile_all()
folder = Path(compilation.__file__).parent
for path in sorted(folder.rglob("*.py")):
    if "numba" not in path.read_text() and "compiled" not in path.read_text():
        continue
    name = ".".join(["cdfscore", *path.relative_to(folder).with_suffix("").parts])
    for each in vars(importlib.import_module(name)).values():
        if isinstance(each, Dispatcher) and each.__module__ == name and not each.overloads:
            print(path.stem, each.__name__)
"""
# Inlined where they are called; and orders that R is given by verify alone.
ELSEWHERE = {"topic_shuffles"}


@pytest.mark.long
def test_every_compiled_function_is_called(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", NOT_CALLED],
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},  # empty, so that all are compiled
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    left = {line for line in done.stdout.splitlines() if line.split()[0] not in ELSEWHERE}
    assert left == set()


def test_progress_counts_the_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[str] = []
    parts = {name: (lambda name=name: called.append(name)) for name in ("a", "b")}
    monkeypatch.setattr(compilation, "_PARTS", parts)
    seen: list[tuple[int, int]] = []
    compilation.compile_all(progress=lambda done, every: seen.append((done, every)))
    assert called == ["a", "b"]
    assert seen == [(1, 2), (2, 2)]


def test_a_command_says_once_that_it_compiles(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    importlib.import_module("cdfscore.numerics.compiled")  # which tells of compilations
    monkeypatch.setattr(compiling, "_to_call", [])
    monkeypatch.setattr("sys.argv", ["cdfscore", "schemes"])

    def command(**_: object) -> None:
        for _each in range(2):
            numba.njit(lambda x: x + 1)(1)

    monkeypatch.setattr("cdfscore.cli._command", lambda: command)
    main()
    assert capsys.readouterr().err.count("'cdfscore compile' does so in advance") == 1
