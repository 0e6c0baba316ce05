"""The scripts of docs/on_a_cluster.md run, on two worker processes, from each form of file."""

import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

from cdfscore import Standardizer, datasets, write_scores
from cdfscore.experiments import Within, run_trials, standardized
from tests.experiments.engine_subjects import ENVIRONMENT, ROOT

_PAGE = (ROOT / "docs" / "on_a_cluster.md").read_text(encoding="utf-8")
SCRIPTS = [
    script for script in re.findall(r"```python\n(.*?)```", _PAGE, re.DOTALL) if ">>>" not in script
]
TOPICS, SYSTEMS = 20_000, [f"s{i:02d}" for i in range(50)]


def drawn() -> pd.DataFrame:
    """Return a million scores."""
    scores = np.random.default_rng(1).beta(1, 3, size=(TOPICS, len(SYSTEMS)))
    index = pd.Index([f"t{i}" for i in range(TOPICS)], name="topic")
    return pd.DataFrame(scores, index, SYSTEMS)


def run(script: str, folder: Path) -> None:
    (folder / "script.py").write_text(script)
    command = [sys.executable, "-W", "ignore", "script.py"]
    done = subprocess.run(
        command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]


def by_write_scores(scores: pd.DataFrame, path: Path) -> None:
    write_scores(scores, path)


def by_pandas(scores: pd.DataFrame, path: Path) -> None:
    scores.to_parquet(path, row_group_size=4000)


def by_polars(scores: pd.DataFrame, path: Path) -> None:
    """With the topics as a column, as where a CSV file was converted."""
    pl.from_pandas(scores.reset_index()).write_parquet(path, row_group_size=3000)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("write", [by_write_scores, by_pandas, by_polars])
def test_a_row_for_each_topic(write: Callable[[pd.DataFrame, Path], None], tmp_path: Path) -> None:
    scores = drawn()
    write(scores, tmp_path / "scores.parquet")
    run(SCRIPTS[1], tmp_path)
    found = pd.read_parquet(tmp_path / "standardized").loc[scores.index]
    np.testing.assert_array_equal(found[SYSTEMS], Standardizer("empirical").fit_transform(scores))


def rows_of(scores: pd.DataFrame) -> pd.DataFrame:
    rows = scores.reset_index().melt("topic", var_name="system", value_name="score")
    return rows.sort_values("topic", kind="stable", ignore_index=True)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("forgotten", [False, True])
def test_a_row_for_each_score(forgotten: bool, tmp_path: Path) -> None:
    scores = drawn()
    rows = rows_of(scores).sample(frac=1, random_state=1) if forgotten else rows_of(scores)
    rows.to_parquet(tmp_path / "rows.parquet", row_group_size=99_990, index=False)
    script = SCRIPTS[2]
    if forgotten:
        for of_page, other in (
            ('rows.shuffle("topic", npartitions=8)', "rows"),
            ('"rows.parquet", ', '"rows.parquet", split_row_groups=1, '),
            ('Standardizer("normal")', 'Standardizer("normal", missing="omit", unfitted="nan")'),
        ):
            assert of_page in script
            script = script.replace(of_page, other)
        with pytest.raises(AssertionError, match="the rows of a topic are in two partitions"):
            run(script, tmp_path)
        return
    run(script, tmp_path)
    found = pd.read_parquet(tmp_path / "standardized").loc[scores.index]
    np.testing.assert_array_equal(found[SYSTEMS], Standardizer("normal").fit_transform(scores))


@contextmanager
def a_cluster_without_workers(folder: Path) -> Iterator[str]:
    """Start a scheduler of its own, as on a cluster, to which a worker comes after 15 seconds."""
    file = folder / "scheduler.json"
    started = [["dask_scheduler", "--port", "0", "--no-dashboard"], ["dask_worker", "--no-nanny"]]
    running: list[subprocess.Popen[bytes]] = []

    def start(name: str, *options: str) -> None:
        command = [sys.executable, "-m", f"distributed.cli.{name}", "--scheduler-file", str(file)]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        running.append(subprocess.Popen([*command, *options], cwd=folder, env=ENVIRONMENT, **quiet))

    start(*started[0])
    later = threading.Timer(15, start, started[1])
    later.start()
    try:
        yield f"Client(scheduler_file={str(file)!r})"
    finally:
        later.cancel()
        later.join()
        for process in reversed(running):
            process.terminate()
            process.wait()


@contextmanager
def a_cluster_that_grows(folder: Path) -> Iterator[str]:
    """Return a client of a cluster that starts workers only where there is work."""
    yield "of_a_cluster_that_grows()"


@contextmanager
def of_the_page(folder: Path) -> Iterator[str]:
    yield _CLIENT


_CLIENT = "Client(n_workers=2, threads_per_worker=1)"
_GROWING = """
def of_a_cluster_that_grows():
    from distributed import LocalCluster

    cluster = LocalCluster(n_workers=0, threads_per_worker=1)
    cluster.adapt(minimum=0, maximum=2)
    return Client(cluster)


if __name__"""


@pytest.mark.one_in(3)
@pytest.mark.parametrize("cluster", [of_the_page, a_cluster_that_grows, a_cluster_without_workers])
def test_trials_on_a_cluster(
    cluster: Callable[[Path], AbstractContextManager[str]], tmp_path: Path
) -> None:
    assert _CLIENT in SCRIPTS[0]
    with cluster(tmp_path) as client:
        script = SCRIPTS[0].replace(_CLIENT, client).replace("\nif __name__", _GROWING, 1)
        run(script, tmp_path)
    schemes = standardized(datasets.load_cranfield("ap"), {"raw": "raw", "E-std": "empirical"})
    experiment = Within(schemes, size=50, seed=1)
    experiment.tables(run_trials(experiment, 1000))["tau"].to_csv(tmp_path / "expected.csv")
    assert (tmp_path / "tau.csv").read_bytes() == (tmp_path / "expected.csv").read_bytes()
