"""``cdfscore plot`` of scores, fits and diagnoses: files, panels, and what it refuses."""

import re
from pathlib import Path
from typing import Any

import pytest

from cdfscore import Standardizer, datasets, diagnose, write_scores
from cdfscore.plots.canvas import encode_figure
from cdfscore.plots.kinds import kind_of, panels

AP = datasets.load_cranfield("ap").iloc[:12, :9]
AP.attrs.clear()  # as of a file that does not name its measure
OF_SCORES = ("scores", "per_topic", "standardized", "dkw")


@pytest.fixture
def given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_scores(AP, tmp_path / "s.csv")
    return tmp_path


def _result(kind: str, scheme: str) -> tuple[Any, dict[str, Any]]:
    if kind == "pit":
        return diagnose(AP, [scheme], bootstrap=0), {"scheme": scheme}
    factors = Standardizer(scheme).fit(AP)
    return (factors if kind == "mapping" else factors.standardize(AP)), {}


@pytest.mark.parametrize(
    "kind",
    [*(pytest.param(kind, marks=pytest.mark.one_in(4)) for kind in OF_SCORES), "mapping", "pit"],
)
def test_a_figure_is_that_of_python_with_a_panel_for_each_scheme(
    cdfscore: Any, given: Path, kind: str
) -> None:
    typed = ("--scheme", "normal", "--scheme", "uniform")
    status, out, _ = cdfscore("plot", kind, "s.csv", *typed, "-o", "f.svg")
    assert (status, out) == (0, "")
    figure = panels(kind_of(kind), [_result(kind, scheme) for scheme in ("normal", "uniform")])
    drawn, expected = (
        re.sub(b"<!--.*?-->", b"", each)
        for each in ((given / "f.svg").read_bytes(), encode_figure(figure, given / "f.svg"))
    )
    assert drawn == expected


def test_notes_are_printed(cdfscore: Any, given: Path) -> None:
    holes = AP.copy()
    holes.iloc[0, 0] = None
    write_scores(holes, given / "h.csv")
    typed = ("plot", "scores", "h.csv", "--missing", "omit", "-o", "f.png")
    status, _, err = cdfscore(*typed)
    assert status == 0
    assert "1 missing score" in err


REFUSED = {
    "pit s.csv": "the figure pit shows a distribution; expected --scheme, such as normal",
    "pit s.csv --scheme normal --reference s.csv": "--reference is not accepted: the figure pit "
    "predicts each score from the other scores of its topic",
    "pit s.csv --scheme normal --constant nan": "--constant is not accepted: the figure pit",
    "mapping s.csv --scheme normal --topic 1": "--topic is not accepted: the figure mapping "
    "does not show one topic",
    "scores s.csv --test sign": "--test is not accepted: the figure scores shows no test",
    "dkw s.csv": "s.csv: raw is not a distribution, and the figure 'dkw' shows a cdf",
    "dkw s.csv --scheme normal --topic 99": "s.csv: there is no topic '99' with a fit "
    "(did you mean '9'?); expected one of 12 topics, such as '1'",
    "score s.csv": "there is no figure 'score' (did you mean 'scores'?)",
}


@pytest.mark.parametrize("typed", REFUSED)
def test_what_a_figure_has_no_use_for_is_refused(given: Path, sentence: Any, typed: str) -> None:
    assert REFUSED[typed] in sentence({}, ["plot", *typed.split(), "-o", "f.svg"])
    assert not (given / "f.svg").exists()
