"""``cdfscore reproduce --dask``: a worker is killed, and the files are the same."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cdfscore.cli.experiment import CACHE
from tests.experiments.clusters import running
from tests.experiments.engine_subjects import ENVIRONMENT, wait_for

CELL = ["--experiment", "within", "--collection", "terabyte2006", "--measure", "ap"]
# Six chunks, of which many are left when the first is cached.
TRIALS = ["--trials", "1500"]


@pytest.mark.long
def test_a_killed_worker_changes_no_byte(shared_data, tmp_path: Path) -> None:
    program = str(Path(sys.executable).with_name("cdfscore"))
    command = [program, "reproduce", "urbano2019", "--data", str(shared_data), *CELL, *TRIALS]
    out, alone = tmp_path / "out", tmp_path / "alone"
    with running(tmp_path, workers=2) as cluster:
        on_cluster = subprocess.Popen(
            [*command, "--out", str(out), "--dask", cluster.address],
            stderr=subprocess.PIPE,
            env=ENVIRONMENT,
        )
        wait_for(lambda: list((out / CACHE).glob("*/*.npz")) or on_cluster.poll() is not None)
        assert on_cluster.poll() is None, on_cluster.communicate()
        cluster.workers[0].kill()
        _, err = on_cluster.communicate()
        assert on_cluster.returncode == 0, err
        assert cluster.workers[1].poll() is None
    subprocess.run([*command, "--out", str(alone)], check=True, stderr=subprocess.DEVNULL)
    folder = Path("01-within/terabyte2006_ap")
    for name in ("tau.csv", "tauAP.csv", "r.csv", "power.csv"):
        assert (out / folder / name).read_bytes() == (alone / folder / name).read_bytes()
    assert not (out / CACHE).exists()
