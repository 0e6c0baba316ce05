"""``compare --with``: two collections with different topics, on the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from cdfscore import Standardizer, datasets, save_factors
from cdfscore.comparison.two_collections import compare_collections
from cdfscore.plots import plot_pairs
from cdfscore.scores.writing import write_scores
from tests.cli.conftest import cases

SCHEMES = ("normal", "raw")
SCORES = datasets.load_cranfield("ap").iloc[:60, ::9]
SCORES.attrs.clear()  # of no measure that is named


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    write_scores(SCORES.iloc[:25, :4], tmp_path / "c.csv")
    write_scores(SCORES.iloc[25:, 2:6], tmp_path / "d.csv")
    write_scores(SCORES.iloc[:25], tmp_path / "r.csv")
    write_scores(SCORES.iloc[25:], tmp_path / "s.csv")


@pytest.mark.parametrize("test", ["paired_t", "welch_t", "mann_whitney"])
@pytest.mark.parametrize("other", ["d.csv", "disjoint.csv"])
def test_two_files_of_two_collections_name_the_command(
    cdfscore: Callable, tmp_path: Path, test: str, other: str
) -> None:
    """No topic is in both, or a system is; another mistake has no such advice."""
    write_scores(SCORES.iloc[25:, 4:6], tmp_path / "disjoint.csv")
    status, _, err = cdfscore("compare", "c.csv", other, "--test", test)
    unpaired = "welch_t" if test == "paired_t" else test
    command = f"compare c.csv --with {other} --test {unpaired}"
    assert status == 2
    assert f"; files of two collections are compared by: cdfscore {command}\n" in err
    assert cdfscore(*command.split()).status == 0
    _, _, err = cdfscore("compare", "c.csv", "absent.csv", "--test", test)
    assert "--with" not in err


@pytest.mark.clause("two_collections.1")
def test_the_command_has_the_numbers_of_python(cdfscore: Callable, tmp_path: Path) -> None:
    by = ("--scheme", "normal", "--reference", "r.csv", "--with-reference", "s.csv")
    done = cdfscore("compare", "c.csv", "--with", "d.csv", "--test", "welch_t", *by, "-o", "o.csv")
    assert done.status == 0, done.err
    assert "false positive rate" in done.err
    normal = Standardizer("normal")
    sides = [
        normal.fit(SCORES.iloc[rows]).standardize(SCORES.iloc[rows, columns])
        for rows, columns in ((slice(25), slice(4)), (slice(25, None), slice(2, 6)))
    ]
    found = compare_collections(sides[0], sides[1], "welch_t").table
    pd.testing.assert_series_equal(
        pd.read_csv(tmp_path / "o.csv")["p_adjusted"], found["p_adjusted"], check_exact=True
    )


def test_the_diagram_has_a_cell_for_each_pair(cdfscore: Callable, tmp_path: Path) -> None:
    words = ("c.csv", "--with", "d.csv", "--scheme", "normal", "--test", "welch_t")
    done = cdfscore("compare", *words, "--diagram", "d.svg", "-o", "o.csv")
    assert done.status == 0, done.err
    normal = Standardizer("normal")
    sides = [normal.fit(p).standardize(p) for p in (SCORES.iloc[:25, :4], SCORES.iloc[25:, 2:6])]
    found = compare_collections(sides[0], sides[1], "welch_t")
    axes = plot_pairs(found)
    (cells,) = axes.images
    assert cells.get_array().shape == (4, 4, 4)
    rows, columns = (
        [label.get_text().rsplit("  ", 1)[0] for label in labels]
        for labels in (axes.get_yticklabels(), axes.get_xticklabels())
    )
    colors = {
        (a, b): tuple(cells.get_array()[i, j])
        for i, a in enumerate(rows)
        for j, b in enumerate(columns)
    }
    white = (1, 1, 1, 1)
    for row in found.table.itertuples():
        color = colors[row.system_a, row.system_b]
        assert (color == white) == (row.p_adjusted > 0.05)
        if color != white:  # blue if the row is better
            assert (color[2] > color[0]) == (row.estimate > 0)
    text = (tmp_path / "d.svg").read_text()
    assert "Rank in the second collection" in text


def test_a_paper_has_the_systems_with_themselves(cdfscore: Callable, tmp_path: Path) -> None:
    """More than 500 pairs of different systems are not listed."""
    wide = datasets.load_cranfield("ap").iloc[:, :24]
    write_scores(wide[:100], tmp_path / "c.csv")
    write_scores(wide[100:], tmp_path / "d.csv")
    done = cdfscore("compare", "c.csv", "--with", "d.csv", "--test", "welch_t", "-o", "o.tex")
    assert done.status == 0, done.err
    text = (tmp_path / "o.tex").read_text()
    assert "The 552 pairs of different systems are not listed here" in text
    assert text.count(" & ") > 24 * 4


@pytest.mark.parametrize(
    ("words", "said"),
    cases(
        """
        --test paired_t | paired_t cannot compare systems on different topics
        --test welch_t --letters l.csv | --letters and --with exclude each other
        --test welch_t --baseline x | --baseline and --with exclude each other
        --test welch_t --with-track T7 | --with-track needs --with-factors; expected --with-factors
            too
        --test welch_t --scheme normal --reference r.csv | --reference and --with-reference need
            each other
        --test welch_t --with c.csv | cdfscore: c.csv and c.csv: 25 topics (
        --test welch_t --with d.csv --factors ap.json --with-factors p.json | c.csv and d.csv: the
            first collection has scores of AP and the second collection of P@10
        --test welch_t --lower-is-better 99 | c.csv and d.csv: there is no topic '99'
        --test welch_t --scheme z --reference r.csv --with-reference e.csv | cdfscore: d.csv, by the
            reference e.csv: topic '26', system
        --test welch_t --scheme z --reference q.csv --with-reference s.csv | cdfscore: c.csv, by the
            reference q.csv: topic '3', system
        """
    ),
)
def test_bad_input_is_one_sentence(
    cdfscore: Callable, tmp_path: Path, words: str, said: list[str]
) -> None:
    flat = SCORES.copy()
    flat.loc[["3", "26"]] = 0.25
    write_scores(flat.iloc[:25], tmp_path / "q.csv")
    write_scores(flat.iloc[25:], tmp_path / "e.csv")
    for name, rows, measure in (("ap", slice(25), "AP"), ("p", slice(25, None), "P@10")):
        save_factors(
            Standardizer("z").fit(SCORES[rows], measure=measure), tmp_path / f"{name}.json"
        )
    other = [] if "--with " in words else ["--with", "d.csv"]
    found = cdfscore("compare", "c.csv", *other, *words.split(), "-o", "o.csv")
    assert found.status == 2
    assert said[0] in found.err
    assert not (tmp_path / "o.csv").exists()


@pytest.mark.clause("two_collections.1")
@pytest.mark.parametrize("reference", [False, True])
@pytest.mark.parametrize("lower", [["3"], ["30"], ["3", "30"], ["all"]])
def test_lower_is_better_on_topics_of_either(
    cdfscore: Callable, tmp_path: Path, lower: list[str], reference: bool
) -> None:
    words = [word for label in lower for word in ("--lower-is-better", label)]
    words += ["--reflect-at", "1", "--scheme", "normal", "--scheme", "raw"]
    words += ["--reference", "r.csv", "--with-reference", "s.csv"] if reference else []
    done = cdfscore(
        "compare", "c.csv", "--with", "d.csv", "--test", "welch_t", *words, "-o", "o.csv"
    )
    assert done.status == 0, done.err
    turned = SCORES.copy()
    rows = list(SCORES.index) if lower == ["all"] else lower
    turned.loc[rows] = 1 - turned.loc[rows]
    sides = [
        [Standardizer(name).standardize(turned.iloc[rows, columns], fit) for name in SCHEMES]
        for rows, columns in ((slice(25), slice(4)), (slice(25, None), slice(2, 6)))
        for fit in [turned.iloc[rows] if reference else turned.iloc[rows, columns]]
    ]
    found = compare_collections(sides[0], sides[1], "welch_t").table
    numbers = ["estimate", "p_value", "p_adjusted"]
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "o.csv")[numbers], found[numbers])


def test_options_of_the_other_collection_need_it(cdfscore: Callable) -> None:
    found = cdfscore("compare", "c.csv", "--with-reference", "s.csv")
    assert (found.status, "--with-reference needs --with; expected --with too" in found.err) == (
        2,
        True,
    )
