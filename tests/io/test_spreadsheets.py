"""Labels that a spreadsheet would run: written behind an apostrophe, and read without it."""

from pathlib import Path

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from cdfscore import Standardizer, read_scores
from cdfscore.common.text import number
from cdfscore.models.formula import read_components
from cdfscore.retrieval.merging.sources import read_selection
from cdfscore.scores.tables import encode_frame, guarded, plain_labels, unguarded
from cdfscore.standardization.formats import read_webber_moffat, write_webber_moffat

LABELS = ["=cmd|' /C calc'!A0", "+bm25", "-bm25", "@SUM(A1)", "'-bm25", "''@x", "-1", "+2.5", "'n'"]
RUN = ("=", "+", "-", "@", "\t", "\r")

CELLS = st.text(st.sampled_from("'=+-@\t\r1.e a"), max_size=5)


@given(cells=st.lists(CELLS, max_size=4))
def test_every_cell_comes_back_and_none_is_run(cells: list[str]) -> None:
    written = guarded(cells)
    assert unguarded(written) == cells
    assert [c for c in written if c.startswith(RUN) and number(c) is None] == []
    with plain_labels():
        plain = guarded(cells)
    assert unguarded(plain) == cells
    assert [c for c in plain if not c.startswith("'")] == [c for c in cells if c[:1] != "'"]


def test_tables_with_a_row_a_score_are_read_back(tmp_path: Path) -> None:
    rows = [(topic, system, "ap", 0.5) for topic in LABELS for system in LABELS]
    frame = pd.DataFrame(rows, columns=["topic", "system", "measure", "score"])
    (tmp_path / "s.csv").write_bytes(encode_frame(frame))
    assert list(read_scores(tmp_path / "s.csv").columns) == LABELS
    assert list(read_scores(tmp_path / "s.csv").index) == LABELS
    # Blank lines, so that it is read line by line.
    (tmp_path / "s.csv").write_bytes(encode_frame(frame) + b"\n\n")
    assert list(read_scores(tmp_path / "s.csv").columns) == LABELS


def test_other_tables_are_read_without_the_apostrophe(tmp_path: Path) -> None:
    (tmp_path / "w.csv").write_text("topic,source,score\n'-1a,'=b,-0.5\n")
    assert read_selection(tmp_path / "w.csv").loc["-1a", "=b"] == -0.5
    (tmp_path / "c.csv").write_text("system,stemmer\n'-bm25,'+s\n")
    assert read_components(tmp_path / "c.csv").to_numpy().tolist() == [["-bm25", "+s"]]


def test_published_factors_are_read_back(tmp_path: Path) -> None:
    scores = pd.DataFrame([[0.1, 0.2], [0.3, 0.5]], ["=1", "-t"], ["a", "b"])
    factors = Standardizer("normal").fit(scores, measure="ap")
    means, sds = tmp_path / "means.csv", tmp_path / "sds.csv"
    write_webber_moffat([factors], means, sds)
    assert means.read_text().splitlines()[1].startswith("'=1,")
    assert read_webber_moffat(means, sds)["ap"].topics == ("=1", "-t")
