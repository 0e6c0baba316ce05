"""What defines no mixed model is refused in one sentence."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from cdfscore import CdfscoreError, Standardizer
from cdfscore.errors import ModelError
from cdfscore.models import anova, as_replicates, mixed_model
from tests.models.designs import COMPONENTS, scores
from tests.models.mixed_designs import replicated

SCORES = scores()
ALIASED = COMPONENTS.assign(copy=COMPONENTS["stemmer"] + "!", language="english")
CELL = SCORES.loc[:, ~SCORES.columns.str.startswith("porter_s")]
TOPIC_AND_SYSTEM = pd.DataFrame(
    np.add.outer([0.25, 0.5, 0.125], np.linspace(0, 1, 24) ** 2), columns=COMPONENTS["system"]
)

BAD: list[tuple[dict[str, Any], str]] = [
    (
        {"formula": "score ~ stemer"},
        "names 'stemer', which is not a factor (did you mean 'stemmer'?)",
    ),
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
    ({"components": "c.csv"}, "components is a str; expected a data frame with a row for each sys"),
    ({"random": []}, "the random terms (none) lack topic"),
    ({"random": ["topic:stemmer"]}, "the random terms topic:stemmer lack topic; expected topic"),
    (
        {"random": ["topic", "stemmer"]},
        "random='stemmer' does not contain topic; expected topic, or a",
    ),
    (
        {"random": ["topic", "topic:"]},
        "random='topic:' lacks a name; expected topic, or a term such as topic:system",
    ),
    (
        {"random": ["topic", "topic:stemer"]},
        "names 'stemer', which is not a factor (did you mean 's",
    ),
    (
        {"random": ["topic", "topic:model", "model:topic"]},
        "topic:model is given twice; expected it",
    ),
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
    ({"scores": SCORES.iloc[:1]}, "raw: the scores are on one topic; expected two topics or"),
    (
        {"scores": SCORES.iloc[:1], "formula": "score ~ system"},
        "raw: the scores are on one topic; expected two topics or more",
    ),
    ({"scores": SCORES * 0 + 0.5}, "the scores are constant apart from the effects of the terms"),
    (
        {"scores": TOPIC_AND_SYSTEM, "formula": "score ~ system"},
        "the residuals are 0, except for rounding",
    ),
    ({"method": "reml"}, "method='reml' is not accepted; expected REML, ML"),
    ({"alpha": 1.5}, "alpha"),
    ({"schemes": []}, "schemes=[] is not accepted"),
    ({"schemes": ["raw", "raw"]}, "twice"),
    ({"scores": SCORES.mask(SCORES > 2)}, "missing"),
    (
        {"scores": replicated(), "components": COMPONENTS.assign(shard="a")},
        "components has a column 'shard', which is the name of the replicates",
    ),
]


@pytest.mark.clause("mixed_model.1")
@pytest.mark.parametrize(("changes", "fragment"), BAD)
def test_bad_input_is_refused_in_one_sentence(changes: dict[str, Any], fragment: str) -> None:
    given = {"formula": "score ~ stemmer", "components": COMPONENTS} | changes
    with pytest.raises(CdfscoreError) as caught:
        mixed_model(given.pop("scores", SCORES), **given)
    assert fragment in str(caught.value)
    assert "\n" not in str(caught.value)


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


@pytest.mark.parametrize(
    ("term", "fragment"),
    [
        ("topic", "no term 'topic' in 'score ~ stemmer'; expected one of stemmer"),
        ("model", "no term 'model' in 'score ~ stemmer'"),
    ],
)
def test_terms_without_means_are_refused(term: str, fragment: str) -> None:
    found = mixed_model(SCORES, "score ~ stemmer", COMPONENTS)
    with pytest.raises(ModelError, match=fragment):
        found.means(term)
    with pytest.raises(ModelError, match=fragment):
        found.contrasts(term)


def test_an_unknown_adjustment_is_refused() -> None:
    found = mixed_model(SCORES, "score ~ stemmer", COMPONENTS)
    with pytest.raises(ModelError, match="adjustment='scheffe' is not accepted; expected one of t"):
        found.contrasts("stemmer", "scheffe")


@pytest.mark.clause("mixed_model.2")
@pytest.mark.parametrize(
    ("steps", "fragment"),
    [
        (
            "_STEPS_TO_OPTIMUM",
            "raw: the likelihood has not converged after 2 steps of Newton's method",
        ),
        ("_STEPS", "raw: the interval of a variance has not converged after 2 steps"),
    ],
)
def test_what_does_not_converge_has_no_estimates(
    monkeypatch: pytest.MonkeyPatch, steps: str, fragment: str
) -> None:
    monkeypatch.setattr(f"cdfscore.models.mixed.{steps}", 2)
    with pytest.raises(ModelError, match=fragment):
        mixed_model(SCORES, "score ~ stemmer", COMPONENTS)
