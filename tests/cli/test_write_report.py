"""The page of a comparison in Python is that of the command."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from cdfscore import Standardizer, compare, datasets, write_scores
from cdfscore.errors import CdfscoreError, OutputError, ScoresError, SignificanceError
from cdfscore.report import write_report
from tests.cli.conftest import Run

CRANFIELD = datasets.load_cranfield("ap").iloc[:30, :20]
CRANFIELD.attrs.clear()  # a CSV file names no measure
SCORES, OTHERS = CRANFIELD.iloc[:, :6], CRANFIELD.iloc[:, 6:]
# What the command has, and a call in Python has not: files, what was typed, and a script.
_OF_FILES = re.compile(
    r"<dl>\n<dt>software.*?</dl>|<p class=.downloads.*?</p>|<p>The <a href=.*?</pre>"
    r"|<p class=.small.>[^<]*</p>|<(li|p)>There is no R script[^<]*</(li|p)>"
    r"|<script.*?</script>|<style.*?</style>|<p>None.</p>",
    re.DOTALL,
)


def told(path: Path) -> str:
    text = _OF_FILES.sub("", path.read_text(encoding="utf-8"))
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", text)).split())


@pytest.mark.clause("write_report.1")
@pytest.mark.parametrize(
    ("options", "typed"),
    [
        ({"test": "paired_t"}, []),
        ({"test": "wilcoxon_signed_rank", "scheme": "normal"}, ["--scheme", "normal"]),
        (
            {"test": "paired_t", "scheme": "empirical", "reference": OTHERS, "baselines": ["lm"]},
            ["--scheme", "empirical", "--reference", "others.csv", "--baseline", "lm"],
        ),
    ],
    ids=["raw", "own scheme", "reference and baseline"],
)
def test_the_page_is_that_of_the_command(
    options: dict[str, Any],
    typed: list[str],
    tmp_path: Path,
    cdfscore: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    names = ["lm", *SCORES.columns[1:]]
    write_scores(SCORES.set_axis(names, axis=1), "s.csv")
    write_scores(OTHERS, "others.csv")
    test = ["--test", options["test"]]
    assert cdfscore("report", "s.csv", *test, *typed, "-o", "typed.html").status == 0
    write_report(compare(SCORES.set_axis(names, axis=1), **options), "called.html")
    assert told(Path("called.html")) == told(Path("typed.html"))


@pytest.mark.parametrize(
    ("result", "name", "kind", "fragment"),
    [
        (SCORES, "r.html", SignificanceError, "this is a DataFrame; expected a result of compare"),
        (["raw", "normal"], "r.html", SignificanceError, "by 2 schemes, and a page is of one"),
        ("friedman", "r.html", SignificanceError, "friedman"),
        ("paired_t:alternative=less", "r.html", SignificanceError, "two-sided"),
        ("paired_t", "r.pdf", OutputError, "r.pdf"),
        ("paired_t", "no/such/folder/r.html", OutputError, "folder"),
    ],
)
def test_what_is_no_page(
    result: Any, name: str, kind: type[CdfscoreError], fragment: str, tmp_path: Path
) -> None:
    if isinstance(result, str):
        result = compare(SCORES, result)
    elif isinstance(result, list):
        result = compare(SCORES, "paired_t", scheme=result)
    with pytest.raises(kind, match=re.escape(fragment)):
        write_report(result, tmp_path / name, verify=False)
    assert not [*tmp_path.iterdir()]


def test_names_that_look_the_same_are_refused(tmp_path: Path) -> None:
    same = SCORES.iloc[:, :2].set_axis(["a\nb", "a\\nb"], axis=1)
    with pytest.raises(ScoresError, match="look the same on a page"):
        write_report(compare(same, "paired_t"), tmp_path / "r.html", verify=False)


def test_other_schemes_have_the_policies_of_the_result(tmp_path: Path) -> None:
    holes = SCORES.copy()
    holes.iloc[0, 0] = float("nan")
    found = compare(holes, "paired_t", scheme=Standardizer("normal", missing="omit"))
    write_report(found, tmp_path / "r.html", schemes=["minmax"], verify=False)
    text = told(tmp_path / "r.html")
    assert "raw, N-std, minmax." in text
