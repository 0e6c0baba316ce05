"""Output files appear whole or not at all."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cdfscore.common.files import check_target, write_whole
from cdfscore.errors import OutputError


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_pieces_are_joined_and_a_failure_between_them_leaves_the_files(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    write_whole({one: iter([b"a", b"", b"bc"]), two: b"d"})
    assert (one.read_bytes(), two.read_bytes()) == (b"abc", b"d")

    def broken() -> Iterator[bytes]:
        yield b"x"
        raise MemoryError

    with pytest.raises(MemoryError):
        write_whole({two: b"e", one: broken()})
    assert contents(tmp_path) == {"one": b"abc", "two": b"d"}


@pytest.mark.parametrize("bad", ["no/file", "a/file", "folder", "x" * 300, "nul\0"])
@pytest.mark.parametrize("first", [True, False])
def test_nothing_is_touched_where_one_path_is_bad(tmp_path: Path, bad: str, first: bool) -> None:
    (tmp_path / "folder").mkdir()
    inner = tmp_path / "folder" / "inner"
    inner.mkdir()
    (inner / "a").write_text("earlier")
    paths = {inner / "a": b"1", inner / "new": b"2", inner / bad.replace("folder", ".."): b"3"}
    if first:
        paths = dict(reversed(paths.items()))
    with pytest.raises(OutputError, match=r"cannot be written: |is a folder; expected"):
        write_whole(paths)
    assert contents(inner) == {"a": b"earlier"}
    assert names(tmp_path) == ["folder"]
    assert names(tmp_path / "folder") == ["inner"]


@pytest.mark.clause("write_scores.2")
@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_nothing_is_touched_when_the_second_file_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: BaseException
) -> None:
    outcomes = iter([None, failure])

    def fsync(_: int) -> None:
        if outcome := next(outcomes):
            raise outcome

    monkeypatch.setattr(os, "fsync", fsync)
    (tmp_path / "a").write_text("earlier")
    expected = OutputError if isinstance(failure, OSError) else KeyboardInterrupt
    with pytest.raises(expected):
        write_whole({tmp_path / "a": b"1", tmp_path / "b": b"2"})
    assert contents(tmp_path) == {"a": b"earlier"}


def test_all_files_are_on_disk_before_one_is_renamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    replace = Path.replace
    monkeypatch.setattr(os, "fsync", lambda _: seen.append("sync"))
    monkeypatch.setattr(Path, "replace", lambda *a: (seen.append("rename"), replace(*a))[1])
    write_whole({tmp_path / "a": b"1", tmp_path / "b": b"2"})
    assert seen == ["sync", "sync", "rename", "rename"]


def test_rename_that_fails_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def replace(*_: Path) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(OutputError, match="a cannot be written: Operation not permitted"):
        write_whole({tmp_path / "a": b"1"})
    assert contents(tmp_path) == {}


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o027, 0o640), (0o002, 0o664)])
def test_permissions_follow_the_umask(tmp_path: Path, umask: int, mode: int) -> None:
    before = os.umask(umask)
    try:
        write_whole({tmp_path / "a": b"1"})
    finally:
        os.umask(before)
    assert (tmp_path / "a").stat().st_mode & 0o777 == mode


def test_target_of_a_link_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder" / "target", tmp_path / "link"
    target.write_text("earlier")
    link.symlink_to(target)
    write_whole({link: b"1"})
    assert link.is_symlink()
    assert target.read_bytes() == b"1"
    assert not target.is_symlink()


def test_two_names_of_one_file_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("earlier")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    with pytest.raises(OutputError, match="same file; expected different ones"):
        write_whole({tmp_path / "a": b"1", tmp_path / "link": b"2"})
    assert (tmp_path / "a").read_text() == "earlier"


def test_the_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="x cannot be written: there is no folder none; expec"):
        check_target(Path("none") / "x")
    (tmp_path / "link").symlink_to(tmp_path / "gone" / "target")
    with pytest.raises(OutputError, match=r"link cannot be .* no folder \S+gone; expected one"):
        check_target(tmp_path / "link")


def test_devices_and_pipes_are_written_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with ThreadPoolExecutor(1) as reader:
        content = reader.submit((tmp_path / "pipe").read_bytes)
        write_whole({Path(os.devnull): b"1", tmp_path / "pipe": b"2", tmp_path / "a": b"3"})
    assert content.result() == b"2"
    assert (tmp_path / "pipe").is_fifo()
    assert not Path(os.devnull).is_file()
    assert names(tmp_path) == ["a", "pipe"]


@pytest.mark.clause("write_scores.2")
def test_standard_output_comes_last(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    write_whole({Path("-"): b"last", Path("/dev/fd/2"): b"error", Path(os.devnull): b"gone"})
    assert capfdbinary.readouterr() == (b"last", b"error")


def test_writers_at_the_same_time_leave_one_whole_file(tmp_path: Path) -> None:
    contents_of = [bytes([65 + i]) * 100_000 for i in range(8)]
    barrier = threading.Barrier(8)

    def write(content: bytes) -> None:
        barrier.wait()
        write_whole({tmp_path / "a": content})

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(write, contents_of))
    assert names(tmp_path) == ["a"]
    assert (tmp_path / "a").read_bytes() in contents_of


SMALL_DISK = """
import resource
from pathlib import Path
from cdfscore.errors import OutputError
from cdfscore.common.files import write_whole

resource.setrlimit(resource.RLIMIT_FSIZE, (1000, -1))
for size in (1001, 100_000):
    try:
        write_whole({Path("a"): b"x" * size})
    except OutputError as error:
        print(error)
"""


def test_a_disk_that_is_full_at_the_last_byte_is_one_sentence(tmp_path: Path) -> None:
    """What is buffered is written, and fails, when the file is closed too."""
    (tmp_path / "a").write_text("earlier")
    done = subprocess.run(
        [sys.executable, "-c", SMALL_DISK], cwd=tmp_path, capture_output=True, check=True
    )
    assert done.stdout == b"a cannot be written: File too large\n" * 2
    assert contents(tmp_path) == {"a": b"earlier"}


KILLED = """
import os, sys, time
from pathlib import Path
from cdfscore.common.files import write_whole

def hang(descriptor):
    print(os.fstat(descriptor).st_size, flush=True)
    time.sleep(60)

os.fsync = hang
write_whole({Path("a"): b"new" * 1000})
"""


@pytest.mark.clause("write_scores.2")
def test_process_killed_while_writing_leaves_the_old_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("earlier")
    with subprocess.Popen(
        [sys.executable, "-c", KILLED], cwd=tmp_path, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"3000\n"
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert (tmp_path / "a").read_text() == "earlier"
    write_whole({tmp_path / "a": b"new"})
    assert (tmp_path / "a").read_bytes() == b"new"
