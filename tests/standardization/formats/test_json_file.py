"""The JSON file itself: strict, readable, a line a topic, the shortest digits."""

import json

import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer, __version__, load_factors, save_factors
from cdfscore.errors import FactorsError
from cdfscore.scores.dataframes import remember
from cdfscore.standardization.formats import encode_factors


@pytest.fixture
def scores() -> pd.DataFrame:
    return pd.DataFrame(
        {"Größe": [0.1, 0.5, 1 / 3], "b": [0.2, np.nan, 0.0], "c": [1e-5, 0.5, 1.0]},
        index=["351", 'a "b"', "4\\2\n"],
    )


def strict(constant: str) -> None:
    raise AssertionError(f"{constant} is not JSON")


@pytest.mark.clause("factors_json.1")
def test_values(scores) -> None:
    factors = Standardizer("uniform:A=0.2", constant="half", missing="drop_topic").fit(
        scores, measure="P@10"
    )
    document = json.loads(encode_factors(factors))
    for digest in (document.pop("digest"), document.pop("content_digest")):
        assert digest.startswith("sha256:")
        assert len(digest) == len("sha256:") + 64
    topics = document.pop("topics")
    # 5 of the 6 numbers between the ends, one more counted: 0.00001 is no fraction.
    scale = {"low": 0.0, "high": 1.0, "grid": None, "middle": 1 / 3, "coarse": 6 / 7}
    assert document.pop("scale") == scale
    assert document == {
        "format": "cdfscore factors",
        "version": 3,
        "cdfscore": __version__,
        "scheme": "uniform",
        "settings": {"A": 0.2, "B": 0.5},
        "constant": "half",
        "missing": "drop_topic",
        "fitted_missing": "drop_topic",
        "unfitted": "raise",
        "measure": "P@10",
        "systems": ["Größe", "b", "c"],
        "positions": None,
        "dropped": ['a "b"'],
        "unfitted_topics": {},
    }
    assert {topic: entry["n"] for topic, entry in topics.items()} == {"351": 3, "4\\2": 3}


def test_text_is_utf_8_and_not_escaped(scores) -> None:
    assert '"Größe"' in encode_factors(Standardizer("raw", missing="omit").fit(scores)).decode()


@pytest.mark.clause("factors_json.2")
@pytest.mark.parametrize(
    "value", [0.1, 1 / 3, 2 / 3, 1e-5, 5e-324, 0.1 + 0.2, 123456789.0, 1e16, 1e22, -0.0]
)
def test_numbers_have_the_fewest_digits_that_give_them_back(value) -> None:
    scores = pd.DataFrame({"a": [value], "b": [value + 1.0]}, index=["1"])
    content = encode_factors(Standardizer("minmax").fit(scores)).decode()
    written = content.partition('"min": ')[2].partition(",")[0]
    assert written == repr(value)
    assert float(written).hex() == value.hex()


@pytest.mark.clause("factors_json.1")
def test_equal_factors_make_equal_files(scores, tmp_path) -> None:
    for name in ("one.json", "two.json"):
        save_factors(Standardizer("kernel", missing="omit").fit(scores), tmp_path / name)
    one, two = ((tmp_path / name).read_bytes() for name in ("one.json", "two.json"))
    assert one == two
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.json", "two.json"]


@pytest.mark.clause("factors_json.1")
def test_only_factors_of_models_say_what_they_are_of(scores, tmp_path) -> None:
    """Files of factors of systems are as before, in every byte."""
    assert b"units" not in encode_factors(Standardizer("normal", missing="omit").fit(scores))
    remember(scores, header="model")
    factors = Standardizer("normal", missing="omit").fit(scores)
    document = json.loads(encode_factors(factors))
    assert document["units"] == ["model", "task"]
    path = tmp_path / "factors.json"
    path.write_bytes(encode_factors(factors))
    assert load_factors(path).units == ("model", "task")
    path.write_text(json.dumps({**document, "units": ["task", "model"], "content_digest": None}))
    with pytest.raises(FactorsError, match="'units' is"):
        load_factors(path)
