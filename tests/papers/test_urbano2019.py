"""Cells, data folders and files of Urbano, Lima and Hanjalic (2019), on small score matrices."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from cdfscore.errors import CdfscoreError, ExperimentError
from cdfscore.experiments import Between, Within, run_trials
from cdfscore.experiments.papers.urbano2019 import run as urbano2019
from cdfscore.r.session import RSession

WITHIN = urbano2019.Cell("within", "robust2004", "ap")
BETWEEN = urbano2019.Cell("between", "terabyte2006", "ndcg")
TRIALS = 30


def scores(systems: int = 12, topics: int = 70) -> pd.DataFrame:
    rng = np.random.default_rng(systems)
    values = np.round(rng.beta(2, 5, (topics, 1)) * rng.beta(5, 2, (topics, systems)), 4)
    values[3] = 0.25  # a constant topic
    return pd.DataFrame(values, columns=[f"run{k}" for k in range(systems)])


@pytest.fixture
def data(tmp_path: Path) -> Path:
    scores().to_csv(tmp_path / "robust2004_ap.csv", index=False)
    scores(topics=41).to_csv(tmp_path / "terabyte2006_ndcg.csv", index=False)
    return tmp_path


def test_cells_asked_for() -> None:
    """In the order of the paper and once each, whatever the order of the names."""
    asked = urbano2019.cells(["between", "between"], ["terabyte2006", "robust2004"], ["ndcg"])
    assert asked == [
        urbano2019.Cell("between", "robust2004", "ndcg"),
        urbano2019.Cell("between", "terabyte2006", "ndcg"),
    ]
    assert asked[0].matrix == "robust2004_ndcg"


@pytest.mark.parametrize(
    ("names", "fragments"),
    [
        ({"experiments": ["Within"]}, ["experiment='Within'", "one of within, between"]),
        (
            {"collections": ["robust2004", "web"]},
            ["collection='web'", "one of robust2004, terabyte2006"],
        ),
        (
            {"measures": ["map"]},
            ["measure='map' is not accepted (did you mean 'ap'?)", "one of ap, ndcg"],
        ),
    ],
)
def test_names_that_the_paper_does_not_have(
    names: dict[str, list[str]], fragments: list[str]
) -> None:
    with pytest.raises(ExperimentError) as error:
        urbano2019.cells(**names)
    for fragment in fragments:
        assert fragment in str(error.value)


@pytest.mark.parametrize("place", [".", "data", "urbano2019/data"])
def test_three_places_of_the_data(tmp_path: Path, place: str) -> None:
    folder = tmp_path / place
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "robust2004_ap.csv").write_text("a,b\n1,2\n")
    assert urbano2019.find_matrix(tmp_path, "robust2004_ap") == folder / "robust2004_ap.csv"


def test_data_that_are_not_there(tmp_path: Path) -> None:
    (tmp_path / "robust2004_ap.csv").mkdir()
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(CdfscoreError) as error:
            urbano2019.matrices(folder, "robust2004_ap", "rounded")
        for fragment in (str(folder), "robust2004_ap.csv", "data", "urbano2019/data", "authors"):
            assert fragment in str(error.value)


@pytest.mark.clause("urbano2019.1")
def test_schemes_and_constant_topics(data: Path) -> None:
    """On a constant topic the 2019 scripts took mean 0 and sd 1: z is the score itself."""
    found = urbano2019.matrices(data, "robust2004_ap", "rounded")
    assert found.labels == ("raw", "N-std", "U-std", "z-std", "E-std")
    assert_array_equal(found.scores[0], scores().to_numpy())
    # pnorm(0.25), 0.15 * 0.25 + 0.5, 0.25, and all systems at or below the score
    for matrix, value in zip(found.scores[1:], (0.598_706_3, 0.5375, 0.25, 1.0), strict=True):
        assert_allclose(matrix[3], value, rtol=1e-7)
    ours, mean, sd = found.scores[3], scores().mean(axis=1), scores().std(axis=1)
    assert_allclose(ours[5], (scores().loc[5] - mean[5]) / sd[5], atol=1e-12)


@pytest.mark.clause("urbano2019.1")
def test_experiments_of_the_paper(data: Path, rinterface) -> None:
    """50 topics within, half of all or 50 between; trial 1 draws after R's set.seed(501)."""
    within = urbano2019.experiment(WITHIN, urbano2019.matrices(data, WITHIN.matrix, "rounded"))
    between = urbano2019.experiment(BETWEEN, urbano2019.matrices(data, BETWEEN.matrix, "rounded"))
    assert isinstance(within, Within)
    assert isinstance(between, Between)
    assert (within.size, between.size) == (50, 20)
    r = RSession()
    base, trial = r.rinterface.baseenv, 3
    base["set.seed"](500 + trial)
    rows = np.array(base["sample"](70, 50)) - 1
    raw, z = (r.column_means(matrix[rows]) for matrix in within.matrices.scores[[0, 3]])
    assert_allclose(within.run(range(trial))["r"][-1, 3], np.corrcoef(raw, z)[0, 1], rtol=1e-12)
    base["set.seed"](500 + trial)
    rows = np.array(base["sample"](41, 40)) - 1
    x, y = (r.column_means(between.matrices.scores[4][part]) for part in (rows[:20], rows[20:]))
    found = between.run(range(trial))["r"][-1, 4]
    assert_allclose(found, np.corrcoef(x, y)[0, 1], rtol=1e-12)


@pytest.mark.clause("scheme_matrices.2")
@pytest.mark.parametrize("cell", [WITHIN, BETWEEN], ids=lambda cell: cell.experiment)
def test_exact_ties_differ_in_e_std_alone(data: Path, cell: urbano2019.Cell) -> None:
    results = {
        ties: run_trials(
            urbano2019.experiment(cell, urbano2019.matrices(data, cell.matrix, ties)), TRIALS
        )
        for ties in ("exact", "rounded")
    }
    for name, exact in results["exact"].items():
        rounded = results["rounded"][name]
        assert_array_equal(exact[:, :4], rounded[:, :4])
        if name in ("tau", "tauAP", "swap_rate"):
            assert (exact[:, 4] != rounded[:, 4]).any()
        else:
            assert_allclose(exact[:, 4], rounded[:, 4], rtol=1e-12)


def test_a_trial_without_a_test_has_no_rate(data: Path) -> None:
    run = Within(urbano2019.matrices(data, WITHIN.matrix, "rounded"), seed=1, alphas=(0.05,))
    tests = np.full((3, 5), 6)
    tests[1, 2] = 0
    results = {**dict.fromkeys(("tau", "tauAP", "r"), np.ones((3, 5))), "tests": tests}
    with pytest.raises(ExperimentError, match="trial 2, U-std: no t test has a p value, because"):
        urbano2019.files(WITHIN, run, results | {"rejected": np.zeros((3, 5, 1), np.int64)})


@pytest.mark.clause("urbano2019.1")
def test_rates_are_rounded_trial_by_trial(data: Path) -> None:
    """2/3, 1/3 and 1/7 are 0.666667, 0.333333 and 0.142857 before they are averaged."""
    matrices = urbano2019.matrices(data, WITHIN.matrix, "rounded")
    run = Within(matrices, seed=1, alphas=(0.01, 0.05))
    tests = np.array([[3] * 5, [3] * 5, [7] * 5])
    rejected = np.zeros((3, 5, 2), dtype=np.int64)
    rejected[:, :, 1] = np.array([2, 1, 1])[:, np.newaxis]
    rejected[0, 0, 1] = 1
    coefficients = dict.fromkeys(("tau", "tauAP", "r"), np.full((3, 5), 2 / 3))
    results = {**coefficients, "tests": tests, "rejected": rejected}
    files = {path.name: content for path, content in urbano2019.files(WITHIN, run, results).items()}
    expected = f"{(0.666667 + 0.333333 + 0.142857) / 3:.15g}"
    raw = f"{(0.333333 + 0.333333 + 0.142857) / 3:.15g}"
    assert files["power.csv"].decode() == (
        f"alpha,raw,N-std,U-std,z-std,E-std\r\n0.01,0,0,0,0,0\r\n0.05,{raw}{f',{expected}' * 4}\r\n"
    )
    assert files["tau.csv"].decode().splitlines()[1:] == [",".join(["0.666667"] * 5)] * 3
    results["tests"], results["rejected"] = np.full((3, 5), 3), rejected
    one = urbano2019.files(WITHIN, run, {name: a[:1] for name, a in results.items()})
    assert one[WITHIN.folder / "power.csv"].decode().splitlines()[2].endswith(",0.666667")


@pytest.mark.clause("urbano2019.1")
@pytest.mark.parametrize("experiment", ["within", "between"])
def test_the_first_trials_are_those_published(shared_data: Path, experiment: str) -> None:
    cell = urbano2019.Cell(experiment, "robust2004", "ap")
    run = urbano2019.experiment(cell, urbano2019.matrices(shared_data, cell.matrix, "rounded"))
    files = urbano2019.files(cell, run, run_trials(run, 3))
    for name in ("tau.csv", "tauAP.csv", "r.csv"):
        path = cell.folder / name
        published = (shared_data / "urbano2019" / "published" / path).read_bytes()
        assert files[path].splitlines() == published.splitlines()[:4]


@pytest.mark.clause("urbano2019.2")
def test_what_section_2_says_of_robust_ap(shared_data: Path) -> None:
    """Three of the four ends of N-std are as printed; of the lowest mean the next one is."""
    scores = pd.read_csv(shared_data / "urbano2019" / "data" / "robust2004_ap.csv")
    x = scores.to_numpy()
    z = (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, ddof=1, keepdims=True)
    given = urbano2019.matrices(shared_data, "robust2004_ap", "rounded")
    y = given.scores[given.labels.index("N-std")]
    assert_allclose(y, stats.norm.cdf(z), rtol=0, atol=1e-14)
    means, sds = np.sort(y.mean(axis=1)), y.std(axis=1, ddof=1)
    assert [f"{value:.2f}" for value in (means[-1], sds.min(), sds.max())] == [
        *("0.55", "0.14", "0.31")
    ]
    assert (f"{means[0]:.3f}", f"{means[1]:.2f}") == ("0.439", "0.45")
    e = given.scores[given.labels.index("E-std")]
    at_the_minimum = (x == x.min(axis=1, keepdims=True)).sum(axis=1)
    assert_array_equal(e.min(axis=1), at_the_minimum / 110)
    assert_array_equal(e.max(axis=1), 1)
    assert (e.mean(axis=1) >= 111 / 220 - 1e-12).all()
    between = urbano2019.experiment(urbano2019.Cell("between", "robust2004", "ap"), given)
    assert (between.matrices.topics, between.size) == (99, 49)
