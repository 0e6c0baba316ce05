"""The R code of docs/trial_in_r.md gives the numbers of the commands that it stands below."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.cli.conftest import Outcome
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
    tmp_path: Path, shared_data: Path, cdfscore: Callable[..., Outcome]
) -> None:
    scores = pd.read_csv(shared_data / "robust2004" / "robust2004_p10.csv").iloc[:60, :21]
    scores.to_csv(tmp_path / "scores.csv", index=False)
    (commands,), (code,) = blocks(""), blocks("r")
    for command in commands.replace("\\\n", "").splitlines():
        program, *arguments = shlex.split(command)
        assert program == "cdfscore"
        assert cdfscore(*arguments).status == 0
    done = subprocess.run(
        ["Rscript", "--vanilla", "-e", code], cwd=tmp_path, check=True, capture_output=True
    )
    in_r = numbers(done.stdout.decode())
    ours = {
        name: [
            pd.read_csv(tmp_path / "out" / experiment / f"{name}.csv")["E-std"].item()
            for experiment in ("within", "between")
            if (tmp_path / "out" / experiment / f"{name}.csv").exists()
        ]
        for name in ("tau", "tauAP", "r", "power", "type1")
    }
    assert in_r.keys() == ours.keys()
    for name, values in ours.items():
        np.testing.assert_allclose(in_r[name], values, rtol=0, atol=1e-9, err_msg=name)
