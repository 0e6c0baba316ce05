"""``cdfscore reproduce``: the published files, whole or not at all, also after kill -9."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cdfscore.cli.experiment import CACHE
from cdfscore.experiments import run_trials
from cdfscore.experiments.papers.urbano2019 import figures
from cdfscore.plots import canvas as of_drawings
from cdfscore.plots.canvas import Drawing
from tests.cli.conftest import replaced

BETWEEN = Path("02-between/terabyte2006_ap")
ONE_CELL = ["--collection", "terabyte2006", "--measure", "ap", "--experiment"]
TRIALS = 12


@pytest.fixture
def urbano(shared_data: Path) -> list[str]:
    return ["reproduce", "urbano2019", "--data", str(shared_data / "urbano2019")]


def tree(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_the_files_of_both_experiments(cdfscore, urbano, tmp_path, shared_data) -> None:
    done = cdfscore(*urbano, "--measure", "ap", "--trials", str(TRIALS), "--out", "out")
    assert (done.status, done.out) == (0, "")
    assert done.err == f"cdfscore: {TRIALS} trials, 18 files in out\n"
    published = shared_data / "urbano2019" / "published"
    found = tree(tmp_path / "out")
    assert found.keys() == tree(published).keys()
    for name, content in found.items():
        lines = (published / name).read_bytes().splitlines(keepends=True)
        if Path(name).stem in ("tau", "tauAP", "r"):
            assert content == b"".join(lines[: TRIALS + 1]), name
        else:  # rates are means over all trials
            ours = content.splitlines(keepends=True)
            assert [line.split(b",")[0] for line in ours] == [
                line.split(b",")[0] for line in lines
            ], name


def test_exact_ties_change_e_std_alone(cdfscore, urbano, tmp_path) -> None:
    for out, more in (("rounded", []), ("exact", ["--exact-ties"])):
        done = cdfscore(*urbano, *ONE_CELL, "between", "--trials", "300", "--out", out, *more)
        assert done.status == 0
        assert ("exact ties" in done.err) == (out == "exact")
    tables = [pd.read_csv(tmp_path / out / BETWEEN / "tau.csv") for out in ("rounded", "exact")]
    assert tables[0].iloc[:, :-1].equals(tables[1].iloc[:, :-1])
    differ = np.abs(tables[0]["E-std"] - tables[1]["E-std"])
    assert 0 < (differ > 0).sum() < 100
    assert differ.max() < 0.01


def test_each_figure_is_of_its_tables_and_scores(
    cdfscore, urbano, tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[tuple[list[Drawing], int]] = []

    def draw_all(
        drawings: list[Drawing], processes: int, progress: Callable[[int, int], None]
    ) -> dict[str, bytes]:
        given.append((drawings, processes))
        progress(len(drawings), len(drawings))
        return {f"{each.name}.svg": each.name.encode() for each in drawings}

    monkeypatch.setattr(of_drawings, "draw_all", draw_all)
    done = cdfscore(
        *urbano, *ONE_CELL, "between", "--trials", "2", "--out", "out", "--figures", "--jobs", "1"
    )
    assert done.status == 0, done.err
    ((drawings, processes),) = given
    assert processes == 1
    results, scores = drawings
    assert (results.name, results.draw) == ("figure3", figures.figure_3)
    assert results.given[1] == "2 trials, rounded ties"
    tau = results.given[0]["terabyte2006_ap"]["tau"]
    published = pd.read_csv(tmp_path / "out" / BETWEEN / "tau.csv")
    np.testing.assert_allclose(tau[list(published)[:3]], published.iloc[:, :3], rtol=1e-5)
    assert (scores.name, scores.draw) == ("figure1-terabyte2006_ap", figures.figure_1)
    assert list(scores.given[1]) == ["N-std", "U-std", "z-std", "E-std"]
    assert scores.given[2] == "terabyte2006_ap"
    for each in drawings:
        written = (tmp_path / "out" / "figures" / f"{each.name}.svg").read_bytes()
        assert written == each.name.encode()


@pytest.mark.parametrize(
    ("more", "fragments"),
    [
        (["--experiment", "both"], ["--experiment both is not accepted", "one of within, between"]),
        (
            ["--collection", "robust"],
            ["--collection robust is not", "one of robust2004, terabyte2006"],
        ),
        (["--measure", "AP"], ["--measure AP is not accepted", "one of ap, ndcg"]),
        (["--trials", "0"], ["trials", "0", "expected 1 or more"]),
        (["--jobs", "0"], ["jobs", "0", "expected 1 or more"]),
        (["--data", "."], ["robust2004_ap.csv", "expected the score matrices"]),
        (["--out", "file"], ["--out file", "folder"]),
    ],
)
def test_bad_arguments(cdfscore, write, urbano, tmp_path, more, fragments) -> None:
    write({"file": "no folder"})
    done = cdfscore(*replaced([*urbano, "--out", "out"], more))
    assert done.status == 2
    assert done.out == ""
    assert done.err.count("\n") == 1
    for fragment in fragments:
        assert fragment in done.err
    assert not tree(tmp_path).keys() - {"file"}


def test_trials_of_another_version_are_run_again(cdfscore, urbano, tmp_path, monkeypatch) -> None:
    from cdfscore.experiments.papers.urbano2019 import run as paper
    from cdfscore.experiments.trials import code_versions

    data = Path(urbano[urbano.index("--data") + 1])
    cell = paper.Cell("within", "terabyte2006", "ap")
    run = paper.experiment(cell, paper.matrices(data, cell.matrix, "rounded"))
    with monkeypatch.context() as other:
        other.setitem(code_versions(), "numba", "0.1")
        run_trials(run, 250, cache=tmp_path / "out" / CACHE)
    done = cdfscore(*urbano, *ONE_CELL, "within", "--trials", "250", "--out", "out", "--resume")
    assert done.status == 0
    assert done.err.count("\n") == 2
    assert done.err.startswith("cdfscore: 250 trials cached in out/cached-trials are run again: ")
    assert not (tmp_path / "out" / CACHE).exists()


@pytest.fixture
def few_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the command sample less than the paper does."""
    from cdfscore.experiments.papers import webber2008 as paper

    whole = paper.figure_tables
    few = {"samples": 5, "partitions": 5, "repartitions": 5, "sizes": (2, 5, 10, 15)}
    monkeypatch.setattr(paper, "figure_tables", lambda data, **more: whole(data, **few, **more))


def test_webber2008(cdfscore, shared_data, tmp_path, few_samples: Callable[[], None]) -> None:
    done = cdfscore("reproduce", "webber2008", "--data", str(shared_data), "--out", "out")
    assert (done.status, done.out) == (0, "")
    assert "of 111 printed numbers: equal 78, " in done.err
    names = {path.name for path in (tmp_path / "out").iterdir() if path.is_file()}
    figures = {f"figure{k}.{ending}" for k in range(1, 8) for ending in ("csv", "svg", "pdf")}
    tables = {f"table{k}.csv" for k in range(1, 7)}
    assert names == {*figures, *tables, "figure3_quartiles.csv", "randomized.csv", "text.csv"}
    table = pd.read_csv(tmp_path / "out" / "table3.csv", dtype=str)
    assert table["printed"].tolist() == ["0.627", "1.857", "1.285", "1.387", "0.859", "0.583"]
    assert (table["status"] == "equal").all()


@pytest.mark.long
def test_webber2008_with_judgments(
    cdfscore, shared_data, tmp_path, few_samples: Callable[[], None]
) -> None:
    """Made-up ones: 13 numbers more are computed, and differ from the printed ones."""
    topics = [*range(351, 451), *range(601, 672), *range(673, 701)]
    lines = [f"{topic} 0 d{i} {i % 2}" for topic in topics for i in range(2 + topic % 7)]
    (tmp_path / "qrels.txt").write_text("\n".join(lines) + "\n")
    given = ("reproduce", "webber2008", "--data", str(shared_data), "--out", "out")
    done = cdfscore(*given, "--qrels", "qrels.txt")
    assert (done.status, done.out) == (0, "")
    assert "equal 78, " in done.err
    table = pd.read_csv(tmp_path / "out" / "table6.csv").set_index(["row", "column"])
    assert table["computed"].notna().all()
    counts = [2 + topic % 7 for topic in range(351, 401)]
    assert table.loc[("Judged", "T7.adh"), "computed"] == pytest.approx(np.mean(counts))
    assert "needs relevance" not in (tmp_path / "out" / "figure5.svg").read_text()
    done = cdfscore(*given, "--qrels", "no.txt", "--resume")
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert "no.txt" in done.err


def test_webber2008_without_its_data(cdfscore, tmp_path) -> None:
    done = cdfscore("reproduce", "webber2008", "--data", ".", "--out", "out")
    assert done.status == 2
    assert done.err.count("\n") == 1
    assert "robust2004" in done.err
    assert not (tmp_path / "out").exists()
