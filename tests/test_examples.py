"""The examples run, and the documentation shows them as they are."""

import runpy
import sys
from pathlib import Path

import pytest

from cdfscore import datasets, read_scores, write_scores
from cdfscore.cli import main

ROOT = Path(__file__).parent.parent


def test_demo_writes_what_it_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["demo.py", str(tmp_path / "demo")])
    runpy.run_path(str(ROOT / "examples" / "demo.py"), run_name="__main__")
    printed = capsys.readouterr().out
    written = sorted((tmp_path / "demo").iterdir())
    assert len(written) == 7
    for path in written:
        assert path.name in printed
    assert "combsum_bm25_lsa200" in printed
    scores = datasets.load_cranfield("ap")
    standardized = read_scores(tmp_path / "demo" / "cranfield_ap_empirical.csv")
    assert standardized.shape == scores.shape
    # The best system of a topic without a tie at the top gets exactly 1.
    assert (standardized.max(axis=1) == 1).all()
    assert (tmp_path / "demo" / "cranfield_ap_per_topic.png").read_bytes()[:4] == b"\x89PNG"


@pytest.mark.usefixtures("rinterface")
def test_page_shows_what_verify_prints(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    versions_of_pages: bool,
) -> None:
    monkeypatch.chdir(tmp_path)
    write_scores(datasets.load_cranfield("ap"), "scores.csv")
    command = "cdfscore verify scores.csv --scheme normal"
    monkeypatch.setattr(sys, "argv", command.split())
    with pytest.raises(SystemExit, match="0"):
        main()
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    page = (ROOT / "docs" / "verify.md").read_text(encoding="utf-8")
    assert lines[-1].startswith("agrees with R version ")
    if lines[-1] not in page and not versions_of_pages:
        pytest.skip(f"the page shows another R; this one {lines[-1]}")
    assert "\n".join([f"$ {command}", *lines, "```"]) in page


@pytest.mark.parametrize(
    ("page", "file", "language"),
    [
        ("own_scheme.md", "pyproject.toml", "toml"),
        ("own_scheme.md", "src/cdfscore_plug_in/laplace.py", "python"),
        ("own_scheme.md", "src/cdfscore_plug_in/laplace.R", "r"),
        ("own_scheme.md", "tests/test_laplace.py", "python"),
        ("own_kernel.md", "src/cdfscore_plug_in/student.py", "python"),
        ("own_kernel.md", "src/cdfscore_plug_in/student.R", "r"),
        ("own_kernel.md", "src/cdfscore_plug_in/diffusion.py", "python"),
        ("own_kernel.md", "src/cdfscore_plug_in/diffusion.R", "r"),
        ("own_kernel.md", "tests/test_kernel_and_bandwidth.py", "python"),
        ("own_test.md", "src/cdfscore_plug_in/trimmed_t.py", "python"),
        ("own_test.md", "src/cdfscore_plug_in/trimmed_t.R", "r"),
        ("own_test.md", "src/cdfscore_plug_in/trimmed_mean.R", "r"),
        ("own_test.md", "tests/test_trimmed_t.py", "python"),
    ],
)
def test_documentation_shows_the_example_file(page: str, file: str, language: str) -> None:
    shown = (ROOT / "docs" / page).read_text(encoding="utf-8")
    text = (ROOT / "docs" / "plug_in" / file).read_text(encoding="utf-8")
    assert f"```{language}\n{text}```" in shown
