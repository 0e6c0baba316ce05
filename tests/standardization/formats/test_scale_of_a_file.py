"""The range and the grid of the reference scores in a file of factors, and what cannot be one."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from cdfscore import Standardizer, load_factors
from cdfscore.errors import FactorsError
from cdfscore.standardization.formats import encode_factors

SCORES = pd.DataFrame({"a": [0.1, 0.5], "b": [0.3, 0.6], "c": [0.2, 0.9]}, index=["1", "2"])
FIRST = {"low": 0.1, "high": 0.9, "grid": 10}


def loaded(folder: Path, scale: Any) -> Any:
    document = json.loads(encode_factors(Standardizer("normal").fit(SCORES)))
    document |= {"scale": scale, "content_digest": None}
    path = folder / "factors.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return load_factors(path).scale


@pytest.mark.parametrize(
    ("scale", "said"),
    [
        ({"low": 0.9, "high": 0.1}, "'low' and 'high', numbers in rising order"),
        ({"low": "0", "high": 0.1}, "'low' and 'high', numbers in rising order"),
        ({**FIRST, "grid": 0}, "has the grid 0; expected a whole number or null"),
        ({**FIRST, "grid": 2.5}, "has the grid 2.5; expected a whole number or null"),
        ({**FIRST, "middle": 0.05}, "has the middle 0.05; expected a number from 'low' to 'high'"),
        ({**FIRST, "middle": 0.95}, "has the middle 0.95; expected a number from 'low' to 'high'"),
        ({**FIRST, "coarse": 0}, "'coarse' 0; expected a number above 0 and up to 1"),
        ({**FIRST, "coarse": 1.001}, "'coarse' 1.001; expected a number above 0 and up to 1"),
    ],
)
def test_what_is_refused(scale: Any, said: str, tmp_path: Path) -> None:
    with pytest.raises(FactorsError) as refused:
        loaded(tmp_path, scale)
    assert said in str(refused.value)


def test_what_is_read(tmp_path: Path) -> None:
    assert loaded(tmp_path, None) is None
    found = loaded(tmp_path, {"low": 0, "high": 0, "grid": 1, "middle": 0, "coarse": 1})
    assert (found.low, found.high, found.grid, found.middle, found.coarse) == (0, 0, 1, 0, 1)
    first = loaded(tmp_path, FIRST)
    assert (first.low, first.high, first.grid) == (0.1, 0.9, 10)
    assert (first.middle, first.coarse) == (None, None)
