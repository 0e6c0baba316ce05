"""The fault campaign: the faults that need no root, and that it finds what it looks for."""

import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cdfscore.experiments import trials
from validation.faults import damage, killed, orphans, sharing, surroundings
from validation.faults.commands import OUT, STANDARDIZE, Command, Ended, prepare, run
from validation.faults.judge import REFUSED, RESUMED, SAME, Finding, Row, ended, sentence, whole
from validation.faults.page import page_of

EXPECTED = {"y.csv": b"topic,a\n1,0.5\n"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return prepare(tmp_path / "faults")


def seeded() -> random.Random:
    return random.Random(1)


@pytest.mark.long
@pytest.mark.parametrize("fault", [killed.at_each_operation, killed.at_random_moments])
def test_a_killed_command_leaves_nothing_that_is_half(
    folder: Path, fault: Callable[..., Iterator[Row]]
) -> None:
    (row,) = fault(STANDARDIZE, folder, 1, seeded())
    assert row.findings == []
    assert row.cases == 1


@pytest.mark.long
def test_each_operation_is_counted(folder: Path) -> None:
    """Both files are opened, both are renamed, and then there is nothing left to kill."""
    log = folder / "operations"
    more = {"PYTHONPATH": killed.SHIM, "FAULTS_FOLDER": str(folder / OUT)}
    done = run(STANDARDIZE, folder, FAULTS_COUNTED=str(log), **more)
    assert done.status == 0
    assert int(log.read_text()) >= 4
    assert run(STANDARDIZE, folder, FAULTS_KILL_AT="1", **more).status == -9


@pytest.mark.long
def test_two_processes_write_the_same(folder: Path) -> None:
    (row,) = sharing.two_at_once(STANDARDIZE, folder, 1, seeded())
    assert row.findings == []


def test_damaged_files_are_refused_or_the_same(folder: Path) -> None:
    rows = [*damage.factors_read(folder, 60, seeded()), *damage.chunks_read(folder, 60, seeded())]
    assert [finding for row in rows for finding in row.findings] == []
    assert {row.cases for row in rows} == {60}
    ends = {row.fault: set(row.outcomes) for row in rows}
    assert REFUSED in ends["cut: factors.json"]
    assert damage.OTHER in ends["a flipped bit: zscores.txt"]
    assert sum(damage.OTHER in each for each in ends.values()) == 2


def test_the_campaign_finds_factors_that_nobody_checks(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Accepted(str):
        def __ne__(self, _: object) -> bool:
            return False

    digest = "cdfscore.standardization.formats.content_digest"
    monkeypatch.setattr(digest, lambda _: Accepted("sha256:0"))
    rows = damage.factors_read(folder, 60, seeded())
    assert any("other factors" in finding for row in rows for finding in row.findings)


def test_the_campaign_finds_trials_that_nobody_checks(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the digest a header of fewer rows is believed, by one bit of the shape in it."""

    def fewer(content: bytes, _: object) -> bytes:
        assert b"(250, 6)" in content
        return content.replace(b"(250, 6)", b"(210, 6)")

    monkeypatch.setattr(damage, "DAMAGES", {"fewer rows": fewer})
    (checked,) = damage.chunks_read(folder, 1, seeded())
    assert (checked.findings, dict(checked.outcomes)) == ([], {"not used": 1})
    monkeypatch.setattr(trials.CachedChunks, "_owner", lambda *_: "anybody")
    (row,) = damage.chunks_read(folder, 1, seeded())
    assert row.findings == ["fewer rows: other numbers"]


@pytest.mark.parametrize(
    ("status", "said", "content", "expected"),
    [
        (0, "cdfscore: done", EXPECTED["y.csv"], SAME),
        (2, "cdfscore: y.csv cannot be written", None, REFUSED),
        (2, "cdfscore: y.csv cannot be written", b"of before", REFUSED),
        (0, "cdfscore: done", None, "the status is 0, and files differ"),
        (0, "cdfscore: done", b"of before", "the status is 0, and files differ"),
        (0, "cdfscore: done", b"topic,a\n1,0.", "neither old nor new"),
        (2, "cdfscore: no", b"topic,a\n1,0.", "neither old nor new"),
        (1, "Traceback\nOSError", None, "a traceback: OSError"),
        (2, "killed", None, "the status is 2: killed"),
        (139, "", None, "the status is 139"),
    ],
)
def test_the_judge(status: int, said: str, content: bytes | None, expected: str) -> None:
    found = Ended(status, said, {"y.csv": content})
    before = {"y.csv": b"of before"}
    if expected in (SAME, REFUSED):
        assert ended(found, EXPECTED, before) == expected
        return
    with pytest.raises(Finding, match=expected):
        ended(found, EXPECTED, before)


def test_what_a_killed_command_leaves_is_old_or_new() -> None:
    whole({"y.csv": None}, EXPECTED)
    whole(EXPECTED, EXPECTED)
    with pytest.raises(Finding, match="neither old nor new: 9 bytes"):
        whole({"y.csv": b"of before"}, EXPECTED)


def test_a_command_that_fails_without_a_fault_is_no_measure(folder: Path) -> None:
    broken = Command("broken", ("standardize", "none.csv", "--scheme", "z"), ())
    with pytest.raises(Finding, match=r"without a fault the status is 2: .*none\.csv"):
        list(killed.at_each_operation(broken, folder, 1, seeded()))


def test_sentences_name_no_place_of_a_machine() -> None:
    said = "note\ncdfscore: /tmp/faults-1/out/y.csv at tcp://127.0.0.1:4242, out/y.csv: no\n"
    assert sentence(Ended(2, said, {})) == "y.csv at ADDRESS, out/y.csv: no"


def test_the_page_counts_and_refuses_findings() -> None:
    row = Row("cut: factors.json", "load_factors")
    row.outcomes.update([SAME, REFUSED, REFUSED])
    text = Row("cut: zscores.txt", "load_factors")
    text.outcomes.update([damage.OTHER, REFUSED])
    page = page_of({"damage": [row, text]}, seed=1)
    assert f"| cut: factors.json | `load_factors` | 3 | {REFUSED} 2, {SAME} 1 |" in page
    assert "- **1** of 2 damaged files in the format of" in page
    killed_row = Row("kill -9", "standardize")
    killed_row.outcomes[RESUMED] += 1
    with killed_row.case("operation 1"):
        raise Finding("y.csv is neither old nor new")
    with pytest.raises(ValueError, match=r"operation 1: y\.csv is neither"):
        page_of({"killed": [killed_row]}, seed=1)


@pytest.mark.long
@pytest.mark.parametrize("own", ["measure --jobs 2", "verify --via rscript"])
def test_a_killed_command_leaves_no_process(folder: Path, own: str) -> None:
    (command,) = (each for each in orphans.commands(Path()) if each.name == own)
    rows = [*orphans.killed(command, folder, 1, seeded())]
    assert [finding for row in rows for finding in row.findings] == []
    assert sum(row.cases for row in rows) == len(orphans.SIGNALS)


def test_the_campaign_finds_a_process_that_is_left(folder: Path, monkeypatch: Any) -> None:
    left = "import subprocess, time; subprocess.Popen(['sleep', '60']); time.sleep(60)"
    monkeypatch.setattr(orphans, "CDFSCORE", [sys.executable, "-c", left])
    monkeypatch.setattr(orphans, "SIGNALS", orphans.SIGNALS[:1])
    monkeypatch.setattr(orphans, "_GRACE", 0.5)
    monkeypatch.setattr(orphans, "seconds", lambda *_: 2.0)
    (row,) = orphans.killed(STANDARDIZE, folder, 1, seeded())
    assert "1 processes (sleep 60) hold standard output" in row.findings[0]


@pytest.mark.long
def test_settings_of_others_change_nothing(folder: Path) -> None:
    rows = [*surroundings.settings(STANDARDIZE, folder)]
    assert [finding for row in rows for finding in row.findings] == []
    assert {end for row in rows for end in row.outcomes} == {SAME}
