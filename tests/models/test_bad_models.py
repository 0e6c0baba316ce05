"""What defines no model is refused in one sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cdfscore import CdfscoreError, Standardizer
from cdfscore.errors import ModelError
from cdfscore.models import anova
from cdfscore.models.reading import read_components
from tests.models.designs import COMPONENTS, scores

SCORES = scores()
TWICE = pd.concat([COMPONENTS, COMPONENTS.iloc[:1]])
ALIASED = COMPONENTS.assign(copy=COMPONENTS["stemmer"] + "!")
ONE = COMPONENTS.assign(language="english")
RAW = [Standardizer("raw", missing="omit")]
CELL = SCORES.loc[:, ~SCORES.columns.str.startswith("porter_s")]
ADDITIVE = pd.DataFrame(
    np.add.outer([0.25, 0.5, 0.125], np.linspace(0, 1, 24) ** 2), columns=COMPONENTS["system"]
)

BAD: list[tuple[dict[str, Any], str]] = [
    ({"formula": "score ~ topic + stemer"}, "names 'stemer', which is no factor (did you mean"),
    ({"formula": "score ~ topic + copy", "components": None}, "expected some of topic, system"),
    ({"components": COMPONENTS.drop(columns="system")}, "has no column 'system'"),
    ({"components": COMPONENTS.rename(columns={"model": "topic"})}, "has a column 'topic'"),
    ({"components": COMPONENTS.set_axis([*["system", "a", "a", "c"]], axis=1)}, "of one name"),
    ({"components": TWICE}, "two rows of system 'none_p_short'"),
    ({"components": COMPONENTS.iloc[1:]}, "no row of 1 of 24 systems, such as 'none_p_short'"),
    ({"components": COMPONENTS.replace("porter", None)}, "system 'porter_p_short' has no stemmer"),
    ({"components": COMPONENTS.replace("porter", "")}, "system 'porter_p_short' has no stemmer"),
    (
        {"components": ALIASED, "formula": "score ~ topic + stemmer + copy"},
        "follow from the others",
    ),
    (
        {
            "components": ALIASED,
            "formula": "score ~ topic + stemmer + copy",
            "sums_of_squares": "II",
        },
        "the term stemmer says nothing that others do not say",
    ),
    (
        {"components": ONE, "formula": "score ~ language"},
        "language has the level 'english' for all",
    ),
    ({"scores": CELL, "formula": "score ~ topic + stemmer * model"}, "say sums_of_squares='II'"),
    ({"formula": "score ~ topic * system"}, "as many coefficients as there are scores, 216"),
    ({"formula": "score ~ topic + system", "scores": ADDITIVE}, "the residuals are 0, except for"),
    ({"scores": SCORES * 0 + 0.5}, "the residuals are 0, except for rounding"),
    ({"sums_of_squares": "IV"}, "sums_of_squares='IV' is not accepted; expected I, II, III"),
    ({"sums_of_squares": 3}, "sums_of_squares=3 is not accepted; expected I, II, III"),
    ({"alpha": 5}, "alpha"),
    ({"schemes": []}, "schemes=[] is not accepted"),
    ({"schemes": "raw"}, "schemes='raw' is not accepted"),
    ({"schemes": ["raw", "raw"]}, "twice"),
]


@pytest.mark.parametrize(("changes", "fragment"), BAD)
def test_bad_input_is_refused_in_one_sentence(changes: dict[str, Any], fragment: str) -> None:
    given = {"formula": "score ~ topic + stemmer", "components": COMPONENTS} | changes
    scores = given.pop("scores", SCORES)
    with pytest.raises(CdfscoreError) as caught:
        anova(scores, **given)
    assert fragment in str(caught.value)
    assert "\n" not in str(caught.value)


def test_type_two_takes_empty_cells() -> None:
    found = anova(CELL, "score ~ topic + stemmer * model", COMPONENTS, sums_of_squares="II").table
    assert found.set_index("term").loc["stemmer:model", "df"] == 5


@pytest.mark.parametrize(
    ("term", "fragment"),
    [
        ("topic", "no marginal means of topic; expected a term of the formula without topic: st"),
        (
            "model",
            "no term 'model' in 'score ~ topic [+] stemmer'; expected one of topic",
        ),
        ("stemmer:topic", "no term 'stemmer:topic'"),
    ],
)
def test_terms_without_means_are_refused(term: str, fragment: str) -> None:
    with pytest.raises(ModelError, match=fragment):
        anova(SCORES, "score ~ topic + stemmer", COMPONENTS).means(term)


def test_means_of_empty_cells_are_refused() -> None:
    found = anova(CELL, "score ~ topic + stemmer * model", COMPONENTS, sums_of_squares="II")
    with pytest.raises(ModelError, match="no marginal means of stemmer, since some combination"):
        found.means("stemmer")
    with pytest.raises(ModelError, match="adjustment='scheffe' is not accepted; expected one of t"):
        found.contrasts("stemmer", "scheffe")


@pytest.mark.parametrize(
    ("content", "fragment"),
    [
        (b"", "expected a header with system and the factors"),
        (b"system,stemmer\n", "expected a header with system and the factors"),
        (b"system,stemmer\na,b,c\n", "line 2 has 3 columns and the header has 2"),
        (b'system,stemmer\na,"b\n', "cannot be read"),
        (b"system,stemmer\na,\xff\n", "line 2: byte 0xff is not UTF-8"),
        (b"PK\x03\x04", "is an Excel workbook"),
    ],
)
def test_files_of_components_that_are_none(tmp_path: Path, content: bytes, fragment: str) -> None:
    path = tmp_path / "systems.csv"
    path.write_bytes(content)
    with pytest.raises(CdfscoreError, match=fragment):
        read_components(path)
    with pytest.raises(ModelError, match="cannot be read"):
        read_components(tmp_path / "absent.csv")


def test_a_file_of_components_is_text(tmp_path: Path) -> None:
    path = tmp_path / "systems.tsv"
    path.write_text('system\tk1\n\na\t1.20\n"b c"\t NA \n')
    assert read_components(path).to_dict("list") == {"system": ["a", "b c"], "k1": ["1.20", "NA"]}
