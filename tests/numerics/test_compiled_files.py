"""What is compiled is kept in files that are whole, undamaged and of their types, or not used."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cdfscore import compiling
from cdfscore.errors import CdfscoreWarning, OutputError
from cdfscore.numerics._compiled_files import CheckedCache, CompiledFiles
from cdfscore.numerics.compiled import njit

KEY = (("float64",), ("x86_64", "generic"), ("code", "closure"))
DATA = {"machine code": bytes(range(256)) * 4}


@pytest.fixture
def files(tmp_path: Path) -> CompiledFiles:
    found = CompiledFiles(tmp_path, "f-12.py311", b"stamp")
    found.save(KEY, DATA)
    return found


def test_what_was_saved_is_loaded(files: CompiledFiles, tmp_path: Path) -> None:
    assert files.load(KEY) == DATA
    assert files.load((("int64",), *KEY[1:])) is None
    files.flush()
    assert list(tmp_path.iterdir()) == []
    assert files.load(KEY) is None


@pytest.mark.parametrize("keep", [0, 1, 31, 32, 33, 500, -1])
def test_a_file_that_is_cut_is_not_used(files: CompiledFiles, tmp_path: Path, keep: int) -> None:
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:keep])
    assert files.load(KEY) is None


def test_no_flipped_bit_is_used(files: CompiledFiles, tmp_path: Path) -> None:
    (path,) = tmp_path.iterdir()
    content = path.read_bytes()
    for place in range(0, len(content), 7):
        path.write_bytes(
            content[:place] + bytes([content[place] ^ 1 << place % 8]) + content[place + 1 :]
        )
        assert files.load(KEY) is None, place


def test_a_file_of_other_types_code_or_source_is_not_used(
    files: CompiledFiles, tmp_path: Path
) -> None:
    """Two processes may write at the same time, and people copy files."""
    (own,) = tmp_path.iterdir()
    other = (("int64",), *KEY[1:])
    files.save(other, "other")
    (another,) = set(tmp_path.iterdir()) - {own}
    own.write_bytes(another.read_bytes())
    assert files.load(KEY) is None
    assert files.load(other) == "other"
    assert CompiledFiles(tmp_path, "f-12.py311", b"other source").load(other) is None
    assert files.load((*other[:2], ("other code", "closure"))) is None


def function(x: float) -> float:
    return x + 1.0


@pytest.fixture
def _untold(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(compiling, "_not_kept", [])
    monkeypatch.setattr(compiling, "_to_tell", [])
    return


@pytest.mark.usefixtures("_untold")
@pytest.mark.parametrize("fault", ["no folder", "full disk"])
def test_what_cannot_be_kept_is_compiled_and_told_once(
    monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    def nowhere(_: object) -> None:
        raise RuntimeError("cannot cache function 'f': no locator available")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    if fault == "no folder":
        monkeypatch.setattr("cdfscore.numerics._compiled_files.FunctionCache", nowhere)
    else:
        monkeypatch.setattr(CompiledFiles, "save", full)
        monkeypatch.setattr(CompiledFiles, "load", lambda *_: None)
    said = "No space left" if fault == "full disk" else "neither .*__pycache__ nor the user's"
    kernel = njit()(function)
    compiling.require_kept()
    with pytest.warns(CdfscoreWarning, match=said) as warned:
        results = [kernel(1.0), kernel(1)]
    assert results == [2.0, 2]
    assert len(warned) == 1
    with pytest.raises(OutputError, match=r"NUMBA_CACHE_DIR can name another folder"):
        compiling.require_kept()


CALL = """
from cdfscore.numerics.compiled import njit
@njit()
def f(x):
    return x + 1
print(f(1.0), sum(f.stats.cache_hits.values()), f.stats.cache_path)
"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("damage", [lambda _: b"", lambda b: b[:-9] + b"\0" + b[-8:]])
def test_a_damaged_file_is_compiled_again(tmp_path: Path, damage) -> None:
    script = tmp_path / "call.py"
    script.write_text(CALL)

    def run() -> list[str]:
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        command = [sys.executable, str(script)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert done.stderr == ""
        return done.stdout.split()[:2]

    assert run() == ["2.0", "0"]
    (path,) = (tmp_path / "cache").rglob("*.nbc")
    path.write_bytes(damage(path.read_bytes()))
    assert run() == ["2.0", "0"]
    assert run() == ["2.0", "1"]


def test_numba_still_calls_its_cache_so() -> None:
    """These are parts of numba that are not documented; a new version may call others."""
    kernel = njit()(function)
    assert isinstance(kernel._cache, CheckedCache)
    assert isinstance(kernel._cache._numbas._cache_file, CompiledFiles)


def test_a_file_of_a_library_that_has_changed_is_not_used(
    files: CompiledFiles, tmp_path: Path
) -> None:
    (path,) = tmp_path.iterdir()
    content = b"cno_such_module\nGone\n."  # the pickle of a class that cannot be imported
    path.write_bytes(hashlib.sha256(content).digest() + content)
    assert files.load(KEY) is None
