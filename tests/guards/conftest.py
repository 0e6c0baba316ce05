"""The command line in this process, as the tests of the commands run it, and the real matrices."""

from pathlib import Path

import pandas as pd
import pytest

from cdfscore import read_scores
from cdfscore.errors import ScoresError
from tests.cli.conftest import Files as Files
from tests.cli.conftest import Outcome as Outcome
from tests.cli.conftest import cdfscore as cdfscore
from tests.cli.conftest import refused as refused
from tests.cli.conftest import sentence as sentence
from tests.cli.conftest import write as write


@pytest.fixture(scope="session")
def shared_tables(shared_data: Path) -> dict[Path, pd.DataFrame | ScoresError]:
    """Return the scores of every table of the evaluation data, or what is said against it."""
    found: dict[Path, pd.DataFrame | ScoresError] = {}
    for path in sorted(shared_data.rglob("*.csv")):
        try:
            found[path] = read_scores(path)
        except ScoresError as error:
            found[path] = error
    return found


@pytest.fixture(scope="session")
def shared_matrices(
    shared_tables: dict[Path, pd.DataFrame | ScoresError],
) -> dict[Path, pd.DataFrame]:
    """Return the score matrices of the evaluation data; nobody may change them."""
    return {path: own for path, own in shared_tables.items() if isinstance(own, pd.DataFrame)}


@pytest.fixture(scope="session")
def robust(shared_data: Path) -> pd.DataFrame:
    """Return the scores of Robust 2004 by AP; nobody may change them."""
    return read_scores(shared_data / "robust2004" / "robust2004_ap.csv")
