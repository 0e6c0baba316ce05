"""A CSV on its own is no file of factors, whatever its name looks like."""

from pathlib import Path

import pytest

from cdfscore.errors import FactorsError
from cdfscore.standardization.formats import load_factors


@pytest.mark.clause("load_factors.1")
@pytest.mark.parametrize("name", ["means.csv", "Means.CSV"])
def test_a_csv_alone_has_no_factors(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text("topic,ap\n301,0.1\n302,0.3\n")
    with pytest.raises(FactorsError, match="is a CSV, of means or of scores, and has no factors"):
        load_factors(path)
