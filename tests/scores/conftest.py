"""Write text to a file and read it as scores; find the shared data."""

import os
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from cdfscore import read_scores

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., pd.DataFrame]:
    """Read text, or bytes, as the scores of a file."""

    def read_text(content: str | bytes, name: str = "s.csv", **options) -> pd.DataFrame:
        data = content if isinstance(content, bytes) else content.encode()
        (tmp_path / name).write_bytes(data)
        return read_scores(tmp_path / name, **options)

    return read_text


@pytest.fixture(scope="session")
def data() -> Path:
    """Return the folder of the shared data, which is not part of the project."""
    folder = Path(os.environ.get("CDFSCORE_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        reason = f"the shared data is not at {folder}; set CDFSCORE_DATA"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return folder
