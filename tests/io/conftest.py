"""Write text to a file and read it as scores."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from cdfscore import read_scores


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., pd.DataFrame]:
    """Read text, or bytes, as the scores of a file."""

    def read_text(content: str | bytes, name: str = "s.csv", **options) -> pd.DataFrame:
        data = content if isinstance(content, bytes) else content.encode()
        (tmp_path / name).write_bytes(data)
        return read_scores(tmp_path / name, **options)

    return read_text
