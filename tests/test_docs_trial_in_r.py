"""The R code of docs/trial_in_r.md gives the numbers of the commands that it stands below."""

import re
import shlex
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.cli.conftest import Run
from tests.cli.conftest import cdfscore as cdfscore

PAGE = Path(__file__).parents[1] / "docs" / "trial_in_r.md"


def blocks(kind: str) -> list[str]:
    text = PAGE.read_text(encoding="utf-8")
    found = re.findall(r"^```(\S*)[^\n]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [block for own, block in found if own == kind]


def numbers(out: str) -> dict[str, list[float]]:
    """Read what R prints of named vectors: a line of names, a line of numbers."""
    found: dict[str, list[float]] = {}
    lines = out.splitlines()
    for names, values in zip(lines[::2], lines[1::2], strict=True):
        for name, value in zip(names.split(), values.split(), strict=True):
            found.setdefault(name, []).append(float(value))
    return found


@pytest.mark.usefixtures("rinterface")
def test_r_has_the_numbers_of_the_commands(
    tmp_path: Path, shared_data: Path, cdfscore: Run
) -> None:
    scores = pd.read_csv(shared_data / "robust2004" / "robust2004_p10.csv").iloc[:61]
    scores.iloc[:, :21].to_csv(tmp_path / "scores.csv", index=False)
    others = scores.iloc[:, [0, *range(40, 52)]]
    others.to_csv(tmp_path / "others.csv", index=False)
    (commands,), (code,) = blocks(""), blocks("r")
    for command in commands.replace("\\\n", "").splitlines():
        program, *arguments = shlex.split(command)
        assert program == "cdfscore"
        assert cdfscore(*arguments).status == 0
    done = subprocess.run(
        ["Rscript", "--vanilla", "-e", code], cwd=tmp_path, check=True, capture_output=True
    )
    in_r = numbers(done.stdout.decode())

    def number(path: Path) -> float:
        table = pd.read_csv(path)
        if "agreement" in table:
            table = table.query("agreement == 'largest'").rename(columns={"mean": "E-std"})
        return table["E-std"].item()

    names = ("tau", "tauAP", "r", "drmse", "swap_rate", "power", "type1", "false_positives")
    ours = {
        name: [
            number(tmp_path / "out" / experiment / f"{name}.csv")
            for experiment in ("within", "between", "halves", "sizes")
            if (tmp_path / "out" / experiment / f"{name}.csv").exists()
        ]
        for name in (*names, "power_paired")
    }
    assert in_r.keys() == ours.keys()
    for name, values in ours.items():
        np.testing.assert_allclose(in_r[name], values, rtol=0, atol=1e-9, err_msg=name)
