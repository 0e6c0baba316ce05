"""The real score matrices."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest

from cdfscore.stats.numerics.types import Array

_FOLDERS = ("urbano2019/data", "robust2004", "adhoc", "web")


@dataclass(frozen=True)
class Matrix:
    """Scores (topics, systems) with their labels; rows count from 1 where unlabelled."""

    name: str
    topics: list[str]
    systems: list[str]
    scores: Array


def read_matrices(data: Path) -> list[Matrix]:
    """Read every matrix of the folders; an empty folder is a failure."""
    matrices = []
    for folder in _FOLDERS:
        files = sorted((data / folder).glob("*.csv"))
        if not files:
            pytest.fail(f"there is no score matrix in {data / folder}", pytrace=False)
        matrices += [_read(file, f"{folder}/{file.name}") for file in files]
    return matrices


def _read(file: Path, name: str) -> Matrix:
    table = pd.read_csv(file)
    topics = table.pop("topic") if "topic" in table else table.index + 1
    return Matrix(name, [str(t) for t in topics], list(table.columns), table.to_numpy(float))
