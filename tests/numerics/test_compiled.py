"""What numba compiles is kept in files that are whole, current and of their types, or not used."""

import hashlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from cdfscore.common import costs
from cdfscore.errors import CdfscoreWarning
from cdfscore.stats.numerics import compiled as module
from cdfscore.stats.numerics.compiled import njit

HELPER = """
from cdfscore.stats.numerics.compiled import compiled

CONSTANT = {constant}

@compiled
def helper(x):
    return x + {added} * CONSTANT
"""
ENTRY = """
from cdfscore.stats.numerics.compiled import compiled
from helper import helper

@compiled
def entry(x):
    return helper(x)

print(entry(1.0), sum(entry.dispatcher._cache_hits.values()))
"""


def call(folder: Path, added: int = 1, constant: float = 1.0) -> tuple[float, int]:
    """Call `entry` in a new process; return its result, and how often the cache was used."""
    (folder / "helper.py").write_text(HELPER.format(added=added, constant=constant))
    (folder / "entry.py").write_text(ENTRY)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache")}
    command = [sys.executable, str(folder / "entry.py")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    result, hits = done.stdout.split()
    return float(result), int(hits)


@pytest.mark.long
def test_a_function_is_compiled_again_when_one_that_it_calls_has_changed(tmp_path: Path) -> None:
    assert call(tmp_path) == (2.0, 0)
    assert call(tmp_path) == (2.0, 1)
    assert call(tmp_path, added=2) == (3.0, 0)
    assert call(tmp_path, constant=4.0) == (5.0, 0)


def replaced_by_pickle(name: str, _: bytes) -> bytes:
    content = b"cno_such_module\nGone\n."  # of a class that cannot be imported
    return hashlib.sha256(name.encode() + content).digest() + content


DAMAGES: dict[str, Callable[[str, bytes], bytes]] = {
    "empty": lambda _, content: b"",
    "cut": lambda _, content: content[:-9],
    "a flipped bit": lambda _, content: content[:-9] + bytes([content[-9] ^ 1]) + content[-8:],
    "of a library that has changed": replaced_by_pickle,
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(costs, "_told", set())
    monkeypatch.setattr(costs, "_say", [])
    return tmp_path / "cache"


def kernel() -> module.Compiled:
    @njit()
    def added(x: float) -> float:
        return x + 1.0

    assert isinstance(added, module.Compiled)
    return added


def hits(function: module.Compiled, x: float = 1.0) -> int:
    """Call a function for one more type, and tell whether the cache had it."""
    assert function(x) == x + 1
    return sum(function.dispatcher._cache_hits.values())


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=list(DAMAGES))
def test_a_damaged_file_is_compiled_again(
    folder: Path, damage: Callable[[str, bytes], bytes]
) -> None:
    assert hits(kernel()) == 0
    assert hits(kernel()) == 1
    (path,) = folder.iterdir()
    path.write_bytes(damage(path.name, path.read_bytes()))
    assert hits(kernel()) == 0
    assert hits(kernel()) == 1


def test_a_file_of_other_types_is_not_used(folder: Path) -> None:
    """Two processes may write at the same time, and people copy files."""
    assert hits(kernel()) == 0
    (own,) = folder.iterdir()
    assert hits(kernel(), 1) == 0
    (other,) = set(folder.iterdir()) - {own}
    own.write_bytes(other.read_bytes())
    assert hits(kernel()) == 0


def test_what_cannot_be_kept_is_compiled_and_told_once(folder: Path) -> None:
    folder.write_text("a file, and no folder")
    function = kernel()
    with pytest.warns(CdfscoreWarning, match="cannot be kept.*NUMBA_CACHE_DIR") as warned:
        assert [function(1.0), function(1)] == [2.0, 2]
    assert len(warned) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="folders have no such modes there")
@pytest.mark.parametrize("mode", [0o777, 0o775, 0o757])
def test_code_in_a_folder_that_others_can_write_to_is_not_run(mode: int, folder: Path) -> None:
    assert hits(kernel()) == 0
    folder.chmod(mode)
    with pytest.warns(CdfscoreWarning, match="other users can write to its folder"):
        assert hits(kernel()) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="files have no such modes there")
@pytest.mark.parametrize("umask", [0o000, 0o002])
def test_what_is_kept_is_of_its_owner_alone_whatever_the_umask(umask: int, folder: Path) -> None:
    before = os.umask(umask)
    try:
        assert [hits(kernel()), hits(kernel())] == [0, 1]
    finally:
        os.umask(before)
    (kept,) = folder.iterdir()
    assert [each.stat().st_mode & 0o777 for each in (folder, kept)] == [0o755, 0o644]
    kept.chmod(0o664)
    assert hits(kernel()) == 0


def test_the_user_is_told_once_that_compilation_begins(folder: Path) -> None:
    said: list[str] = []
    costs.tell_by(said.append)
    assert [hits(kernel()), hits(kernel(), 1)] == [0, 0]
    assert said == ["numba compiles code, once on this machine"]


def test_the_user_is_told_that_nothing_is_compiled(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("numba.config.DISABLE_JIT", 1)
    with pytest.warns(CdfscoreWarning, match="NUMBA_DISABLE_JIT: fits take long"):
        assert kernel()(1.0) == 2.0


def test_threads_may_call_at_the_same_time() -> None:
    """A function is of use to a second thread when those that it calls are compiled as well."""
    source = "from cdfscore.stats.numerics.compiled import njit\n"
    source += "@njit()\ndef inner(x):\n    return x + 1\n"
    source += "@njit()\ndef outer(x):\n    return inner(x)\n"
    names: dict[str, Callable[[float], float]] = {}
    exec(compile(source, __file__, "exec"), names)
    found: list[float] = []
    threads = [threading.Thread(target=lambda: found.append(names["outer"](1.0))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [2.0] * 8
