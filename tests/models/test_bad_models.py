"""What defines no linear or mixed model is refused in one sentence."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cdfscore import CdfscoreError, Standardizer
from cdfscore.errors import ModelError, SpecificationError
from cdfscore.models import anova, as_replicates, mixed_model
from cdfscore.models.anova import SumsType
from cdfscore.models.formula import read_components
from tests.models.designs import COMPONENTS, scores
from tests.models.mixed_designs import replicated

SCORES = scores()
TWICE = pd.concat([COMPONENTS, COMPONENTS.iloc[:1]])
ALIASED = COMPONENTS.assign(copy=COMPONENTS["stemmer"] + "!", language="english")
RAW = [Standardizer("raw", missing="omit")]
CELL = SCORES.loc[:, ~SCORES.columns.str.startswith("porter_s")]
# Each stemmer has a model in common with the next, and none follows from the other.
CHAIN = SCORES.filter(regex="none_[pq]|^s_[qr]|porter_[rs]")
ADDITIVE = pd.DataFrame(
    np.add.outer([0.25, 0.5, 0.125], np.linspace(0, 1, 24) ** 2), columns=COMPONENTS["system"]
)
# Each system has a score on the first topic, and one of them on the two others.
CORNER = ADDITIVE.where(
    np.add.outer([0, 2, 2], np.arange(24)) <= 23 * np.array([[1], [0], [0]]) + 2
)
CONSTANT = ADDITIVE.copy()
CONSTANT.loc[1] = 5.0

OF_BOTH: list[tuple[dict[str, Any], str]] = [
    ({"formula": "score ~ topic + stemer"}, "names 'stemer', which is not a factor (did you mean"),
    ({"formula": "score ~ copy", "components": None}, "which is not a factor; expected some of"),
    ({"components": "c.csv"}, "components is a str; expected a data frame with a row for each sys"),
    ({"components": COMPONENTS.drop(columns="system")}, "has no column 'system'"),
    ({"components": COMPONENTS.rename(columns={"model": "topic"})}, "has a column 'topic'"),
    ({"components": COMPONENTS.set_axis([*["system", "a", "a", "c"]], axis=1)}, "of the same name"),
    ({"components": TWICE}, "two rows for system 'none_p_short'"),
    ({"components": COMPONENTS.iloc[1:]}, "no row for 1 of 24 systems, such as 'none_p_short'"),
    ({"components": COMPONENTS.replace("porter", None)}, "system 'porter_p_short' has no stemmer"),
    ({"components": COMPONENTS.replace("porter", "")}, "system 'porter_p_short' has no stemmer"),
    (
        {"components": ALIASED, "formula": "score ~ language"},
        "language has the level 'english' for all systems",
    ),
    ({"alpha": 5}, "alpha"),
    ({"schemes": []}, "schemes=[] is not accepted"),
    ({"schemes": "raw"}, "schemes='raw' is not accepted"),
    ({"schemes": ["raw", "raw"]}, "twice"),
    ({"scores": SCORES.mask(SCORES > 2)}, "missing"),
]
OF_ANOVA: list[tuple[dict[str, Any], str]] = [
    (
        {"components": ALIASED, "formula": "score ~ topic + stemmer + copy"},
        "the levels of stemmer follow from those of copy, so stemmer is redundant",
    ),
    (
        {
            "components": ALIASED,
            "formula": "score ~ topic + stemmer + copy",
            "sums_of_squares": "II",
        },
        "the levels of stemmer follow from those of copy, so stemmer is redundant",
    ),
    (
        {"scores": CHAIN, "formula": "score ~ stemmer * model", "sums_of_squares": "II"},
        "the term stemmer:model is redundant",
    ),
    ({"scores": CHAIN, "formula": "score ~ stemmer * model"}, "use sums_of_squares='II', or omit"),
    ({"scores": CELL, "formula": "score ~ topic + stemmer * model"}, "use sums_of_squares='II'"),
    ({"formula": "score ~ topic * system"}, "as many coefficients as scores, 216"),
    ({"formula": "score ~ topic + system", "scores": ADDITIVE}, "the residuals are 0, except for"),
    ({"scores": SCORES * 0 + 0.5}, "the residuals are 0, except for rounding"),
    (
        {"scores": CORNER, "formula": "score ~ topic + system", "schemes": RAW},
        "the model has as many coefficients as scores, 26, so it has no residuals",
    ),
    (
        {"scores": ADDITIVE, "schemes": ["z"], "reference": CONSTANT},
        "z: topic '2', system 'none_p_short' has the score -inf; expected finite scores",
    ),
    ({"sums_of_squares": "IV"}, "sums_of_squares='IV' is not accepted (did you mean 'I'?)"),
    ({"sums_of_squares": 3}, "sums_of_squares=3 is not accepted; expected one of I, II, III"),
]
OF_MIXED: list[tuple[dict[str, Any], str]] = [
    ({"formula": "score ~ topic + stemmer"}, "has topic, which is random here; expected fixed"),
    ({"formula": "score ~ stemmer + topic:stemmer"}, "without topic"),
    ({"random": "topic"}, "random='topic' is not accepted; expected a list such as ['topic']"),
    ({"random": [1]}, "random=[1] is not accepted"),
    ({"random": None}, "random=None is not accepted; expected a list such as ['topic']"),
    (
        {"formula": "score ~ stemmer + (1 | topic)"},
        "'1' is not understood: every model has an intercept, and random effects are given "
        "by random=['topic']",
    ),
    ({"formula": "score ~ 1"}, "'1' is not understood: every model has an intercept; expect"),
    ({"random": []}, "the random terms (none) lack topic"),
    ({"random": ["topic:stemmer"]}, "the random terms topic:stemmer lack topic; expected topic"),
    ({"random": ["topic", "stemmer"]}, "random='stemmer' does not contain topic; expected topic,"),
    (
        {"random": ["topic", "topic:"]},
        "random='topic:' lacks a name; expected topic, or a term such as topic:system",
    ),
    ({"random": ["topic", "topic:stemer"]}, "names 'stemer', which is not a factor (did you mean"),
    ({"random": ["topic", "topic:model", "model:topic"]}, "topic:model is given twice; expected i"),
    (
        {"random": ["topic", "topic:language"], "components": ALIASED},
        "the factor language has the level 'english' for all systems",
    ),
    (
        {"random": ["topic", "topic:system"]},
        "raw: topic:system has one score for each of its levels, so its variance is that of the "
        "residuals; omit it from the random terms, or give replicates: several scores of a "
        "system on a topic, identified by replicate='COLUMN'",
    ),
    (
        {"random": ["topic", "topic:stemmer", "topic:copy"], "components": ALIASED},
        "the variance of topic:copy cannot be separated from that of topic:stemmer, because their",
    ),
    (
        {"formula": "score ~ stemmer + copy", "components": ALIASED},
        "the effects of copy follow from those of other terms",
    ),
    (
        {"formula": "score ~ stemmer * model", "scores": CELL},
        "the effects of stemmer:model follow from those of other terms: some combination of levels "
        "has no score",
    ),
    (
        {"scores": SCORES.iloc[:1], "formula": "score ~ system"},
        "raw: the scores are on one topic; expected two topics or more",
    ),
    ({"scores": SCORES * 0 + 0.5}, "the scores are constant apart from the effects of the terms"),
    ({"scores": ADDITIVE, "formula": "score ~ system"}, "the residuals are 0, except for rounding"),
    (
        {"method": "reml"},
        "method='reml' is not accepted (did you mean 'REML'?); expected one of REML, ML",
    ),
    (
        {"scores": replicated(), "components": COMPONENTS.assign(shard="a")},
        "components has a column 'shard', which is the name of the replicates",
    ),
]
BAD = [
    *((model, *row) for row in OF_BOTH for model in (anova, mixed_model)),
    *((anova, *row) for row in OF_ANOVA),
    *((mixed_model, *row) for row in OF_MIXED),
]


@pytest.mark.clause("components.1", "mixed_model.1")
@pytest.mark.parametrize(("model", "changes", "fragment"), BAD)
def test_bad_input_is_refused_in_one_sentence(
    model: Any, changes: dict[str, Any], fragment: str
) -> None:
    formula = "score ~ topic + stemmer" if model is anova else "score ~ stemmer"
    given = {"formula": formula, "components": COMPONENTS} | changes
    with pytest.raises(CdfscoreError) as caught:
        model(given.pop("scores", SCORES), **given)
    assert fragment in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.clause("components.1")
@pytest.mark.parametrize("kind", ["II", "III"])
@pytest.mark.parametrize(
    ("formula", "nested", "within"),
    [
        ("score ~ topic + country + university", "country", "university"),
        ("score ~ university * stoplist + country", "country", "university"),
        ("score ~ topic + topic:country + country + topic * system", "country", "system"),
        ("score ~ topic + stemmer * model + parity", "parity", "stemmer:model"),
    ],
)
def test_the_term_that_follows_from_another_is_named(
    kind: SumsType, formula: str, nested: str, within: str
) -> None:
    """Of type I the first is of countries, and the second of universities within them."""
    own = COMPONENTS.assign(
        university=[f"u{i // 4}" for i in range(24)],
        country=[f"c{i // 8}" for i in range(24)],
        parity=[f"{(a + b) % 2}" for a in range(3) for b in range(4) for _ in range(2)],
    )
    with pytest.raises(SpecificationError) as caught:
        anova(SCORES, formula, own, sums_of_squares=kind)
    assert str(caught.value) == (
        f"the levels of {nested} follow from those of {within}, so {nested} is redundant; "
        "expected a formula without one of them"
    )
    if formula.startswith("score ~ topic + country"):
        found = anova(SCORES, formula, own, sums_of_squares="I").table
        assert found["df"].tolist() == [8, 2, 3, 202]


@pytest.mark.parametrize(
    ("model", "formula", "term", "fragment"),
    [
        (anova, "score ~ topic + stemmer", "topic", "no marginal means of topic; expected a term"),
        (anova, "score ~ topic + stemmer", "stemmer:topic", "no term 'stemmer:topic'"),
        (anova, "score ~ topic", "model", "no term 'model' in 'score ~ topic'; expected one of to"),
        (mixed_model, "score ~ stemmer", "topic", "no term 'topic' in 'score ~ stemmer'; expected"),
    ],
)
def test_terms_without_means_are_refused(
    model: Any, formula: str, term: str, fragment: str
) -> None:
    found = model(SCORES, formula, COMPONENTS)
    for table in (found.means, found.contrasts):
        with pytest.raises(ModelError, match=fragment):
            table(term)
    with pytest.raises(ModelError, match="adjustment='scheffe' is not accepted; expected one of t"):
        found.contrasts("stemmer", "scheffe")


@pytest.mark.clause("anova.5")
def test_means_of_empty_cells_are_refused() -> None:
    found = anova(CELL, "score ~ topic + stemmer * model", COMPONENTS, sums_of_squares="II")
    with pytest.raises(ModelError, match="no marginal means of stemmer, because some combination"):
        found.means("stemmer")


@pytest.mark.parametrize(
    ("content", "fragment"),
    [
        (b"", "expected a header with system and the factors"),
        (b"system,stemmer\n", "expected a header with system and the factors"),
        (b"system,stemmer\na,b,c\n", "line 2 has 3 fields, and the header has 2"),
        (b'system,stemmer\na,"b\n', "is a quote not closed"),
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


@pytest.mark.clause("components.1")
def test_a_file_of_components_is_text(tmp_path: Path) -> None:
    path = tmp_path / "systems.tsv"
    path.write_text('system\tk1\n\na\t1.20\n"b c"\t NA \n')
    assert read_components(path).to_dict("list") == {"system": ["a", "b c"], "k1": ["1.20", "NA"]}


@pytest.mark.clause("anova.1", "mixed_model.2")
@pytest.mark.parametrize("model", [anova, mixed_model])
@pytest.mark.parametrize("exponent", [-700, -505, 505, 1010])
def test_squares_that_no_double_has_are_told(model: Any, exponent: int) -> None:
    found = model(scores() * 2.0**exponent, "score ~ stemmer", COMPONENTS)
    told = sum("squares of the scores are beyond the range of doubles" in n for n in found.notes)
    assert told == (abs(exponent) > 512)
    whole = model(scores(), "score ~ stemmer", COMPONENTS)
    assert found.table["p_value"].equals(whole.table["p_value"])


@pytest.mark.parametrize("kind", ["I", "II", "III"])
def test_a_saturated_formula_is_refused_before_anything_large_is_made(kind: SumsType) -> None:
    """Of 400 systems on 400 topics the contrasts of type III would be a terabyte."""
    rng = np.random.default_rng(1)
    names = [f"s{i}" for i in range(400)]
    frame = pd.DataFrame(rng.normal(size=(400, 400)), columns=names)
    with pytest.raises(ModelError, match="as many coefficients as scores, 160,000,"):
        anova(frame, "score ~ topic * system", sums_of_squares=kind)
    levels = pd.DataFrame({"system": names, "a": [f"a{i % 399}" for i in range(400)]})
    with pytest.raises(ModelError, match="399 coefficients on each of 400 topics, which take too"):
        anova(frame, "score ~ topic * a", levels, sums_of_squares=kind)


@pytest.mark.parametrize("name", ["score", "residual", "scheme", "mean", "conf_low"])
def test_factors_have_no_name_of_a_column_of_results(name: str) -> None:
    """`means` would have had the numbers in place of the levels."""
    own = COMPONENTS.rename(columns={"stemmer": name})
    fragment = (
        f"a factor is named {name!r}, which is also the name of a column or row of the results"
    )
    with pytest.raises(ModelError, match=fragment):
        mixed_model(SCORES, f"score ~ {name}", own)
    with pytest.raises(ModelError, match=fragment):
        anova(SCORES, f"score ~ topic + {name}", own)
    assert mixed_model(SCORES, "score ~ model", own).table["df"].tolist() == [3]


def test_systems_on_topics_of_their_own_leave_no_variance_of_topics() -> None:
    rows = [(t, s, shard) for t, own in (("1", "ab"), ("2", "cd")) for s in own for shard in "xyz"]
    frame = pd.DataFrame(rows, columns=["topic", "system", "shard"])
    given = as_replicates(frame.assign(score=np.linspace(0, 1, 12) ** 2), "shard")
    with pytest.raises(ModelError, match="the variance of topic cannot be estimated"):
        mixed_model(given, "score ~ system", schemes=[Standardizer("raw", missing="omit")])


@pytest.mark.clause("mixed_model.2")
@pytest.mark.parametrize(
    ("steps", "fragment"),
    [
        ("_STEPS_TO_OPTIMUM", "raw: the likelihood has not converged after 2 steps of Newton's me"),
        ("_STEPS", "raw: the interval of a variance has not converged after 2 steps"),
    ],
)
def test_what_does_not_converge_has_no_estimates(
    monkeypatch: pytest.MonkeyPatch, steps: str, fragment: str
) -> None:
    monkeypatch.setattr(f"cdfscore.models.mixed.{steps}", 2)
    with pytest.raises(ModelError, match=fragment):
        mixed_model(SCORES, "score ~ stemmer", COMPONENTS)
