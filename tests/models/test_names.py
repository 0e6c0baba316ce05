"""Names of factors and levels that cannot be told from others are refused, where they are used."""

import pandas as pd
import pytest

from cdfscore.errors import SpecificationError
from cdfscore.models import anova, mixed_model
from cdfscore.models.formula import names_in
from tests.models.designs import COMPONENTS, scores

SCORES = scores()
SIGNS = {":": "a colon", "`": "a backtick", "\\": "a backslash"}
# The cell of a and b:c has the label of that of a:b and c.
COLONS = COMPONENTS.assign(
    stemmer=COMPONENTS["stemmer"].map({"none": "a", "s": "a:b", "porter": "x"}),
    stoplist=COMPONENTS["stoplist"].map({"short": "b:c", "long": "c"}),
)
SPACED = COMPONENTS.rename(columns={"stemmer": "stem mer", "model": "a, b"})


@pytest.mark.parametrize(
    ("term", "names"),
    [
        ("topic", ["topic"]),
        ("topic : `stem mer`", ["topic", "stem mer"]),
        ("topic:stem mer", ["topic", "stem mer"]),
        ("`a:b`:c", ["a:b", "c"]),
        ("a::b", ["a", "", "b"]),
        ("``:a", ["``", "a"]),
        ("`a:b", ["`a", "b"]),
    ],
)
def test_colons_join_names_that_may_have_backticks(term: str, names: list[str]) -> None:
    assert names_in(term) == names


@pytest.mark.parametrize("sign", SIGNS)
def test_a_used_factor_has_a_name_that_can_be_told(sign: str) -> None:
    name = f"a{sign}b"
    own = COMPONENTS.rename(columns={"stemmer": name})
    message = f"the factor {name!r} has {SIGNS[sign]} in its name"
    for formula in (f"score ~ `{name}`", f"score ~ model + {name}"):
        with pytest.raises(SpecificationError) as caught:
            anova(SCORES, formula, own)
        assert str(caught.value).startswith(message)
        with pytest.raises(SpecificationError) as caught:
            mixed_model(SCORES, formula, own)
        assert str(caught.value).startswith(message)
    for term in (f"topic:`{name}`", f"topic:{name}"):
        with pytest.raises(SpecificationError) as caught:
            mixed_model(SCORES, "score ~ model", own, random=["topic", term])
        assert str(caught.value).startswith(message)
        assert "\n" not in str(caught.value)
    assert anova(SCORES, "score ~ topic + model", own).table["df"].tolist() == [8, 3, 204]


def test_random_terms_and_means_take_names_as_formulas_do() -> None:
    plain, quoted = (
        mixed_model(SCORES, "score ~ `stem mer` * `a, b`", SPACED, random=["topic", term])
        for term in ("topic:stem mer", "topic:`stem mer`")
    )
    assert quoted.random == plain.random == (("topic",), ("topic", "stem mer"))
    pd.testing.assert_frame_equal(quoted.table, plain.table, check_exact=True)
    fixed = anova(SCORES, "score ~ topic + `stem mer` * `a, b`", SPACED)
    for found in (quoted, fixed):
        first, second = found.means("`a, b`:`stem mer`"), found.means("stem mer:a, b")
        pd.testing.assert_frame_equal(first, second, check_exact=True)
        assert first.columns[1:3].tolist() == ["stem mer", "a, b"]


def test_cells_of_one_label_are_not_compared() -> None:
    message = (
        "two combinations of levels of stemmer:stoplist have the label 'a:b:c', ('a', 'b:c') and "
        "('a:b', 'c'); expected levels without colons"
    )
    fixed = anova(SCORES, "score ~ topic + stemmer * stoplist", COLONS)
    with pytest.raises(SpecificationError) as caught:
        fixed.contrasts("stemmer:stoplist")
    assert str(caught.value) == message
    # The coefficients of the last levels are not listed, so that there is no label twice.
    last = COLONS["stemmer"].replace({"a:b": "x", "x": "a:b"})
    mixed = mixed_model(SCORES, "score ~ stemmer * stoplist", COLONS.assign(stemmer=last))
    with pytest.raises(SpecificationError) as caught:
        mixed.contrasts("stemmer:stoplist")
    assert str(caught.value) == message
    for found in (fixed, mixed):
        assert len(found.means("stemmer:stoplist")) == 6
        assert len(found.contrasts("stemmer")) == 3


def test_coefficients_of_one_label_are_refused() -> None:
    three = COLONS.assign(model=COLONS["model"].replace({"p": "b:c", "q": "c"}))
    with pytest.raises(SpecificationError, match="of stemmer:model have the label 'a:b:c'"):
        mixed_model(SCORES, "score ~ stemmer * model", three)
    assert len(mixed_model(SCORES, "score ~ stemmer + model", three).table) == 2
