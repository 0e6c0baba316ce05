"""The table of systems on a terminal."""

import io

import pandas as pd
from rich.console import Console

from cdfscore.report.system_table import system_table


def test_best_systems_first_and_tied_systems_share_the_best_rank() -> None:
    means = pd.DataFrame(
        {"raw": [0.1, 0.3, 0.3, 0.2], "E-std": [0.9, 0.5, 0.7, 0.7]}, index=list("abcd")
    )
    console = Console(file=io.StringIO(), width=80)
    console.print(system_table(means, title="Means", rows=3))
    lines = [line.split() for line in console.file.getvalue().splitlines() if "0." in line]
    assert [[word for word in line if word not in "│┃|"] for line in lines] == [
        ["b", "0.3000", "1", "0.5000", "4"],
        ["c", "0.3000", "1", "0.7000", "2"],
        ["d", "0.2000", "3", "0.7000", "2"],
    ]
