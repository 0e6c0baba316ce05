"""Cached chunks are those of this very experiment, whole, or are run again."""

import importlib.util
import re
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore.errors import CdfscoreError, CdfscoreWarning, OutputError
from cdfscore.experiments import trials as module
from cdfscore.experiments.trials import (
    CachedChunks,
    code_versions,
    experiment_digest,
    remove_cached,
    run_trials,
)
from tests.experiments.engine_subjects import Draws, Gated, calls


@dataclass(frozen=True)
class Fields:
    a: Any
    b: Any = None


@pytest.fixture
def gated(tmp_path: Path) -> Gated:
    """Return an experiment that counts its calls, with an open gate."""
    (tmp_path / "open").touch()
    return Gated(folder=str(tmp_path))


def first_trials(folder: Path) -> list[int]:
    """Return the first trials of the chunks that were run, and forget them."""
    found = [first for first, _ in calls(folder)]
    (folder / "calls").unlink(missing_ok=True)
    return found


def test_more_trials_go_on_from_what_there_is(tmp_path: Path, gated: Gated) -> None:
    cache = tmp_path / "cache"
    run_trials(gated, 600, cache=cache)
    assert first_trials(tmp_path) == [0, 250, 500]
    run_trials(gated, 600, cache=cache, resume=True)
    assert first_trials(tmp_path) == []
    run_trials(gated, 300, cache=cache, resume=True)
    assert first_trials(tmp_path) == [250]  # the whole one from 250 on is longer
    found = run_trials(gated, 1000, cache=cache, resume=True)
    assert first_trials(tmp_path) == [500, 750]  # that of 500 to 600 is shorter
    assert found["trial"].tolist() == list(range(1000))


@pytest.mark.clause("trial_cache.1")
def test_cached_chunks_are_not_mixed_silently(tmp_path: Path, gated: Gated) -> None:
    run_trials(gated, 300, cache=tmp_path / "cache")
    run_trials(gated, 600, cache=tmp_path / "cache", resume=True)
    before = {path: path.read_bytes() for path in (tmp_path / "cache").rglob("*.npz")}
    first_trials(tmp_path)
    folder = CachedChunks.of(gated, tmp_path / "cache").folder
    with pytest.raises(CdfscoreError) as raised:
        run_trials(gated, 300, cache=tmp_path / "cache")
    assert str(raised.value) == (
        f"600 trials of this experiment are cached in {folder}; "
        f"resume to take them, or delete the folder to run them again"
    )
    assert first_trials(tmp_path) == []
    assert {path: path.read_bytes() for path in (tmp_path / "cache").rglob("*.npz")} == before


@pytest.mark.clause("trial_cache.1")
@pytest.mark.parametrize(
    "what", ["cdfscore", "code of cdfscore", "Python", "numpy", "scipy", "numba"]
)
def test_other_code_or_libraries_start_anew(
    tmp_path: Path, gated: Gated, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    cache = tmp_path / "cache"
    run_trials(gated, 300, cache=cache)
    run_trials(Draws(1), 20, cache=cache)
    monkeypatch.setitem(code_versions(), what, "another")
    with pytest.warns(CdfscoreWarning) as warned:
        run_trials(gated, 250, cache=cache, resume=True)
    assert [str(each.message) for each in warned] == [
        f"300 trials cached in {cache} are run again: they were computed by other code, or by "
        "another version of cdfscore, Python, NumPy, SciPy or numba"
    ]
    assert Path(warned[0].filename) == Path(__file__)
    assert first_trials(tmp_path) == [0, 250, 0]
    with warnings.catch_warnings(action="error"):
        run_trials(gated, 250, cache=cache, resume=True)  # there are some of this code now
    remove_cached(gated, cache)
    assert [path.name.partition("-")[0] for path in cache.iterdir()] == [
        experiment_digest(Draws(1))
    ]


def test_the_code_of_a_users_experiment_counts(tmp_path: Path) -> None:
    module = tmp_path / "of_a_user.py"
    text = "import dataclasses\n@dataclasses.dataclass(frozen=True)\nclass Own: pass\n"
    digests = []
    for content in (text, text + "\n", text):
        module.write_text(content)
        spec = importlib.util.spec_from_file_location("of_a_user", module)
        assert spec is not None
        assert spec.loader is not None
        loaded = sys.modules["of_a_user"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(loaded)
        digests.append(CachedChunks.of(loaded.Own(), tmp_path).code)
    del sys.modules["of_a_user"]
    assert digests[0] == digests[2] != digests[1]


def test_every_flipped_bit_of_a_header_is_found(tmp_path: Path) -> None:
    """Of the shape in it, 250 and 210 differ by one bit; the archive then has 40 trials fewer."""
    store, chunk = CachedChunks.of(Draws(), tmp_path), range(250)
    results = Draws().run(chunk)
    store.write(chunk, results)
    path = next(tmp_path.rglob("*.npz"))
    content = path.read_bytes()
    places = [m.start() for m in re.finditer(rb"\(250,", content)]
    assert len(places) == 2
    for place in range(places[0] - 60, places[0] + 20):
        for bit in range(8):
            damaged = bytearray(content)
            damaged[place] ^= 1 << bit
            path.write_bytes(damaged)
            read = store.read(chunk)
            assert read is None or all(
                np.array_equal(read[name], results[name]) for name in results
            )


@pytest.mark.parametrize("keep", [0.0, 0.2, 0.5, 0.9, 0.999])
def test_a_chunk_that_is_cut_is_not_read(tmp_path: Path, keep: float) -> None:
    store = CachedChunks.of(Draws(), tmp_path)
    store.write(range(4), Draws().run(range(4)))
    path = next(tmp_path.rglob("*.npz"))
    content = path.read_bytes()
    path.write_bytes(content[: int(keep * len(content))])
    assert store.read(range(4)) is None


@pytest.mark.long
@pytest.mark.clause("trial_cache.1")
@given(at=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_a_flipped_bit_is_found_or_harmless(
    tmp_path_factory: pytest.TempPathFactory, at: float, bit: int
) -> None:
    folder = tmp_path_factory.mktemp("cache")
    store = CachedChunks.of(Draws(), folder)
    results = Draws().run(range(4))
    store.write(range(4), results)
    path = next(folder.rglob("*.npz"))
    content = bytearray(path.read_bytes())
    content[int(at * len(content))] ^= 1 << bit
    path.write_bytes(content)
    read = store.read(range(4))
    if read is not None:
        assert list(read) == list(results)
        assert all(np.array_equal(read[name], results[name]) for name in results)


def test_files_of_others_are_run_again(tmp_path: Path, gated: Gated) -> None:
    mine, other = CachedChunks.of(gated, tmp_path / "cache"), CachedChunks.of(Draws(7), tmp_path)
    other.write(range(250), Draws(7).run(range(250)))
    other.write(range(250, 500), Draws(7).run(range(250, 500)))
    mine.folder.mkdir(parents=True)
    for path in other.folder.iterdir():
        path.rename(mine.folder / path.name)
    (mine.folder / "trials-500-750.npz").write_bytes(b"no archive")
    (mine.folder / "trials-750-1000.npz").mkdir()
    (mine.folder / "notes.txt").write_text("of the user")
    np.savez(mine.folder / "trials-500-600.npz", draws=np.zeros((100, 3)))
    found = run_trials(gated, 600, cache=tmp_path / "cache", resume=True)
    assert first_trials(tmp_path) == [0, 250, 500]
    assert np.array_equal(found["draws"], gated.run(range(600))["draws"])


@pytest.mark.parametrize(
    ("experiment", "message"),
    [
        (Fields([1]), "Fields.a is a list; expected None, a number, a string"),
        (Fields(1, {"a": 1}), "Fields.b is a dict;"),
        (Fields((1, Fields(0, (len,)))), r"Fields.a\[1\].b\[0\] is a builtin_function"),
        (Fields(np.array([None])), "Fields.a is an ndarray;"),
        (Fields(Fields), "Fields.a is a type;"),
        (Fields, "the experiment is <class .*; expected an instance of a dataclass"),
        ("text", "the experiment is 'text'; expected an instance of a dataclass"),
    ],
)
def test_fields_without_digest(experiment: object, message: str) -> None:
    with pytest.raises(CdfscoreError, match=message):
        experiment_digest(experiment)


def test_the_folder_is_made_before_the_first_trial(tmp_path: Path, gated: Gated) -> None:
    (tmp_path / "file").write_text("of the user")
    with pytest.raises(OutputError, match=r"file.* cannot be created: Not a directory"):
        run_trials(gated, 10, cache=tmp_path / "file")
    assert first_trials(tmp_path) == []
    assert (tmp_path / "file").read_text() == "of the user"


def test_a_folder_that_another_run_removes_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, chunk = CachedChunks.of(Draws(), tmp_path), range(4)
    write_whole, left = module.write_whole, [1, 1]

    def removed_first(contents: Any) -> None:
        if left:
            left.pop()
            store.remove()
        write_whole(contents)

    monkeypatch.setattr(module, "write_whole", removed_first)
    store.write(chunk, Draws().run(chunk))
    assert store.read(chunk) is not None


def test_two_runs_may_share_a_folder(tmp_path: Path) -> None:
    first, second = (CachedChunks.of(Draws(), tmp_path) for _ in range(2))
    chunk = range(250)
    first.start([chunk], resume=False)
    second.start([chunk], resume=False)
    first.write(chunk, Draws().run(chunk))
    second.write(chunk, Draws().run(chunk))
    first.remove()
    second.write(chunk, Draws().run(chunk))
    read = second.read(chunk)
    assert read is not None
    assert np.array_equal(read["draws"], Draws().run(chunk)["draws"])
